"""A take: one playing of a scenario against a cluster, made into the files of a recording (``spec/recordings.md``)."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from recorder import volatile
from recorder.recording_runner import Taken, Tape
from recorder.scenario import Ask, Scenario
from recorder.standins import StandIns
from recorder.timeline import Timeline
from sluiceway.processes import Outcome
from sluiceway.recordings import Places, RecordedCommand, RecordedStep, Recording
from sluiceway.recordings.format import MANIFEST, to_document

# The two sides of one object in a diff carry different resource versions only when someone wrote between kubectl's
# two reads: a dry run keeps the version.
_RACED = re.compile(rb"(?m)^-  resourceVersion: .*\n\+  resourceVersion: ")


class TakeError(Exception):
    """A take that can't become a recording, as it is or at all. Names places and kinds, never what was printed."""


class UnsteadyError(TakeError):
    """A take that another try may get right: someone wrote to the cluster meanwhile."""


@dataclass(slots=True)
class TakenStep:
    """One recorded step: its commands, the files of the root as it saw them, and what Sluiceway made of it."""

    ask: Ask
    tape: Tape
    files: Mapping[str, bytes]
    seen: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Take:
    """One playing of ``scenario``. ``own`` are the recorder's private paths, by placeholder."""

    scenario: Scenario
    cluster: str
    versions: Mapping[str, str]
    timeline: Timeline
    own: Places
    steps: list[TakenStep]


@dataclass(frozen=True, slots=True)
class Finished:
    """The files of a recording, by path, and what Sluiceway showed while it was made, by step."""

    files: Mapping[str, bytes]
    seen: Mapping[str, list[dict[str, Any]]]


def finish(take: Take) -> Finished:
    """Return the recording that ``take`` makes; raise :class:`TakeError` when it would not be stable."""
    for step in take.steps:
        for command in step.tape.commands:
            _check(step, command)
    texts = {path: text for step in take.steps for path, text in _texts(take, step)}
    shown = {step.ask.name: json.dumps(step.seen) for step in take.steps}
    stand_ins = StandIns(take.timeline, [*texts.values(), *shown.values()])
    texts = {path: stand_ins.replace(text) for path, text in texts.items()}
    _refuse_volatile(take, texts)
    files = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    files |= {f"files/{step.ask.name}/{path}": data for step in take.steps for path, data in step.files.items()}
    files[MANIFEST] = _manifest(take, texts)
    return Finished(files, {name: json.loads(stand_ins.replace(text)) for name, text in shown.items()})


def _check(step: TakenStep, command: Taken) -> None:
    place = f"step {step.ask.name}: {command.asked}"
    if command.outcome is None:
        raise TakeError(f"{place}: nobody waited for it")
    if command.outcome.ended not in ("exited", "not-started"):
        raise TakeError(f"{place}: ended as {command.outcome.ended}, which is no behaviour of the tool")
    if _RACED.search(command.outcome.stdout):
        raise UnsteadyError(f"{place}: someone wrote an object while it was read")
    if any(command.places.holds_placeholder(text) for text in _printed(command.outcome)):
        raise TakeError(f"{place}: the output holds the text of a placeholder, such as <root>")


def _printed(outcome: Outcome) -> tuple[str, str]:
    return outcome.stdout.decode("utf-8", "surrogateescape"), outcome.stderr


def _texts(take: Take, step: TakenStep) -> Iterator[tuple[str, str]]:
    """Yield what each command printed, by file, private paths hidden; nothing for a stream that stayed empty."""
    for number, command in enumerate(step.tape.commands, 1):
        assert command.outcome is not None  # noqa: S101 - finish checked it
        for stream, text in zip(("stdout", "stderr"), _printed(command.outcome), strict=True):
            if text:
                yield _file(step, number, command, stream), take.own.hide(command.places.hide(text))


def _file(step: TakenStep, number: int, command: Taken, stream: str) -> str:
    verb = next((word for word in command.asked.argv[1:] if re.fullmatch(r"[a-z][a-z-]*", word)), "run")
    return f"{step.ask.name}/{number}-{verb}.{stream}"


def _refuse_volatile(take: Take, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        step = next(step for step in take.steps if path.startswith(f"{step.ask.name}/"))
        stated = b"\n".join(step.files.values()).decode("utf-8", "replace")
        for line, what in volatile.find(text, stated=stated):
            raise TakeError(f"{path}, line {line}: {what} has no stand-in")


def _manifest(take: Take, texts: Mapping[str, str]) -> bytes:
    recording = Recording(
        Path(),
        take.scenario.name,
        take.scenario.description,
        take.scenario.repository,
        take.cluster,
        take.versions,
        tuple(_recorded(step, texts) for step in take.steps),
    )
    return yaml.safe_dump(to_document(recording), sort_keys=False, allow_unicode=True, width=120).encode()


def _recorded(step: TakenStep, texts: Mapping[str, str]) -> RecordedStep:
    return RecordedStep(
        step.ask.name,
        step.ask.does,
        tuple(_command(step, number, command, texts) for number, command in enumerate(step.tape.commands, 1)),
    )


def _command(step: TakenStep, number: int, command: Taken, texts: Mapping[str, str]) -> RecordedCommand:
    files = [_file(step, number, command, stream) for stream in ("stdout", "stderr")]
    stdout, stderr = (file if file in texts else "" for file in files)
    return RecordedCommand(command.asked, command.outcome.exit_code if command.outcome else None, stdout, stderr)
