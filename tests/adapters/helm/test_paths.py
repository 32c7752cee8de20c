import json
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.helm.paths import covers, resolve
from sluiceway.adapters.helm.structured import Entry, read_structured
from sluiceway.model.paths import Path, Segment, write_path
from sluiceway.model.reasons import Reason
from sluiceway.model.trees import at_path, changed_paths, leaves, same
from tests.adapters.helm.loss_table import VERSIONS, Loss, losses, objects

DIGITS = frozenset("0123456789")


def printed(path: Sequence[Segment]) -> tuple[str, str]:
    """Print a path as the plugin does."""
    text = ""
    for segment in map(str, path[:-1]):
        if segment and set(segment) <= DIGITS:
            text += f"[{segment}]"
        elif segment:
            text += f".{segment}" if text else segment
    return text, str(path[-1])


def entries(loss: Loss) -> list[Entry]:
    found = read_structured(loss.printed("structured.json"), loss.namespace)
    assert not isinstance(found, Reason)
    return found


def tree_of(entry: Entry, manifest: bytes) -> Any:
    wanted = (entry.object.kind, entry.object.name)
    return next(tree for tree in objects(manifest) if (tree["kind"], tree["metadata"]["name"]) == wanted)


def resolved(loss: Loss) -> list[Path]:
    """Resolve what was printed of the first object that changes."""
    entry = next(found for found in entries(loss) if found.fields)
    before, after = (tree_of(entry, loss.printed(name)) for name in ("release.yaml", "render.yaml"))
    return [resolve(field.path, field.field, before, after) for field in entry.fields]


# what the real plugin printed


@pytest.mark.parametrize("version", VERSIONS)
def test_odd_keys(version: str) -> None:
    assert list(map(write_path, resolved(Loss("odd-keys", version)))) == [
        'spec[""]',
        'spec["12"]["3"][0]["4"]',
        'spec["7"]',
        'spec.a["[0]"]',
        'spec.a["b.c.d"]',
        'spec["a.b"][""][""]',
        'spec["a.b"]["7"]',
        'spec["a.b"]["c.d"]',
        'spec.list[0]["0"]',
        'spec.list[0]["0"]',  # printed twice: once for spec.list[0][""][0]
        'spec["x\ny"]',
        'spec["é"]',
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_lists_and_what_changes_its_type(version: str) -> None:
    assert list(map(write_path, resolved(Loss("items-of-lists", version)))) == [
        "spec.added[1]",
        "spec.addedMap[1]",
        "spec.changed[0]",
        "spec.emptied[0]",
        "spec.nullToText[1]",
        "spec.removed[0]",
        "spec.removed[1]",
        "spec.rows[0][0].a",
    ]
    assert list(map(write_path, resolved(Loss("type-changed", version)))) == [
        "spec.listToMap.a",
        "spec.mapToList[0]",
        "spec.mapToNull",
        "spec.mapToScalar",
        "spec.numberToText",
        "spec.scalarToMap.a",
    ]


WHOLE = [loss for loss in losses() if json.loads(loss.printed("structured.json"))]
ELSEWHERE = frozenset({"asks-for-the-release", "becomes-a-hook", "drift-object-exists", "namespace-written", "nulls"})
"""Where what was printed is not what the two manifests differ in."""


@pytest.mark.parametrize("loss", [loss for loss in WHOLE if loss.name not in ELSEWHERE], ids=str)
def test_every_path_that_was_printed_is_one_that_differs(loss: Loss) -> None:
    for entry in entries(loss):
        if entry.fields and not entry.object.is_secret:
            before, after = (tree_of(entry, loss.printed(name)) for name in ("release.yaml", "render.yaml"))
            for field in entry.fields:
                path = resolve(field.path, field.field, before, after)
                assert not same(at_path(before, path), at_path(after, path)), write_path(path)


# with the object


@pytest.mark.parametrize(
    ("path", "field", "tree", "expected"),
    [
        ("metadata.annotations", "helm.sh/x", {"metadata": {"annotations": {"helm.sh/x": 1}}}, None),
        ("metadata.annotations.helm.sh/x", "y", {"metadata": {"annotations": {"helm.sh/x": {"y": 1}}}}, None),
        ("a.b", "c", {"a": {"b": {"c": 1}}}, ("a", "b", "c")),
        ("a.b", "c", {"a.b": {"c": 1}}, ("a.b", "c")),
        ("a[0]", "b", {"a": [{"b": 1}]}, ("a", 0, "b")),
        ("a[0]", "b", {"a": {"0": {"b": 1}}}, ("a", "0", "b")),
        ("a[0]", "b", {"a[0]": {"b": 1}}, ("a[0]", "b")),
        ("a[007]", "b", {"a": {"007": {"b": 1}}}, ("a", "007", "b")),
        ("a.7", "b", {"a": {"7": {"b": 1}}, "a.7": {"b": 1}}, ("a.7", "b")),
        ("a[0]xb", "c", {"a": [{"b": {"c": 1}}], "a[0]xb": {"c": 1}}, ("a[0]xb", "c")),
        ("[1]", "[2]", {"1": {"[2]": 1}}, ("1", "[2]")),
        ("[1][2]", "3", {"1": {"2": {"3": 1}}}, ("1", "2", "3")),
        ("[1].a", "3", {"1": {"a": [0, 1, 2, 3]}}, ("1", "a", 3)),
        (".a", "b", {".a": {"b": 1}}, (".a", "b")),
        ("a.", "b", {"a.": {"b": 1}}, ("a.", "b")),
        ("a..b", "c", {"a.": {"b": {"c": 1}}}, ("a.", "b", "c")),
        (".", "", {".": {"": 1}}, (".", "")),
        ("", "", {"": 1}, ("",)),
        ("", "a", {"": {"": {"a": 1}}}, ("", "", "a")),
        ("b", "a", {"": {"b": {"": {"a": 1}}}}, ("", "b", "", "a")),
        ("a", "1", {"a": [0, 1]}, ("a", 1)),
        ("a", "1", {"a": {"1": 0}}, ("a", "1")),
    ],
)
def test_a_path_is_found_in_the_object(path: str, field: str, tree: Any, expected: Path | None) -> None:
    found = resolve(path, field, tree, {})
    assert found == (expected or (*path.split(".", 2), field))
    assert resolve(path, field, {}, tree) == found
    assert resolve(path, field, tree, tree) == found


def test_of_two_readings_the_one_that_differs_counts() -> None:
    before = {"a.b": {"c": 1}, "a": {"b": {"c": 1}}}
    assert resolve("a.b", "c", before, {"a.b": {"c": 2}, "a": {"b": {"c": 1}}}) == ("a.b", "c")
    assert resolve("a.b", "c", before, {"a.b": {"c": 1}, "a": {"b": {"c": 2}}}) == ("a", "b", "c")
    assert resolve("a.b", "c", before, {"a": {"b": {"c": 1}}}) == ("a.b", "c")


def test_of_two_maps_what_is_below_them_counts() -> None:
    assert resolve("", "", {"": {"": 1}}, {"": {"": 2}}) == ("", "")
    assert resolve("", "", {"": {"": 1}}, {"": 2}) == ("",)
    assert resolve("", "", {"": {"": 1}}, {}) == ("",)


def test_a_key_and_an_index_are_told_apart_where_a_map_becomes_a_list() -> None:
    assert resolve("a", "0", {"a": {"b": 1}}, {"a": [1]}) == ("a", 0)
    assert resolve("a", "0", {"a": [1]}, {"a": {"b": 1}}) == ("a", 0)
    assert resolve("a", "0", {"a": {"0": 1}}, {"a": [1, 2]}) == ("a", "0")


KEYS = st.sampled_from(["", "a", "b", "a.b", ".a", "a.", ".", "a..b", "0", "1", "01", "[0]", "a[0]", "[", "a]", "é"])
TREES = st.recursive(
    st.integers(0, 3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, TREES, min_size=1), st.dictionaries(KEYS, TREES))
def test_what_differs_is_found_again_or_another_that_is_written_alike(before: Any, after: Any) -> None:
    for path in changed_paths(before, after):
        if path:
            found = resolve(*printed(path), before, after)
            assert printed(found) == printed(path)
            assert not same(at_path(before, found), at_path(after, found))


@given(st.dictionaries(KEYS, TREES, min_size=1))
def test_a_path_that_is_written_like_no_other_is_found_again(tree: Any) -> None:
    paths = [path for path in leaves(tree) if path]
    written = [printed(path) for path in paths]
    for path in paths:
        inner = {other[:length] for other in paths for length in range(1, len(other))}
        if written.count(printed(path)) == 1 and printed(path) not in {printed(it) for it in inner}:
            assert resolve(*printed(path), tree, {}) == path


@given(st.text(".[]0123ab", max_size=12), st.text(".[]01a", max_size=3), TREES, TREES)
def test_any_text_gives_a_path(path: str, field: str, before: Any, after: Any) -> None:
    found = resolve(path, field, before, after)
    assert found
    assert str(found[-1]) == field or field.isdigit()


# without it


@pytest.mark.parametrize(
    ("path", "field", "expected"),
    [
        ("", "kind", ("kind",)),
        ("", "", ("",)),
        ("metadata.annotations", "helm.sh/x", ("metadata", "annotations", "helm.sh/x")),
        ("metadata.annotations", "12", ("metadata", "annotations", "12")),
        ("data", "7", ("data", "7")),
        ("spec.template.spec.containers[0].args", "1", ("spec", "template", "spec", "containers", 0, "args", 1)),
        ("spec.rows[0][12]", "a", ("spec", "rows", 0, 12, "a")),
        ("[3].a", "b", (3, "a", "b")),
        ("a]", "b", ("a]", "b")),
        ("a[x][1]", "b", ("a[x]", 1, "b")),
        ("a[1]x", "b", ("a[1]x", "b")),
        ("a[]", "b", ("a[]", "b")),
        ("a..b", "c", ("a", "b", "c")),
        ("a[12345678901]", "b", ("a[12345678901]", "b")),
        ("a", "12345678901", ("a", "12345678901")),
        ("a", "²", ("a", "²")),
    ],
)
def test_the_text_alone_is_split(path: str, field: str, expected: Path) -> None:
    assert resolve(path, field, {}, {}) == expected
    assert resolve(path, field, {"other": 1}, None) == expected


# hostile input


def test_work_is_bounded() -> None:
    deep: Any = {"x": 1}
    for _ in range(150):
        deep = {"": deep, "a": deep, "a.a": deep, "0": deep}
    hostile = [
        ("a." * 50_000, "x"),
        ("." * 100_000, "x"),
        ("[0]" * 50_000, "x"),
        ("[0]" * 60, "y"),
        ("a[0" * 50_000, "1"),
        ("]" * 100_000, "x"),
        ("a" + ".a" * 149, "y"),
        ("", "y"),
    ]
    begun = time.process_time()
    for path, field in hostile:
        assert resolve(path, field, deep, deep)
    assert time.process_time() - begun < 10


def test_many_paths_of_one_object_are_quick() -> None:
    before, after = ({"data": {f"k.{n}": value for n in range(20_000)}} for value in (1, 2))
    begun = time.process_time()
    found = [resolve("data", f"k.{n}", before, after) for n in range(20_000)]
    assert found[-1] == ("data", "k.19999")
    assert time.process_time() - begun < 5


# covers


@pytest.mark.parametrize(
    ("paths", "path", "expected"),
    [
        ([("a",)], ("a",), True),
        ([("a",)], ("a", "b"), True),
        ([("a", 0)], ("a", 0, "b", 1), True),
        ([("a", "b")], ("a",), False),
        ([("a", 0)], ("a", "0"), False),
        ([("a", 1)], ("a", 10), False),
        ([("ab",)], ("a", "b"), False),
        ([], ("a",), False),
        ([()], ("a",), True),
        ([("x",), ("a",)], ("a", "b"), True),
    ],
)
def test_covers(paths: list[Path], path: Path, expected: bool) -> None:
    assert covers(paths, path) is expected
    assert covers(frozenset(paths), path) is expected
