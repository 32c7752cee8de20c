"""From entries to stacks, by files alone: no tool, no cluster (``spec/core.md``, Stack ids and discovery)."""

import re
from dataclasses import dataclass
from pathlib import Path

from sluiceway.adapters.registry import find_adapter
from sluiceway.config.findings import Finding, problems_of
from sluiceway.config.reading import Find, Part, Reading, read
from sluiceway.config.settings import Config, Entry
from sluiceway.model.order import by_code_unit
from sluiceway.model.paths import Path as KeyPath
from sluiceway.model.stacks import Problem, Stack


@dataclass(frozen=True, slots=True)
class Discovered:
    """The stacks of a repo, sorted by id, without those that ``ignore`` leaves out. ``warnings`` stop nothing."""

    config: Config
    stacks: tuple[Stack, ...]
    warnings: tuple[Problem, ...] = ()


def discover(root: Path, find: Find = find_adapter) -> Discovered | tuple[Problem, ...]:
    """Return the stacks that ``sluiceway.yaml`` in ``root`` declares, or all problems of the file and of theirs.

    ``find`` gives the adapter of a tool, which says what a stack's files must hold.
    """
    reading = read(root, find)
    config = reading.config
    declared: list[Entry | Part] = [*config.entries, *reading.parts]
    for entry in declared:
        if not config.ignores(entry.stack.id):
            _check_files(reading, entry, root, find)
    if reading.findings:
        return reading.problems
    entries = [entry for entry in config.entries if not config.ignores(entry.stack.id)]
    stacks = by_code_unit((entry.stack for entry in entries), key=lambda stack: stack.id)
    return Discovered(config, tuple(stacks), _idle_globs(reading))


def _check_files(reading: Reading, entry: Entry | Part, root: Path, find: Find) -> None:
    at: KeyPath = ("stacks", entry.index)
    moved = entry.moved if isinstance(entry, Part) else {}
    stack = entry.stack
    if stack.env_file and (wrong := _outside(root, stack.env_file)):
        reading.add((*at, "envFile"), wrong)
    if wrong := _directory_problem(root, stack.path):
        reading.add((*at, "path"), wrong)
        return
    adapter = find(stack.tool)
    for problem in adapter.check_files(stack, root) if adapter else []:
        key = _key_path(problem.key)
        reading.add((*at, *moved.get(key, key)), problem.problem, problem.file, problem.line)


def _directory_problem(root: Path, path: str) -> str | None:
    directory = root / path
    try:
        if not directory.exists():
            return "there is no such directory: mend the path, or make it"
        if wrong := _outside(root, path):
            return wrong
        if not directory.is_dir():
            return "is a file, expected a directory"
        next(directory.iterdir(), None)
    except OSError as error:
        return f"can't be read ({error.strerror}): see who may read it"
    return None


def _outside(root: Path, path: str) -> str | None:
    """Say that a link on the way leads out of the repo. What is not there leads nowhere, and is no problem of this."""
    try:
        inside = (root / path).resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return "is a link that leads round in a circle: mend it"
    return None if inside else "is a link that leads out of the repo: put what it leads to there"


def _key_path(key: str) -> KeyPath:
    """Read the key of a file problem (``options.valuesFiles[0]``), which is made of plain names and indexes."""
    return tuple(int(index) if index else name for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key))


def _idle_globs(reading: Reading) -> tuple[Problem, ...]:
    """Return a warning for each glob of ``ignore`` that leaves out no stack."""
    ids = [entry.stack.id for entry in reading.config.entries]
    idle = [
        Finding(reading.position(("ignore", index)), ("ignore", index), "matches no stack: remove it, or mend the glob")
        for index, ignored in enumerate(reading.config.ignore)
        if not any(map(ignored.matches, ids))
    ]
    return problems_of(idle, reading.file)
