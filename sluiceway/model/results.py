"""What adapters return. Results are values, never exceptions (``design.md``)."""

from dataclasses import dataclass

from sluiceway.model.changes import Change, Diff
from sluiceway.model.reasons import Reason


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that could not be done, and why."""

    reason: Reason
    notes: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    """Of a failed deploy: what was done all the same, as ``applied <address>`` or ``deleted <address>``."""
    moved: bool = False
    """Of a deploy: nothing was put out, because the stack no longer is what was previewed."""


@dataclass(frozen=True, slots=True)
class DriftFound:
    """What changed outside the code: ops update and delete only, each with its holders. May be empty."""

    drift: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CannotCheck:
    """The drift check can't be made for this stack; ``note`` says why."""

    note: str


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deploy that went through; ``done`` holds ``applied <address>`` and ``deleted <address>``."""

    done: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDiff:
    """The tool's own diff was shown; ``differs`` says whether it showed a difference."""

    differs: bool


__all__ = ["CannotCheck", "Deployed", "Diff", "DriftFound", "Failure", "ToolDiff"]
