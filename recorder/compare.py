"""What differs in Sluiceway's own output between two versions of a tool, recording by recording."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recorder import shelf
from recorder.replaying import replay
from recorder.scenario import Scenario
from sluiceway.model.paths import Path as KeyPath
from sluiceway.model.paths import write_path
from sluiceway.model.trees import MISSING, at_path, changed_paths


@dataclass(frozen=True, slots=True)
class Difference:
    """A place in what Sluiceway shows of a scenario, as JSON on both sides, None where a side has nothing there."""

    scenario: str
    place: str
    one: str | None
    other: str | None

    def __str__(self) -> str:
        return f"{self.scenario}: {self.place}: {_shown(self.one)} → {_shown(self.other)}"


def compare(scenarios: Sequence[Path], one: str, other: str) -> Iterator[Difference]:
    """Yield what differs between the versions ``one`` and ``other`` in each scenario file.

    Raises ``RecordingError`` for a scenario that one of them has no recording of, or whose replay fails.
    """
    for file in scenarios:
        scenario = Scenario.load(file)
        before, after = (_tree(scenario, version) for version in (one, other))
        for path in changed_paths(before, after):
            yield Difference(scenario.name, write_path(path), _text(before, path), _text(after, path))


def _tree(scenario: Scenario, version: str) -> dict[str, dict[str, Any]]:
    seen = replay(scenario, shelf.place(scenario, version)).seen
    return {step: {each["stack"]: each for each in stacks} for step, stacks in seen.items()}


def _text(tree: Any, path: KeyPath) -> str | None:
    node = at_path(tree, path)
    if node is MISSING:
        return None
    # What stands below has lines of its own.
    return "…" if isinstance(node, dict | list) and node else json.dumps(node, ensure_ascii=False)


def _shown(side: str | None) -> str:
    return "nothing" if side is None else side
