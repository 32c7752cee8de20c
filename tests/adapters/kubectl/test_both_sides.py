from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.both_sides import load_sides, load_whole
from sluiceway.adapters.kubernetes.goyaml import UnreadableYAML
from sluiceway.model.paths import Path
from sluiceway.model.trees import at_path, changed_paths, same
from tests.adapters.kubectl.strategies import HOSTILE_TEXTS, dump, objects, pairs

Difference = dict[Path, tuple[Any, Any]]


def difference(before: Any, after: Any) -> Difference:
    """Return what differs, with the values of both sides."""
    found = list(changed_paths(before, after))
    assert len(found) == len(set(found))
    return {path: (at_path(before, path), at_path(after, path)) for path in found}


def told_apart(live: str, merged: str) -> None:
    """Check that reading both sides together tells exactly what reading each alone tells."""
    together, alone = difference(*load_sides(live, merged)), difference(load_whole(live), load_whole(merged))
    assert together.keys() == alone.keys()
    assert all(same(together[path][side], alone[path][side]) for path in alone for side in (0, 1))


@settings(max_examples=60)
@given(pairs())
def test_what_differs_is_what_differs_between_the_whole_trees(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    told_apart(dump(pair[0]), dump(pair[1]))


@given(objects(st.just({})))
def test_an_object_is_the_same_object_and_keeps_its_managed_fields(tree: dict[str, Any]) -> None:
    tree["metadata"]["managedFields"] = [{"manager": "m", "fieldsV1": {"f:a": {}}}]
    live, merged = load_sides(dump({**tree, "spec": {"a": 1, "b": 2}}), dump({**tree, "spec": {"a": 2, "b": 2}}))
    assert (live["spec"], merged["spec"]) == ({"a": 1}, {"a": 2})
    for side in (live, merged):
        assert (side["apiVersion"], side["kind"]) == (tree["apiVersion"], tree["kind"])
        for key in ("name", "namespace", "managedFields"):
            assert same(side["metadata"].get(key), tree["metadata"].get(key))


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_texts_that_stay_that_change_and_that_are_keys(text: str) -> None:
    both = {"a": text, "b": 1, "c": {"d": text, "e": [text, {"f": text}]}, text: {"z": text}}
    told_apart(dump(both), dump({**both, "b": 2}))
    told_apart(dump(both), dump({**both, "a": f"{text}x", "c": {"d": f"{text}y", "e": [text, {"f": f"{text}z"}]}}))
    told_apart(dump(both), dump({**both, text: {"z": text, "zz": 1}}))
    told_apart(dump(both), dump({"b": 1}))


def test_a_list_that_differs_anywhere_is_there_whole() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    spec = {"replicas": 1, "other": {"k": "v"}, "env": env}
    live, merged = load_sides(dump({"spec": spec}), dump({"spec": {**spec, "env": env[1:]}}))
    assert live == {"spec": {"env": env}}
    assert merged == {"spec": {"env": env[1:]}}


def test_a_side_that_is_not_there() -> None:
    tree = dump({"a": 1})
    for nothing in ("", "null\n"):
        assert load_sides(nothing, tree) == (None, {"a": 1})
        assert load_sides(tree, nothing) == ({"a": 1}, None)
    assert load_sides("null\n", "null\n") == (None, None)


@pytest.mark.parametrize(
    ("live", "merged"),
    [
        ("y: 1\nb: 1\n", "b: 2\n"),
        ("on: 1\nb: 1\n", "on: 2\nb: 1\n"),
        ("a: 1\rb: 2\n", "a: 1\n"),
        ("a: x\u2028b: 2\n", "a: x\n"),
        ('a: "x\nb: y"\n', "a: 1\nb: 2\n"),
        ('a: "x\n  b"\nc: 1\n', 'a: "x\n  d"\nc: 1\n'),
        ("a: |+\n  x\n\nb: 1\n", "a: |+\n  x\nb: 1\n"),
        ("a: |+\n  x", "a: |+\n  x\n\n"),
        ("a:\n- b: 1\n  c: 2\n- d\n", "a:\n- b: 1\n- d\n"),
        ("a:\n  b: {}\n", "a:\n  b:\n    c: 1\n"),
        ("a:\n  b: []\n", "a:\n  b:\n  - 1\n"),
        ("a: {b: 1}\n", "a: {b: 2}\n"),
        ("a:\n    b: 1\n", "a:\n    b: 2\n"),
        ("a: 1 # x\n", "a: 1 # y\n"),
        ("# c\na: 1\n", "a: 2\n"),
        ("a:\n", "a: {}\n"),
        ("a: 08\n", 'a: "08"\n'),
        ("a: 1\n", 'a: "1"\n'),
        ("a: true\n", 'a: "true"\n'),
        ("a: null\n", "b: null\n"),
        ("<<:\n  a: 1\n", "a: 1\n"),
        ("a:\n- |\n  b: 1\nc: 1\n", "a:\n- |\n  b: 2\nc: 1\n"),
    ],
)
def test_sides_that_are_not_what_kubectl_prints(live: str, merged: str) -> None:
    told_apart(live, merged)
    told_apart(merged, live)
    told_apart(live, live)


@pytest.mark.parametrize(
    "text", ["a: [\n", "a: &x 1\nb: *x\n", "a: !!str 1\n", "a: .inf\n", "a: 1\n---\nb: 1\n", "a:\n\t- b\n"]
)
def test_what_cannot_be_read_on_one_side_alone_is_refused(text: str) -> None:
    for sides in ((text, "b: 1\n"), ("b: 1\n", text)):
        with pytest.raises(UnreadableYAML):
            load_sides(*sides)


LINES = [
    *(
        "a: 1",
        "b: x",
        "  a: 1",
        "  b: x",
        "    a: 1",
        "- a",
        "- a: 1",
        "  - b",
        "-",
        "y: 1",
        "on: 2",
        "a:",
        "b:",
        "  a:",
    ),
    *(
        "  b:",
        "a: |",
        "  b: |-",
        "  text",
        "    text",
        'a: "x',
        'b: y"',
        "a: [1,",
        "b: 2]",
        "# c",
        "...",
        "---",
        "a: &x 1",
    ),
    *(
        "b: *x",
        "a: !!str 1",
        "? a",
        ": b",
        "",
        "  ",
        "a: 1\rb: 2",
        "a: x\u2028b: 2",
        "\ta: 1",
        "a:\t1",
        "a:  1",
        "a : 1",
    ),
    *(
        "<<: {a: 1}",
        "a: {}",
        "  b: []",
        "a: .inf",
        "a: 08",
        "metadata:",
        "  name: x",
        "kind: W",
        "x  a: 1",
        "1: x",
        "a.b/c: 1",
    ),
]
sides = st.lists(st.sampled_from(LINES), max_size=5)


@settings(max_examples=200)
@given(sides, sides, sides, st.sampled_from(["", "\n"]))
def test_any_lines_are_told_apart_as_they_are_alone_or_refused(
    common: list[str], live: list[str], merged: list[str], ending: str
) -> None:
    texts = ["\n".join(common + side) + ending for side in (live, merged)]
    try:
        alone = [load_whole(text) for text in texts]
    except UnreadableYAML:
        alone = None
    try:
        together = load_sides(*texts)
    except UnreadableYAML:
        assert alone is None
        return
    if alone is not None:
        assert difference(*together).keys() == difference(*alone).keys()
