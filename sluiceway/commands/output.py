"""stdout: where a report goes, and nothing else."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from sluiceway.reports.lines import Line, as_text

if TYPE_CHECKING:
    from sluiceway.reports.colours import Painter


class Output:
    """Writes reports. A reader that is gone or a full disk never stops work half-way: ``lost`` remembers it.

    ``stream`` is what it writes to; ``colours`` lets a terminal show lines in colour.
    """

    def __init__(self, stream: TextIO, *, colours: bool = False) -> None:
        self.lost: OSError | None = None
        self.stream = stream
        self._colours = colours
        self._painter: Painter | None = None

    def lines(self, lines: Iterable[Line]) -> None:
        """Write each line as it comes."""
        for one in lines:
            self.text(self._painted(one) if self._colours else as_text((one,)))

    def text(self, text: str) -> None:
        """Write ``text`` at once; what the stream's encoding can't hold is written as an escape."""
        if self.lost is not None:
            return
        encoding = self.stream.encoding or "utf-8"
        try:
            self.stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            self.stream.flush()
        except OSError as error:
            self.lost = error
            _discard(self.stream)

    def _painted(self, one: Line) -> str:
        if self._painter is None:
            from sluiceway.reports.colours import Painter  # noqa: PLC0415 - rich is heavy, and only for a terminal

            self._painter = Painter()
        return self._painter.painted(one)


def wants_colours(stream: TextIO, environ: Mapping[str, str], *, no_color: bool = False) -> bool:
    """Tell whether reports on ``stream`` are coloured: on a terminal, unless someone asked for none (no-color.org)."""
    return stream.isatty() and not no_color and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def _discard(stream: TextIO) -> None:
    """Send what the stream still holds nowhere, or Python complains about it when it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
