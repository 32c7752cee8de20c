"""The ``Runner`` that answers from a recording. It starts no tool and reaches no network."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sluiceway.model.stacks import Stack
from sluiceway.processes import STDOUT_LIMIT_MIB, Command, Outcome, Runner
from sluiceway.processes.streams import MIB, Lines, Relayable
from sluiceway.recordings.format import Asked, RecordedCommand, RecordedStep, Recording, RecordingError
from sluiceway.recordings.paths import Places


class Replay:
    """Answers the commands of one recorded step: each recorded command once, in order, from any thread.

    ``missing`` keeps the text of every command that had no answer, for a caller whose exceptions are caught on the
    way.
    """

    def __init__(self, recording: Recording, step: RecordedStep) -> None:
        self.recording = recording
        self.step = step
        self.missing: list[str] = []
        self._used: set[int] = set()
        self._lock = threading.Lock()

    @classmethod
    def open(cls, text: str, *, does: str = "") -> Self:
        """Open ``DIR`` or ``DIR:STEP``; without a step, the first that ``does`` what is asked, else the first.

        Raises :class:`RecordingError` when there is no such recording or step.
        """
        directory, name = _split(text)
        recording = Recording.load(directory)
        if name:
            return cls(recording, recording.step(name))
        return cls(recording, next((step for step in recording.steps if step.does == does), recording.steps[0]))

    @property
    def root(self) -> Path:
        """The repository's files as the step saw them: to be read, never written."""
        return self.recording.files(self.step.name)

    @property
    def repository(self) -> str:
        """The repository's name that was recorded; a replay ignores the environment's."""
        return self.recording.repository

    @contextmanager
    def runner(
        self,
        stack: Stack | None = None,
        *,
        private: Path,
        relay: Callable[[str], None],
        shown: Callable[[str], None],
    ) -> Iterator[Runner]:
        """Give a ``Runner`` for ``stack``, whose private files are under ``private``.

        ``relay`` gets each line of a replayed stderr, ``shown`` each line of a stdout that is shown to a person.
        """
        yield _Replayer(self, stack.id if stack else "", private, relay, shown)

    def leftovers(self) -> tuple[str, ...]:
        """Return the recorded commands that nobody asked for, as a person reads them."""
        return tuple(
            f"{command.asked} (step {self.step.name}, command {number})"
            for number, command in enumerate(self.step.commands, 1)
            if number not in self._used
        )

    def take(self, asked: Asked, stack_id: str = "") -> RecordedCommand:
        """Return the first unused recorded command that equals ``asked``; raise :class:`RecordingError` if none."""
        with self._lock:
            for number, command in enumerate(self.step.commands, 1):
                if number not in self._used and command.asked == asked:
                    self._used.add(number)
                    return command
        from sluiceway.recordings.missing import no_answer  # noqa: PLC0415 # read only when something is missing

        text = no_answer(self.recording, self.step, asked, stack_id)
        self.missing.append(text)
        raise RecordingError(text)


def _split(text: str) -> tuple[Path, str]:
    directory, colon, step = text.rpartition(":")
    if colon and not Path(text).is_dir():
        return Path(directory), step
    return Path(text), ""


@dataclass(frozen=True, slots=True)
class _Replayer:
    """The runner of one stack (a ``Runner``)."""

    replay: Replay
    stack_id: str
    private: Path
    relay: Callable[[str], None]
    shown: Callable[[str], None]

    def start(self, command: Command) -> "_Replayed":
        places = Places(self.replay.root, self.private, command.placeholders)
        recorded = self.replay.take(Asked.of(command, places), self.stack_id)
        return _Replayed(self, command, recorded, places)

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()


@dataclass(frozen=True, slots=True)
class _Replayed:
    """A recorded command that was asked for (a ``Running``)."""

    replayer: _Replayer
    command: Command
    recorded: RecordedCommand
    places: Places

    def wait(self) -> Outcome:
        stdout, stderr = self._printed(self.recorded.stdout), self._printed(self.recorded.stderr)
        text = stderr.decode("utf-8", "replace")
        if self.recorded.exit_code is None:
            return Outcome("not-started", stderr=text)
        relayable = Relayable(self.command)
        _pass_on(stderr, lambda line: self._relay(relayable(line)))
        if self.command.shown:
            _pass_on(stdout, self.replayer.shown, keep_colour=True)
        return Outcome("exited", self.recorded.exit_code, stdout, text)

    def _relay(self, line: str | None) -> None:
        if line is not None:
            self.replayer.relay(line)

    def _printed(self, file: str) -> bytes:
        if not file:
            return b""
        printed = (self.replayer.replay.recording.directory / file).read_bytes().decode("utf-8", "surrogateescape")
        return self.places.fill(printed).encode("utf-8", "surrogateescape")


def _pass_on(printed: bytes, emit: Callable[[str], None], *, keep_colour: bool = False) -> None:
    lines = Lines(emit, bound=STDOUT_LIMIT_MIB * MIB, keep_colour=keep_colour)
    lines.feed(printed)
    lines.close()
