"""Managed fields: who holds which part of a live object (record 0070; ``spec/kubectl.md``)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.adapters.kubernetes.objects import LiveObject, items, mapping, text
from sluiceway.model.paths import Path
from sluiceway.model.trees import MISSING, at_path, same

KEY_DEFAULTS = {"protocol": "TCP"}
"""The keys of the API's own keyed lists that have a default: one, of the ports of a container and of a Service."""


@dataclass(frozen=True, slots=True)
class Element:
    """One step of a managed path: a field, the list item with these keys or this value, or an index."""

    kind: str
    value: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Node:
    """A node that an entry holds, as a property path of the live object.

    ``leaf``: the entry holds the whole of it, nothing is said of what is below (a scalar, an atomic list or map).
    ``explicit`` is False for a node that is only passed through on the way to what is held.
    """

    path: Path
    leaf: bool
    explicit: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an object's managed fields. Managers, operations and times are not values and may be shown."""

    manager: str
    operation: str
    subresource: str | None
    time: str | None
    api_version: str
    fields: dict[str, Any] = field(repr=False)

    def applied_by(self, manager: str) -> bool:
        """Tell whether this is the ``Apply`` entry of ``manager``: the stack's own (record 0070)."""
        return self.operation == "Apply" and self.manager == manager and self.subresource is None


class UnreadableFields(Exception):
    """Managed fields of a shape that is not known. Carries no text of them."""


def entries_of(live: LiveObject) -> list[Entry]:
    """Return the entries of an object; none where the managed fields are missing, empty or stripped."""
    return [_entry(node) for node in items(live.metadata.get("managedFields")) if isinstance(node, dict)]


def _entry(node: dict[str, Any]) -> Entry:
    fields = node.get("fieldsV1")
    return Entry(
        manager=text(node.get("manager")),
        operation=text(node.get("operation")),
        subresource=text(node.get("subresource")) or None,
        time=text(node.get("time")) or None,
        api_version=text(node.get("apiVersion")),
        fields=fields if isinstance(fields, dict) else {},
    )


def read_element(written: str) -> Element:
    """Read one key of ``fieldsV1``: ``f:name``, ``k:{…}``, ``v:…`` or ``i:…``. Raises :class:`UnreadableFields`."""
    kind, colon, rest = written.partition(":")
    if not colon or kind not in ("f", "k", "v", "i"):
        raise UnreadableFields
    if kind == "f":
        return Element("f", rest)
    try:
        value = int(rest) if kind == "i" else JSON.decode(rest)
    except (ValueError, RecursionError):
        raise UnreadableFields from None
    if kind == "k" and not isinstance(value, dict):
        raise UnreadableFields
    return Element(kind, value)


def nodes_of(fields: dict[str, Any], tree: Any, at: Path = ()) -> Iterator[Node]:
    """Yield what ``fields`` hold, as paths of ``tree``. An item that is not there any more gives none."""
    for written, below in fields.items():
        if written == ".":
            continue
        step = locate(read_element(written), tree)
        if step is None:
            continue
        key, child = step
        children = {name: node for name, node in mapping(below).items() if name != "."}
        path = (*at, key)
        yield Node(path, leaf=not children and "." not in mapping(below), explicit=not children or "." in below)
        if children:
            yield from nodes_of(children, child, path)


def locate(element: Element, tree: Any) -> tuple[str | int, Any] | None:
    """Return the key or index of an element in ``tree``, and the node there (``MISSING`` for a field that is gone)."""
    if element.kind == "f":
        return element.value, mapping(tree).get(element.value, MISSING)
    if not isinstance(tree, list):
        return None
    if element.kind == "i":
        found = element.value if 0 <= element.value < len(tree) else None
    elif element.kind == "v":
        found = next((n for n, item in enumerate(tree) if same(item, element.value)), None)
    else:
        found = next((n for n, item in enumerate(tree) if has_keys(item, element.value)), None)
    return None if found is None else (found, tree[found])


def has_keys(item: Any, keys: dict[str, Any]) -> bool:
    """Tell whether a list item is the one with these keys; their order does not matter."""
    return isinstance(item, dict) and all(same(item.get(key, MISSING), value) for key, value in keys.items())


@dataclass(frozen=True, slots=True)
class Held:
    """All that one entry holds of a live object, ready to be asked about a path."""

    entry: Entry
    explicit: frozenset[Path]
    leaves: frozenset[Path]

    @classmethod
    def of(cls, entry: Entry, live: LiveObject) -> "Held":
        """Resolve an entry against the object. ``stringData`` of a Secret holds its ``data`` (seen on real servers).

        Raises :class:`UnreadableFields`.
        """
        fields = entry.fields
        if live.is_secret and "f:stringData" in fields:
            fields = {**fields, "f:data": {**mapping(fields.get("f:data")), **mapping(fields["f:stringData"])}}
        nodes = list(nodes_of(fields, live.tree))
        return cls(
            entry,
            explicit=frozenset(node.path for node in nodes if node.explicit),
            leaves=frozenset(node.path for node in nodes if node.leaf),
        )

    def holds(self, path: Path) -> bool:
        """Tell whether the entry holds ``path``: itself, or a leaf above it (an atomic list or map)."""
        return path in self.explicit or any(path[:length] in self.leaves for length in range(1, len(path)))


def place_in(path: Path, fields: list[dict[str, Any]], live: Any, other: Any) -> Path | None:
    """Return where the node at ``path`` of the live tree stands in another tree, or None when it is not there.

    Where one of ``fields`` describes a list as keyed or as a set, its items are found by key or value, not by index.
    """
    found: list[str | int] = []
    for step in path:
        key = _matching(step, fields, live, other)
        if key is None:
            return None
        found.append(key)
        fields = [below for known in fields for below in _below(known, step, live)]
        live, other = at_path(live, (step,)), at_path(other, (key,))
        if other is MISSING:
            return None
    return tuple(found)


def find_in(path: Path, fields: list[dict[str, Any]], live: Any, other: Any) -> Any:
    """Return the node of another tree that stands for ``path`` of the live one; ``MISSING`` for none and for null."""
    node = node_in(path, fields, live, other)
    return MISSING if node is None else node


def node_in(path: Path, fields: list[dict[str, Any]], live: Any, other: Any) -> Any:
    """Return the node of another tree that stands for ``path`` of the live one, null too; ``MISSING`` for none."""
    place = place_in(path, fields, live, other)
    return MISSING if place is None else at_path(other, place)


def _matching(step: str | int, fields: list[dict[str, Any]], live: Any, other: Any) -> str | int | None:
    element = _element_at(step, fields, live) if isinstance(step, int) else None
    if element is None:
        return step
    match = locate(element, other) or _lenient(element, other)
    return None if match is None else match[0]


def _element_at(index: int, fields: list[dict[str, Any]], live: Any) -> Element | None:
    for written in (name for known in fields for name in known if name[:2] in ("k:", "v:")):
        element = read_element(written)
        match = locate(element, live)
        if match is not None and match[0] == index:
            return element
    return None


def _lenient(element: Element, other: Any) -> tuple[str | int, Any] | None:
    """Find an item that leaves out a key which the API server sets by default (a port's protocol)."""
    if element.kind != "k" or not isinstance(other, list):
        return None
    for number, item in enumerate(other):
        written = {key: value for key, value in element.value.items() if key in mapping(item)}
        left_out = element.value.items() - written.items()
        if (
            written
            and has_keys(item, written)
            and all(KEY_DEFAULTS.get(key, value) == value for key, value in left_out)
        ):
            return number, item
    return None


def _below(fields: dict[str, Any], step: str | int, live: Any) -> Iterator[dict[str, Any]]:
    for written, below in fields.items():
        if written == ".":
            continue
        match = locate(read_element(written), live)
        if match is not None and match[0] == step:
            yield dict(mapping(below))
