"""Progress of long work, on stderr: which stack, for how long."""

import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TextIO

from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.relay import JobLog
from sluiceway.reports.words import duration, visible
from sluiceway.runs.preview import Progress, Unwatched

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_ENDED = {"in-sync": "in sync", "preview-failed": "preview failed"}


class Shown(Progress, Protocol):
    """Progress that can get out of the way of other text."""

    def aside(self) -> AbstractContextManager[None]:
        """Keep the terminal free for as long as this is entered."""
        ...


class Quiet(Unwatched):
    """Nothing is shown."""

    def aside(self) -> AbstractContextManager[None]:
        """Do nothing: nothing is in the way."""
        return nullcontext()


class Plain(Quiet):
    """A line when work on a stack starts, and one when it ends: for a log."""

    def __init__(self, log: JobLog) -> None:
        self._log = log

    def begin(self, stack: Stack) -> None:
        """Say that work on ``stack`` starts."""
        self._log.say(f"{visible(stack.id)}: started")

    def end(self, stack: Stack, row: Row) -> None:
        """Say how work on ``stack`` ended, and how long it took."""
        ended = row.outcome or row.state
        self._log.say(f"{visible(stack.id)}: {_ENDED.get(ended, ended)} after {duration(row.seconds)}")


class Live(io.TextIOBase):
    """A line for each stack at work at the foot of a terminal, with a clock. What is written here goes above them."""

    def __init__(self, stream: TextIO, *, no_color: bool = False) -> None:
        self._stream = stream
        self._no_color = no_color
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._lock = RLock()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a stream's own, where there is one
        """The terminal's encoding."""
        return self._stream.encoding

    def begin(self, stack: Stack) -> None:
        """Show ``stack`` at work."""
        with self._lock:
            if self._bars is None:
                self._bars = _bars(self._stream, no_color=self._no_color)
            if not self._tasks:
                self._bars.start()
            self._tasks[stack.id] = self._bars.add_task(visible(stack.id), total=None)

    def end(self, stack: Stack, row: Row) -> None:  # noqa: ARG002 - the row is reported on stdout
        """Show ``stack`` no more."""
        with self._lock:
            if self._bars is not None and stack.id in self._tasks:
                self._bars.remove_task(self._tasks.pop(stack.id))
                if not self._tasks:
                    self._bars.stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the lines away, and put them back afterwards."""
        with self._lock:
            shown = self._bars if self._tasks else None
            if shown is not None:
                shown.stop()
            try:
                yield
            finally:
                if shown is not None and self._tasks:
                    shown.start()

    def write(self, text: str) -> int:
        """Write whole lines above those at the foot."""
        with self._lock:
            if self._bars is not None and self._tasks:
                self._bars.console.print(text, end="")
            else:
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the terminal."""
        self._stream.flush()

    def close(self) -> None:
        """Take the lines away for good; the terminal stays open."""
        with self._lock:
            if self._bars is not None and self._tasks:
                self._tasks.clear()
                self._bars.stop()


def _bars(stream: TextIO, *, no_color: bool) -> "Bars":
    # rich is heavy, and only a terminal needs it.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    console = Console(
        file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True, no_color=no_color or None
    )
    return Progress(
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
