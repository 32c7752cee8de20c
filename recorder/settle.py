"""Waits until a cluster has come to rest, so that two readings of it are the same (``spec/recordings.md``)."""

from collections.abc import Iterable
from typing import Any

from recorder.admin import Admin, wait_until

READINGS = 3
"""How many readings in a row must show the same resource versions."""


def settle(admin: Admin, namespaces: Iterable[str]) -> None:
    """Wait until every controller has done its work in ``namespaces``. Raises ``AdminError`` when it takes too long."""
    names = list(namespaces)
    readings: list[dict[str, str]] = []

    def at_rest() -> bool:
        objects = [item for name in names for item in admin.objects(name)]
        readings.append({item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in objects})
        return (
            all(map(is_settled, objects))
            and len(readings) >= READINGS
            and readings[-READINGS:] == [readings[-1]] * READINGS
        )

    wait_until(f"namespace {', '.join(names)} is at rest", at_rest)


def is_settled(item: dict[str, Any]) -> bool:
    """Tell whether the controllers have seen ``item`` as it is, made its replicas, and are not deleting it.

    One that waits for a finalizer is at rest: nobody but its owner can go on.
    """
    metadata, status = item["metadata"], item.get("status", {})
    if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
        return False
    if "generation" in metadata and status.get("observedGeneration", metadata["generation"]) != metadata["generation"]:
        return False
    return item["kind"] not in _REPLICATED or _has_replicas(item["kind"], item["spec"], status)


_REPLICATED = ("Deployment", "ReplicaSet", "StatefulSet")


def _has_replicas(kind: str, spec: dict[str, Any], status: dict[str, Any]) -> bool:
    if "observedGeneration" not in status:
        return False
    wanted = spec.get("replicas", 1)
    if kind == "Deployment" and status.get("updatedReplicas", 0) != wanted:
        return False
    return bool(status.get("replicas", 0) == wanted)
