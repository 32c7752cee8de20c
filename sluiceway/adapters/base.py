"""What an adapter is, and what it is handed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from sluiceway.model.changes import Diff
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner

__all__ = [
    "Adapter",
    "FileProblem",
    "Plan",
    "Preview",
    "Proposal",
    "Proposes",
    "ReadsElsewhere",
    "Workplace",
]


@dataclass(frozen=True, slots=True)
class Workplace:
    """All that an adapter knows of the world while it works on one stack.

    ``private`` is a directory of mode 0700 that exists and is removed on every way out. ``repository`` is
    ``owner/name`` or empty. ``shows`` tells whether ``dashboard.showValues`` lets the value at a written path out.
    ``neighbours`` are the other stacks of the same ``sluiceway.yaml``. ``conceal`` takes values that must never be
    relayed; it is called before the command that could print them.
    """

    stack: Stack
    root: Path
    runner: Runner
    private: Path
    repository: str = ""
    shows: Callable[[str], bool] = lambda _path: False
    neighbours: tuple[Stack, ...] = ()
    conceal: Callable[[Iterable[str]], None] = lambda _values: None

    @property
    def directory(self) -> Path:
        """The stack's directory."""
        return self.root / self.stack.path


class Plan(Protocol):
    """What a preview keeps so that a deploy puts out exactly that. Leaving it removes what it has on disk."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Preview:
    """What a deploy would change now.

    ``fingerprint`` tells two renders of the same stack apart; it is a digest over values, so it never leaves the
    process. ``plan`` is set when the caller asked to keep it. ``upkeep`` says that a deploy has something to do
    although nothing of the code's differs (kubectl: the inventory).
    """

    diff: Diff
    notes: tuple[str, ...] = ()
    fingerprint: str = field(default="", repr=False)
    plan: Plan | None = None
    upkeep: bool = False
    shape: tuple[str, ...] = ()
    """What the saved plan holds, names only and in order, for snapshots."""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A problem that an adapter finds in the files of a stack.

    ``key`` is relative to the stack's entry (``path``, ``options.recursive``); ``file`` and ``line`` name another
    place than ``sluiceway.yaml``, relative to the root.
    """

    key: str
    problem: str
    file: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A stack that an adapter finds in the files of a repo that has no ``sluiceway.yaml`` yet.

    ``options`` are as the file spells them; ``unsure`` says which of them a person has to look at, and why.
    """

    path: str
    options: Mapping[str, Any]
    unsure: str = ""


@runtime_checkable
class Proposes(Protocol):
    """An adapter that finds stacks: what ``sluiceway init`` writes. It is no part of what every adapter must have."""

    def propose(self, root: Path) -> list[Proposal]:
        """Return the stacks that the files below ``root`` look like. Starts no tool."""
        ...


@runtime_checkable
class ReadsElsewhere(Protocol):
    """An adapter whose stacks read files outside of their directory."""

    def reads(self, stack: Stack, root: Path) -> tuple[str, ...]:
        """Return the globs of those files, relative to ``root``. Starts no tool, and misses none that it can find."""
        ...


class Adapter(Protocol):
    """One tool. Methods return failures as values; an exception is a bug."""

    tool: str
    """The value of ``stacks[].tool``, and the name of the entry point (group ``sluiceway.adapters``)."""

    def options(self) -> Any:
        """Return the pydantic model of ``stacks[].options``: strict, its aliases spelled as the records do."""
        ...

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        """Return what is wrong with the stack's files. Starts no tool, reaches no cluster.

        Also called for a stack with wrong options, which are then left out, required ones too: all that is wrong is
        told at once.
        """
        ...

    def check_version(self, runner: Runner, root: Path) -> Reason | None:
        """Return why the tool on this machine can't serve, or None. Called once per job."""
        ...

    def prepare(self, stacks: Sequence[Stack], root: Path, runner: Runner) -> dict[str, Failure]:
        """Do what several stacks need once (build local charts); return a failure for each stack that can't go on."""
        ...

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        """Ask the tool what a deploy would change; with ``keep``, hold the saved plan for :meth:`deploy`."""
        ...

    def drift(self, place: Workplace, preview: Preview) -> DriftFound | CannotCheck | Failure:
        """Tell which of the differences came from outside the code, after ``preview`` of the same stack."""
        ...

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        """Show the tool's own diff to a person, with the job's own diff program."""
        ...

    def deploy(self, place: Workplace, plan: Plan, *, repair_drift: bool = False) -> Deployed | Failure:
        """Put out exactly ``plan``; ``repair_drift`` when the preview's drift check found drift to be put right."""
        ...
