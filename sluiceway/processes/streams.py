"""What a tool writes, taken in as it comes and kept within bounds."""

import io
import re
import threading
from collections.abc import Callable

from sluiceway.escapes import without_escapes
from sluiceway.processes import commands
from sluiceway.processes.commands import Command

MIB = 1 << 20
_LINE_ENDS = re.compile(rb"\r\n|\n|\r")


class Kept:
    """A tool's stdout, whole or not at all: past ``STDOUT_LIMIT_MIB`` nothing is kept, and ``too_large`` says so."""

    def __init__(self) -> None:
        self._buffer = io.BytesIO()
        self._limit = commands.STDOUT_LIMIT_MIB * MIB
        self.too_large = False

    def feed(self, chunk: bytes) -> None:
        """Take in what was read."""
        if self.too_large:
            return
        self._buffer.write(chunk)
        if self._buffer.tell() > self._limit:
            self.too_large = True
            self._buffer = io.BytesIO()

    def content(self) -> bytes:
        """Return what was kept."""
        return self._buffer.getvalue()


class Ends:
    """The first and the last ``bound`` bytes of a tool's stderr."""

    def __init__(self, bound: int = MIB) -> None:
        self._bound = bound
        self._first = bytearray()
        self._last = bytearray()
        self._left_out = 0

    def feed(self, chunk: bytes) -> None:
        """Take in what was read."""
        room = self._bound - len(self._first)
        self._first += chunk[:room]
        self._last += chunk[room:]
        if len(self._last) > 2 * self._bound:
            self._trim()

    def text(self) -> str:
        """Return both ends as text; bytes that are no UTF-8 become U+FFFD, and a line of ours stands for a gap."""
        self._trim()
        gap = f"\n({self._left_out} bytes left out)\n".encode() if self._left_out else b""
        return (self._first + gap + self._last).decode("utf-8", "replace")

    def _trim(self) -> None:
        excess = len(self._last) - self._bound
        if excess > 0:
            del self._last[:excess]
            self._left_out += excess


class Relayable:
    """Tells what of a command's stderr the job log may have, line by line (:class:`Command`)."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._over = False

    def __call__(self, line: str) -> str | None:
        """Return what may be relayed of the next line; None for nothing of it."""
        if self._over or self._command.tried or line in self._command.answers:
            return None
        self._over = any(mark in line for mark in self._command.cut_all)
        marks = (*self._command.cut, *self._command.cut_all)
        ends = [at + len(mark) for mark in marks if (at := line.find(mark)) >= 0]
        what = "all that follows" if self._over else "the rest of the line"
        return f"{line[: min(ends)]} ({what} is left out)" if ends else line


class Held:
    """Keeps lines back until :meth:`release`, then passes them on, and from there on each as it comes.

    At most ``bound`` characters are kept: what comes then is counted, not kept. Each line goes through
    :class:`Relayable` first. Safe between threads.
    """

    def __init__(self, emit: Callable[[str], None], command: Command, bound: int = MIB) -> None:
        self._emit = emit
        self._relayable = Relayable(command)
        self._room = bound
        self._lines: list[str] = []
        self._left_out = 0
        self._released = False
        self._lock = threading.RLock()

    def take(self, line: str) -> None:
        """Take one line."""
        relayed = self._relayable(line)
        if relayed is not None:
            self._take(relayed)

    def _take(self, line: str) -> None:
        with self._lock:
            if self._released:
                self._emit(line)
            elif len(line) > self._room:
                self._left_out += 1
            else:
                self._room -= len(line) + 1
                self._lines.append(line)

    def release(self) -> None:
        """Pass on what was kept back, once."""
        with self._lock:
            lines, self._lines, self._released = self._lines, [], True
            if self._left_out:
                lines.append(f"({self._left_out} lines left out)")
                self._left_out = 0
            for line in lines:
                self._emit(line)


class Lines:
    r"""Passes lines on as they become whole, without their ends (``\n``, ``\r\n``, and ``\r`` as progress bars use it).

    A line longer than ``bound`` bytes is not passed on but named by its size: cut in two, neither half could be
    searched for values that must not be shown.
    """

    def __init__(self, emit: Callable[[str], None], *, bound: int, keep_colour: bool = False) -> None:
        self._emit = emit
        self._bound = bound
        self._keep_colour = keep_colour
        self._rest = bytearray()
        self._size = 0
        self._after_return = False

    def feed(self, chunk: bytes) -> None:
        """Take in what was read, and pass on the lines it completes."""
        if not chunk:
            return
        split_end = self._after_return and chunk.startswith(b"\n")
        self._after_return = chunk.endswith(b"\r")
        *whole, rest = _LINE_ENDS.split(chunk[1:] if split_end else chunk)
        for part in whole:
            self._add(part)
            self._end()
        self._add(rest)

    def close(self) -> None:
        """Pass on a last line that had no end."""
        if self._size:
            self._end()

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._bound:
            self._rest += part

    def _end(self) -> None:
        if self._size > self._bound:
            line = f"(a line of {self._size} bytes left out)"
        else:
            line = without_escapes(self._rest.decode("utf-8", "replace"), keep_colour=self._keep_colour)
        self._size = 0
        self._rest.clear()
        self._emit(line)
