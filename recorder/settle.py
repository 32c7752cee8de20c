"""Waits until a cluster has come to rest, so that two readings of it are the same (``spec/recordings.md``)."""

from collections.abc import Iterable
from typing import Any

from recorder.admin import Admin, wait_until

READINGS = 3
"""How many readings in a row must show the same resource versions."""


def settle(admin: Admin, namespaces: Iterable[str], *, ready: bool = False) -> None:
    """Wait until every controller has done its work in ``namespaces``. Raises ``AdminError`` when it takes too long.

    ``ready`` waits for the pods too, where there are nodes for them.
    """
    names = list(namespaces)
    readings: list[dict[str, str]] = []

    def at_rest() -> bool:
        objects = [item for name in names for item in admin.objects(name)]
        readings.append({item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in objects})
        return is_settled(objects, ready=ready) and readings[-READINGS:] == [readings[-1]] * READINGS

    wait_until(f"namespace {', '.join(names)} is at rest", at_rest)


def is_settled(objects: list[dict[str, Any]], *, ready: bool = False) -> bool:
    """Tell whether the controllers have seen ``objects`` as they are, made their replicas, and delete none of them.

    One that waits for a finalizer is at rest: nobody but its owner can go on. A rollout whose pods can't become ready
    (there are no nodes) is at rest when each of its ReplicaSets has what it was given. With ``ready`` it is so only
    when it is over: every replica is of the newest template, and ready.
    """
    given = _given(objects)
    return all(
        _is_seen(item) and _has_replicas(item, given) and (not ready or _has_ready_replicas(item)) for item in objects
    )


def _is_seen(item: dict[str, Any]) -> bool:
    metadata, status = item["metadata"], item.get("status", {})
    if "deletionTimestamp" in metadata and not metadata.get("finalizers"):
        return False
    if item["kind"] in _REPLICATED and "observedGeneration" not in status:
        return False
    observed = status.get("observedGeneration", metadata.get("generation"))
    return bool(observed == metadata.get("generation"))


_REPLICATED = ("Deployment", "ReplicaSet", "StatefulSet")


def _given(objects: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many replicas the ReplicaSets of each owner are given together, by the owner's uid."""
    given: dict[str, int] = {}
    for item in objects:
        for owner in item["metadata"].get("ownerReferences", []) if item["kind"] == "ReplicaSet" else []:
            given[owner["uid"]] = given.get(owner["uid"], 0) + item["spec"].get("replicas", 1)
    return given


def _has_replicas(item: dict[str, Any], given: dict[str, int]) -> bool:
    if item["kind"] not in _REPLICATED:
        return True
    own = item["spec"].get("replicas", 1)
    wanted = given.get(item["metadata"]["uid"]) if item["kind"] == "Deployment" else own
    return bool(item["status"].get("replicas", 0) == wanted)


def _has_ready_replicas(item: dict[str, Any]) -> bool:
    if item["kind"] not in _REPLICATED:
        return True
    wanted, status = item["spec"].get("replicas", 1), item["status"]
    counts = ["replicas", "readyReplicas", *(["updatedReplicas"] if item["kind"] == "Deployment" else [])]
    return all(status.get(count, 0) == wanted for count in counts)
