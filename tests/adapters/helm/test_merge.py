"""The plugin's reading and ours, made into one row."""

from collections.abc import Callable
from typing import Any

import pytest

from sluiceway.adapters.helm import manifests, structured
from sluiceway.adapters.helm.comparison import compare
from sluiceway.adapters.helm.merge import Merged, merge
from sluiceway.model.changes import ShownValue
from sluiceway.model.reasons import Reason
from tests.adapters.helm import made
from tests.adapters.helm.made import Tree, config, hook, kept, said

CANARY = "c4n4ry-v4lue"


def row(
    before: list[Tree], after: list[Tree], *entries: Tree, shows: Callable[[str], bool] = lambda _path: False
) -> Merged:
    printed = structured.read_structured(made.structured(*entries).encode(), "shop")
    assert not isinstance(printed, Reason), printed.text
    sides = [manifests.read(made.manifest(*trees), "shop") for trees in (before, after)]
    return merge(printed, compare(*sides), shows)


def lines(merged: Merged) -> list[str]:
    return [" ".join([change.tracking or change.op, change.address, *change.changed_keys]) for change in merged.changes]


OLD, NEW = config("a", k="one", same="s"), config("a", k="two", same="s")


# both readings agree


@pytest.mark.parametrize(
    ("before", "after", "entry", "line"),
    [
        ([], [NEW], said("ADD", NEW), "create ConfigMap/shop/a"),
        ([OLD], [], said("REMOVE", OLD), "delete ConfigMap/shop/a"),
        ([OLD], [NEW], said("MODIFY", NEW, "data.k"), "update ConfigMap/shop/a data.k"),
        ([hook(OLD)], [], said("REMOVE", OLD), "forget ConfigMap/shop/a"),
    ],
)
def test_what_both_show_is_shown_once(before: list[Tree], after: list[Tree], entry: Tree, line: str) -> None:
    merged = row(before, after, entry)
    assert lines(merged) == [line]
    assert merged.agreed


def test_nothing_on_either_side_is_in_sync() -> None:
    merged = row([OLD, hook(config("b"))], [OLD, hook(config("b"))])
    assert merged == Merged((), (), ())
    assert merged.agreed


def test_a_path_that_the_plugin_prints_above_ours_stands_for_all_below_it() -> None:
    merged = row(
        [made.made(spec={"a": 1})], [made.made(spec={"a": 1, "b": {"c": 1, "d": 2}})], said("MODIFY", OLD, "spec.b")
    )
    assert lines(merged) == ["update ConfigMap/shop/a spec.b"]
    assert merged.agreed


# only ours


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ([], [NEW], "create ConfigMap/shop/a"),
        ([OLD], [], "delete ConfigMap/shop/a"),
        ([kept(OLD)], [], "forget ConfigMap/shop/a"),
        ([OLD], [NEW], "update ConfigMap/shop/a data.k"),
    ],
)
def test_what_only_we_see_is_shown_and_told(before: list[Tree], after: list[Tree], line: str) -> None:
    merged = row(before, after)
    assert lines(merged) == [line]
    assert (merged.unseen, merged.unknown, merged.agreed) == (("ConfigMap/shop/a",), (), False)


def test_a_path_that_only_we_see_is_added_to_those_that_the_plugin_prints() -> None:
    merged = row([config("a", k="1", l="1")], [config("a", k="2", l="2")], said("MODIFY", OLD, "data.k"))
    assert lines(merged) == ["update ConfigMap/shop/a data.k data.l"]
    assert merged.unseen == ("ConfigMap/shop/a",)


def test_the_plugin_calls_an_update_an_object_that_goes_and_one_that_comes() -> None:
    role = made.made("ClusterRole", "r", "rbac.authorization.k8s.io/v1", rules=[{"verbs": ["get"]}])
    changed = {**role, "rules": [{"verbs": ["list"]}]}
    merged = row([role], [changed], said("REMOVE", role), said("ADD", role, namespace="other"))
    assert lines(merged) == ["update ClusterRole.rbac.authorization.k8s.io/r rules[0].verbs[0]"]
    assert not merged.agreed


def test_an_entry_whose_fields_are_not_readable_leaves_all_paths_to_ours() -> None:
    entry = {"name": "shop, a, ConfigMap (v1)", "changeType": "MODIFY", "resourceStatus": {}}
    merged = row([OLD], [NEW], entry)
    assert lines(merged) == ["update ConfigMap/shop/a data.k"]
    assert merged.unseen == ("ConfigMap/shop/a",)


# only the plugin


def test_an_object_that_is_the_same_on_our_sides_is_no_change_but_asked_about() -> None:
    merged = row([OLD], [OLD], said("MODIFY", OLD, "data.k"))
    assert lines(merged) == []
    assert (merged.unseen, merged.unknown, merged.agreed) == ((), ("ConfigMap/shop/a",), False)


def test_a_field_that_is_the_same_on_our_sides_is_dropped_but_asked_about() -> None:
    merged = row([OLD], [NEW], said("MODIFY", OLD, "data.k", "data.same", "metadata.namespace"))
    assert lines(merged) == ["update ConfigMap/shop/a data.k"]
    assert (merged.unseen, merged.unknown, merged.agreed) == ((), ("ConfigMap/shop/a",), False)


@pytest.mark.parametrize(
    ("change", "fields", "line"),
    [
        ("ADD", (), "create Widget.example.com/shop/x"),
        ("REMOVE", (), "delete Widget.example.com/shop/x"),
        ("MODIFY", ("spec.a", "spec.list.0"), "update Widget.example.com/shop/x spec.a spec.list[0]"),
    ],
)
def test_an_object_that_we_have_on_neither_side_is_shown_as_the_plugin_has_it(
    change: str, fields: tuple[str, ...], line: str
) -> None:
    merged = row(
        [OLD], [OLD], said(change, made.made("Widget", "x", "example.com/v1"), *fields), shows=lambda _path: True
    )
    assert lines(merged) == [line]
    assert merged.changes[0].values == ()
    assert (merged.unknown, merged.agreed) == (("Widget.example.com/shop/x",), False)


# kinds of the cluster


CRD = made.made(
    "CustomResourceDefinition",
    "widgets.example.com",
    "apiextensions.k8s.io/v1",
    spec={"group": "example.com", "scope": "Cluster", "names": {"kind": "Widget"}},
)


def widget(value: str, name: str = "x") -> Tree:
    return made.made("Widget", name, "example.com/v1", spec={"a": value})


def test_a_custom_kind_of_the_cluster_has_no_namespace_though_the_plugin_writes_one() -> None:
    merged = row([CRD, widget("1")], [CRD, widget("2")], said("MODIFY", widget("2"), "spec.a"))
    assert lines(merged) == ["update Widget.example.com/x spec.a"]
    assert merged.agreed


@pytest.mark.parametrize(("before", "after"), [([], [CRD]), ([CRD], [])])
@pytest.mark.parametrize("value", ["1", "2"])
def test_a_chart_that_brings_or_drops_the_kind_of_an_object_keeps_the_object(
    before: list[Tree], after: list[Tree], value: str
) -> None:
    entry = [said("MODIFY", widget("2"), "spec.a")] if value == "2" else []
    merged = row([*before, widget("1")], [*after, widget(value)], *entry)
    of_widget = [line for line in lines(merged) if "Widget.example.com" in line]
    assert of_widget == (["update Widget.example.com/x spec.a"] if value == "2" else [])
    assert not any("Widget.example.com" in address for address in (*merged.unseen, *merged.unknown))


def test_a_kind_that_belongs_to_namespaces_keeps_them() -> None:
    crd = {**CRD, "spec": {**CRD["spec"], "scope": "Namespaced"}}
    merged = row([crd, widget("1")], [crd, widget("2")], said("MODIFY", widget("2"), "spec.a"))
    assert lines(merged) == ["update Widget.example.com/shop/x spec.a"]


# a hook and a plain object of one name


HOOKS = [(OLD, NEW, OLD, OLD), (OLD, OLD, OLD, NEW), (OLD, NEW, OLD, NEW)]


@pytest.mark.parametrize(("plain", "new_plain", "of_hook", "new_hook"), HOOKS)
@pytest.mark.parametrize("first", ["plain", "hook"])
def test_a_change_of_a_hook_or_of_its_namesake_is_a_change(
    plain: Tree, new_plain: Tree, of_hook: Tree, new_hook: Tree, first: str
) -> None:
    before, after = [plain, hook(of_hook)], [new_plain, hook(new_hook)]
    if first == "hook":
        before, after = before[::-1], after[::-1]
    assert lines(row(before, after)) == ["update ConfigMap/shop/a data.k"]


def test_the_paths_of_a_hook_and_of_its_namesake_stand_together() -> None:
    before = [config("a", k="1", l="1"), hook(config("a", k="1", l="1"))]
    after = [config("a", k="2", l="1"), hook(config("a", k="1", l="2"))]
    assert lines(row(before, after)) == ["update ConfigMap/shop/a data.k data.l"]
    assert lines(row(before[::-1], after[::-1])) == ["update ConfigMap/shop/a data.k data.l"]


@pytest.mark.parametrize(
    ("before", "after", "op"),
    [
        ([hook(OLD)], [OLD, hook(OLD)], "create"),
        ([OLD], [OLD, hook(OLD)], "create"),
        ([OLD, hook(OLD)], [hook(OLD)], "delete"),
        ([OLD, hook(OLD)], [OLD], "forget"),
        ([OLD, hook(OLD)], [], "delete"),
        ([], [OLD, hook(OLD)], "create"),
        ([hook(OLD), OLD], [], "delete"),
    ],
)
def test_one_of_the_two_comes_or_goes(before: list[Tree], after: list[Tree], op: str) -> None:
    assert lines(row(before, after)) == [f"{op} ConfigMap/shop/a"]


# nulls


@pytest.mark.parametrize("key", ["annotations", "labels"])
def test_a_null_in_a_map_of_texts_is_shown_it_becomes_an_empty_text(key: str) -> None:
    texts: list[dict[str, Any]] = [{key: {"x": "1"}}, {key: {"x": "1", "y": None}}]
    plain, null = (made.made(**text) for text in texts)
    assert lines(row([plain], [null])) == [f"update ConfigMap/shop/a metadata.{key}.y"]
    assert lines(row([null], [plain])) == [f"update ConfigMap/shop/a metadata.{key}.y"]
    assert lines(row([null], [null])) == []


@pytest.mark.parametrize(("before", "after"), [({}, {"k": None}), ({"k": None}, {"k": ""}), ({"k": ""}, {"k": None})])
def test_a_null_in_data_is_shown(before: Tree, after: Tree) -> None:
    (line,) = lines(row([config("a", x="1", **before)], [config("a", x="1", **after)]))
    assert line == "update ConfigMap/shop/a data.k"


def test_any_other_null_says_nothing() -> None:
    before, after = made.made(spec={"a": 1}), made.made(spec={"a": 1, "b": None, "data": None})
    merged = row([before], [after], said("MODIFY", before, "spec.b"))
    assert lines(merged) == []


# values


def values(before: Tree, after: Tree, *entries: Tree, shows: Callable[[str], bool]) -> tuple[ShownValue, ...]:
    (change,) = row([before], [after], *entries, shows=shows).changes
    return change.values


def test_values_that_are_asked_for_are_shown_of_both_readings() -> None:
    before, after = config("a", k="1", l="1", m="1"), config("a", k="2", l="2", m="2")
    shown = values(before, after, said("MODIFY", after, "data.k"), shows=lambda path: path != "data.m")
    assert shown == (ShownValue("data.k", "1", "2"), ShownValue("data.l", "1", "2"))


def test_no_value_is_shown_that_is_not_asked_for() -> None:
    before, after = config("a", k=CANARY), config("a", k=f"{CANARY}2")
    merged = row([before], [after], said("MODIFY", after, "data.k", oldValue=CANARY))
    assert CANARY not in repr(merged)


SECRETS = [
    (made.made("Secret", stringData={"k": CANARY}), made.made("Secret", stringData={"k": "other"})),
    (made.made("Secret", data={"k": "QUFBQQ=="}), made.made("Secret", data={"k": "QkJCQg=="})),
    (made.made("Secret", data={"k": "QUFBQQ=="}), made.made("Secret", stringData={CANARY: "x"})),
    (made.made("Secret", data={"k": 1234}), made.made("Secret", data={"k": 5678})),
    (made.made("Secret", stringData={"k": "1234"}), made.made("Secret", stringData={"k": 1234})),
    (made.made("Secret", data={"k": "QUFBQQ=="}), made.made("Secret", data={"k": "QUFB QQ=="})),
    (made.made("Secret", data={"k": None}), made.made("Secret", data={})),
]


@pytest.mark.parametrize(("before", "after"), SECRETS)
@pytest.mark.parametrize("printed", [(), ("data.k",), ("stringData.k",), (f"data.{CANARY}",)])
def test_a_secret_stops_at_its_data_and_shows_no_value(before: Tree, after: Tree, printed: tuple[str, ...]) -> None:
    entries = [said("MODIFY", after, *printed)] if printed else []
    merged = row([before], [after], *entries, shows=lambda _path: True)
    assert lines(merged) == ["update Secret/shop/a data"]
    assert merged.changes[0].values == ()
    assert CANARY not in repr(merged)
    assert "QUFB" not in repr(merged)


def test_a_secret_that_moves_its_data_is_the_same() -> None:
    merged = row(
        [SECRETS[1][0]], [made.made("Secret", stringData={"k": "AAAA"})], said("MODIFY", SECRETS[1][0], "data.k")
    )
    assert lines(merged) == []
    assert not merged.agreed


def test_a_secret_of_another_group_is_any_object() -> None:
    before, after = (made.made("Secret", api_version="example.com/v1", data={"k": it}) for it in "ab")
    shown: Any = row([before], [after], shows=lambda _path: True).changes[0]
    assert shown.changed_keys == ("data.k",)
    assert shown.values == (ShownValue("data.k", "a", "b"),)
