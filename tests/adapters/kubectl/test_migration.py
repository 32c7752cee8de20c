"""``migrations.json``: objects applied client-side on real 1.34 and 1.37 servers, and what became of them.

``before`` is the live object, ``manifest`` what was then applied server-side, ``merged`` the dry run of it, ``probe``
the manifest alone under another name, and ``after`` the object that the apply left.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.kubectl import migration
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.managed_fields import UnreadableFields
from sluiceway.adapters.kubectl.migration import Migration
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.fold import LAST_APPLIED, LAST_APPLIED_PATH, comparable
from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.trees import MISSING, Float, changed_paths
from tests.adapters.kubectl.made import OWN, applied, entry, held_by, live, manifest

CANARY = "c4n4ry-v4lue"
RECORDED: dict[str, list[dict[str, Any]]] = JSON.decode((Path(__file__).parent / "migrations.json").read_text())
CASES = [
    pytest.param(case, id=f"{minor}-{case['before']['kind']}") for minor, cases in RECORDED.items() for case in cases
]
CLIENT_SIDE = "kubectl-client-side-apply"


def of_tree(tree: dict[str, Any]) -> Manifest:
    metadata = tree["metadata"]
    return Manifest(
        "a.yaml", 1, tree["apiVersion"], tree["kind"], None, metadata["name"], generated_name=False, tree=tree
    )


def recorded(case: dict[str, Any]) -> Migration:
    found = migration.migration_of(LiveObject(case["before"]), of_tree(case["manifest"]), OWN)
    assert found is not None
    return found


WRITTEN_SINCE = {
    LAST_APPLIED_PATH,  # kubectl writes it anew; its own diff shows that
    ("metadata", "annotations", "deployment.kubernetes.io/revision"),  # a controller counts
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_second_apply_leaves_is_what_the_server_left(case: dict[str, Any]) -> None:
    found = recorded(case)
    if found.live.is_secret:
        found = found.only(migration.was_stated(found) | {LAST_APPLIED_PATH})
        left = migration.after_migration(found, case["before"], MISSING)
    else:
        left = migration.after_migration(found, case["merged"], case["probe"])
    assert set(changed_paths(comparable(case["after"]), comparable(left))) <= WRITTEN_SINCE


@pytest.mark.parametrize("case", CASES)
def test_the_dry_run_alone_does_not_show_it(case: dict[str, Any]) -> None:
    assert not set(changed_paths(comparable(case["after"]), comparable(case["merged"]))) <= WRITTEN_SINCE


@pytest.mark.parametrize("case", CASES)
def test_defaults_are_asked_for_where_there_can_be_some_and_a_secret_is_never_sent(case: dict[str, Any]) -> None:
    assert recorded(case).needs_probe is (case["before"]["kind"] in {"Service", "Deployment"})


@pytest.mark.parametrize("case", CASES)
def test_what_was_stated_before_goes_where_no_default_can_be_asked(case: dict[str, Any]) -> None:
    found = recorded(case)
    stated = migration.was_stated(found)
    assert stated <= found.doomed
    if found.live.kind == "ConfigMap":
        gone = {("data", "gone"), ("metadata", "labels", "gone"), ("metadata", "annotations", "note")}
        assert stated - {("metadata", "annotations")} == gone


# who migrates


def fields(**data: Any) -> dict[str, Any]:
    return {
        "f:metadata": {"f:annotations": {".": {}, f"f:{LAST_APPLIED}": {}}},
        "f:data": {".": {}, **{f"f:{key}": {} for key in data}},
    }


def client_side(*others: dict[str, Any], manager: str = CLIENT_SIDE, **data: Any) -> LiveObject:
    """Make a ConfigMap that was applied client-side."""
    own = entry(manager, fields(**data))
    annotations = {LAST_APPLIED: json.dumps({"data": data})}
    return live(data=data, metadata=held_by(own, *others, annotations=annotations))


def doomed(found: LiveObject, stated: Manifest, manager: str = OWN) -> set[str]:
    item = migration.migration_of(found, stated, manager)
    return (
        {".".join(map(str, path)) for path in item.doomed} - {f"metadata.annotations.{LAST_APPLIED}"} if item else set()
    )


def test_what_a_client_side_apply_holds_and_the_manifest_does_not_state_goes() -> None:
    assert doomed(client_side(a="1", b="2"), manifest(data={"a": "1"})) >= {"data.b"}
    assert "data.a" not in doomed(client_side(a="1", b="2"), manifest(data={"a": "1"}))


def test_a_client_that_applied_under_another_name_migrates_too() -> None:
    assert "data.b" in doomed(client_side(manager="before-first-apply", a="1", b="2"), manifest(data={"a": "1"}))


def test_an_entry_that_does_not_own_the_annotation_stays() -> None:
    bare = live(data={"a": "1"}, metadata=held_by(entry(CLIENT_SIDE, {"f:data": {"f:a": {}}})))
    assert migration.migration_of(bare, manifest(), OWN) is None
    applied_already = live(data={"a": "1"}, metadata=held_by(applied(fields(a="1"))))
    assert migration.migration_of(applied_already, manifest(), OWN) is None
    assert migration.migration_of(live(), manifest(), OWN) is None


def test_what_someone_else_holds_stays() -> None:
    other = entry("other", {"f:data": {"f:b": {}}})
    assert "data.b" not in doomed(client_side(other, a="1", b="2"), manifest(data={"a": "1"}))


def test_what_the_own_apply_holds_and_the_manifest_no_longer_states_goes() -> None:
    own = applied({"f:data": {"f:b": {}}})
    assert "data.b" in doomed(client_side(own, a="1", b="2"), manifest(data={"a": "1"}))


def test_null_is_not_stated() -> None:
    assert "data.b" in doomed(client_side(a="1", b="2"), manifest(data={"a": "1", "b": None}))


def test_string_data_states_the_data_of_a_secret() -> None:
    found = client_side(a="MQ==", b="Mg==")
    secret = LiveObject({**found.tree, "kind": "Secret", "type": "Opaque"})
    assert doomed(secret, manifest("Secret", stringData={"a": "1"})) >= {"data.b"}
    assert doomed(secret, manifest("Secret", stringData={"a": "1"})).isdisjoint({"data.a", "type"})


def test_an_annotation_that_cannot_be_read_leaves_every_doomed_path_in() -> None:
    found = client_side(a="1", b="2")
    for written in ("{", "[]", "null", 5, None):
        annotated = {**found.metadata, "annotations": {LAST_APPLIED: written}}
        item = migration.migration_of(LiveObject({**found.tree, "metadata": annotated}), manifest(), OWN)
        assert item is not None
        assert migration.was_stated(item) == item.doomed


def test_managed_fields_of_no_known_shape_are_refused() -> None:
    with pytest.raises(UnreadableFields):
        migration.migration_of(client_side(entry("x", {"?": {}}), a="1"), manifest(), OWN)


# what is asked for


def test_the_probe_holds_the_manifests_under_names_that_are_not_there() -> None:
    items = []
    for tree in ({"data": {"k": "é---\n"}}, {"spec": {"n": Float("1.5"), "i": 10**18, "b": True, "x": None}}):
        item = migration.migration_of(client_side(gone="1"), manifest(**tree), OWN)
        assert item is not None
        items.append(item)
    parts = migration.probe_content(items).decode().split("---\n")
    read = [goyaml.load(part, alone=True) for part in parts]
    assert [tree["metadata"]["name"] for tree in read] == [migration.probe_name(0), migration.probe_name(1)]
    assert read[0]["data"] == {"k": "é---\n"}
    assert read[1]["spec"] == {"n": Float("1.5"), "i": 10**18, "b": True, "x": None}


def test_a_migration_shows_nothing_it_holds() -> None:
    item = migration.migration_of(client_side(gone=CANARY), manifest(data={"k": CANARY}), OWN)
    assert CANARY not in repr(item)


# what a DaemonSet counts


def daemon_set(count: str | None, label: str | None) -> dict[str, Any]:
    annotations = {} if count is None else {"deprecated.daemonset.template.generation": count}
    labels = {"app": "a"} if label is None else {"app": "a", "b": label}
    return {"metadata": {"annotations": annotations}, "spec": {"template": {"metadata": {"labels": labels}}}}


def left_of(merged: dict[str, Any], *, taken_out: bool) -> Any:
    """Return what a migration leaves of a DaemonSet, where it takes a label out of the template or one of its own."""
    labels = {"f:metadata": {"f:annotations": {f"f:{LAST_APPLIED}": {}}}}
    if taken_out:
        labels["f:spec"] = {"f:template": {"f:metadata": {"f:labels": {"f:b": {}}}}}  # type: ignore[dict-item]
    own = entry(CLIENT_SIDE, labels, apiVersion="apps/v1")
    annotations = {LAST_APPLIED: "{}", **merged["metadata"]["annotations"]}
    before = live("DaemonSet", version="apps/v1", metadata=held_by(own, annotations=annotations), spec=merged["spec"])
    found = migration.migration_of(before, manifest("DaemonSet", version="apps/v1"), "mine")
    assert found is not None
    return migration.after_migration(found, {**before.tree, **merged}, MISSING)


def test_a_template_that_the_migration_changes_counts_once_more() -> None:
    left = left_of(daemon_set("4", "c"), taken_out=True)

    assert left["metadata"]["annotations"]["deprecated.daemonset.template.generation"] == "5"
    assert left["spec"]["template"]["metadata"]["labels"] == {"app": "a"}


def test_a_template_that_stays_counts_no_more() -> None:
    left = left_of(daemon_set("4", "c"), taken_out=False)

    assert left["metadata"]["annotations"]["deprecated.daemonset.template.generation"] == "4"


@pytest.mark.parametrize("count", [None, "many", ""])
def test_a_count_that_is_no_number_stays_as_it_is(count: str | None) -> None:
    left = left_of(daemon_set(count, "c"), taken_out=True)

    assert left["metadata"]["annotations"].get("deprecated.daemonset.template.generation") == count
