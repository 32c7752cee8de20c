"""Why something failed: a fixed list of reasons in our own words (``spec/core.md``, The tool's words)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Detail", "Kind", "Reason", "internal_error", "timed_out", "too_large", "unreadable"]

Kind = Literal[
    "tool-error",
    "timed-out",
    "unreadable-output",
    "output-too-large",
    "unknown-step",
    "tool-missing",
    "tool-too-old",
    "preparation-failed",
    "internal-error",
]

Detail = Literal[
    "conflict",
    "namespace-missing",
    "kind-unknown",
    "needs-earlier-object",
    "immutable-field",
    "denied",
    "empty-set",
    "set-changed",
    "release-pending",
    "rollback-failed",
    "random-render",
    "inventory-unreadable",
]


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of the fixed list, its facts, and the next step. Holds names only, never a property value.

    ``what`` says what could not be done, in our words; ``next_step`` what a person can do about it.
    ``names`` are the names the facts are about (object, namespace, manager, field, file, line, found, needed, …).
    """

    kind: Kind
    what: str
    next_step: str = ""
    exit_code: int | None = None
    detail: Detail | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The reason as a person reads it: one or two sentences."""
        return f"{self.what}. {self.next_step}".strip() if self.next_step else f"{self.what}."


def timed_out(minutes: float, doing: str) -> Reason:
    """Say that a tool was ended because its time limit, in minutes, ran out while ``doing``."""
    return Reason(
        "timed-out",
        f"{doing} took longer than {minutes:g} minutes and was ended",
        "Raise previewTimeout or deployTimeout, or find out what it waits for.",
        names={"minutes": f"{minutes:g}"},
    )


def unreadable(place: str, expected: str) -> Reason:
    """Say that a tool's output can't be read: names the place and what was expected, never what was found."""
    return Reason(
        "unreadable-output",
        f"The output can't be read: {place}: expected {expected}",
        "Nothing was concluded from it. Run the command by hand to see the output, and report it.",
        names={"place": place, "expected": expected},
    )


def too_large(tool: str, limit_mib: int) -> Reason:
    """Say that a tool printed more than is kept; a cut document is never parsed."""
    return Reason(
        "output-too-large",
        f"{tool} printed more than {limit_mib} MiB",
        "Split the stack into smaller ones.",
        names={"tool": tool, "mebibytes": str(limit_mib)},
    )


def internal_error(error: BaseException) -> Reason:
    """Say that Sluiceway itself broke: the type of the exception only, since its text may hold values."""
    return Reason(
        "internal-error",
        f"Sluiceway itself failed ({type(error).__name__})",
        "Please report it, with the command and the version.",
        names={"error": type(error).__name__},
    )
