"""What a chart renders and what a release holds: texts of many documents, read into objects (``spec/helm.md``)."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sluiceway.adapters.helm.said import FILE
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject, items, mapping, text
from sluiceway.adapters.kubernetes.scopes import is_of_the_cluster
from sluiceway.adapters.kubernetes.secrets import from_base64, values_of_secret

HOOK, POLICY = "helm.sh/hook", "helm.sh/resource-policy"
"""The annotations that make an object a hook, and that keep it when the chart no longer has it."""

_SECRET = "Secret"  # noqa: S105 - the name of a kind
_TESTS = frozenset({"test", "test-success", "test-failure"})
_SOURCE = "# Source: "
_SOURCE_NAME = re.compile(FILE)
_SEPARATOR = re.compile(r"^---[^\n]*\n?", re.MULTILINE)
_NOTHING = re.compile(r"(?:[ \t]*(?:#[^\n]*)?(?:\n|\Z))*")


class UnreadableManifest(Exception):
    """A document that is no YAML of an object. ``place`` names it; nothing of its text is carried."""

    def __init__(self, place: str, expected: str) -> None:
        super().__init__(f"{place}: expected {expected}")
        self.place = place
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Document:
    """One document as text. ``source`` is the template that it comes from, empty where helm does not say."""

    source: str
    text: str = field(repr=False)

    @property
    def digest(self) -> str:
        """A digest of the text. It is one over values: it never leaves the process."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Item:
    """One object of a render or a release. ``tree`` has the namespace in which helm puts the object."""

    source: str
    hook: bool
    tree: dict[str, Any] = field(repr=False)

    @property
    def object(self) -> LiveObject:
        """The object, as the rest of the adapters know it."""
        return LiveObject(self.tree)

    @property
    def address(self) -> str:
        """The address in a diff, alike under every tool."""
        return self.object.address

    @property
    def key(self) -> tuple[str, bool]:
        """What tells objects apart: a hook and a plain object of one name are two things to helm."""
        return (self.address, self.hook)

    @property
    def kept(self) -> bool:
        """Whether helm leaves the object in the cluster when the chart no longer has it."""
        return _annotations(self.tree).get(POLICY) == "keep"

    @property
    def group_kind(self) -> tuple[str, str]:
        """The API group and the kind."""
        return (self.object.group, self.object.kind)

    @property
    def only_a_test(self) -> bool:
        """Whether this is a hook that only ``helm test`` runs: no deploy does."""
        events = {event.strip() for event in text(_annotations(self.tree).get(HOOK)).split(",")}
        return self.hook and events <= _TESTS


def clusterwide(items: Iterable[Item]) -> frozenset[tuple[str, str]]:
    """Return group and kind of the custom kinds that belong to the cluster, as far as ``items`` define them."""
    return frozenset(kind for kind, of_the_cluster in _scopes(item.tree for item in items) if of_the_cluster)


def placed(item: Item, cluster_kinds: Collection[tuple[str, str]]) -> Item:
    """Return the object without a namespace where its kind is one of ``cluster_kinds``."""
    if item.group_kind not in cluster_kinds:
        return item
    metadata = {key: node for key, node in item.object.metadata.items() if key != "namespace"}
    return replace(item, tree={**item.tree, "metadata": metadata})


def split(printed: str) -> Iterator[Document]:
    """Yield the documents of a text that hold more than comments."""
    for part in _SEPARATOR.split(printed):
        matched = _NOTHING.match(part)
        if matched is None or matched.end() < len(part):
            yield Document(_source_of(part), part.strip("\n") + "\n")


def read(printed: str, namespace: str) -> list[Item]:
    """Return the objects of a text, in order; those that write no namespace are in ``namespace``.

    Raises :class:`UnreadableManifest`.
    """
    trees = [(document, tree) for document in split(printed) for tree in _objects(document)]
    scopes = dict(_scopes(tree for _, tree in trees))
    return [_item(document.source, tree, namespace, scopes) for document, tree in trees]


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of a render: of the whole, and of each object by its label. They never leave the process."""

    whole: str = field(repr=False)
    objects: dict[str, str] = field(repr=False)


def digests(printed: bytes, namespace: str) -> Digests:
    """Digest a render. A document that can't be read is labelled with the template that it comes from."""
    objects: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for document in split(decoded(printed)):
        unique = label = _label(document, namespace)
        while unique in objects:
            numbers[label] = numbers.get(label, 1) + 1
            unique = f"{label} ({numbers[label]})"
        objects[unique] = document.digest
    return Digests(hashlib.sha256(printed).hexdigest(), objects)


def secret_values(printed: bytes, namespace: str) -> list[str]:
    """Return all that the v1 Secrets of a text hold, decoded. Never raises."""
    values: list[str] = []
    for document in split(decoded(printed)):
        if _SECRET not in document.text:
            continue
        try:
            found = [_item(document.source, tree, namespace, {}) for tree in _objects(document)]
        except UnreadableManifest:
            continue
        values.extend(value for item in found if item.object.is_secret for value in values_of_secret(item.tree))
    return values


def decoded_secret(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a Secret with all it holds under ``data``, decoded: where a value is written makes no difference."""
    held = {key: _decoded_value(value) for key, value in mapping(tree.get("data")).items()}
    held |= {
        key: value.encode("utf-8", "replace") if type(value) is str else value
        for key, value in mapping(tree.get("stringData")).items()
    }
    rest = {key: node for key, node in tree.items() if key not in ("data", "stringData")}
    return {**rest, "data": held} if held else rest


def _decoded_value(value: Any) -> Any:
    plain = from_base64(value)
    return value if plain is None else plain


def decoded(printed: bytes) -> str:
    """Return what helm printed as text, with one kind of line end."""
    return printed.decode("utf-8", "replace").replace("\r\n", "\n")


def _source_of(part: str) -> str:
    first = part.lstrip("\n").partition("\n")[0]
    written = first.removeprefix(_SOURCE)
    return written if written != first and _SOURCE_NAME.fullmatch(written) else ""


def _objects(document: Document) -> Iterator[dict[str, Any]]:
    try:
        tree = goyaml.load(document.text)
    except goyaml.UnreadableYAML as error:
        raise UnreadableManifest(document.source or "a document", f"YAML (line {error.line})") from None
    if not isinstance(tree, dict):
        raise UnreadableManifest(document.source or "a document", "an object")
    yield from _flat(tree)


def _flat(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list, as helm's own reading of a manifest does: what has ``items`` is a list."""
    if not isinstance(tree.get("items"), list):
        if tree.get("apiVersion") or tree.get("kind"):
            yield tree
        return
    kind = text(tree.get("kind"))
    own = {"apiVersion": tree.get("apiVersion"), "kind": kind.removesuffix("List")} if kind != "List" else {}
    for item in items(tree["items"]):
        if isinstance(item, dict):
            yield from _flat({**own, **item})


def _scopes(trees: Iterable[dict[str, Any]]) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield which kinds belong to the cluster, of the custom ones that the text itself brings."""
    for tree in trees:
        if tree.get("kind") == "CustomResourceDefinition":
            spec = mapping(tree.get("spec"))
            yield (
                (text(spec.get("group")), text(mapping(spec.get("names")).get("kind"))),
                spec.get("scope") == "Cluster",
            )


def _item(source: str, tree: dict[str, Any], namespace: str, scopes: dict[tuple[str, str], bool]) -> Item:
    live = LiveObject(tree)
    of_the_cluster = is_of_the_cluster(live.group, live.kind) or scopes.get((live.group, live.kind), False)
    place = None if of_the_cluster else live.namespace or namespace
    metadata = {key: node for key, node in live.metadata.items() if key != "namespace"}
    metadata = {"name": text(metadata.get("generateName")), **metadata} if "name" not in metadata else metadata
    if place is not None:
        metadata["namespace"] = place
    return Item(source, HOOK in _annotations(tree), {**tree, "metadata": metadata})


def _annotations(tree: dict[str, Any]) -> dict[str, Any]:
    return dict(mapping(mapping(tree.get("metadata")).get("annotations")))


def _label(document: Document, namespace: str) -> str:
    try:
        found = [_item(document.source, tree, namespace, {}) for tree in _objects(document)]
    except UnreadableManifest:
        found = []
    return found[0].address if found else document.source or "a document"
