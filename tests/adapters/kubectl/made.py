"""Objects, manifests and managed fields, made for tests."""

from dataclasses import dataclass
from typing import Any

from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.processes import Outcome

OWN = "kubectl"
"""The stack's own field manager, where a test names none."""


@dataclass
class Answered:
    """A command that ends with an outcome as soon as it is waited for."""

    outcome: Outcome

    def wait(self) -> Outcome:
        """Return the outcome."""
        return self.outcome


def live(
    kind: str = "ConfigMap",
    name: str = "a",
    namespace: str | None = "t",
    *,
    version: str = "v1",
    metadata: dict[str, Any] | None = None,
    **content: Any,
) -> LiveObject:
    """Make an object as the cluster holds it."""
    place = {} if namespace is None else {"namespace": namespace}
    return LiveObject({
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, **place, **(metadata or {})},
        **content,
    })  # fmt: skip


def entry(manager: str, fields: dict[str, Any], operation: str = "Update", **more: Any) -> dict[str, Any]:
    """Make an entry of managed fields."""
    return {"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsV1": fields, **more}


def applied(fields: dict[str, Any] | None = None, manager: str = OWN, **more: Any) -> dict[str, Any]:
    """Make the entry of a server-side apply."""
    return entry(manager, {"f:data": {}} if fields is None else fields, "Apply", **more)


def held_by(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Make metadata with managed fields."""
    return {"managedFields": list(entries), **more}


def manifest(
    kind: str = "ConfigMap",
    name: str = "a",
    namespace: str | None = None,
    *,
    version: str = "v1",
    **content: Any,
) -> Manifest:
    """Make an object of the set."""
    place = {} if namespace is None else {"namespace": namespace}
    tree = {"apiVersion": version, "kind": kind, "metadata": {"name": name, **place}, **content}
    return Manifest("web/a.yaml", 1, version, kind, namespace, name, generated_name=False, tree=tree)


def sides(before: LiveObject | None, **changed: Any) -> ObjectDiff:
    """Make both sides of an object: the live one, and what an apply makes of it (None takes a field out)."""
    assert before is not None
    after = {key: node for key, node in {**before.tree, **changed}.items() if node is not None}
    return ObjectDiff(before, LiveObject(after))
