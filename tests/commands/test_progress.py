import io
import re

import pytest

from sluiceway.commands.progress import Live, Plain, Quiet
from sluiceway.model.rows import Row
from sluiceway.relay import JobLog
from tests.fakes import stack

WEB, DB = stack("web"), stack("db\x1b[2J")
ROW = Row("web", "fake", "in-sync", seconds=61)


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
UP = "\x1b[1A"


class Screen(io.StringIO):
    """A terminal; what it was sent is kept."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def plain_text(screen: Screen) -> str:
    return ESCAPE.sub("", screen.getvalue()).replace("\r", "\n")


def test_plain_lines() -> None:
    log = io.StringIO()
    plain = Plain(JobLog(log, github=False))
    plain.begin(DB)
    plain.end(WEB, ROW)
    with plain.aside():
        assert log.getvalue() == "db\\x1b[2J: started\nweb: in sync after 1 min 1 s\n"


def test_plain_lines_count_several_stacks() -> None:
    log = io.StringIO()
    plain = Plain(JobLog(log, github=False))
    plain.expect(2)
    plain.end(WEB, ROW)
    plain.end(DB, ROW)
    assert [text[-15:] for text in log.getvalue().splitlines()] == ["s (1 of 2 done)", "s (2 of 2 done)"]


def test_live_says_how_many_of_several_are_done(screen: Screen) -> None:
    live = Live(screen)
    live.expect(2)
    live.begin(WEB)
    live.begin(DB)
    with live.aside():
        pass
    live.end(WEB, ROW)
    with live.aside():
        pass
    live.close()
    assert "0:00:00 0 of 2 done" in plain_text(screen)
    assert "0:00:00 1 of 2 done" in plain_text(screen)


def test_a_row_is_not_wiped_away_by_what_is_drawn_below_it(screen: Screen) -> None:
    live = Live(screen)
    for one in (WEB, DB):
        live.begin(one)
    with live.aside():
        screen.write("first line\nsecond line\n")
    live.close()
    after = screen.getvalue().partition("second line\n")[2]
    drawn = after.partition("web")[0]
    assert "web" in after
    assert UP not in drawn


def test_a_name_that_is_too_long_keeps_its_end(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    live = Live(screen)
    live.begin(stack("apps/a-team-with-a-long-name/web-shop-7"))
    live.close()
    shown = next(text for text in plain_text(screen).splitlines() if "0:00:00" in text)
    assert shown.rstrip().endswith("0:00:00 ...with-a-long-name/web-shop-7")
    assert len(shown.strip()) <= 40


def test_quiet() -> None:
    quiet = Quiet()
    quiet.begin(WEB)
    quiet.end(WEB, ROW)
    with quiet.aside():
        pass


def test_live_shows_each_stack_at_work_with_a_clock(screen: Screen) -> None:
    live = Live(screen)
    live.begin(WEB)
    live.begin(DB)
    with live.aside():
        shown = screen.getvalue()
    live.close()
    plain = ESCAPE.sub("", shown)
    assert "0:00:00 web" in plain
    assert "0:00:00 db\\x1b[2J" in plain
    assert not screen.closed


def test_nothing_is_drawn_while_the_terminal_is_someone_elses(screen: Screen) -> None:
    live = Live(screen)
    live.begin(WEB)
    with live.aside():
        before = screen.getvalue()
        screen.write("a row\n")
        assert screen.getvalue() == f"{before}a row\n"
    live.end(WEB, ROW)
    live.close()


def test_a_log_line_goes_above_and_is_whole(screen: Screen) -> None:
    live = Live(screen)
    log = JobLog(live, github=False)  # type: ignore[arg-type]  # a text stream in all that a log needs
    log.say("before")
    live.begin(WEB)
    long = "x" * 500
    log.tool_line("web", f"[red]{long}[/red] 1.5 :smile:")
    live.end(WEB, ROW)
    log.say("after")
    live.close()
    shown = screen.getvalue()
    assert shown.startswith("before\n")
    assert f"web | [red]{long}[/red] 1.5 :smile:\n" in shown
    assert shown.endswith("after\n")


def test_when_the_last_stack_ends_nothing_is_left_at_the_foot(screen: Screen) -> None:
    live = Live(screen, no_color=True)
    live.begin(WEB)
    live.end(WEB, ROW)
    assert "web" not in screen.getvalue().rpartition("\x1b[2K")[2]
    live.end(WEB, ROW)
    live.begin(WEB)
    live.close()
    live.close()


def test_no_colours(screen: Screen) -> None:
    live = Live(screen, no_color=True)
    live.begin(WEB)
    live.close()
    assert "\x1b[3" not in screen.getvalue()
