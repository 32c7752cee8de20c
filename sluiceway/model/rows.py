"""Rows: one stack as a person sees it, and what a deploy made of it."""

from dataclasses import dataclass
from typing import Literal

from sluiceway.model.changes import Change
from sluiceway.model.reasons import Reason

State = Literal["pending", "drift", "in-sync", "preview-failed"]
Outcome = Literal["deployed", "in-sync", "moved", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Row:
    """One stack as it is reported (``spec/core.md``, JSON on stdout).

    ``hash`` is set only with a fresh diff; ``reason`` only with a failure. ``drift`` and ``drift_checked`` are None
    where drift was not asked for. ``seconds`` is wall time. ``done`` holds ``applied <address>`` and
    ``deleted <address>`` of a deploy.
    """

    stack: str
    tool: str
    state: State
    hash: str | None = None
    seconds: float = 0.0
    changes: tuple[Change, ...] = ()
    drift: tuple[Change, ...] | None = None
    drift_checked: bool | None = None
    drift_reason: Reason | None = None
    notes: tuple[str, ...] = ()
    reason: Reason | None = None
    outcome: Outcome | None = None
    done: tuple[str, ...] = ()


def counts(changes: tuple[Change, ...]) -> dict[str, int]:
    """Count the changes by op; ``tracking`` counts those that have tracking, whatever their op."""
    result = {"create": 0, "update": 0, "replace": 0, "delete": 0, "tracking": 0}
    for change in changes:
        if change.op != "none":
            result[change.op] += 1
        if change.tracking is not None:
            result["tracking"] += 1
    return result
