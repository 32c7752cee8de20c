"""The format of a recording: what ``recording.yaml`` holds, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluiceway.processes import Command
from sluiceway.recordings.paths import Places

MANIFEST = "recording.yaml"
FORMAT = 1


class RecordingError(Exception):
    """A recording that is missing, damaged, or does not hold what was asked of it. Its text holds names only."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command with placeholders for every private path: what a recorded one must equal."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, command: Command, places: Places) -> "Asked":
        """Return ``command`` as a recording holds it."""
        return cls(
            tuple(places.hide(word) for word in command.argv),
            places.hide(str(command.cwd)),
            {name: places.hide(value) for name, value in sorted(command.env.items())},
        )

    def __str__(self) -> str:
        return " ".join(self.argv)


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """One command and how it ended. ``exit_code`` is None when the tool could not be started.

    ``stdout`` and ``stderr`` are files relative to the recording's directory, empty where nothing was printed.
    """

    asked: Asked
    exit_code: int | None = 0
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One recorded step of a scenario. ``does`` is its kind (``preview``), ``name`` is unique in the recording."""

    name: str
    does: str
    commands: tuple[RecordedCommand, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """What a real tool printed for one scenario.

    ``cluster`` is the kind of cluster that made it (``kind``, ``local``, or ``none`` where none was needed),
    ``versions`` are those of client and server by name.
    """

    directory: Path
    scenario: str
    description: str
    repository: str
    cluster: str
    versions: Mapping[str, str]
    steps: tuple[RecordedStep, ...]

    @classmethod
    def load(cls, directory: Path) -> "Recording":
        """Read ``directory/recording.yaml``; raise :class:`RecordingError` when it can't be."""
        import yaml  # noqa: PLC0415 # only a replay reads YAML here

        manifest = directory / MANIFEST
        if not manifest.is_file():
            raise RecordingError(f"{directory} holds no recording ({MANIFEST} is missing)")
        try:
            return _recording(directory, yaml.load(manifest.read_text("utf-8"), yaml.CSafeLoader))
        except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise RecordingError(f"{manifest} can't be read as a recording of format {FORMAT}") from None

    def step(self, name: str) -> RecordedStep:
        """Return the step called ``name``; raise :class:`RecordingError` that lists the steps there are."""
        for step in self.steps:
            if step.name == name:
                return step
        known = ", ".join(step.name for step in self.steps)
        raise RecordingError(f"{self.directory} has no recorded step {name!r}; it has: {known}")

    def files(self, step: str) -> Path:
        """Return the directory that holds the root as ``step`` saw it."""
        return self.directory / "files" / step


def _recording(directory: Path, document: Any) -> Recording:
    steps = tuple(
        RecordedStep(_text(step["name"]), _text(step["does"]), tuple(_command(item) for item in step["commands"]))
        for step in document["steps"]
    )
    if document["format"] != FORMAT or not steps:
        raise ValueError
    return Recording(
        directory,
        document["scenario"],
        document["description"],
        document["repository"],
        document["cluster"],
        dict(document["versions"]),
        steps,
    )


def _command(item: Any) -> RecordedCommand:
    env = {_text(name): _text(value) for name, value in item.get("env", {}).items()}
    asked = Asked(tuple(_text(word) for word in item["argv"]), _text(item["cwd"]), env)
    return RecordedCommand(asked, item["exit"], _text(item.get("stdout", "")), _text(item.get("stderr", "")))


def _text(node: Any) -> str:
    if not isinstance(node, str):
        raise TypeError
    return node


def to_document(recording: Recording) -> dict[str, Any]:
    """Return what ``recording.yaml`` holds, keys in the order that a person reads them."""
    return {
        "format": FORMAT,
        "scenario": recording.scenario,
        "description": recording.description,
        "repository": recording.repository,
        "cluster": recording.cluster,
        "versions": dict(recording.versions),
        "steps": [
            {"name": step.name, "does": step.does, "commands": [_item(command) for command in step.commands]}
            for step in recording.steps
        ],
    }


def _item(command: RecordedCommand) -> dict[str, Any]:
    item: dict[str, Any] = {"argv": list(command.asked.argv), "cwd": command.asked.cwd}
    if command.asked.env:
        item["env"] = dict(command.asked.env)
    item["exit"] = command.exit_code
    item.update({name: file for name, file in (("stdout", command.stdout), ("stderr", command.stderr)) if file})
    return item
