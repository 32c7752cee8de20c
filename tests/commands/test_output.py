import io
from pathlib import Path

import pytest

from sluiceway.commands.output import Output, wants_colours
from sluiceway.reports.lines import Span, line


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


LINES = [line(Span("- DELETE ", "delete"), "x", depth=1), line(""), line("plain" + 300 * "x")]


def test_plain_lines() -> None:
    stream = io.StringIO()
    Output(stream).lines(LINES)
    assert stream.getvalue() == f"  - DELETE x\n\nplain{300 * 'x'}\n"


def test_coloured_lines_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = io.StringIO()
    Output(stream, colours=True).lines(LINES)
    assert stream.getvalue() == f"  \x1b[1;31m- DELETE \x1b[0mx\n\nplain{300 * 'x'}\n"


@pytest.mark.parametrize(
    ("environ", "no_color", "expected"),
    [
        ({}, False, True),
        ({"NO_COLOR": ""}, False, True),
        ({"NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({}, True, False),
    ],
)
def test_who_wants_colours(environ: dict[str, str], no_color: bool, expected: bool) -> None:
    assert wants_colours(Screen(), environ, no_color=no_color) is expected
    assert wants_colours(io.StringIO(), environ, no_color=no_color) is False


def test_a_stream_that_is_lost_is_written_to_no_more() -> None:
    with Path("/dev/full").open("w") as full:
        output = Output(full)
        output.text("x")
        lost = output.lost
        output.text("y")
        assert lost is not None
        assert output.lost is lost
