"""stdout: where a report goes, and nothing else."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from sluiceway.commands.settings import Settings
from sluiceway.escapes import writable
from sluiceway.reports.lines import Line, as_text

if TYPE_CHECKING:
    from sluiceway.reports.colours import Painter


class Output:
    """Writes reports. A reader that is gone or a full disk never stops work half-way: ``lost`` remembers it.

    ``stream`` is what it writes to; ``colours`` lets a terminal show lines in colour. On a terminal, lines that are
    wider than it are folded; what goes into a file or a pipe is not. ``unwritten`` says which copies in files have
    failed.
    """

    def __init__(self, stream: TextIO, *, colours: bool = False) -> None:
        self.lost: OSError | None = None
        self.unwritten: list[str] = []
        self.stream = stream
        self._colours = colours
        self._painter: Painter | None = None

    @classmethod
    def on(cls, stream: TextIO, settings: Settings) -> "Output":
        """Return the output on ``stream``, in colour if it is a terminal and ``settings`` let it."""
        return cls(stream, colours=wants_colours(stream, settings.environ, no_color=settings.no_color))

    def lines(self, lines: Iterable[Line]) -> None:
        """Write each line as it comes."""
        width = columns(self.stream)
        for one in lines:
            for part in _folded(one, width) if width else (one,):
                self.text(self._painted(part) if self._colours else as_text((part,)))

    def text(self, text: str) -> None:
        """Write ``text`` at once; what the stream's encoding can't hold is written as ASCII, or as an escape."""
        if self.lost is not None:
            return
        try:
            self.stream.write(writable(text, self.stream.encoding))
            self.stream.flush()
        except OSError as error:
            self.lost = error
            _discard(self.stream)

    def _painted(self, one: Line) -> str:
        if self._painter is None:
            from sluiceway.reports.colours import Painter  # noqa: PLC0415 - rich is heavy, and only for a terminal

            self._painter = Painter()
        return self._painter.painted(one)


def _folded(one: Line, width: int) -> Iterable[Line]:
    if one.whole or (one.text.isascii() and len(one.text) <= width):
        return (one,)
    from sluiceway.reports.folding import folded  # noqa: PLC0415 - only for a line that may be too wide

    return folded(one, width)


def columns(stream: TextIO) -> int:
    """Return how wide the terminal is that ``stream`` is; 0 where it is none, or doesn't say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0


def wants_colours(stream: TextIO, environ: Mapping[str, str], *, no_color: bool = False) -> bool:
    """Tell whether reports on ``stream`` are coloured: on a terminal, unless someone asked for none (no-color.org)."""
    return stream.isatty() and not no_color and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def _discard(stream: TextIO) -> None:
    """Send what the stream still holds nowhere, or Python complains about it when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
