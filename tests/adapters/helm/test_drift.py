"""Drift: what the three-way diff finds beyond the plain one (record 0069's table, and its exceptions)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.helm.commands import PLUGIN_VARIABLES, RELEASE_TEMPLATE
from sluiceway.model.changes import Change
from sluiceway.model.reasons import Kind
from sluiceway.model.results import DriftFound
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import exited, printed
from tests.adapters.helm.made import (
    MISSING,
    Tree,
    config,
    hook,
    made,
    said,
)
from tests.adapters.helm.scenes import (
    CANARY,
    LIVE,
    OLD,
    PLAIN,
    RELEASE,
    WHOLE,
    DriftScene,
)

GONE = [Change("ConfigMap/shop/a", "ConfigMap", "shop/a", "delete")]


def updated(*keys: str, address: str = "ConfigMap/shop/a", op: Any = "update") -> Change:
    kind, _, place = address.partition("/")
    return Change(address, kind.partition(".")[0], place, op, changed_keys=keys)


@pytest.fixture
def scene(tmp_path: Path) -> DriftScene:
    return DriftScene(tmp_path)


# commands


def test_four_commands_are_started_side_by_side(scene: DriftScene) -> None:
    assert scene.found() == DriftFound()
    assert scene.runner.lines == [
        f"{PLAIN} --no-color",
        f"{LIVE} --no-color",
        f"{WHOLE} --no-color",
        f"helm get all web --namespace=shop --template={RELEASE_TEMPLATE}",
    ]
    assert [event for event in scene.events if event.startswith("helm")] == [RELEASE, PLAIN, LIVE, WHOLE]
    assert [command.without for command in scene.runner.asked] == [PLUGIN_VARIABLES] * 3 + [()]
    assert not any(command.writes or command.shown for command in scene.runner.asked)


def test_what_stored_secrets_hold_is_concealed_before_a_diff_is_waited_for(scene: DriftScene) -> None:
    scene.release = [made("Secret", stringData={"p": "of-the-secret"})]
    scene.found()
    assert scene.events.index(RELEASE) < scene.events.index("conceal of-the-secret") < scene.events.index(PLAIN)


# the table of record 0069


def test_an_object_that_a_deploy_would_make_again_is_gone(scene: DriftScene) -> None:
    scene.live, scene.sides = [said("ADD", OLD)], [(None, OLD)]
    assert scene.drift() == GONE


def test_an_object_that_is_gone_and_that_the_code_changes_too_is_gone(scene: DriftScene) -> None:
    scene.plain, scene.code = [said("MODIFY", OLD, "data.k")], [updated("data.k")]
    scene.live, scene.sides = [said("ADD", OLD)], [(None, OLD)]
    assert scene.drift() == GONE


def test_an_object_that_the_code_makes_is_no_drift(scene: DriftScene) -> None:
    scene.release = []
    scene.plain = scene.live = [said("ADD", OLD)]
    scene.sides, scene.code = [(None, OLD)], [updated(op="create")]
    assert scene.drift() == []


def test_an_object_that_only_our_reading_knows_to_be_new_is_no_drift(scene: DriftScene) -> None:
    scene.release, scene.live, scene.sides = [], [said("ADD", OLD)], [(None, OLD)]
    scene.code = [updated(op="create")]
    assert scene.drift() == []


def test_a_path_that_only_the_three_way_diff_changes_is_drift(scene: DriftScene) -> None:
    scene.moves(config("a", k="hand"), OLD, "data.k")
    assert scene.drift() == [updated("data.k")]


def test_a_path_that_only_the_plain_diff_changes_is_none(scene: DriftScene) -> None:
    """The code changes it to what someone set by hand already: a deploy has nothing to put back."""
    scene.plain, scene.code = [said("MODIFY", OLD, "data.k")], [updated("data.k")]
    assert scene.drift() == []


def test_a_path_that_both_change_is_the_codes(scene: DriftScene) -> None:
    scene.plain, scene.code = [said("MODIFY", OLD, "data.k")], [updated("data.k")]
    scene.moves(config("a", k="hand", l="hand"), config("a", k="code", l="code"), "data.k", "data.l")
    assert scene.drift() == [updated("data.l")]


def test_a_path_that_only_our_reading_knows_the_code_to_change_is_the_codes(scene: DriftScene) -> None:
    scene.code = [updated("data.k")]
    scene.moves(config("a", k="stored"), OLD, "data.k")
    assert scene.drift() == []


def test_an_object_that_both_remove_is_none(scene: DriftScene) -> None:
    scene.plain = scene.live = [said("REMOVE", OLD)]
    scene.sides, scene.code = [(OLD, None)], [updated(op="delete")]
    assert scene.drift() == []


def test_an_object_that_only_the_plain_diff_removes_is_none(scene: DriftScene) -> None:
    """It is a hook, or gone from the cluster already."""
    scene.plain, scene.code = [said("REMOVE", OLD)], [updated(op="delete")]
    assert scene.drift() == []


@pytest.mark.parametrize("plain", [[], [said("MODIFY", OLD, "data.k")], [said("ADD", OLD)]])
@pytest.mark.parametrize("code", [[], [updated("data.k")], [updated(op="delete")]])
def test_an_object_that_only_the_three_way_diff_removes_cannot_be_read(
    scene: DriftScene, plain: list[Tree], code: list[Change]
) -> None:
    scene.plain, scene.live, scene.sides, scene.code = plain, [said("REMOVE", OLD)], [(OLD, None)], code
    reason = scene.refusal()
    assert reason.kind == "unreadable-output"
    assert reason.names == {
        "place": "the three-way diff: ConfigMap/shop/a",
        "expected": "a removal that the plain diff shows too",
    }


def test_nothing_that_differs_is_no_drift(scene: DriftScene) -> None:
    assert scene.found() == DriftFound()


# paths


def test_what_only_the_text_form_shows_is_drift(scene: DriftScene) -> None:
    scene.sides = [(made(spec={"a": {}}), made(spec={"a": {}, "b": {}}))]
    assert scene.lines() == ["update ConfigMap/shop/a spec.b"]


def test_what_only_the_structured_form_shows_is_drift(scene: DriftScene) -> None:
    scene.live = [said("MODIFY", OLD, "data.k")]
    assert scene.lines() == ["update ConfigMap/shop/a data.k"]


def test_a_printed_path_that_is_the_same_on_both_sides_is_none(scene: DriftScene) -> None:
    scene.moves(made(spec={"a": 1, "b": 1}), made(spec={"a": 1, "b": 2}), "spec.a", "spec.b")
    assert scene.lines() == ["update ConfigMap/shop/a spec.b"]


def test_an_added_item_is_one_path_and_what_is_below_it_is_not_told_again(scene: DriftScene) -> None:
    before, after = made(spec={"l": [{"n": "a"}]}), made(spec={"l": [{"n": "a"}, {"n": "b", "v": 1}]})
    scene.moves(before, after, "spec.l.1")
    assert scene.lines() == ["update ConfigMap/shop/a spec.l[1]"]


@pytest.mark.parametrize("seen", ["plain", "code"])
def test_what_is_below_an_item_that_the_code_adds_is_the_codes(scene: DriftScene, seen: str) -> None:
    scene.sides = [(made(spec={"l": []}), made(spec={"l": [{"n": "b", "v": [1]}], "x": 1}))]
    if seen == "plain":
        scene.plain = [said("MODIFY", OLD, "spec.l.0")]
    else:
        scene.code = [updated("spec.l[0]")]
    assert scene.lines() == ["update ConfigMap/shop/a spec.x"]


def test_a_name_that_only_begins_like_the_codes_path_is_drift(scene: DriftScene) -> None:
    scene.code = [updated("data.k")]
    scene.moves(config("a", k="1", kk="1"), config("a", k="2", kk="2"), "data.kk", "data.k")
    assert scene.lines() == ["update ConfigMap/shop/a data.kk"]


def test_a_path_above_what_the_code_changes_is_told_by_what_is_below(scene: DriftScene) -> None:
    """Someone took the whole map away: the plugin prints it as one path, and the code changes one key of it."""
    scene.code = [updated("data.k")]
    scene.moves(config("a"), config("a", k="2", l="2"), "data.l", "data.k")
    assert scene.lines() == ["update ConfigMap/shop/a data.l"]


# releases


def test_a_release_that_is_not_installed_has_no_drift(scene: DriftScene) -> None:
    scene.ends = {RELEASE: exited(MISSING)}
    scene.plain = scene.live = [said("ADD", OLD)]
    assert scene.found() == DriftFound()
    assert scene.events == [RELEASE]


def test_an_uninstalled_release_has_no_drift(scene: DriftScene) -> None:
    scene.state = "uninstalled"
    scene.live = [said("ADD", OLD)]
    assert scene.found() == DriftFound()


@pytest.mark.parametrize("state", ["failed", "pending-upgrade", "superseded"])
def test_a_release_that_is_not_deployed_is_checked(scene: DriftScene, state: str) -> None:
    scene.state = state
    scene.code = [Change("Release/shop/web", "Release", "shop/web", "update", changed_keys=("status",))]
    scene.live, scene.sides = [said("ADD", OLD)], [(None, OLD)]
    assert scene.drift() == GONE


# hooks


def test_a_hook_that_becomes_a_plain_object_is_not_gone(scene: DriftScene) -> None:
    """Tried: one that deletes itself is not in the cluster, and the three-way diff adds it."""
    scene.release = [hook(OLD)]
    scene.plain, scene.code = [said("MODIFY", OLD, "metadata.annotations")], [updated("metadata.annotations")]
    scene.live, scene.sides = [said("ADD", OLD)], [(None, OLD)]
    assert scene.drift() == []


@pytest.mark.parametrize("key", ['metadata.annotations["helm.sh/hook"]', "metadata.annotations"])
def test_a_plain_object_that_becomes_a_hook_is_not_removed(scene: DriftScene, key: str) -> None:
    """Tried: ``--no-hooks`` takes it out of what the chart renders, so the three-way diff removes it."""
    scene.plain, scene.code = [said("MODIFY", OLD, key)], [updated(key)]
    scene.live, scene.sides = [said("REMOVE", OLD)], [(OLD, None)]
    assert scene.drift() == []


def test_a_plain_object_with_a_hook_of_its_name_is_checked(scene: DriftScene) -> None:
    scene.release = [OLD, hook(OLD)]
    scene.live, scene.sides = [said("ADD", OLD)], [(None, OLD)]
    assert scene.drift() == GONE


# nulls


@pytest.mark.parametrize(
    ("tree", "live", "after"),
    [
        (config("a", k="1", n=None), config("a", k="1", n=""), config("a", k="1")),
        (config("a", n=None), config("a", n=""), made()),
        (made(annotations={"n": None}), made(annotations={"n": ""}), made(annotations={})),
    ],
)
def test_an_empty_text_that_the_api_server_made_of_a_null_is_no_drift(
    scene: DriftScene, tree: Tree, live: Tree, after: Tree
) -> None:
    """Tried: the plugin removes it in its own merge each time, and Helm 4 leaves it as it is."""
    scene.release = [tree]
    scene.moves(live, after, "data.n" if "data" in after else "data")
    assert scene.drift() == []


def test_a_null_that_someone_filled_is_drift(scene: DriftScene) -> None:
    scene.release = [config("a", n=None)]
    scene.moves(config("a", n="hand"), config("a"), "data.n")
    assert scene.lines() == ["update ConfigMap/shop/a data.n"]


def masked(**data: str) -> Tree:
    return made("Secret", data=data)


@pytest.mark.parametrize("key", ["data", "stringData"])
def test_a_null_in_a_secret(scene: DriftScene, key: str) -> None:
    nulls: dict[str, Any] = {key: {"n": None}}
    scene.release = [made("Secret", **nulls)]
    scene.moves(masked(n="REDACTED # (0 bytes)"), made("Secret"), "data")
    assert scene.drift() == []


# Secrets


def test_a_secret_stops_at_its_data(scene: DriftScene) -> None:
    scene.release = [made("Secret", stringData={CANARY: CANARY})]
    before, after = (masked(**{CANARY: f"{mark * 8} # (12 bytes)"}) for mark in "-+")
    scene.moves(before, after, f"data.{CANARY}")
    found = scene.found()
    assert found.drift == (updated("data", address="Secret/shop/a"),)
    assert CANARY not in repr(found)
    assert "12" not in repr(found)


def test_a_secret_whose_data_the_code_changes_has_no_drift_in_it(scene: DriftScene) -> None:
    scene.release = [made("Secret", stringData={"k": "v"})]
    scene.plain, scene.code = [said("MODIFY", masked(), "data.k")], [updated("data", address="Secret/shop/a")]
    scene.moves(masked(k="-------- # (1 bytes)"), masked(k="++++++++ # (2 bytes)"), "data.k")
    assert scene.drift() == []


# custom resources


def widget(value: int = 1) -> Tree:
    return made("Widget", "x", "example.com/v1", spec={"a": value})


CRD = made(
    "CustomResourceDefinition",
    "widgets.example.com",
    "apiextensions.k8s.io/v1",
    spec={"group": "example.com", "scope": "Cluster", "names": {"kind": "Widget"}},
)


def test_of_custom_resources_a_note_says_what_cannot_be_told(scene: DriftScene) -> None:
    scene.release = [OLD, widget(), made("Widget", "b", "example.com/v1"), hook(made("Gadget", "g", "example.com/v1"))]
    (note,) = scene.found().notes
    assert note.startswith("whether someone changed fields of custom resources can't be told, only that one is gone")
    assert note.endswith("(Widget.example.com/shop/b, Widget.example.com/shop/x)")


def test_a_definition_of_a_custom_resource_is_one_too(scene: DriftScene) -> None:
    scene.release = [CRD]
    (note,) = scene.found().notes
    assert note.endswith("(CustomResourceDefinition.apiextensions.k8s.io/widgets.example.com)")


def test_without_one_there_is_no_note(scene: DriftScene) -> None:
    scene.release = [OLD, hook(widget()), made("Role", "r", "rbac.authorization.k8s.io/v1")]
    assert scene.found().notes == ()


def test_a_custom_resource_that_is_gone_is_drift(scene: DriftScene) -> None:
    scene.release, scene.live, scene.sides = [widget()], [said("ADD", widget())], [(None, widget())]
    assert scene.lines() == ["delete Widget.example.com/shop/x"]


def test_a_custom_kind_of_the_cluster_goes_by_the_address_that_the_row_has(scene: DriftScene) -> None:
    """Tried: the plugin writes the release's namespace for it; the code's own change read as drift of another."""
    scene.release = [CRD, widget()]
    scene.code = [updated("spec.b", address="Widget.example.com/x")]
    scene.sides = [(widget(), {**widget(), "spec": {"a": 1, "b": {}}})]
    assert scene.drift() == []


def test_a_custom_kind_of_the_cluster_that_is_gone_goes_by_it_too(scene: DriftScene) -> None:
    scene.release, scene.live, scene.sides = [CRD, widget()], [said("ADD", widget())], [(None, widget())]
    assert scene.lines() == ["delete Widget.example.com/x"]


# what can't be told


def test_an_object_whose_api_version_the_code_changes_is_not_told_and_named(scene: DriftScene) -> None:
    scene.code = [updated("apiVersion", "spec.b")]
    scene.moves(made(spec={"a": 1}), made(spec={"a": 2}), "spec.a")
    found = scene.found()
    assert found.drift == ()
    assert found.notes[0].startswith(
        "what changed outside the code can't be told where the code changes the apiVersion"
    )
    assert found.notes[0].endswith("(ConfigMap/shop/a)")


def test_a_new_object_that_is_in_the_cluster_already_is_named(scene: DriftScene) -> None:
    scene.release, scene.plain, scene.code = [], [said("ADD", OLD)], [updated(op="create")]
    scene.moves(config("a", k="hand"), OLD, "data.k")
    found = scene.found()
    assert found.drift == ()
    (note,) = found.notes
    assert note.startswith("ConfigMap/shop/a is new in the chart and in the cluster already: helm refuses the deploy")


@pytest.mark.parametrize("op", ["create", "delete", "forget"])
def test_an_object_that_the_code_makes_or_takes_away_has_no_drift(scene: DriftScene, op: str) -> None:
    change = replace(updated(op="create"), op="none", tracking="forget") if op == "forget" else updated(op=op)
    scene.code = [change]
    scene.moves(config("a", k="hand"), OLD, "data.k")
    assert scene.drift() == []


def test_drift_is_sorted_by_address(scene: DriftScene) -> None:
    scene.release = [config("b", k="1"), OLD]
    scene.moves(config("b", k="2"), config("b", k="1"), "data.k")
    scene.moves(config("a", k="2"), OLD, "data.k")
    assert [change.address for change in scene.drift()] == ["ConfigMap/shop/a", "ConfigMap/shop/b"]


# failures


DOING = {
    RELEASE: "helm get all",
    PLAIN: "helm diff upgrade",
    LIVE: "helm diff upgrade --three-way-merge",
    WHOLE: "helm diff upgrade --three-way-merge --output=diff",
}


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome("exited", 1, b"[]", f"Error: {CANARY}\n"), "tool-error"),
        (Outcome("exited", 2, b"[]"), "tool-error"),
        (Outcome("exited", -9, b"[]"), "tool-error"),
        (Outcome("timed-out", -2, b"[]", CANARY, limit=10), "timed-out"),
        (Outcome("too-large", -9, b"[]"), "output-too-large"),
        (Outcome("interrupted", -2, b"[]"), "tool-error"),
        (Outcome("not-started", stderr="helm: not found on PATH"), "tool-missing"),
    ],
)
@pytest.mark.parametrize("name", DOING)
def test_a_command_that_does_not_end_well_is_a_failure(
    scene: DriftScene, name: str, outcome: Outcome, kind: Kind
) -> None:
    scene.ends = {name: outcome}
    reason = scene.refusal()
    assert reason.kind == kind
    assert kind == "tool-missing" or reason.what.startswith(f"{DOING[name]} ")
    assert [event for event in scene.events if event.startswith("helm")][-1] == name


@pytest.mark.parametrize("text", [CANARY, f"{{{CANARY}", f'["{CANARY}"]', b"\xff\x00", "{}", "null"])
@pytest.mark.parametrize("name", DOING)
def test_an_output_that_is_not_one_is_a_failure(scene: DriftScene, name: str, text: str | bytes) -> None:
    scene.ends = {name: printed(text)}
    assert scene.refusal().kind == "unreadable-output"


@pytest.mark.parametrize("name", [RELEASE, PLAIN, LIVE])
def test_no_output_is_a_failure_where_something_is_always_printed(scene: DriftScene, name: str) -> None:
    scene.ends = {name: printed()}
    assert scene.refusal().kind == "unreadable-output"


def test_the_first_failure_in_the_order_of_waiting_is_told(scene: DriftScene) -> None:
    scene.ends = dict.fromkeys((WHOLE, LIVE, PLAIN), exited())
    assert scene.refusal().what == "helm diff upgrade exited with code 1"


# values


def test_no_value_leaves(scene: DriftScene) -> None:
    scene.release = [OLD, config("b", k=CANARY), widget()]
    scene.plain = [said("MODIFY", config("b"), "data.k", note=CANARY)]
    scene.moves(config("a", k=CANARY, l=CANARY), config("a", k=f"{CANARY}2"), "data.k")
    found = scene.found()
    assert found.drift
    assert CANARY not in f"{found!r}{found.notes}"
    assert all(not change.values for change in found.drift)
