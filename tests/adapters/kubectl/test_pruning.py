from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl import pruning
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.inventory import Listed
from sluiceway.adapters.kubectl.pruning import Candidate, Held, Surroundings
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject
from tests.adapters.kubectl.made import OWN, applied, entry, held_by, live, manifest

INVENTORY = "sluiceway-0123456789abcdef"
CANARY = "c4n4ry-v4lue"
CRDS = "apiextensions.k8s.io/v1"


def ours(kind: str = "ConfigMap", name: str = "a", namespace: str | None = "t", **more: Any) -> LiveObject:
    """Make an object that the stack applied."""
    metadata = {**held_by(applied()), **more.pop("metadata", {})}
    return live(kind, name, namespace, metadata=metadata, **more)


def candidate(found: LiveObject, *, written: bool = True) -> Candidate:
    return Candidate(Listed(found.api_version, found.kind, found.namespace if written else None, found.name), found)


def around(*manifests: Manifest, home: str | None = "home", holders: tuple[Held, ...] = ()) -> Surroundings:
    return Surroundings(manifests, OWN, home, INVENTORY, holders)


def why(found: LiveObject, where: Surroundings | None = None) -> str:
    return pruning.kept_because(candidate(found), where or around()) or ""


# what is no longer in the manifests


def test_what_the_manifests_still_hold_is_not_missing() -> None:
    listed = [
        Listed("v1", "ConfigMap", None, "a"),
        Listed("apps/v1beta1", "D", "t", "b"),
        Listed("v1", "ConfigMap", "t", "a"),
    ]
    assert pruning.missing_from(listed, []) == listed
    held = [manifest(), manifest("D", "b", "t", version="apps/v1")]
    assert pruning.missing_from(listed, held) == listed[2:]


@pytest.mark.parametrize(
    "other",
    [
        manifest(name="b"),
        manifest("Secret"),
        manifest(namespace="t"),
        manifest(version="e.com/v1"),
    ],
)
def test_a_look_alike_in_the_manifests_is_another_object(other: Manifest) -> None:
    listed = [Listed("v1", "ConfigMap", None, "a")]
    assert pruning.missing_from(listed, [other]) == listed


# what goes


def test_what_the_stack_applied_and_nobody_else_needs_goes() -> None:
    judged = pruning.judge([candidate(ours())], around(manifest(name="other")))
    assert [item.live.address for item in judged.deletes] == ["ConfigMap/t/a"]
    assert (judged.kept, judged.renamed, judged.notes) == ((), (), ())


@pytest.mark.parametrize(
    ("found", "warning"),
    [
        (ours("Namespace", "shop", None), "everything that is in that namespace"),
        (
            ours("CustomResourceDefinition", "w.e.com", None, version=CRDS),
            "every object of its kind, in every namespace",
        ),
        (ours(metadata={"finalizers": ["e.com/keep"]}), "finalizers (e.com/keep)"),
    ],
)
def test_what_takes_more_with_it_goes_with_a_warning(found: LiveObject, warning: str) -> None:
    judged = pruning.judge([candidate(found)], around())
    assert len(judged.deletes) == 1
    assert warning in " ".join(judged.notes)


# what is kept


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (ours(name=INVENTORY, namespace="home"), "the stack's own inventory"),
        (ours("Namespace", "default", None), "a namespace of the cluster itself"),
        (ours("Namespace", "kube-system", None), "a namespace of the cluster itself"),
        (ours("Namespace", "kube-anything", None), "a namespace of the cluster itself"),
        (ours("Namespace", "home", None), "the stack's inventory lives in it"),
        (
            ours(metadata={"annotations": {"sluiceway.dev/prune": "disabled"}}),
            "annotated sluiceway.dev/prune: disabled",
        ),
        (live(), "no managed fields"),
        (live(metadata={"managedFields": []}), "no managed fields"),
        (live(metadata=held_by(entry(OWN, {}))), f"{OWN} no longer applies it; it is held by {OWN}"),
        (live(metadata=held_by(applied(manager="gitops"), entry("x", {}))), "it is held by gitops, x"),
        (live(metadata=held_by(applied(subresource="status"))), "no longer applies it"),
        (live(metadata=held_by(entry("", {}))), "it is held by someone else"),
        (
            ours(metadata={"deletionTimestamp": "2026-11-30T12:00:00Z"}),
            "being deleted already, since 2026-11-30T12:00:00Z",
        ),
        (
            ours(metadata={"deletionTimestamp": "now", "finalizers": ["a/b", "c"]}),
            "waits for the finalizers a/b, c",
        ),
    ],
)
def test_what_is_kept_and_why(found: LiveObject, reason: str) -> None:
    assert reason in why(found)
    judged = pruning.judge([candidate(found)], around())
    assert (judged.deletes, len(judged.kept)) == ((), 1)
    assert judged.notes == (f"{found.address} is no longer in the manifests and is kept: {why(found)}",)


@pytest.mark.parametrize(
    "found",
    [
        ours("ConfigMap", INVENTORY, version="e.com/v1"),
        ours("Secret", INVENTORY),
        ours("Namespace", "default", None, version="e.com/v1"),
        ours("Project", "kube-system", None),
        ours("Namespace", "kubernetes", None),
        ours("Namespace", "my-kube-system", None),
        ours(metadata={"annotations": {"sluiceway.dev/prune": "enabled"}}),
        ours(metadata={"labels": {"sluiceway.dev/prune": "disabled"}}),
    ],
)
def test_what_only_looks_like_something_that_is_kept_goes(found: LiveObject) -> None:
    assert why(found) == ""


def test_an_object_without_managed_fields_says_how_it_can_be_pruned() -> None:
    assert "label" in why(live("ServiceAccount", "bare"))
    assert "by hand" in why(live("ServiceAccount", "bare"))


@pytest.mark.parametrize(
    ("needs", "home", "kept"),
    [
        (manifest(namespace="shop"), "home", True),
        (manifest("Deployment", "web", version="apps/v1"), "shop", True),
        (manifest(namespace="other"), "home", False),
        (manifest(), "home", False),
    ],
)
def test_a_namespace_that_objects_of_the_set_live_in_is_kept(needs: Manifest, home: str, *, kept: bool) -> None:
    reason = why(ours("Namespace", "shop", None), around(needs, home=home))
    assert bool(reason) is kept


@pytest.mark.parametrize(
    ("needs", "kept"),
    [
        (manifest("Widget", "w", "t", version="e.com/v1"), True),
        (manifest("Widget", "w", "t", version="e.com/v2"), True),
        (manifest("Widget", "w", "t", version="other.com/v1"), False),
        (manifest("Gizmo", "w", "t", version="e.com/v1"), False),
    ],
)
def test_a_definition_whose_kind_the_set_uses_is_kept(needs: Manifest, *, kept: bool) -> None:
    spec = {"group": "e.com", "names": {"kind": "Widget"}}
    definition = ours("CustomResourceDefinition", "widgets.e.com", None, version=CRDS, spec=spec)
    reason = why(definition, around(needs))
    assert (f"{needs.kind} w of the manifests is of its kind" == reason) is kept
    assert why(ours("CustomResourceDefinition", "x", None, version=CRDS, spec=None), around(needs)) == ""


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        (Held("", "ConfigMap", "t", "a", "the inventory x"), True),
        (Held("", "ConfigMap", "other", "a", "the inventory x"), False),
        (Held("", "ConfigMap", None, "a", "the inventory x"), False),
        (Held("", "Secret", "t", "a", "the inventory x"), False),
        (Held("e.com", "ConfigMap", "t", "a", "the inventory x"), False),
        (Held("", "ConfigMap", "t", "b", "the inventory x"), False),
    ],
)
def test_what_another_stack_holds_is_kept(held: Held, *, kept: bool) -> None:
    assert why(ours(), around(holders=(held,))) == ("the inventory x holds it" if kept else "")


def test_an_object_of_the_cluster_is_held_whatever_namespace_is_written() -> None:
    held = Held("", "Namespace", "written", "shop", "the stack other")
    assert why(ours("Namespace", "shop", None), around(holders=(held,))) == "the stack other holds it"


# the same object, spelled otherwise


@pytest.mark.parametrize(
    ("found", "spelled", "home"),
    [
        (ours(), manifest(namespace="t"), "home"),
        (ours(), manifest(), "t"),
        (ours("ClusterRole", "r", None), manifest("ClusterRole", "r", "written"), "home"),
        (ours("ClusterRole", "r", None), manifest("ClusterRole", "r"), None),
        (ours(version="e.com/v1"), manifest(namespace="t", version="e.com/v2"), "home"),
    ],
)
def test_an_object_that_the_set_still_holds_is_never_a_delete(
    found: LiveObject, spelled: Manifest, home: str | None
) -> None:
    judged = pruning.judge([candidate(found)], around(spelled, home=home))
    assert (judged.deletes, judged.kept, judged.notes) == ((), (), ())
    assert len(judged.renamed) == 1


@pytest.mark.parametrize(
    ("spelled", "home"),
    [(manifest(), "home"), (manifest(namespace="other"), "t"), (manifest("Secret"), "t"), (manifest(name="b"), "t")],
)
def test_an_object_elsewhere_is_not_the_same(spelled: Manifest, home: str) -> None:
    assert not pruning.still_in_set(ours(), around(spelled, home=home))
    assert len(pruning.judge([candidate(ours())], around(spelled, home=home)).deletes) == 1


kinds = st.sampled_from(
    [("v1", "ConfigMap"), ("v1", "Namespace"), ("e.com/v1", "Widget"), (CRDS, "CustomResourceDefinition")]
)
names = st.sampled_from(["a", "t", "home", "default", "kube-system", INVENTORY])
places = st.sampled_from([None, "t", "home"])
metadata = st.sampled_from(
    [
        held_by(applied()),
        held_by(entry(OWN, {})),
        {},
        held_by(applied(manager="x")),
        held_by(applied(), deletionTimestamp="now"),
    ]
)
candidates = st.lists(
    st.builds(
        lambda kind, name, place, meta: candidate(live(kind[1], name, place, version=kind[0], metadata=meta)),
        kinds,
        names,
        places,
        metadata,
    ),
    max_size=4,
)
sets = st.lists(
    st.builds(lambda kind, name, place: manifest(kind[1], name, place, version=kind[0]), kinds, names, places),
    max_size=4,
)


@settings(max_examples=100)
@given(candidates, sets, places)
def test_only_what_the_own_manager_applied_and_the_set_does_not_hold_is_ever_a_delete(
    found: list[Candidate], held: list[Manifest], home: str | None
) -> None:
    judged = pruning.judge(found, around(*held, home=home))
    assert sorted(map(id, (*judged.deletes, *judged.kept, *judged.renamed))) == sorted(map(id, found))
    for item in judged.deletes:
        entries = item.live.metadata["managedFields"]
        assert any((e["manager"], e["operation"]) == (OWN, "Apply") for e in entries)
        assert not item.live.deletion_time
        assert (item.live.kind, item.live.name) not in {
            ("ConfigMap", INVENTORY),
            ("Namespace", "default"),
            ("Namespace", home),
        }
        for other in held:
            same = (other.group, other.kind, other.name) == (item.live.group, item.live.kind, item.live.name)
            assert not (same and item.live.namespace in {None, other.namespace or home})


# files


def test_the_file_that_is_read_names_each_object_as_it_was_listed() -> None:
    listed = [Listed("apps/v1beta1", "Deployment", "t", "web"), Listed("v1", "ConfigMap", None, "a")]
    assert pruning.candidate_file(listed).decode() == (
        'apiVersion: "apps/v1beta1"\nkind: "Deployment"\nmetadata:\n  name: "web"\n  namespace: "t"\n'
        "---\n"
        'apiVersion: "v1"\nkind: "ConfigMap"\nmetadata:\n  name: "a"\n'
    )
    assert pruning.candidate_file([]) == b""


def test_the_file_that_is_deleted_with_names_each_object_as_the_cluster_did_and_nothing_it_holds() -> None:
    found = ours("Deployment", "web", "t", version="apps/v1", metadata={"labels": {"a": CANARY}}, spec={"x": CANARY})
    planned = Candidate(Listed("apps/v1beta1", "Deployment", None, "web"), found)
    assert pruning.delete_file([planned]).decode() == (
        'apiVersion: "apps/v1"\nkind: "Deployment"\nmetadata:\n  name: "web"\n  namespace: "t"\n'
    )


def test_what_others_live_in_or_are_a_kind_of_is_deleted_last() -> None:
    order = ["Namespace", "CustomResourceDefinition", "ConfigMap", "Secret"]
    content = pruning.delete_file(candidate(ours(kind)) for kind in order).decode()
    found = [goyaml.load(part)["kind"] for part in content.split("---\n")]
    assert found == ["ConfigMap", "Secret", "CustomResourceDefinition", "Namespace"]


hostile = st.text(st.sampled_from('ab"\\\n:-{}#&*\x00\x85\u2028é😀'), min_size=1, max_size=6)


@given(st.lists(st.builds(Listed, hostile, hostile, st.none() | hostile, hostile), min_size=1, max_size=3))
def test_names_of_any_kind_stay_one_word_each(listed: list[Listed]) -> None:
    parts = pruning.candidate_file(listed).decode().split("\n---\n")
    assert len(parts) == len(listed)
    for part, item in zip(parts, listed, strict=True):
        place = {} if item.namespace is None else {"namespace": item.namespace}
        assert goyaml.load(part, refuse_tags=True, alone=True) == {
            "apiVersion": item.api_version,
            "kind": item.kind,
            "metadata": {"name": item.name, **place},
        }


# what the cluster answered


def test_an_answer_is_paired_with_what_was_asked_and_the_rest_is_gone() -> None:
    asked = [
        Listed("v1", "ConfigMap", "t", "a"),
        Listed("v1", "ConfigMap", None, "b"),
        Listed("e.com/v1", "W", None, "c"),
        Listed("v1", "ConfigMap", "t", "gone"),
    ]
    answers = [live("W", "c", None, version="e.com/v2"), live(name="b", namespace="home"), live()]
    found = pruning.matched(asked, answers)
    assert [(item.listed.name, item.live.address) for item in found] == [
        ("a", "ConfigMap/t/a"),
        ("b", "ConfigMap/home/b"),
        ("c", "W.e.com/c"),
    ]
    assert [item.namespaced for item in found] == [True, False, False]


@pytest.mark.parametrize(
    "answer",
    [live(namespace="other"), live(name="b"), live("Secret"), live(version="e.com/v1")],
)
def test_an_answer_to_something_else_is_never_a_candidate(answer: LiveObject) -> None:
    assert pruning.matched([Listed("v1", "ConfigMap", "t", "a")], [answer]) == []


def test_one_answer_is_paired_once() -> None:
    asked = [Listed("v1", "ConfigMap", None, "a"), Listed("v1beta1", "ConfigMap", None, "a")]
    assert len(pruning.matched(asked, [live()])) == 1


# changed since it was judged


def test_an_object_that_was_made_anew_or_applied_again_is_not_the_one_that_was_judged() -> None:
    def at(uid: str, *entries: dict[str, Any]) -> LiveObject:
        return live(metadata=held_by(*entries, uid=uid))

    own, other = applied(time="1"), entry("other", {}, time="1")
    planned = candidate(at("u", own, other))
    assert pruning.changed_since(planned, at("u", own), OWN) is None
    assert pruning.changed_since(planned, at("u", own, entry("other", {"f:a": {}}, time="2")), OWN) is None
    assert "made anew" in str(pruning.changed_since(planned, at("v", own, other), OWN))
    for again in (applied(time="2"), applied({"f:x": {}}, time="1"), entry(OWN, {})):
        assert "applied it again" in str(pruning.changed_since(planned, at("u", again, other), OWN))
    assert "applied it again" in str(pruning.changed_since(planned, at("u"), OWN))
