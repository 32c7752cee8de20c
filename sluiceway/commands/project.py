"""The repo at hand: its root, its name, its stacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sluiceway.commands.settings import Settings, UsageProblem
from sluiceway.config import Config
from sluiceway.discovery import Discovered, discover
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.words import number, visible

if TYPE_CHECKING:
    from sluiceway.recordings import Replay

_LISTED = 20


class Problems(Exception):
    """The repo's ``sluiceway.yaml``, or what it names, has problems: nothing runs."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(number(len(problems), "problem"))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the repo is, and its ``owner/name``. ``replay`` answers in the place of tools, where there is one."""

    root: Path
    repository: str
    replay: "Replay | None" = None


@dataclass(frozen=True, slots=True)
class Project:
    """A repo whose ``sluiceway.yaml`` has no problem."""

    place: Place
    config: Config
    stacks: tuple[Stack, ...]
    warnings: tuple[Problem, ...] = ()

    def chosen(self, names: Sequence[str]) -> tuple[Stack, ...]:
        """Return the stacks with these ids, all where none is named; an unknown one raises :class:`UsageProblem`."""
        known = {stack.id: stack for stack in self.stacks}
        for name in names:
            if name not in known:
                raise UsageProblem(self._unknown(name))
        return tuple(known[name] for name in dict.fromkeys(names)) if names else self.stacks

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only for a slip

        said = f"there is no stack {visible(name)}"
        ids = [stack.id for stack in self.stacks]
        if self.config.ignores(name) and self.config.entry(name):
            return f"stack {visible(name)} is left out by `ignore` in {self.config.file}: take it out of there first"
        if not ids:
            return f"{said}. {self.nothing()}"
        if near := get_close_matches(name, ids, n=3, cutoff=0.5):
            return f"{said}; did you mean {' or '.join(map(visible, near))}?"
        more = "" if len(ids) <= _LISTED else f" and {len(ids) - _LISTED} more (`sluiceway stacks` lists them)"
        return f"{said}; there are: {', '.join(map(visible, ids[:_LISTED]))}{more}"

    def nothing(self) -> str:
        """Return a sentence that says why there are no stacks."""
        if self.config.file is None:
            return f"No stacks: there is no sluiceway.yaml in {self.place.root.absolute()}."
        ignored = "all that it declares are ignored" if self.config.entries else "it declares none"
        return f"No stacks in {self.config.file}: {ignored}."


def locate(settings: Settings, does: str = "") -> Place:
    """Return where the repo is; ``does`` is the step that is looked for in a recording.

    Raises :class:`UsageProblem` where a recording can't be opened, or is given beside what it brings itself.
    """
    if settings.replay is None:
        name = settings.environ.get("GITHUB_REPOSITORY", "") if settings.repository is None else settings.repository
        return Place(settings.root or Path(), name)
    if settings.root is not None or settings.repository is not None:
        raise UsageProblem("--replay brings its own files and repository: leave out --root and --repository")
    from sluiceway.recordings import RecordingError, Replay  # noqa: PLC0415 - only a replay needs them

    try:
        replay = Replay.open(settings.replay, does=does)
    except RecordingError as error:
        raise UsageProblem(f"--replay: {visible(str(error))}") from None
    return Place(replay.root, replay.repository, replay)


def open_project(settings: Settings, does: str = "") -> Project:
    """Return the repo's project. Raises :class:`Problems` with all that is wrong, else as :func:`locate` does."""
    place = locate(settings, does)
    found = discover(place.root)
    if not isinstance(found, Discovered):
        raise Problems(found)
    return Project(place, found.config, found.stacks, found.warnings)
