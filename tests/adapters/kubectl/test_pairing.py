import pytest

from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.pairing import Pairing, pair
from sluiceway.adapters.kubectl.readings import Readings
from sluiceway.adapters.kubernetes.objects import LiveObject
from tests.adapters.kubectl.made import live, manifest


def paired(
    manifests: list[Manifest], *found: LiveObject, new: tuple[LiveObject, ...] = (), home: str | None = None
) -> Pairing:
    return pair(tuple(manifests), Readings(tuple(ObjectDiff(None, item) for item in new), found), home)


@pytest.mark.parametrize(
    ("stated", "found", "home", "same"),
    [
        (manifest(namespace="t"), live(), None, True),
        (manifest(namespace="t"), live(namespace="other"), None, False),
        (manifest(), live(), "t", True),
        (manifest(), live(), "other", False),
        (manifest(), live(), None, True),
        (manifest("ClusterRole", "r"), live("ClusterRole", "r", None), "t", True),
        (manifest("ClusterRole", "r", "written"), live("ClusterRole", "r", None), None, True),
        (manifest(namespace="t", version="e.com/v1"), live(version="e.com/v2"), None, True),
        (manifest(namespace="t"), live(version="e.com/v1"), None, False),
        (manifest(namespace="t"), live("Secret"), None, False),
        (manifest(namespace="t"), live(name="b"), None, False),
    ],
)
def test_an_object_of_the_set_is_the_live_one_where_the_manifest_puts_it(
    stated: Manifest, found: LiveObject, home: str | None, *, same: bool
) -> None:
    pairing = paired([stated], found, home=home)
    assert (pairing.pairs[0].live is found) is same
    assert pairing.is_new(0) is not same


def test_without_a_known_namespace_two_of_one_name_are_no_answer() -> None:
    pairing = paired([manifest()], live(namespace="t"), live(namespace="u"))
    assert pairing.pairs[0].live is None


def test_two_of_one_name_are_told_apart_by_their_namespace() -> None:
    here, there = live(namespace="t"), live(namespace="u")
    pairing = paired([manifest(namespace="u"), manifest(namespace="t"), manifest()], here, there, home="u")
    assert [item.live for item in pairing.pairs] == [there, here, there]


def test_where_only_kubectl_knows_the_namespace_its_answers_tell() -> None:
    here, there, other = live(namespace="t"), live(namespace="u"), live(name="b", namespace="t")
    stated = [manifest(namespace="u"), manifest(), manifest(name="b"), manifest(name="new")]
    assert [item.live for item in paired(stated, there, here, other).pairs] == [there, here, other, None]
    assert paired(stated, there, here, other).address(3) == "ConfigMap/t/new"
    assert paired(stated, there, new=(here, other)).pairs[1].created is here
    # It stands there twice, once with its namespace written.
    assert paired([manifest(namespace="t"), manifest()], here, here).doubled() is not None


def test_the_address_is_the_clusters_or_the_manifests_own() -> None:
    manifests = [
        manifest("ClusterRole", "live", "written", version="rbac.authorization.k8s.io/v1"),
        manifest("ClusterRole", "new", "written", version="rbac.authorization.k8s.io/v1"),
        manifest(name="unknown"),
        manifest(name="unknown", namespace="t"),
    ]
    found = live("ClusterRole", "live", None, version="rbac.authorization.k8s.io/v1")
    new = live("ClusterRole", "new", None, version="rbac.authorization.k8s.io/v1")
    pairing = paired(manifests, found, new=(new,), home="home")
    assert [pairing.address(number) for number in range(4)] == [
        "ClusterRole.rbac.authorization.k8s.io/live",
        "ClusterRole.rbac.authorization.k8s.io/new",
        "ConfigMap/home/unknown",
        "ConfigMap/t/unknown",
    ]
    assert [pairing.is_new(number) for number in range(4)] == [False, True, True, True]


def test_an_object_that_the_set_holds_twice_is_found() -> None:
    with_it, without = manifest(namespace="t"), manifest()
    assert paired([with_it, without], live(), home="t").doubled() == (without, with_it)
    assert paired([with_it, without], new=(live(),), home="t").doubled() == (without, with_it)
    assert paired([with_it, without], live(), home="other").doubled() is None
    assert paired([with_it, manifest(name="b")], live(), home="t").doubled() is None
    assert paired([without, with_it]).doubled() is None
