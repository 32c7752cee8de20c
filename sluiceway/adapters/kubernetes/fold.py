"""The fold: both sides of one object become a change (the table of record 0060)."""

from collections.abc import Callable, Iterable
from typing import Any

from sluiceway.adapters.kubernetes.objects import LiveObject, mapping
from sluiceway.model.changes import Change, ShownValue
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.paths import Path, write_path
from sluiceway.model.shown import shown_value
from sluiceway.model.trees import at_path, changed_paths

SERVER_FIELDS = frozenset(
    {"generation", "resourceVersion", "uid", "creationTimestamp", "managedFields", "selfLink"}
)  # fmt: skip
"""Fields of ``metadata`` that the server keeps for itself; ``status`` is left out too."""

SECRET_PARTS = frozenset({"data", "stringData"})
"""Where the paths of a v1 Secret stop."""

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which a client-side apply keeps the whole object, a Secret's data included."""

LAST_APPLIED_PATH: Path = ("metadata", "annotations", LAST_APPLIED)


def differing(live: LiveObject, merged_tree: Any) -> list[Path]:
    """Return the paths that differ, without the server's own fields; a Secret's are not cut yet."""
    return list(changed_paths(comparable(live.tree), comparable(merged_tree)))


def cut(live: LiveObject, paths: Iterable[Path]) -> list[Path]:
    """Cut the paths of a v1 Secret at its data: no key below it leaves the adapter."""
    if not live.is_secret:
        return list(paths)
    return list(dict.fromkeys(path[:1] if path[0] in SECRET_PARTS else path for path in paths))


def comparable(tree: Any) -> dict[str, Any]:
    """Return an object without what the server keeps for itself."""
    rest = {key: node for key, node in mapping(tree).items() if key != "status"}
    metadata = rest.get("metadata")
    if isinstance(metadata, dict):
        rest["metadata"] = {key: node for key, node in metadata.items() if key not in SERVER_FIELDS}
    return rest


def create(merged: LiveObject) -> Change:
    """Return the change of an object that is not there yet."""
    return Change(merged.address, merged.kind, merged.place, "create")


def delete(live: LiveObject) -> Change:
    """Return the change of an object that goes."""
    return Change(live.address, live.kind, live.place, "delete")


def update(live: LiveObject, merged_tree: Any, paths: Iterable[Path], shows: Callable[[str], bool]) -> Change:
    """Return the change of an object that stays, with every path that differs (uncut)."""
    paths = cut(live, paths)
    return Change(
        live.address,
        live.kind,
        live.place,
        "update",
        changed_keys=sorted_unique(write_path(path) for path in paths),
        values=() if live.is_secret else _values(live.tree, merged_tree, paths, shows),
    )


def _values(before: Any, after: Any, paths: list[Path], shows: Callable[[str], bool]) -> tuple[ShownValue, ...]:
    values = {}
    for path in paths:
        written = write_path(path)
        if path != LAST_APPLIED_PATH and shows(written):
            value = shown_value(written, at_path(before, path), at_path(after, path))
            if value is not None:
                values[written] = value
    return tuple(by_code_unit(values.values(), key=lambda value: value.path))
