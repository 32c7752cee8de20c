from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.model.paths import Path
from sluiceway.model.trees import MISSING, Float, at_path, changed_paths, leaves, same

scalars = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "1", "a"]) | st.just(Float("1.5"))
trees = st.recursive(
    scalars,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), below, max_size=3),
    max_leaves=8,
)


def paths(before: Any, after: Any) -> list[Path]:
    return list(changed_paths(before, after))


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a",)]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        # a subtree that only one side has gives each of its leaves
        ({}, {"a": {"b": 1, "c": [2, {"d": 3}]}}, [("a", "b"), ("a", "c", 0), ("a", "c", 1, "d")]),
        ({"a": {"b": 1, "c": [2]}}, {}, [("a", "b"), ("a", "c", 0)]),
        # null is a leaf
        ({}, {"a": None}, [("a",)]),
        ({"a": None}, {"a": 0}, [("a",)]),
        ({"a": None}, {"a": {"b": 1}}, [("a",), ("a", "b")]),
        # lists are compared by index
        ({"a": [1, 2, 3]}, {"a": [1, 3]}, [("a", 1), ("a", 2)]),
        ({"a": [{"n": 1}]}, {"a": [{"n": 2}, {"n": 1}]}, [("a", 0, "n"), ("a", 1, "n")]),
        # an empty map or list is a leaf where the other side has nothing or another type
        ({}, {"podSelector": {}}, [("podSelector",)]),
        ({"podSelector": {}}, {}, [("podSelector",)]),
        ({"a": {}}, {"a": []}, [("a",)]),
        ({"a": {}}, {"a": None}, [("a",)]),
        ({"a": {}}, {"a": "x"}, [("a",)]),
        ({"a": {}}, {"a": [1]}, [("a",), ("a", 0)]),
        ({"a": [{}]}, {"a": []}, [("a", 0)]),
        # and none where the other side has a filled one
        ({"a": {}}, {"a": {"b": 1}}, [("a", "b")]),
        ({"a": [1]}, {"a": []}, [("a", 0)]),
        ({"a": {}}, {"a": {"b": {}}}, [("a", "b")]),
        ({"a": {}}, {"a": {}}, []),
        # a scalar against a map or list: the node's path and the leaves below
        ({"a": "x"}, {"a": {"b": 1, "c": {}}}, [("a",), ("a", "b"), ("a", "c")]),
        ({"a": [1, [2]]}, {"a": "x"}, [("a", 0), ("a", 1, 0), ("a",)]),
        # a map against a list
        ({"a": {"b": 1}}, {"a": [1]}, [("a", "b"), ("a", 0)]),
        # the types of scalars count
        ({"a": 1}, {"a": True}, [("a",)]),
        ({"a": 0}, {"a": False}, [("a",)]),
        ({"a": 1}, {"a": "1"}, [("a",)]),
        ({"a": "1.5"}, {"a": Float("1.5")}, [("a",)]),
        ({"a": 1}, {"a": Float("1.5")}, [("a",)]),
        ({"a": ""}, {"a": None}, [("a",)]),
        ({"a": Float("1.5")}, {"a": Float("1.5")}, []),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": True}]}}, [("a", "b", 0, "c")]),
        # trees that are no map
        (1, 2, [()]),
        ([1], [2], [(0,)]),
        (MISSING, {"a": 1}, [("a",)]),
        (MISSING, {}, [()]),
        (MISSING, MISSING, []),
    ],
)
def test_the_paths_that_differ(before: Any, after: Any, changed: list[Path]) -> None:
    assert paths(before, after) == changed
    assert set(paths(after, before)) == set(changed)


@settings(max_examples=100)
@given(trees, trees)
def test_no_path_stands_twice(before: Any, after: Any) -> None:
    found = paths(before, after)
    assert len(found) == len(set(found))


@settings(max_examples=100)
@given(trees, trees)
def test_the_comparison_is_symmetric(before: Any, after: Any) -> None:
    assert set(paths(before, after)) == set(paths(after, before))


@settings(max_examples=100)
@given(trees, trees)
def test_nothing_differs_exactly_where_the_trees_are_the_same(before: Any, after: Any) -> None:
    assert (paths(before, after) == []) is same(before, after)


@settings(max_examples=100)
@given(trees)
def test_a_tree_differs_from_nothing_by_its_leaves_and_from_itself_by_none(tree: Any) -> None:
    assert paths(MISSING, tree) == list(leaves(tree)) != []
    assert paths(tree, tree) == []


@settings(max_examples=100)
@given(trees, trees)
def test_every_path_that_differs_is_a_leaf_of_one_side(before: Any, after: Any) -> None:
    assert set(paths(before, after)) <= {*leaves(before), *leaves(after)}


@settings(max_examples=100)
@given(trees, trees)
def test_at_every_path_that_differs_the_sides_differ_and_elsewhere_no_leaf_does(before: Any, after: Any) -> None:
    found = set(paths(before, after))
    assert all(not same(at_path(before, path), at_path(after, path)) for path in found)
    for path in {*leaves(before), *leaves(after)} - found:
        one, other = at_path(before, path), at_path(after, path)
        assert same(one, other) or {type(one), type(other)} in ({dict}, {list})


@settings(max_examples=100)
@given(trees)
def test_leaves_hold_no_filled_map_or_list(tree: Any) -> None:
    for path in leaves(tree):
        assert at_path(tree, path) in ({}, []) or not isinstance(at_path(tree, path), dict | list)


def test_a_node_is_found_by_its_path() -> None:
    tree = {"a": [{"b": None}], "0": "x"}
    assert at_path(tree, ()) is tree
    assert at_path(tree, ("a", 0, "b")) is None
    assert at_path(tree, ("0",)) == "x"
    for path in (("a", 1), ("a", "0"), (0,), ("a", 0, "b", "c"), ("a", 0, "c")):
        assert at_path(tree, path) is MISSING


@settings(max_examples=100)
@given(trees, trees)
def test_same_tells_types_apart_and_not_the_order_of_keys(one: Any, other: Any) -> None:
    assert same(one, other) is (repr(ordered(one)) == repr(ordered(other)))


def ordered(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: ordered(tree[key]) for key in sorted(tree)}
    if isinstance(tree, list):
        return [ordered(item) for item in tree]
    return (type(tree).__name__, tree)
