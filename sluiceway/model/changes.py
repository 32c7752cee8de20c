"""Changes and diffs: what a deploy would do to each object, without any property value."""

from dataclasses import dataclass
from typing import Literal

from sluiceway.model.order import by_code_unit

__all__ = ["Change", "Diff", "Holder", "Op", "ShownValue", "Tracking", "repeated_address", "sort_changes"]

Op = Literal["create", "update", "replace", "delete", "none"]
Tracking = Literal["import", "forget", "move"]


@dataclass(frozen=True, slots=True)
class ShownValue:
    """One scalar that ``dashboard.showValues`` lets out, already cut to what a person sees.

    ``old`` and ``new`` are None where that side has no such value.
    """

    path: str
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """A managed-fields entry that holds drifted paths: who changed it. Never hashed."""

    manager: str
    operation: str
    subresource: str | None
    time: str | None
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a deploy would do to one object (``spec/core.md``, Changes).

    ``address`` is opaque and unique within a diff. ``changed_keys`` are property paths in the
    common notation (record 0046). ``holders`` is only filled in drift.
    """

    address: str
    type: str
    name: str
    op: Op
    changed_keys: tuple[str, ...] = ()
    replace_keys: tuple[str, ...] = ()
    tracking: Tracking | None = None
    previous_address: str | None = None
    values: tuple[ShownValue, ...] = ()
    holders: tuple[Holder, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a change that cannot be one: misuse by an adapter, not a tool's output."""
        if self.op == "none" and self.tracking is None:
            raise ValueError("a change has an op other than none, or tracking, or both")
        if self.previous_address is not None and self.tracking != "move":
            raise ValueError("previous_address goes with tracking: move only")
        if self.op in ("create", "delete") and self.changed_keys:
            raise ValueError("creates and deletes list no keys")
        if not set(self.replace_keys) <= set(self.changed_keys):
            raise ValueError("replace_keys are part of changed_keys")


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes of one stack, and apart from them the changes made outside the code."""

    stack_id: str
    changes: tuple[Change, ...] = ()
    drift: tuple[Change, ...] = ()


def sort_changes(changes: tuple[Change, ...] | list[Change]) -> tuple[Change, ...]:
    """Return ``changes`` in the order that is shown and hashed: by address."""
    return tuple(by_code_unit(changes, key=lambda change: change.address))


def repeated_address(changes: tuple[Change, ...] | list[Change]) -> str | None:
    """Return the first address that stands twice, or None. Two changes at one address can't be read."""
    seen: set[str] = set()
    for change in changes:
        if change.address in seen:
            return change.address
        seen.add(change.address)
    return None
