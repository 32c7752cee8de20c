"""The recording ``Runner``: runs what an adapter asks for, and keeps what the tool printed (``spec/recordings.md``)."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sluiceway.processes import Command, Outcome, Runner, Running
from sluiceway.recordings import Asked, Places


@dataclass(slots=True)
class Taken:
    """One command of a take, with private paths still in its output, and how it ended (None: it still runs)."""

    asked: Asked
    places: Places
    outcome: Outcome | None = None


@dataclass(slots=True)
class Tape:
    """The commands of one recorded step, in the order they were started, from any thread."""

    commands: list[Taken] = field(default_factory=list)
    _running: list["_Recorded"] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, command: Command, places: Places, runner: Runner) -> "_Recorded":
        """Start ``command`` and keep its place in the order."""
        with self._lock:
            taken = Taken(Asked.of(command, places), places)
            running = runner.start(command)
            self.commands.append(taken)
            recorded = _Recorded(running, taken)
            self._running.append(recorded)
        return recorded

    def finish(self) -> None:
        """Wait for the commands that the adapter gave up: how they end must not depend on when it did so."""
        for recorded in self._running:
            if recorded.taken.outcome is None:
                recorded.wait()


@dataclass(frozen=True, slots=True)
class RecordingRunner:
    """A ``Runner`` that hands everything on to ``inner`` and keeps it on ``tape``, which is None in arranged steps.

    ``align`` is called before a command that writes, so that what it writes carries the time of one second.
    """

    inner: Runner
    root: Path
    private: Path
    tape: Tape | None
    align: Callable[[], None]

    def start(self, command: Command) -> Running:
        """Start ``command``; a writing one just after a full second."""
        if command.writes:
            self.align()
        if self.tape is None:
            return self.inner.start(command)
        return self.tape.start(command, Places(self.root, self.private, command.placeholders), self.inner)

    def run(self, command: Command) -> Outcome:
        """Start ``command`` and wait for it."""
        return self.start(command).wait()


@dataclass(frozen=True, slots=True)
class _Recorded:
    running: Running
    taken: Taken

    def wait(self) -> Outcome:
        self.taken.outcome = self.running.wait()
        return self.taken.outcome
