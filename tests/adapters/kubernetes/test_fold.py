from typing import Any

import pytest
from hypothesis import given

from sluiceway.adapters.kubernetes import fold
from sluiceway.adapters.kubernetes.fold import SERVER_FIELDS, comparable, cut, differing, update
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.changes import Change, ShownValue
from sluiceway.model.paths import Path
from sluiceway.model.shown import ShowValues
from sluiceway.model.trees import changed_paths
from tests.adapters.kubectl.made import live
from tests.adapters.kubectl.strategies import pairs

CANARY = "c4n4ry-v4lue"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def changed(before: LiveObject, after: Any, *shown: str) -> Change:
    return update(before, after, differing(before, after), ShowValues(shown))


def after(before: LiveObject, **content: Any) -> dict[str, Any]:
    return {**before.tree, **content}


def test_a_create_and_a_delete_list_no_keys() -> None:
    found = live("Deployment", "web", "shop", version="apps/v1", spec={"replicas": 1})
    assert fold.create(found) == Change("Deployment.apps/shop/web", "Deployment", "shop/web", "create")
    assert fold.delete(found) == Change("Deployment.apps/shop/web", "Deployment", "shop/web", "delete")
    assert fold.create(live("Namespace", "shop", None)).name == "shop"


def test_an_update_lists_every_leaf_path_that_differs_sorted() -> None:
    before = live("Deployment", "web", "t", version="apps/v1", spec={"replicas": 1, "c": [{"image": "a"}], "x": None})
    change = changed(before, after(before, spec={"replicas": 2, "c": [{"image": "b"}, {"image": "c"}], "s": {}}))
    assert (change.op, change.address, change.values) == ("update", "Deployment.apps/t/web", ())
    assert change.changed_keys == ("spec.c[0].image", "spec.c[1].image", "spec.replicas", "spec.s", "spec.x")


@pytest.mark.parametrize("field", sorted(SERVER_FIELDS))
def test_what_the_server_keeps_for_itself_is_no_change(field: str) -> None:
    before = live(metadata={field: "1", "labels": {"a": "b"}}, status={"x": 1})
    metadata = {**before.metadata, field: "2", "labels": {"a": "b"}}
    assert differing(before, after(before, metadata=metadata, status={"x": 2})) == []
    del metadata[field]
    assert (
        differing(before, {key: node for key, node in after(before, metadata=metadata).items() if key != "status"})
        == []
    )


def test_those_are_the_servers_fields_of_the_record_and_only_in_metadata() -> None:
    assert {"generation", "resourceVersion", "uid", "creationTimestamp", "managedFields", "selfLink"} == SERVER_FIELDS
    before = live(spec={"generation": 1, "status": 1, "metadata": {"uid": "1"}})
    found = differing(before, after(before, spec={"generation": 2, "status": 2, "metadata": {"uid": "2"}}))
    assert set(found) == {("spec", "generation"), ("spec", "status"), ("spec", "metadata", "uid")}
    assert comparable(None) == {}


def test_a_deletion_time_and_finalizers_are_the_objects_own() -> None:
    before = live(metadata={"finalizers": ["a"]})
    assert differing(before, after(before, metadata={**before.metadata, "finalizers": []})) == [
        ("metadata", "finalizers", 0)
    ]


# a Secret is held whole


def test_the_paths_of_a_secret_stop_at_its_data() -> None:
    before = live("Secret", data={"a": "***", "b": "***"}, type="Opaque", metadata={"labels": {"x": "y"}})
    change = changed(
        before,
        after(before, data={CANARY: "*** (after)", "b": {"c": 1}}, stringData={CANARY: "1"}, type="other"),
        "data.*",
        "data",
        "stringData.*",
        "type",
    )
    assert change.changed_keys == ("data", "stringData", "type")
    assert change.values == ()
    assert CANARY not in repr(change)


def test_labels_of_a_secret_are_compared_as_any() -> None:
    before = live("Secret", metadata={"labels": {"x": "y"}}, data={"a": "***"})
    metadata = {**before.metadata, "labels": {"x": "z"}}
    assert changed(before, after(before, metadata=metadata)).changed_keys == ("metadata.labels.x",)


def test_an_object_that_is_only_called_secret_is_not_cut() -> None:
    before = live("Secret", version="e.com/v1", data={"a": "1"})
    assert changed(before, after(before, data={"a": "2"})).changed_keys == ("data.a",)


def test_data_that_appears_goes_or_is_emptied_is_the_one_path() -> None:
    bare = live("Secret")
    assert changed(bare, after(bare, data={"a": "1", "b": "2"})).changed_keys == ("data",)
    filled = live("Secret", data={"a": "1", "b": "2"})
    assert changed(filled, bare.tree).changed_keys == ("data",)
    assert changed(filled, after(filled, data={})).changed_keys == ("data",)
    assert changed(filled, after(filled, data=None)).changed_keys == ("data",)


def test_cutting_keeps_each_path_once_and_leaves_others_alone() -> None:
    paths: list[Path] = [("data", "a"), ("metadata", "labels", "a"), ("data", "b"), ("stringData",), ("x", "data")]
    assert cut(live("Secret"), paths) == [("data",), ("metadata", "labels", "a"), ("stringData",), ("x", "data")]
    assert cut(live(), paths) == paths


# what may be shown


def test_listed_values_are_shown_and_no_others() -> None:
    before = live(data={"a": "1", "b": CANARY, "c": "old"})
    change = changed(
        before, after(before, data={"a": "2", "b": f"{CANARY}2", "d": "new"}), "data.a", "data.c", "data.d"
    )
    assert change.values == (
        ShownValue("data.a", "1", "2"),
        ShownValue("data.c", "old", None),
        ShownValue("data.d", None, "new"),
    )
    assert CANARY not in repr(change)


def test_a_tree_several_lines_and_null_are_not_shown_though_listed() -> None:
    before = live(data={"a": {"x": CANARY}, "b": "one", "c": None, "d": "x"})
    content = {"a": "text", "b": f"{CANARY}\ntwo", "c": CANARY, "d": [CANARY]}
    change = changed(before, after(before, data=content), "data.*", "data.*.*", "data.*[*]")
    assert change.changed_keys == ("data.a", "data.a.x", "data.b", "data.c", "data.d", "data.d[0]")
    assert [value.path for value in change.values] == ["data.a.x", "data.d[0]"]


def test_the_annotation_that_holds_an_applied_object_is_never_shown() -> None:
    before = live(metadata={"annotations": {LAST_APPLIED: "{}", "other": "1"}})
    metadata = {**before.metadata, "annotations": {LAST_APPLIED: CANARY, "other": "2"}}
    change = changed(
        before, after(before, metadata=metadata), f'metadata.annotations["{LAST_APPLIED}"]', "metadata.annotations.*"
    )
    assert change.changed_keys == ("metadata.annotations.other", f'metadata.annotations["{LAST_APPLIED}"]')
    assert change.values == (ShownValue("metadata.annotations.other", "1", "2"),)


@given(pairs())
def test_an_update_lists_what_differs_and_nothing_of_what_it_holds(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    before = live(spec=pair[0])
    change = changed(before, after(before, spec=pair[1]))
    assert len(change.changed_keys) == len(set(change.changed_keys))
    assert bool(change.changed_keys) is bool(list(changed_paths(*pair)))
    assert all(key.startswith("spec") for key in change.changed_keys)
    assert change.values == ()
