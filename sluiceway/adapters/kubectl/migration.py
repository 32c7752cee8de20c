"""What the dry run hides: fields that ``kubectl apply --server-side`` takes out while it migrates an object.

An object that was once applied client-side has an ``Update`` entry that owns the last-applied annotation. After its
first server-side apply, kubectl moves what that entry holds to its own ``Apply`` entry and applies again: what the
manifest does not state is then removed, or goes back to its default. ``kubectl diff --server-side`` shows none of it.
This module says what the second apply leaves. Source: ``spec/kubectl.md`` (What the dry run hides), decision 0071.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.managed_fields import (
    KEY_DEFAULTS,
    Entry,
    Held,
    entries_of,
    find_in,
    node_in,
    place_in,
    read_element,
)
from sluiceway.adapters.kubectl.target import DEFAULT_MANAGER
from sluiceway.adapters.kubernetes.fold import LAST_APPLIED, LAST_APPLIED_PATH, comparable
from sluiceway.adapters.kubernetes.objects import LiveObject, items, mapping
from sluiceway.model.paths import Path
from sluiceway.model.trees import MISSING, Float, at_path, same
from sluiceway.model.trees import leaves as tree_leaves

_Fields = list[dict[str, Any]]

_IDENTITY = frozenset({"apiVersion", "kind", "metadata"})

_SECRET_TYPE: Path = ("type",)
"""Immutable: a type that is no longer stated is ``Opaque`` already, or the apply is refused."""

_DAEMON_SET = ("apps", "DaemonSet")
_TEMPLATE: Path = ("spec", "template")
_COUNT = "deprecated.daemonset.template.generation"
_TEMPLATES: Path = ("metadata", "annotations", _COUNT)
"""Where the API server counts the templates that a DaemonSet has had: it keeps the count, whoever holds it."""

_NO_DEFAULTS = (("metadata", "labels"), ("metadata", "annotations"))
"""Maps in which the API server sets no default: what is taken out there is gone."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One object that the deploy migrates.

    ``doomed`` are the paths of the live object that nobody holds afterwards; ``whole`` are those of them that go with
    all that is below, since nobody else holds a part of it; ``unheld`` are leaves that nobody holds now: the API server
    filled them in.
    """

    live: LiveObject
    manifest: Manifest
    doomed: frozenset[Path]
    whole: frozenset[Path]
    unheld: frozenset[Path]
    fields: tuple[dict[str, Any], ...] = field(repr=False)

    def only(self, paths: frozenset[Path]) -> "Migration":
        """Return the same migration with fewer doomed paths."""
        return replace(self, doomed=self.doomed & paths)

    @property
    def needs_probe(self) -> bool:
        """Whether a default could stand where something is taken out."""
        return not self.live.is_secret and any(not _without_default(self.live, path) for path in self.doomed)


def _without_default(live: LiveObject, path: Path) -> bool:
    return path[:2] in _NO_DEFAULTS or (
        live.kind == "ConfigMap" and not live.group and path[0] in ("data", "binaryData")
    )


def migration_of(live: LiveObject, manifest: Manifest, manager: str) -> Migration | None:
    """Return what the deploy would migrate of ``live``, or None. Raises :class:`~.managed_fields.UnreadableFields`."""
    entries = entries_of(live)
    names = {entry.manager for entry in entries if _migrates(entry, live)}
    if not names:
        return None
    moved = [entry for entry in entries if _client_side(entry, names)]
    same_version = [Held.of(entry, live) for entry in moved if entry.api_version == manifest.api_version]
    others = [Held.of(entry, live) for entry in entries if entry not in moved and not entry.applied_by(manager)]
    stated = _stated_tree(manifest, live)
    doomed = frozenset(
        path
        for held in same_version
        for path in held.explicit
        if (path != LAST_APPLIED_PATH or manager != DEFAULT_MANAGER)
        and not (live.is_secret and path == _SECRET_TYPE)
        and not ((live.group, live.kind) == _DAEMON_SET and path == _TEMPLATES)
        and not any(other.holds(path) for other in others)
        and find_in(path, [held.entry.fields], live.tree, stated) is MISSING
    )
    if not doomed:
        return None
    everyone = [Held.of(entry, live) for entry in entries]
    unheld = frozenset(p for p in _below_metadata(live.tree) if not any(held.holds(p) for held in everyone))
    shared = {path[:length] for other in others for path in other.explicit for length in range(1, len(path))}
    whole = doomed - shared
    return Migration(live, manifest, doomed, whole, unheld, tuple(held.entry.fields for held in same_version))


def _below_metadata(tree: Any) -> Iterable[Path]:
    return (path for path in tree_leaves(comparable(tree)) if path[0] not in _IDENTITY)


def _migrates(entry: Entry, live: LiveObject) -> bool:
    return (
        entry.operation == "Update" and entry.subresource is None and LAST_APPLIED_PATH in Held.of(entry, live).explicit
    )


def _client_side(entry: Entry, names: set[str]) -> bool:
    return entry.operation == "Update" and entry.subresource is None and entry.manager in names


def _stated_tree(manifest: Manifest, live: LiveObject) -> dict[str, Any]:
    tree = dict(manifest.tree)
    if live.is_secret:
        tree["data"] = {**mapping(tree.get("data")), **mapping(tree.get("stringData"))}
    return tree


def probe_content(migrations: Iterable[Migration]) -> bytes:
    """Return the objects as they would be created under names that are not there, in the order given."""
    documents = (_probe_document(number, migration.manifest) for number, migration in enumerate(migrations))
    return "---\n".join(documents).encode("utf-8", "surrogateescape")


def _probe_document(number: int, manifest: Manifest) -> str:
    tree = {**manifest.tree, "metadata": {**mapping(manifest.tree.get("metadata")), "name": probe_name(number)}}
    return json.dumps(_numbers(tree), ensure_ascii=True) + "\n"


def probe_name(number: int) -> str:
    """Return the name under which the n-th object is asked for. Nothing of that name is ever made."""
    return f"sluiceway-probe-{number}"


def _numbers(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _numbers(node) for key, node in tree.items()}
    if isinstance(tree, list):
        return [_numbers(node) for node in tree]
    return float(tree) if isinstance(tree, Float) else tree


def after_migration(migration: Migration, merged: Any, probe: Any) -> Any:
    """Return ``merged`` (the dry run's result) as the second apply leaves it.

    ``probe`` is what the API server makes of the manifest alone, :data:`MISSING` where no default can be set.
    """
    live, fields = migration.live.tree, list(migration.fields)
    actions: dict[Path, _Action] = {}
    retyped: set[Path] = set()
    for path in migration.doomed:
        place = place_in(path, fields, live, merged)
        if place is None:
            continue
        default = node_in(path, fields, live, probe)  # a null too: a Role without rules has ``rules: null``
        actions[place] = _Action(default, whole=path in migration.whole)
        if default is not MISSING and default is not None and not same(default, at_path(merged, place)):
            retyped.add(place[:-1])
    if retyped:
        actions.update(_consequences(migration, merged, probe))
    after = _with_defaults(_rebuilt(merged, (), actions), probe, retyped, fields)
    return _counted(after, merged) if (migration.live.group, migration.live.kind) == _DAEMON_SET else after


def _counted(after: Any, merged: Any) -> Any:
    """Count a DaemonSet's templates as the API server does: one more with each apply that changes it, never less."""
    count = at_path(merged, _TEMPLATES)
    if not isinstance(count, str) or not count.isdigit():
        return after
    if not same(at_path(after, _TEMPLATE), at_path(merged, _TEMPLATE)):
        count = str(int(count) + 1)
    metadata = mapping(after.get("metadata"))
    annotations = {**mapping(metadata.get("annotations")), _COUNT: count}
    return {**after, "metadata": {**metadata, "annotations": annotations}}


def _consequences(migration: Migration, merged: Any, probe: Any) -> dict[Path, "_Action"]:
    """Return what the API server drops by itself once another default stands somewhere (a node port, for example)."""
    live, fields = migration.live.tree, list(migration.fields)
    gone = (path for path in migration.unheld if find_in(path, fields, live, probe) is MISSING)
    places = [place for path in gone if (place := place_in(path, fields, live, merged)) is not None]
    rest = {key: node for key, node in comparable(merged).items() if key not in _IDENTITY}
    places.extend(_filled_in(rest, [live, migration.manifest.tree, probe], fields))
    return {place: _Action(MISSING, whole=True) for place in places}


def _filled_in(node: Any, others: list[Any], fields: _Fields, at: Path = ()) -> Iterator[Path]:
    """Yield what only the dry run has, and none of ``others``: the API server filled it in beside what goes."""
    if isinstance(node, dict):
        for key, child in node.items():
            there = [other[key] for other in others if isinstance(other, dict) and key in other]
            yield from _filled_in(child, there, _of_field(fields, key), (*at, key)) if there else [(*at, key)]
    elif isinstance(node, list) and (keys := _keys_of_items(fields)):
        for number, item in enumerate(node):
            there = [match for other in others if (match := _same_item(item, other, keys)) is not None]
            yield from _filled_in(item, there, _of_items(fields), (*at, number)) if there else ()


def _with_defaults(tree: Any, probe: Any, retyped: set[Path], fields: _Fields) -> Any:
    """Add what the API server sets along with a default that took another's place (a rolling update, node ports)."""
    for path in retyped:
        below = fields
        for step in path:
            below = _of_field(below, step) if isinstance(step, str) else _of_items(below)
        _fill(at_path(tree, path), at_path(probe, path), below)
    return tree


def _fill(node: Any, defaults: Any, fields: _Fields) -> None:
    if isinstance(node, dict) and isinstance(defaults, dict):
        for key, value in defaults.items():
            if key in node:
                _fill(node[key], value, _of_field(fields, key))
            else:
                node[key] = value
    elif isinstance(node, list) and (keys := _keys_of_items(fields)):
        for item in node:
            _fill(item, _same_item(item, defaults, keys), _of_items(fields))


def _of_field(fields: _Fields, name: str) -> _Fields:
    return [dict(mapping(known[f"f:{name}"])) for known in fields if f"f:{name}" in known]


def _of_items(fields: _Fields) -> _Fields:
    return [dict(mapping(below)) for known in fields for name, below in known.items() if name.startswith("k:")]


def _keys_of_items(fields: _Fields) -> tuple[str, ...]:
    """Return the keys by which the items of a list are told apart; none where nothing says so."""
    found = (name for known in fields for name in known if name.startswith("k:"))
    return next((tuple(read_element(name).value) for name in found), ())


def _same_item(item: Any, other: Any, keys: tuple[str, ...]) -> Any:
    """Return the item of another list that has the same keys; a key that is left out has its default."""
    values = [mapping(item).get(key, KEY_DEFAULTS.get(key)) for key in keys]
    return next((m for m in items(other) if [mapping(m).get(k, KEY_DEFAULTS.get(k)) for k in keys] == values), None)


@dataclass(frozen=True, slots=True)
class _Action:
    """What stands at a doomed node afterwards; ``whole`` when all that is below goes with it."""

    default: Any
    whole: bool


def _rebuilt(node: Any, at: Path, actions: dict[Path, _Action]) -> Any:
    action = actions.get(at)
    if action is not None and (action.whole or not isinstance(node, dict | list) or not node):
        return action.default
    if isinstance(node, dict):
        rest: Any = {
            key: new for key, child in node.items() if (new := _rebuilt(child, (*at, key), actions)) is not MISSING
        }
    elif isinstance(node, list):
        rest = [new for n, child in enumerate(node) if (new := _rebuilt(child, (*at, n), actions)) is not MISSING]
    else:
        return node
    return action.default if action is not None and not rest else rest


def was_stated(migration: Migration) -> frozenset[Path]:
    """Return the doomed paths that the last client-side apply stated: what is taken out when no default can be asked.

    An annotation that can't be read leaves every doomed path in.
    """
    annotation = mapping(migration.live.metadata.get("annotations")).get(LAST_APPLIED)
    try:
        tree = json.loads(annotation) if isinstance(annotation, str) else None
    except (ValueError, RecursionError):
        tree = None
    if not isinstance(tree, dict):
        return migration.doomed
    if migration.live.is_secret:
        tree["data"] = {**mapping(tree.get("data")), **mapping(tree.get("stringData"))}
    fields = list(migration.fields)
    return frozenset(p for p in migration.doomed if find_in(p, fields, migration.live.tree, tree) is not MISSING)
