"""The inventory: one ConfigMap that lists the objects of a stack (record 0070)."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubernetes.objects import LiveObject, group_of, mapping, text
from sluiceway.model.order import sorted_unique

MANAGED_BY = "app.kubernetes.io/managed-by"
STACK_ANNOTATION = "sluiceway.dev/stack"
LEAVING_ANNOTATION = "sluiceway.dev/leaving"
NONE_YET = "1"
"""The resource version to apply an inventory with that is not there yet. No object has it: the API server makes what
is absent, and refuses to write over what someone made in between (decision 0098)."""
CONFIG_MAP_LIMIT = 2**20
"""Bytes of all values of a ConfigMap; the API server refuses more."""

_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_NO_WORD = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""What no command line can hold. The rest of the surrogates are the bytes that were no UTF-8."""

_KEYS = ("apiVersion", "kind", "namespace", "name")
_REQUIRED = frozenset({"apiVersion", "kind", "name"})


class UnreadableInventory(Exception):
    """An inventory that someone edited. ``line`` is 1-based, 0 for the ConfigMap itself. It is never read as empty."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(f"line {line}: expected {expected}")
        self.line = line
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Listed:
    """One object of an inventory. ``namespace`` is as the manifest wrote it, None where it wrote none."""

    api_version: str
    kind: str
    namespace: str | None
    name: str

    @classmethod
    def of(cls, manifest: Manifest) -> "Listed":
        """Return how a manifest is listed."""
        return cls(manifest.api_version, manifest.kind, manifest.namespace, manifest.name)

    @property
    def group(self) -> str:
        """The API group."""
        return group_of(self.api_version)

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        """Group, kind, namespace as written and name: a new API version is the same object."""
        return (self.group, self.kind, self.namespace, self.name)

    @property
    def line(self) -> str:
        """The line of ``data.objects``."""
        values = zip(_KEYS, (self.api_version, self.kind, self.namespace, self.name), strict=True)
        fields = {key: value for key, value in values if value is not None}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    @property
    def resource(self) -> str:
        """``<Kind>.<group>``, as ``kubectl get`` takes it whatever version is served."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def shown(self) -> str:
        """The object as a person reads it."""
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.resource} {place}"


def inventory_name(repository: str, stack_id: str) -> str:
    """Return the name of a stack's inventory: two repos with a stack of one id never share one."""
    digest = hashlib.sha256(f"{repository}\n{stack_id}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"sluiceway-{digest[:16]}"


def is_inventory(live: LiveObject, name: str) -> bool:
    """Tell whether an object is the stack's own inventory, which is never a change."""
    return live.kind == "ConfigMap" and live.group == "" and live.name == name


def objects_text(listed: Iterable[Listed]) -> str:
    """Return ``data.objects``: the lines sorted, a final newline."""
    return "".join(f"{line}\n" for line in sorted_unique(item.line for item in listed))


def fits(objects: str) -> bool:
    """Tell whether a ConfigMap can hold ``data.objects``: the API server counts the bytes of the values."""
    return len(objects.encode("utf-8", "surrogateescape")) <= CONFIG_MAP_LIMIT


def leaving(listed: Iterable[Listed]) -> str:
    """Return what marks the inventory of a deploy that deletes these objects; empty where it deletes none.

    A list names what goes and what stays alike: without the mark a deploy that states again what another one is about
    to delete would apply the very same inventory, and leave no trace (decision 0098).
    """
    lines = objects_text(listed)
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()[:16] if lines else ""


def document(name: str, stack_id: str, objects: str, version: str = NONE_YET, going: str = "") -> bytes:
    """Return the inventory as the last document of a rendered set.

    ``version`` is the resource version that was read, or :data:`NONE_YET`; the server refuses to write over another
    one: else of two deploys of one stack the second would list nothing of what the first made, and nobody would ever
    delete it. ``going`` is what :func:`leaving` returns of the objects that the deploy deletes.
    """
    lines = [
        "---",
        "apiVersion: v1",
        "kind: ConfigMap",
        "metadata:",
        f"  name: {quoted(name)}",
        f"  resourceVersion: {quoted(version)}",
        "  labels:",
        f"    {MANAGED_BY}: sluiceway",
        "  annotations:",
        f"    {STACK_ANNOTATION}: {quoted(stack_id)}",
        *([f"    {LEAVING_ANNOTATION}: {quoted(going)}"] if going else []),
        "data:",
        f"  objects: {quoted(objects)}",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def quoted(word: str) -> str:
    """Return a double-quoted YAML scalar: a JSON string with what YAML can't print escaped too."""
    written = json.dumps(word, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


def read_inventory(live: LiveObject) -> tuple[Listed, ...]:
    """Return what a live inventory lists. Raises :class:`UnreadableInventory`."""
    objects = mapping(live.tree.get("data")).get("objects")
    if not isinstance(objects, str):
        raise UnreadableInventory(0, "data.objects")
    lines = objects.split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(_listed(number, line) for number, line in enumerate(lines, start=1))


def _listed(number: int, line: str) -> Listed:
    try:
        node: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise UnreadableInventory(number, "one JSON object") from None
    if not isinstance(node, dict) or not node.keys() >= _REQUIRED or not node.keys() <= set(_KEYS):
        raise UnreadableInventory(number, "apiVersion, kind, name and at most namespace") from None
    if not all(isinstance(value, str) and value for value in node.values()):
        raise UnreadableInventory(number, "texts that are not empty")
    if any(_NO_WORD.search(value) for value in node.values()) or node["kind"].startswith("-"):
        raise UnreadableInventory(number, "the names of an object")
    return Listed(node["apiVersion"], node["kind"], text(node.get("namespace")) or None, node["name"])
