"""Plays a scenario from its recording: no tool, no cluster, no network (``spec/recordings.md``)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from recorder import world
from recorder.scenario import Ask, Edit, Remove, Scenario, Write
from recorder.steps import OpenRunner, Player, Seen
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.private import private_directory
from sluiceway.processes import Runner
from sluiceway.recordings import Recording, RecordingError, Replay
from sluiceway.recordings.format import MANIFEST
from sluiceway.relay import Concealed


@dataclass
class Replayed:
    """What a scenario's recording gives: ``seen`` by step, the rows, and the lines of tools as a job log has them."""

    seen: dict[str, list[Seen]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    relayed: list[str] = field(default_factory=list)


def replay(scenario: Scenario, directory: Path) -> Replayed:
    """Play ``scenario`` from the recording in ``directory``.

    Raises ``RecordingError`` when the recording is missing or of another scenario, when a command has no answer, and
    when one is left over.
    """
    if not (directory / MANIFEST).is_file():
        raise RecordingError(f"{directory} holds no recording ({MANIFEST} is missing){_hint(scenario)}")
    recording = Recording.load(directory)
    _refuse_outdated(scenario, recording)
    result = Replayed()
    with private_directory() as scratch:
        for ask in scenario.recorded:
            result.seen[ask.name] = _step(scenario, recording, ask, scratch, result)
    return result


def _step(scenario: Scenario, recording: Recording, ask: Ask, scratch: Path, result: Replayed) -> list[Seen]:
    replay = Replay(recording, recording.step(ask.name))
    concealed = Concealed()
    opener = _opener(replay, lambda line: result.relayed.append(concealed.clean(line)))
    player = Player(replay.root, replay.repository, opener, scratch, concealed.add)
    try:
        seen = player.play(ask)
    finally:
        result.rows += player.rows
        if replay.missing:
            raise RecordingError("\n".join(replay.missing))
    if left := replay.leftovers():
        raise RecordingError("Recorded and not asked for:\n  " + "\n  ".join(left) + _hint(scenario))
    return seen


def _opener(replay: Replay, relay: Callable[[str], None]) -> OpenRunner:
    @contextmanager
    def open_runner(stack: Stack, _minutes: float | None, private: Path) -> Iterator[Runner]:
        with replay.runner(stack, private=private, relay=relay, shown=relay) as runner:
            yield runner

    return open_runner


def _refuse_outdated(scenario: Scenario, recording: Recording) -> None:
    asked = [(ask.name, ask.does) for ask in scenario.recorded]
    recorded = [(step.name, step.does) for step in recording.steps]
    if asked != recorded or scenario.repository != recording.repository:
        raise RecordingError(f"{recording.directory} is of another {scenario.file.name}{_hint(scenario)}")
    for name, files in _files(scenario):
        if world.files(recording.files(name)) != files:
            raise RecordingError(
                f"{recording.files(name)} is not what {scenario.file.name} now makes of "
                f"examples/{scenario.example}{_hint(scenario)}"
            )


def _files(scenario: Scenario) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield each recorded step's name and the files that it must have seen."""
    with private_directory() as scratch:
        root = scratch / "root"
        world.start(scenario, root)
        for step in scenario.steps:
            if isinstance(step, Edit | Write | Remove):
                world.change(step, root)
            elif isinstance(step, Ask) and step.recorded:
                yield step.name, world.files(root)


def _hint(scenario: Scenario) -> str:
    return f"\n  record:   pytest --record-mode=rewrite scenarios -k {scenario.name}"
