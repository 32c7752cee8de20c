"""Reading ``sluiceway.yaml``, with everything that is wrong with it (``spec/core.md``, ``sluiceway.yaml``).

A right file is read by its shape alone, which is quick. Any other is checked by the models, which have the words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path as FilePath
from typing import Any

from sluiceway.adapters.base import Adapter
from sluiceway.adapters.registry import find_adapter
from sluiceway.config.document import Node, parse, position_of
from sluiceway.config.entries import check_dependencies, check_unique, drafts_of
from sluiceway.config.file import NAMES, Refused, read_source
from sluiceway.config.findings import WHOLE_FILE, Finding, Position, problems_of
from sluiceway.config.settings import Config, config_from, entry_from
from sluiceway.config.shapes import taken_file, taken_options
from sluiceway.model.paths import Path
from sluiceway.model.stacks import Problem, Stack

Find = Callable[[str], Adapter | None]


@dataclass(frozen=True)
class Part:
    """What is right of an entry that something is wrong with, so that its files can be checked all the same.

    The options are as they are written; of a list the items that are wrong are left out. ``moved`` holds the place of
    each item behind such a one in the file, by its place in the options.
    """

    index: int
    stack: Stack
    moved: Mapping[Path, Path] = field(default_factory=dict)


@dataclass
class Reading:
    """A config file as far as it could be read. ``config`` holds the entries that nothing is wrong with."""

    file: str
    config: Config
    findings: list[Finding] = field(default_factory=list)
    root: Node | None = None
    parts: list[Part] = field(default_factory=list)

    def add(self, path: Path, problem: str, file: str | None = None, line: int = 0) -> None:
        """Add what is wrong at ``path``; ``file`` and ``line`` name another place than the config file."""
        self.findings.append(Finding(self.position(path), path, problem, file, line))

    def position(self, path: Path) -> Position:
        """Return where the key or item at ``path`` stands in the file, or the nearest one above it."""
        return position_of(self.root, path) if self.root else WHOLE_FILE

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that is wrong, in the order of the file."""
        return problems_of(self.findings, self.file)


def read(root: FilePath, find: Find = find_adapter) -> Reading:
    """Read the config file in ``root``; never raises for what it holds."""
    source = read_source(root)
    if source is None:
        return Reading(NAMES[0], Config())
    if isinstance(source, Refused):
        return Reading(source.file, Config(), [source.finding])
    node, findings = parse(source.text)
    reading = Reading(source.file, Config(file=source.file), findings, node)
    if node is None:
        return reading
    # The shapes of options are those of the tools that come with Sluiceway.
    config = config_by_shape(source.file, node.data) if find is find_adapter and not findings else None
    if config is not None:
        reading.config = config
    else:
        from sluiceway.config.checking import check  # noqa: PLC0415 - pydantic's models, for a file that needs them

        check(reading, node, find)
    return reading


def config_by_shape(file: str, data: Any) -> Config | None:
    """Return what the file says, or None where that takes more than its shape to tell."""
    keys = taken_file(data)
    if keys is None:
        return None
    options = [taken_options(stack["tool"], stack["options"] or {}) for stack in keys["stacks"]]
    config = config_from(file, keys, ())
    if None in options or not _fit_together(data.get("stacks", []), config.ignores):
        return None
    entries = [entry_from(index, stack, options[index] or {}, keys) for index, stack in enumerate(keys["stacks"])]
    return replace(config, entries=tuple(entries))


def _fit_together(stacks: list[Any], ignores: Callable[[str], bool]) -> bool:
    drafts = drafts_of(stacks, lambda _path: False)
    told = chain(check_unique(drafts, lambda _path: 0), check_dependencies(drafts, ignores, all_known=True))
    return next(told, None) is None
