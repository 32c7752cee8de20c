from typing import Any

import pytest

from sluiceway.adapters.kubernetes.objects import LiveObject, address_of, group_of, items, mapping, place_of, text
from tests.adapters.kubectl.made import live

CANARY = "c4n4ry-v4lue"


@pytest.mark.parametrize(
    ("found", "address", "place"),
    [
        (live("Deployment", "web", "shop", version="apps/v1"), "Deployment.apps/shop/web", "shop/web"),
        (live("ConfigMap", "settings", "shop"), "ConfigMap/shop/settings", "shop/settings"),
        (
            live("ClusterRole", "system:x", None, version="rbac.authorization.k8s.io/v1"),
            "ClusterRole.rbac.authorization.k8s.io/system:x",
            "system:x",
        ),
        (live("Namespace", "shop", None), "Namespace/shop", "shop"),
    ],
)
def test_the_address_is_kind_group_namespace_and_name_and_never_the_version(
    found: LiveObject, address: str, place: str
) -> None:
    assert (found.address, found.place) == (address, place)
    assert address_of(found.group, found.kind, found.namespace, found.name) == address
    assert place_of(found.namespace, found.name) == place


@pytest.mark.parametrize(
    ("version", "group"), [("v1", ""), ("apps/v1", "apps"), ("a.b/v1/v2", "a.b"), ("", ""), ("/v1", "")]
)
def test_the_group_of_a_version(version: str, group: str) -> None:
    assert group_of(version) == group


def test_only_a_v1_secret_is_a_secret() -> None:
    assert live("Secret").is_secret
    assert not live("Secret", version="e.com/v1").is_secret
    assert not live("secret").is_secret


def test_what_the_cluster_says_of_an_object() -> None:
    found = live(
        metadata={
            "uid": "u",
            "resourceVersion": "7",
            "deletionTimestamp": "2026-11-30T12:00:00Z",
            "finalizers": ["a/b", 5, None, "c"],
        }
    )
    assert (found.uid, found.resource_version, found.deletion_time) == ("u", "7", "2026-11-30T12:00:00Z")
    assert found.finalizers == ("a/b", "c")
    bare = live()
    assert (bare.uid, bare.resource_version, bare.deletion_time, bare.finalizers) == ("", "", None, ())


@pytest.mark.parametrize("metadata", [None, [], "x", {"name": 5}, {"name": None}, {}])
def test_what_names_no_object(metadata: Any) -> None:
    assert not LiveObject({"apiVersion": "v1", "kind": "A", "metadata": metadata}).is_object
    assert not LiveObject({"kind": "A", "metadata": {"name": "a"}}).is_object
    assert LiveObject({"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}).is_object


def test_an_object_shows_its_address_and_nothing_it_holds() -> None:
    found = live(metadata={"labels": {"a": CANARY}}, data={"k": CANARY})
    assert repr(found) == "LiveObject('ConfigMap/t/a')"


@pytest.mark.parametrize("node", [None, 1, "x", True, [], {}, [1], {"a": 1}])
def test_a_node_of_another_type_is_empty(node: Any) -> None:
    assert mapping(node) == (node if isinstance(node, dict) else {})
    assert items(node) == (node if isinstance(node, list) else [])
    assert text(node) == (node if isinstance(node, str) else "")
