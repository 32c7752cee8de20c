import fcntl
import io
import os
import struct
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

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


@pytest.fixture
def narrow() -> Iterator[tuple[TextIO, int]]:
    """Give a terminal of 40 columns, and the end from which it is read."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with os.fdopen(slave, "w") as stream:
        yield stream, master
    os.close(master)


def read(master: int, lines: int) -> list[str]:
    text = b""
    while text.count(b"\n") < lines:
        text += os.read(master, 1000)
    return text.decode().splitlines()


LONG = line("PENDING   web  ", "3 updates, 3 objects changed outside the code", hang=10)


def test_on_a_terminal_a_line_that_is_too_wide_is_folded(narrow: tuple[TextIO, int]) -> None:
    stream, master = narrow
    Output(stream).lines([LONG, line("x" * 50, whole=True)])
    assert read(master, 3) == ["PENDING   web  3 updates, 3 objects", "          changed outside the code", 50 * "x"]


def test_what_is_coloured_is_folded_alike(narrow: tuple[TextIO, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    stream, master = narrow
    Output(stream, colours=True).lines([line(Span("DELETE " * 8, "delete"), hang=2)])
    first, second = read(master, 2)
    assert (first.count("DELETE"), second.count("DELETE")) == (5, 3)
    assert all("\x1b[1;31m" in text for text in (first, second))


def test_in_a_pipe_nothing_is_folded() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream, os.fdopen(reader) as piped:
        Output(stream).lines([LONG])
        stream.close()
        assert piped.read() == f"{LONG.text}\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", "2 → 3 … \u6f22"),
        ("cp1252", "2 -> 3 … \\u6f22"),
        ("ascii", "2 -> 3 ... \\u6f22"),
    ],
)
def test_signs_that_the_stream_cant_hold_are_written_in_ascii(encoding: str, written: str) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Output(stream).lines([line("2 → 3 … \u6f22")])
    stream.seek(0)
    assert stream.read() == f"{written}\n"
