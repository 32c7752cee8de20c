import io
import re

import pytest

from sluiceway.commands.progress import Live, Plain, Quiet
from sluiceway.model.rows import Row
from sluiceway.relay import JobLog
from tests.fakes import stack

WEB, DB = stack("web"), stack("db\x1b[2J")
ROW = Row("web", "fake", "in-sync", seconds=61)


class Screen(io.StringIO):
    """A terminal; what it was sent is kept."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def test_plain_lines() -> None:
    log = io.StringIO()
    plain = Plain(JobLog(log, github=False))
    plain.begin(DB)
    plain.end(WEB, ROW)
    with plain.aside():
        assert log.getvalue() == "db\\x1b[2J: started\nweb: in sync after 1 min 1 s\n"


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
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "web 0:00:00" in plain
    assert "db\\x1b[2J 0:00:00" in plain
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
