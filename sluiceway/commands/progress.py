"""Progress of long work, on stderr: which stack, for how long, and how many are left."""

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TextIO

from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.relay import JobLog
from sluiceway.reports.words import duration, visible
from sluiceway.runs.preview import Progress, Unwatched

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live as Display
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

_BEFORE_A_NAME = len("- 0:00:00 ")
_ENDED = {"in-sync": "in sync", "preview-failed": "preview failed"}


class Shown(Progress, Protocol):
    """Progress that knows how much there is to do, and can get out of the way of other text."""

    def expect(self, count: int) -> None:
        """Work on ``count`` stacks follows."""
        ...

    def aside(self) -> AbstractContextManager[None]:
        """Keep the terminal free for as long as this is entered."""
        ...


class Quiet(Unwatched):
    """Nothing is shown."""

    def expect(self, count: int) -> None:
        """Say nothing."""

    def aside(self) -> AbstractContextManager[None]:
        """Do nothing: nothing is in the way."""
        return nullcontext()


class _Count:
    """How many of several stacks have ended."""

    def __init__(self, of: int = 0) -> None:
        self._of, self._ended = of, 0
        self._lock = RLock()

    def ended(self) -> str:
        """Count one more, and return how far that is: nothing to say of a single one."""
        with self._lock:
            self._ended += 1
            return f" ({self})" if self._of > 1 else ""

    def __bool__(self) -> bool:
        return self._of > 1

    def __str__(self) -> str:
        return f"{self._ended} of {self._of} done"


class Plain(Quiet):
    """A line when work on a stack starts, and one when it ends: for a log."""

    def __init__(self, log: JobLog) -> None:
        self._log = log
        self._count = _Count()

    def expect(self, count: int) -> None:
        """Count up to ``count`` from now on."""
        self._count = _Count(count)

    def begin(self, stack: Stack) -> None:
        """Say that work on ``stack`` starts."""
        self._log.say(f"{visible(stack.id)}: started")

    def end(self, stack: Stack, row: Row) -> None:
        """Say how work on ``stack`` ended, and how long it took."""
        ended = row.outcome or row.state
        done = self._count.ended()
        self._log.say(f"{visible(stack.id)}: {_ENDED.get(ended, ended)} after {duration(row.seconds)}{done}")


class Live(io.TextIOBase):
    """A line for each stack at work at the foot of a terminal, with a clock. What is written here goes above them."""

    def __init__(self, stream: TextIO, *, no_color: bool = False) -> None:
        self._stream = stream
        self._no_color = no_color
        self._foot: Foot | None = None
        self._tasks: dict[str, TaskID] = {}
        self._count = _Count()
        self._whole: TaskID | None = None
        self._lock = RLock()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a stream's own, where there is one
        """The terminal's encoding."""
        return self._stream.encoding

    def expect(self, count: int) -> None:
        """Count up to ``count`` from now on, in a line above those of the stacks."""
        self._count = _Count(count)

    def begin(self, stack: Stack) -> None:
        """Show ``stack`` at work."""
        with self._lock:
            if self._foot is None:
                self._foot = _foot(self._stream, no_color=self._no_color)
                if self._count:
                    self._whole = self._foot.bars.add_task(str(self._count), total=None)
            if not self._tasks:
                self._foot.show()
            self._tasks[stack.id] = self._foot.bars.add_task(self._foot.fitted(visible(stack.id)), total=None)

    def end(self, stack: Stack, row: Row) -> None:  # noqa: ARG002 - the row is reported on stdout
        """Show ``stack`` no more."""
        with self._lock:
            if self._foot is None or stack.id not in self._tasks:
                return
            self._foot.bars.remove_task(self._tasks.pop(stack.id))
            self._count.ended()
            if self._whole is not None:
                self._foot.bars.update(self._whole, description=str(self._count))
            if not self._tasks:
                self._foot.hide()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the lines away, and put them back afterwards."""
        with self._lock:
            shown = self._foot if self._tasks else None
            if shown is not None:
                shown.hide()
            try:
                yield
            finally:
                if shown is not None and self._tasks:
                    shown.show()

    def write(self, text: str) -> int:
        """Write whole lines above those at the foot."""
        with self._lock:
            if self._foot is not None and self._tasks:
                self._foot.console.print(text, end="")
            else:
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the terminal."""
        self._stream.flush()

    def close(self) -> None:
        """Take the lines away for good; the terminal stays open."""
        with self._lock:
            if self._foot is not None and self._tasks:
                self._tasks.clear()
                self._foot.hide()


@dataclass
class Foot:
    """The lines at the foot of a terminal.

    Each time they are shown something new shows them: rich's display, started again, takes away as many lines as it
    had drawn before, whatever was written there since.
    """

    console: "Console"
    bars: "Bars"
    display: "Callable[[], Display]"
    _shown: "Display | None" = None

    def fitted(self, name: str) -> str:
        """Return ``name``, or its end where it is too long: paths differ at their end."""
        room = self.console.width - _BEFORE_A_NAME
        return name if len(name) <= room else f"...{name[-max(room - 3, 1) :]}"

    def show(self) -> None:
        """Draw the lines, and keep their clocks going."""
        self._shown = self.display()
        self._shown.start()

    def hide(self) -> None:
        """Take the lines away."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None


def _foot(stream: TextIO, *, no_color: bool) -> Foot:
    # rich is heavy, and only a terminal needs it.
    from rich.console import Console  # noqa: PLC0415
    from rich.live import Live as Display  # noqa: PLC0415
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.table import Column  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

    console = Console(
        file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True, no_color=no_color or None,
        theme=Theme({"progress.elapsed": "none"}),  # rich's own is yellow, which can't be read on white
    )  # fmt: skip
    bars = Progress(
        SpinnerColumn("line"),
        TimeElapsedColumn(Column(no_wrap=True)),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="crop", ratio=1)),
        console=console,
        expand=True,
    )
    # A terminal that is lower than the lines shows the first of them.
    display = partial(
        Display, console=console, get_renderable=bars.get_renderable, transient=True, vertical_overflow="crop",
        redirect_stdout=False, redirect_stderr=False, refresh_per_second=10,
    )  # fmt: skip
    return Foot(console, bars, display)
