"""Our own reading of an upgrade: what the chart renders against what helm stored."""

import pytest

from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.comparison import compare, stands_twice
from sluiceway.model.paths import write_path

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{more}}}\n{rest}"


def config(rest: str = "", more: str = "") -> str:
    return CONFIG.format(more=more, rest=rest)


def found(before: str, after: str) -> list[tuple[str, str, list[str]]]:
    sides = [manifests.read(text, "shop") for text in (before, after)]
    return [(it.address, it.op, [write_path(path) for path in it.paths]) for it in compare(*sides)]


def only(before: str, after: str) -> tuple[str, list[str]]:
    ((_, op, paths),) = found(before, after)
    return op, paths


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ("data: {k: a}", "data: {k: b}", ["data.k"]),
        ("data: {}", "data: {}", []),
        ("", "immutable: true", ["immutable"]),
        ("x: {}", "x: {a: {}}", ["x.a"]),
        ("x: []", "", ["x"]),
        ("x: {a: 1}", "x: {}", ["x.a"]),
        ("x: 9007199254740993", "x: 9007199254740992", ["x"]),
        ("x: a", "x: {b: c}", ["x", "x.b"]),
        ("x: [[a]]", "x: [[b]]", ["x[0][0]"]),
        ("x: '1'", "x: 1", ["x"]),
    ],
)
def test_every_leaf_that_differs_is_found(before: str, after: str, paths: list[str]) -> None:
    assert only(config(before), config(after)) == ("update" if paths else "same", paths)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("data: {k: a}", "# a comment\ndata:\n  'k': \"a\""),
        ("x: {a: 1, b: 2}", "x: {b: 2, a: 1}"),
        ("x: yes", "x: true"),
        ("", "x: null"),
        ("x: {a: ~}", "x: {}"),
    ],
)
def test_a_difference_of_the_text_alone_is_none(before: str, after: str) -> None:
    assert only(config(before), config(after)) == ("same", [])


def test_the_releases_namespace_written_out_is_no_difference() -> None:
    assert only(config(), config(more=", namespace: shop")) == ("same", [])


def test_objects_of_one_side_only_are_made_or_deleted() -> None:
    assert found(config(), config().replace("name: a", "name: b")) == [
        ("ConfigMap/shop/a", "delete", []),
        ("ConfigMap/shop/b", "create", []),
    ]


KEPT, HOOK, TEST = (
    f", annotations: {{helm.sh/{it}}}" for it in ("resource-policy: keep", "hook: pre-upgrade", "hook: test")
)


@pytest.mark.parametrize("more", [KEPT, HOOK])
def test_what_helm_leaves_behind_is_forgotten_not_deleted(more: str) -> None:
    assert only(config(more=more), "") == ("forget", [])


def test_a_hook_that_no_deploy_runs_is_left_out() -> None:
    assert found(config("x: 1", TEST), config("x: 2", TEST)) == []


def test_an_object_that_became_a_hook_is_one_object() -> None:
    op, paths = only(config(), config(more=HOOK))
    assert (op, paths) == ("update", ['metadata.annotations["helm.sh/hook"]'])


def test_a_hook_and_a_plain_object_of_one_name_are_compared_apart() -> None:
    both = f"{config('x: 1')}\n---\n{config('x: 1', HOOK)}"
    changed = f"{config('x: 1')}\n---\n{config('x: 2', HOOK)}"
    assert [op for _, op, _ in found(both, changed)] == ["same", "update"]
    assert list(stands_twice(manifests.read(both, "shop"))) == []


def test_an_object_that_stands_twice_is_named_with_its_first() -> None:
    items = manifests.read(f"{config('x: 1')}\n---\n{config('x: 2')}", "shop")
    assert list(stands_twice(items)) == [(items[0], items[1])]


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ("stringData: {p: one}", "data: {p: b25l}", []),
        ("stringData: {p: one}", "stringData: {p: two}", ["data.p"]),
        ("data: {p: ''}", "stringData: {p: ''}", []),
        ("data: {p: not base64}", "data: {p: not base65}", ["data.p"]),
    ],
)
def test_a_secret_is_compared_by_what_it_holds(before: str, after: str, paths: list[str]) -> None:
    head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
    assert only(head + before, head + after) == ("update" if paths else "same", paths)


def test_a_secret_of_another_group_is_compared_like_any_object() -> None:
    head = "apiVersion: vault.example.com/v1\nkind: Secret\nmetadata: {name: s}\n"
    assert only(head + "spec: {path: a}", head + "spec: {path: b}") == ("update", ["spec.path"])
