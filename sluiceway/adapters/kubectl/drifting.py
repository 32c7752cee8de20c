"""Drift: which of a row's changes came from outside the code, and who made them (record 0070)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.inventory import Listed
from sluiceway.adapters.kubectl.managed_fields import Entry, Held, UnreadableFields, entries_of, place_in
from sluiceway.adapters.kubernetes.fold import LAST_APPLIED_PATH, comparable, cut, differing
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.changes import Change, Holder
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.paths import Path, write_path
from sluiceway.model.trees import MISSING, at_path, same


@dataclass(frozen=True, slots=True)
class Found:
    """What one object's managed fields tell: a change that is drift, or a note that it can't be told."""

    change: Change | None = None
    note: str | None = None


def deleted(listed: Iterable[Listed], diffs: Iterable[ObjectDiff], home: str | None) -> list[Change]:
    """Return the objects that the inventory lists, the manifests hold and the cluster does not (drift ``delete``)."""
    names = {(item.group, item.kind, item.namespace or home, item.name) for item in listed}
    return [
        Change(diff.merged.address, diff.merged.kind, diff.merged.place, "delete")
        for diff in diffs
        if diff.live is None and diff.merged is not None and _listed(diff.merged, names)
    ]


def _listed(merged: LiveObject, names: set[tuple[str, str, str | None, str]]) -> bool:
    if merged.namespace is not None:
        return (merged.group, merged.kind, merged.namespace, merged.name) in names
    return any((group, kind, name) == (merged.group, merged.kind, merged.name) for group, kind, _, name in names)


def updated(diff: ObjectDiff, manager: str) -> Found:
    """Tell which changed paths of an object someone else holds and the stack's own Apply does not."""
    if diff.live is None or diff.merged is None:
        return Found()
    changed = [path for path in differing(diff.live, diff.merged.tree) if path != LAST_APPLIED_PATH]
    if not changed:
        return Found()
    entries = entries_of(diff.live)
    if not entries:
        return Found(note=f"{diff.live.address}: it has no managed fields, so who changed it can't be told")
    unread = [entry for entry in entries if entry.api_version != diff.live.api_version]
    if any(entry.applied_by(manager) for entry in unread):
        return Found(note=f"{diff.live.address}: the manifests last applied it in another API version, so what of it "
                     "changed outside the code can't be told")  # fmt: skip
    try:
        change = _change(diff.live, diff.merged, changed, entries, manager)
    except UnreadableFields:
        return Found(note=f"{diff.live.address}: its managed fields can't be read, so who changed it can't be told")
    return Found(change, _version_note(diff.live, unread))


def _version_note(live: LiveObject, strangers: list[Entry]) -> str | None:
    if not strangers:
        return None
    names = ", ".join(sorted_unique(entry.manager for entry in strangers))
    return (
        f"{live.address}: {names} holds fields of it in another API version than {live.api_version}, "
        "so whether those drifted can't be told"
    )


def _change(
    live: LiveObject, merged: LiveObject, changed: list[Path], entries: list[Entry], manager: str
) -> Change | None:
    readable = [entry for entry in entries if entry.api_version == live.api_version]
    own = [Held.of(entry, live) for entry in readable if entry.applied_by(manager)]
    others = [Held.of(entry, live) for entry in readable if not entry.applied_by(manager)]
    fields = [held.entry.fields for held in (*own, *others)]
    drifted = [
        path
        for path in changed
        if not _held_by(own, path) and _held_by(others, path) and _differs(path, fields, live, merged)
    ]
    if not drifted:
        return None
    holders = tuple(_holders(others, live, drifted))
    keys = sorted_unique(write_path(path) for path in cut(live, drifted))
    return Change(live.address, live.kind, live.place, "update", changed_keys=keys, holders=holders)


def _held_by(held: list[Held], path: Path) -> bool:
    return any(item.holds(path) for item in held)


def _differs(path: Path, fields: list[dict[str, Any]], live: LiveObject, merged: LiveObject) -> bool:
    """Tell whether the same item, found by its keys, differs on the merged side (a shifted index is no drift)."""
    before = at_path(comparable(live.tree), path)
    if before is MISSING:
        return True
    place = place_in(path, fields, live.tree, merged.tree)
    return place is None or not same(before, at_path(comparable(merged.tree), place))


def _holders(others: list[Held], live: LiveObject, drifted: list[Path]) -> Iterator[Holder]:
    held = (
        (item.entry, sorted_unique(write_path(p) for p in cut(live, [d for d in drifted if item.holds(d)])))
        for item in others
    )
    named = [(entry, keys) for entry, keys in held if keys]
    for entry, keys in by_code_unit(named, key=lambda pair: f"{pair[0].manager}\0{pair[0].subresource}\0{pair[1]}"):
        yield Holder(entry.manager, entry.operation, entry.subresource, entry.time, keys)
