"""A scenario: what is done to a cluster and asked of an adapter (``spec/recordings.md``, A scenario).

One YAML file, ``scenarios/<tool>/<name>.yaml``. A step is a mapping whose first key names what it does.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, get_args

from recorder.located import Located, ScenarioError

Does = Literal["check_version", "prepare", "preview", "drift", "diff", "deploy"]
ASKS: Final[tuple[Does, ...]] = get_args(Does)
NAMESPACE = "shop"
"""Where a scenario's stacks are deployed when it names no other: a fixed name, so that outputs are the same."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``old``, which must occur exactly once in ``file``, by ``new``."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write ``text`` to ``file``, new or not."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove ``file``, which must exist: a file, or a directory with all it holds."""

    file: str


@dataclass(frozen=True, slots=True)
class Outside:
    """Run a command that someone else runs against the cluster. ``argv[0]`` is a tool, or ``tool-<version>``.

    With ``killed_after`` it is killed after so many seconds, as a job that is cancelled is; it must still run then.
    """

    argv: tuple[str, ...]
    killed_after: float | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A step of Sluiceway on ``stack`` (empty: each stack in turn), recorded or only arranged.

    A deploy approves whatever its fresh preview shows, unless ``hash`` says what was approved.
    """

    name: str
    does: Does
    recorded: bool
    stack: str = ""
    hash: str = ""
    repair_drift: bool = False


Step = Edit | Write | Remove | Outside | Ask


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario. ``stacks`` are entries of ``sluiceway.yaml`` that replace the example's own, if there are any."""

    file: Path
    description: str
    example: str
    repository: str
    stacks: tuple[dict[str, Any], ...]
    namespaces: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        """The scenario's name: its file's."""
        return self.file.stem

    @property
    def tool(self) -> str:
        """The tool whose adapter is asked: the name of the file's directory."""
        return self.file.parent.name

    @property
    def home(self) -> Path:
        """The directory that holds ``scenarios``, ``examples`` and ``recordings``."""
        return self.file.parents[2]

    @property
    def recorded(self) -> tuple[Ask, ...]:
        """The steps whose commands a recording holds."""
        return tuple(step for step in self.steps if isinstance(step, Ask) and step.recorded)

    @property
    def needs_cluster(self) -> bool:
        """Whether a step reaches a cluster; a version check does not."""
        return any(
            isinstance(step, Outside) or (isinstance(step, Ask) and step.does not in _FILES) for step in self.steps
        )

    @classmethod
    def load(cls, file: Path) -> "Scenario":
        """Read ``file``; raise :class:`ScenarioError` with its line for whatever is not as it must be."""
        keys = ("description", "example", "repository", "namespaces", "stacks", "steps")
        document = Located.load(file)
        parts = document.mapping(keys, required=("description", "example", "repository", "steps"))
        steps = _named([_step(item) for item in parts["steps"].items()])
        if not any(isinstance(step, Ask) and step.recorded for step in steps):
            parts["steps"].fail("no step is recorded")
        return cls(
            file=file.absolute(),
            description=" ".join(parts["description"].text().split()),
            example=_inside(parts["example"]),
            repository=parts["repository"].text(),
            stacks=tuple(_stack(item) for item in parts["stacks"].items()) if "stacks" in parts else (),
            namespaces=parts["namespaces"].texts() if "namespaces" in parts else (NAMESPACE,),
            steps=steps,
        )


_FILES: Final = ("check_version", "prepare")


def _step(node: Located) -> Step:
    keys = node.keys()
    kind = keys[0] if keys else ""
    if kind not in _STEPS:
        node.fail(f"a step starts with one of {', '.join(_STEPS)}")
    return _STEPS[kind](node)


def _edit(node: Located) -> Edit:
    parts = node.mapping(("edit", "old", "new"), required=("old", "new"))
    return Edit(_inside(parts["edit"]), parts["old"].text(), parts["new"].text())


def _write(node: Located) -> Write:
    parts = node.mapping(("write", "text"), required=("text",))
    return Write(_inside(parts["write"]), parts["text"].text())


def _remove(node: Located) -> Remove:
    return Remove(_inside(node.mapping(("remove",))["remove"]))


def _outside(node: Located) -> Outside:
    parts = node.mapping(("outside", "killed_after"))
    argv = parts["outside"].texts() or parts["outside"].fail("a command is expected")
    return Outside(argv, _seconds(parts["killed_after"]) if "killed_after" in parts else None)


def _seconds(node: Located) -> float:
    text = node.text()
    return float(text) if re.fullmatch(r"[1-9]\d?", text) else node.fail("a number of seconds is expected, 1 to 99")


def _ask(does: Does, node: Located) -> Ask:
    only_deploys = ("hash", "repair_drift") if does == "deploy" else ()
    parts = node.mapping((does, "name", "stack", *only_deploys))
    return Ask(
        name=parts["name"].text() if "name" in parts else "",
        does=does,
        recorded=parts[does].one_of(("recorded", "arranged")) == "recorded",
        stack=parts["stack"].text() if "stack" in parts else "",
        hash=parts["hash"].text() if "hash" in parts else "",
        repair_drift="repair_drift" in parts and parts["repair_drift"].one_of(("true", "false")) == "true",
    )


_STEPS: Final[dict[str, Callable[[Located], Step]]] = {
    "edit": _edit,
    "write": _write,
    "remove": _remove,
    "outside": _outside,
    **{does: partial(_ask, does) for does in ASKS},
}


def _stack(node: Located) -> dict[str, Any]:
    entry = node.plain()
    if not isinstance(entry, dict) or "path" not in entry:
        node.fail("an entry of sluiceway.yaml's stacks is expected: a mapping with path")
    return entry


def _inside(node: Located) -> str:
    text = node.text()
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        node.fail("a relative path inside the example is expected")
    return text


def _named(steps: list[Step]) -> tuple[Step, ...]:
    """Name each unnamed step after what it does. Names of recorded steps are unique: the second is numbered 2."""
    taken: Counter[str] = Counter()
    result: list[Step] = []
    for step in steps:
        if not isinstance(step, Ask):
            result.append(step)
            continue
        name = step.name or step.does
        taken[name] += step.recorded
        result.append(replace(step, name=f"{name}-{taken[name]}" if step.recorded and taken[name] > 1 else name))
    return tuple(result)


__all__ = ["ASKS", "Ask", "Edit", "Outside", "Remove", "Scenario", "ScenarioError", "Step", "Write"]
