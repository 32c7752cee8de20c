"""Kubernetes objects: who they are, and how they are written in a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Tree = Mapping[str, Any]


def group_of(api_version: str) -> str:
    """Return the API group of an ``apiVersion``; empty for the core group."""
    group, slash, _ = api_version.partition("/")
    return group if slash else ""


def address_of(group: str, kind: str, namespace: str | None, name: str) -> str:
    """Return ``Deployment.apps/shop/web`` or ``ClusterRole.rbac.authorization.k8s.io/reader`` (record 0060)."""
    return f"{kind}.{group}/{place_of(namespace, name)}" if group else f"{kind}/{place_of(namespace, name)}"


def place_of(namespace: str | None, name: str) -> str:
    """Return ``namespace/name``, or ``name`` for an object without a namespace."""
    return f"{namespace}/{name}" if namespace else name


@dataclass(frozen=True, slots=True)
class LiveObject:
    """An object as the cluster holds it. ``tree`` is the whole object: it stays in the adapter."""

    tree: Tree

    def __repr__(self) -> str:
        return f"LiveObject({self.address!r})"

    @property
    def metadata(self) -> Tree:
        """The object's metadata, empty where it has none."""
        return mapping(self.tree.get("metadata"))

    @property
    def api_version(self) -> str:
        """The version at which the cluster printed the object."""
        return text(self.tree.get("apiVersion"))

    @property
    def group(self) -> str:
        """The API group."""
        return group_of(self.api_version)

    @property
    def kind(self) -> str:
        """The kind."""
        return text(self.tree.get("kind"))

    @property
    def name(self) -> str:
        """The name."""
        return text(self.metadata.get("name"))

    @property
    def namespace(self) -> str | None:
        """The namespace, or None for an object of the cluster."""
        return text(self.metadata.get("namespace")) or None

    @property
    def uid(self) -> str:
        """The uid: another one is another object, whatever its name."""
        return text(self.metadata.get("uid"))

    @property
    def resource_version(self) -> str:
        """The resourceVersion: another one means that someone wrote."""
        return text(self.metadata.get("resourceVersion"))

    @property
    def deletion_time(self) -> str | None:
        """Since when the object is being deleted, or None."""
        return text(self.metadata.get("deletionTimestamp")) or None

    @property
    def finalizers(self) -> tuple[str, ...]:
        """What the object waits for before it can be deleted."""
        return tuple(item for item in items(self.metadata.get("finalizers")) if isinstance(item, str))

    @property
    def address(self) -> str:
        """The address in a diff."""
        return address_of(self.group, self.kind, self.namespace, self.name)

    @property
    def place(self) -> str:
        """``namespace/name``, as a person sees it."""
        return place_of(self.namespace, self.name)

    @property
    def is_secret(self) -> bool:
        """Whether this is a v1 Secret, held whole (record 0060)."""
        return self.kind == "Secret" and self.group == ""

    @property
    def is_object(self) -> bool:
        """Whether the tree names an object at all."""
        return bool(self.api_version and self.kind and self.name)


def mapping(node: Any) -> Tree:
    """Return ``node`` when it is a map, else an empty one."""
    return node if isinstance(node, dict) else {}


def items(node: Any) -> list[Any]:
    """Return ``node`` when it is a list, else an empty one."""
    return node if isinstance(node, list) else []


def text(node: Any) -> str:
    """Return ``node`` when it is text, else an empty one."""
    return node if isinstance(node, str) else ""
