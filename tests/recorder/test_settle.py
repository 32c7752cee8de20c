from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder import admin as admin_module
from recorder.admin import Admin, Requests
from recorder.kube import AdminError
from recorder.settle import is_settled, settle
from tests.recorder.stand import Nobody


def thing(kind: str, uid: str = "1", version: str = "1", **rest: Any) -> dict[str, Any]:
    metadata = {"name": uid, "uid": uid, "resourceVersion": version, **rest.pop("metadata", {})}
    return {"kind": kind, "metadata": metadata, **rest}


def deployment(replicas: int, status: dict[str, Any], generation: int = 2) -> dict[str, Any]:
    return thing("Deployment", "d", metadata={"generation": generation}, spec={"replicas": replicas}, status=status)


def replica_set(uid: str, given: int, made: int) -> dict[str, Any]:
    return thing(
        "ReplicaSet",
        uid,
        metadata={"generation": 1, "ownerReferences": [{"uid": "d"}]},
        spec={"replicas": given},
        status={"observedGeneration": 1, "replicas": made},
    )


SEEN = {"observedGeneration": 2, "replicas": 2}


@pytest.mark.parametrize(
    ("objects", "settled"),
    [
        ([], True),
        ([thing("ConfigMap")], True),
        ([deployment(2, SEEN), replica_set("r", 2, 2)], True),
        ([deployment(2, {})], False),
        ([deployment(2, {"observedGeneration": 1, "replicas": 2}), replica_set("r", 2, 2)], False),
        ([deployment(2, {"observedGeneration": 2, "replicas": 1}), replica_set("r", 2, 1)], False),
        ([deployment(2, SEEN), replica_set("r", 2, 1)], False),
        ([deployment(2, SEEN)], False),
        # A rollout that can't go on, because no pod becomes ready: one pod more than was asked for.
        ([deployment(2, {"observedGeneration": 2, "replicas": 3}), replica_set("old", 2, 2), replica_set("new", 1, 1)],
         True),
        ([deployment(0, {"observedGeneration": 2}), replica_set("r", 0, 0)], True),
        ([thing("Service", metadata={"deletionTimestamp": "now"})], False),
        ([thing("Service", metadata={"deletionTimestamp": "now", "finalizers": ["example.com/hold"]})], True),
    ],
)  # fmt: skip
def test_a_cluster_is_settled_when_its_controllers_have_done_their_work(
    objects: list[dict[str, Any]], settled: bool
) -> None:
    assert is_settled(objects) is settled


READY = {**SEEN, "updatedReplicas": 2, "readyReplicas": 2}


def ready_set(made: int, ready: int) -> dict[str, Any]:
    found = replica_set("r", 2, made)
    found["status"]["readyReplicas"] = ready
    return found


@pytest.mark.parametrize(
    ("objects", "ready"),
    [
        ([], True),
        ([thing("ConfigMap")], True),
        ([deployment(2, READY), ready_set(2, 2)], True),
        ([deployment(0, {"observedGeneration": 2}), replica_set("r", 0, 0)], True),
        ([deployment(2, READY), ready_set(2, 1)], False),
        ([deployment(2, {**READY, "readyReplicas": 1}), ready_set(2, 2)], False),
        ([deployment(2, {**READY, "updatedReplicas": 1}), ready_set(2, 2)], False),
        ([deployment(2, {**READY, "replicas": 3}), ready_set(2, 2), replica_set("new", 1, 1)], False),
    ],
)
def test_where_there_are_nodes_a_rollout_must_be_over(objects: list[dict[str, Any]], ready: bool) -> None:
    assert is_settled(objects, ready=ready) is True
    assert is_settled(objects, ready=True) is ready


@dataclass
class Readings(Admin):
    """An administrator who sees one reading after the other, the last one for ever."""

    kube: Requests = field(default_factory=Nobody)
    readings: list[list[dict[str, Any]]] = field(default_factory=list)
    taken: int = 0

    def objects(self, namespace: str) -> list[dict[str, Any]]:
        assert namespace == "shop"
        self.taken += 1
        return self.readings[min(self.taken, len(self.readings)) - 1]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "POLL_SECONDS", 0)


def test_three_readings_in_a_row_must_show_the_same_versions() -> None:
    seen = Readings(readings=[[thing("ConfigMap", version=version)] for version in ("1", "1", "2", "2", "2")])
    settle(seen, ["shop"])
    assert seen.taken == 5


def test_an_object_that_comes_or_goes_starts_the_count_again() -> None:
    seen = Readings(readings=[[], [], [thing("ConfigMap")], [thing("ConfigMap")], [thing("ConfigMap")]])
    settle(seen, ["shop"])
    assert seen.taken == 5


def test_a_cluster_that_never_comes_to_rest_is_an_error_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "LIMIT_SECONDS", 0)
    with pytest.raises(AdminError, match="namespace shop is at rest: not within 0 seconds"):
        settle(Readings(readings=[[deployment(2, {})]]), ["shop"])


def test_a_rollout_is_waited_for_where_there_are_nodes() -> None:
    begun, over = [deployment(2, SEEN), ready_set(2, 0)], [deployment(2, READY), ready_set(2, 2)]
    seen = Readings(readings=[begun] * 4 + [over])
    settle(seen, ["shop"], ready=True)
    assert seen.taken == 5
