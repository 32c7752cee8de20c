from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.both_sides import load_sides
from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.drifting import Found, deleted, updated
from sluiceway.adapters.kubectl.inventory import Listed
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.changes import Change, Holder
from tests.adapters.kubectl.made import OWN, applied, entry, held_by, live, sides
from tests.adapters.kubectl.strategies import dump

CANARY = "c4n4ry-v4lue"
TIME = "2026-11-30T12:30:56Z"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def keys(found: Found) -> tuple[str, ...]:
    return found.change.changed_keys if found.change else ()


def scaled(*entries: dict[str, Any], replicas: int = 3) -> LiveObject:
    return live("Deployment", "web", "t", spec={"replicas": replicas, "paused": False}, metadata=held_by(*entries))


def of_spec(name: str) -> dict[str, Any]:
    return {"f:spec": {f"f:{name}": {}}}


# updates


def test_a_field_that_someone_else_holds_is_drift_with_who_did_it() -> None:
    scale = entry("kubectl", of_spec("replicas"), subresource="scale", time=TIME)
    found = updated(sides(scaled(applied(of_spec("paused")), scale), spec={"replicas": 1, "paused": False}), OWN)
    assert found.note is None
    assert found.change == Change(
        "Deployment/t/web",
        "Deployment",
        "t/web",
        "update",
        changed_keys=("spec.replicas",),
        holders=(Holder("kubectl", "Update", "scale", TIME, ("spec.replicas",)),),
    )


def test_a_field_that_the_stacks_own_apply_holds_too_is_no_drift() -> None:
    both = scaled(applied(of_spec("replicas")), entry("other", of_spec("replicas")))
    assert updated(sides(both, spec={"replicas": 1, "paused": False}), OWN) == Found()


def test_the_own_name_with_another_operation_is_someone_else() -> None:
    found = updated(
        sides(scaled(applied(), entry(OWN, of_spec("replicas"))), spec={"replicas": 1, "paused": False}), OWN
    )
    assert keys(found) == ("spec.replicas",)


def test_another_name_with_apply_is_someone_else() -> None:
    found = updated(sides(scaled(applied(of_spec("replicas"), "gitops")), spec={"replicas": 1, "paused": False}), OWN)
    assert [holder.manager for holder in found.change.holders] == ["gitops"] if found.change else False


def test_the_own_manager_is_the_one_of_the_stack() -> None:
    mine = scaled(applied(of_spec("replicas"), "team"), applied(of_spec("paused")))
    diff = sides(mine, spec={"replicas": 1, "paused": True})
    assert keys(updated(diff, "team")) == ("spec.paused",)
    assert keys(updated(diff, OWN)) == ("spec.replicas",)


def test_a_field_that_nobody_holds_is_the_codes_own_change() -> None:
    assert (
        updated(sides(scaled(applied(), entry("other", of_spec("paused"))), spec={"replicas": 1, "paused": False}), OWN)
        == Found()
    )


def test_a_field_that_someone_holds_and_that_does_not_change_is_no_drift() -> None:
    assert (
        updated(sides(scaled(applied(), entry("hpa", of_spec("replicas"))), spec={"replicas": 3, "paused": True}), OWN)
        == Found()
    )


def test_each_holder_is_named_once_with_its_own_paths_and_in_one_order() -> None:
    entries = [
        entry("b", {"f:spec": {"f:replicas": {}, "f:paused": {}}}, time=TIME),
        applied({"f:spec": {"f:paused": {}}}, "a"),
        entry("c", of_spec("other")),
    ]
    for order in (entries, entries[::-1]):
        found = updated(sides(scaled(applied(), *order), spec={"replicas": 1, "paused": True}), OWN)
        assert found.change is not None
        assert found.change.changed_keys == ("spec.paused", "spec.replicas")
        assert found.change.holders == (
            Holder("a", "Apply", None, None, ("spec.paused",)),
            Holder("b", "Update", None, TIME, ("spec.paused", "spec.replicas")),
        )


@pytest.mark.parametrize(
    "fields",
    [
        {"f:spec": {"f:tolerations": {}}},
        {"f:spec": {"f:tolerations": {"i:0": {}}}},
        {"f:spec": {}},
    ],
)
def test_a_node_above_whose_entry_is_a_leaf_holds_what_is_below(fields: dict[str, Any]) -> None:
    before = live(spec={"tolerations": [{"key": "a"}]}, metadata=held_by(applied(), entry("other", fields)))
    assert keys(updated(sides(before, spec={"tolerations": [{"key": "b"}]}), OWN)) == ("spec.tolerations[0].key",)


def test_a_node_above_that_is_not_a_leaf_holds_nothing_below() -> None:
    fields: dict[str, Any] = {"f:spec": {"f:a": {".": {}, "f:b": {}}}}
    before = live(spec={"a": {"b": 1, "c": 1}}, metadata=held_by(applied(), entry("other", fields)))
    assert updated(sides(before, spec={"a": {"b": 1, "c": 2}}), OWN) == Found()


def test_a_create_a_delete_and_no_difference_are_no_drift() -> None:
    found = scaled(applied(), entry("other", of_spec("replicas")))
    assert updated(ObjectDiff(None, found), OWN) == Found()
    assert updated(ObjectDiff(found, None), OWN) == Found()
    assert updated(sides(found), OWN) == Found()
    assert updated(sides(found, metadata={**found.metadata, "generation": 2, "managedFields": []}), OWN) == Found()


def test_only_the_live_sides_entries_count() -> None:
    found = scaled(applied(of_spec("replicas")))
    taken = {**found.metadata, **held_by(entry("other", of_spec("replicas")))}
    assert updated(sides(found, metadata=taken, spec={"replicas": 1, "paused": False}), OWN) == Found()


def test_the_annotation_of_a_client_side_apply_is_no_drift() -> None:
    fields: dict[str, Any] = {"f:metadata": {"f:annotations": {f"f:{LAST_APPLIED}": {}}}}
    before = live(
        metadata=held_by(applied(), entry("kubectl-client-side-apply", fields), annotations={LAST_APPLIED: "{}"})
    )
    assert updated(sides(before, metadata={**before.metadata, "annotations": {}}), OWN) == Found()


# lists


def key(name: str) -> str:
    return f'k:{{"name":"{name}"}}'


def with_env(*env: tuple[str, str], entries: list[dict[str, Any]]) -> LiveObject:
    items = [{"name": name, "value": value} for name, value in env]
    return live(spec={"env": items}, metadata=held_by(*entries))


def of_env(*names: str) -> dict[str, Any]:
    return {"f:spec": {"f:env": {key(name): {".": {}, "f:name": {}, "f:value": {}} for name in names}}}


def test_a_shifted_index_is_no_drift() -> None:
    """Removing our own ``A`` moves someone's ``Z`` to another index and changes nothing of it (seen)."""
    before = with_env(("A", "1"), ("Z", "9"), entries=[applied(of_env("A")), entry("other", of_env("Z"))])
    assert updated(sides(before, spec={"env": [{"name": "Z", "value": "9"}]}), OWN) == Found()


def test_an_item_that_differs_is_drift_wherever_it_stands_on_the_merged_side() -> None:
    before = with_env(("A", "1"), ("Z", "9"), entries=[applied(of_env("A")), entry("other", of_env("Z"))])
    found = updated(sides(before, spec={"env": [{"name": "Z", "value": "8"}]}), OWN)
    assert keys(found) == ("spec.env[1].value",)


def test_an_item_that_goes_is_drift() -> None:
    before = with_env(("A", "1"), ("Z", "9"), entries=[applied(of_env("A")), entry("other", of_env("Z"))])
    found = updated(sides(before, spec={"env": [{"name": "A", "value": "1"}]}), OWN)
    assert keys(found) == ("spec.env[1].name", "spec.env[1].value")


def test_an_item_of_a_set_that_only_moved_is_no_drift() -> None:
    ours = applied({"f:metadata": {"f:finalizers": {'v:"a"': {}}}})
    theirs = entry("other", {"f:metadata": {"f:finalizers": {'v:"z"': {}}}})
    before = live(metadata=held_by(ours, theirs, finalizers=["a", "z"]))
    assert updated(sides(before, metadata={**before.metadata, "finalizers": ["z"]}), OWN) == Found()
    found = updated(sides(before, metadata={**before.metadata, "finalizers": ["a"]}), OWN)
    assert keys(found) == ("metadata.finalizers[1]",)


names = st.lists(st.sampled_from("ABCZ"), unique=True, max_size=4)


@settings(max_examples=60)
@given(before=names, after=names, ours=names, theirs=names, scale=st.booleans())
def test_a_diff_that_was_read_tells_the_same_as_the_whole_objects(
    before: list[str], after: list[str], ours: list[str], theirs: list[str], *, scale: bool
) -> None:
    others = {"f:spec": {**of_env(*theirs)["f:spec"], **of_spec("r")["f:spec"]}}
    trees = [
        {"env": [{"name": name, "value": "1"} for name in names], "r": replicas, "same": {"x": 1}}
        for names, replicas in ((before, 1), (after, 1 + scale))
    ]
    whole = live(spec=trees[0], metadata=held_by(applied(of_env(*ours)), entry("other", others)))
    diff = sides(whole, spec=trees[1])
    assert diff.merged is not None
    texts = [dump(dict(side.tree)) for side in (whole, diff.merged)]
    read_live, read_merged = map(LiveObject, load_sides(texts[0], texts[1]))
    assert updated(ObjectDiff(read_live, read_merged), OWN) == updated(diff, OWN)


# Secrets


def secret(*entries: dict[str, Any], **data: str) -> LiveObject:
    return live("Secret", data=data, metadata=held_by(*entries))


def test_the_data_of_a_secret_is_one_path_and_told_by_its_keys() -> None:
    ours, theirs = applied({"f:data": {"f:ours": {}}}), entry("kubectl-patch", {"f:data": {f"f:{CANARY}": {}}})
    before = secret(ours, theirs, ours="*** (before)", **{CANARY: "***"})
    assert updated(sides(before, data={"ours": "*** (after)", CANARY: "***"}), OWN) == Found()
    found = updated(sides(before, data={"ours": "*** (after)", CANARY: "*** (after)"}), OWN)
    assert keys(found) == ("data",)
    assert found.change is not None
    assert found.change.holders == (Holder("kubectl-patch", "Update", None, None, ("data",)),)
    assert CANARY not in repr(found)


def test_string_data_of_the_stack_holds_the_data_that_someone_patched_before() -> None:
    """A patch keeps ``f:data.f:k`` for ever after its repair; what ``stringData`` states is the stack's own (seen)."""
    before = secret(applied({"f:stringData": {"f:k": {}}}), entry("kubectl-patch", {"f:data": {"f:k": {}}}), k="***")
    assert updated(sides(before, data={"k": "*** (after)"}), OWN) == Found()


# what can't be told


@pytest.mark.parametrize("managed", [None, [], "x"])
def test_without_managed_fields_it_cannot_be_told_which_is_never_no_drift(managed: Any) -> None:
    before = live(data={"a": "1"}, metadata={"managedFields": managed})
    found = updated(sides(before, data={"a": CANARY}), OWN)
    assert found.change is None
    assert "ConfigMap/t/a" in str(found.note)
    assert "can't be told" in str(found.note)
    assert CANARY not in str(found.note)


def test_managed_fields_of_no_known_shape_cannot_be_told() -> None:
    before = live(data={"a": "1"}, metadata=held_by(applied(), entry("other", {"x:data": {}})))
    found = updated(sides(before, data={"a": "2"}), OWN)
    assert found.change is None
    assert "can't be told" in str(found.note)


def test_an_entry_of_another_version_is_a_note_beside_what_can_be_told() -> None:
    old = entry("old", of_spec("paused"), apiVersion="v1beta1")
    new = entry("new", of_spec("replicas"))
    found = updated(sides(scaled(applied(), old, new), spec={"replicas": 1, "paused": True}), OWN)
    assert keys(found) == ("spec.replicas",)
    assert "old" in str(found.note)
    assert "another API version" in str(found.note)
    alone = updated(sides(scaled(applied(), old), spec={"replicas": 1, "paused": True}), OWN)
    assert (alone.change, alone.note) == (None, found.note)


def test_an_own_entry_of_another_version_leaves_nothing_that_can_be_told() -> None:
    own = applied(of_spec("replicas"), apiVersion="v1beta1")
    found = updated(sides(scaled(own, entry("other", of_spec("replicas"))), spec={"replicas": 1, "paused": False}), OWN)
    assert found.change is None
    assert "can't be told" in str(found.note)


# deletes


def new(kind: str = "ConfigMap", name: str = "a", namespace: str | None = "t") -> ObjectDiff:
    return ObjectDiff(None, live(kind, name, namespace))


def test_an_object_that_is_listed_and_not_there_is_a_delete() -> None:
    listed = [Listed("v1", "ConfigMap", "t", "a")]
    assert deleted(listed, [new()], "home") == [Change("ConfigMap/t/a", "ConfigMap", "t/a", "delete")]


@pytest.mark.parametrize(
    ("listed", "home", "found"),
    [
        (Listed("v1", "ConfigMap", None, "a"), "t", True),
        (Listed("v1", "ConfigMap", None, "a"), "other", False),
        (Listed("v1beta1", "ConfigMap", "t", "a"), None, True),
        (Listed("e.com/v1", "ConfigMap", "t", "a"), None, False),
        (Listed("v1", "Secret", "t", "a"), None, False),
        (Listed("v1", "ConfigMap", "t", "b"), None, False),
        (Listed("v1", "ConfigMap", "other", "a"), None, False),
    ],
)
def test_which_listed_object_it_is(listed: Listed, home: str | None, *, found: bool) -> None:
    assert bool(deleted([listed], [new()], home)) is found


def test_an_object_of_the_cluster_is_listed_with_or_without_a_namespace() -> None:
    for namespace in (None, "t"):
        listed = [Listed("v1", "Namespace", namespace, "a")]
        assert [change.address for change in deleted(listed, [new("Namespace", "a", None)], "t")] == ["Namespace/a"]


def test_what_is_there_or_was_never_listed_is_no_delete() -> None:
    listed = [Listed("v1", "ConfigMap", "t", "a")]
    found = live()
    assert deleted(listed, [ObjectDiff(found, found), ObjectDiff(found, None), new(name="b")], "t") == []
    assert deleted([], [new()], "t") == []
