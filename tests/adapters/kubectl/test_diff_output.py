import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl import diff_output
from sluiceway.adapters.kubectl.commands import DIFF_PROGRAM
from sluiceway.adapters.kubectl.diff_output import Hunk, ObjectDiff, UnreadableDiff, read_diff
from sluiceway.model.trees import same
from tests.adapters.kubectl.strategies import HOSTILE_TEXTS, dump, object_pairs

CANARY = "c4n4ry-v4lue"
HEAD = (
    "diff -N -U1000000 /tmp/LIVE-1/v1.ConfigMap.t.a /tmp/MERGED-1/v1.ConfigMap.t.a\n"
    "--- /tmp/LIVE-1/v1.ConfigMap.t.a\t2026-11-30 12:00:00\n"
    "+++ /tmp/MERGED-1/v1.ConfigMap.t.a\t2026-11-30 12:00:00\n"
)


def config_map(value: str = "v") -> str:
    return f"apiVersion: v1\ndata:\n  k: {value}\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: t\n"


def diffed(pairs: list[tuple[str, str]]) -> bytes:
    """Return what the adapter's diff program prints for texts, as kubectl runs it: on two directories, a file each."""
    with tempfile.TemporaryDirectory() as room:
        folders = [Path(room, "LIVE-1"), Path(room, "MERGED-1")]
        for side, folder in enumerate(folders):
            folder.mkdir()
            for number, pair in enumerate(pairs):
                if pair[side]:
                    (folder / f"{number:03}").write_text(pair[side], encoding="utf-8", newline="")
        command = [*DIFF_PROGRAM.split(), *map(str, folders)]
        return subprocess.run(command, capture_output=True, check=False, timeout=60).stdout


def hunks(content: str) -> list[Hunk]:
    return list(diff_output.read_hunks(content))


def refusal(content: str | bytes) -> UnreadableDiff:
    with pytest.raises(UnreadableDiff) as caught:
        read_diff(content.encode() if isinstance(content, str) else content)
    return caught.value


# what the diff program prints reads back


@settings(max_examples=20)
@given(st.lists(object_pairs(), min_size=1, max_size=2))
def test_objects_read_back_whole(pairs: list[tuple[dict[str, Any] | None, dict[str, Any] | None]]) -> None:
    texts = [tuple("" if side is None else dump(side) for side in pair) for pair in pairs]
    differing = [(pair, text) for pair, text in zip(pairs, texts, strict=True) if text[0] != text[1]]
    read = read_diff(diffed([(text[0], text[1]) for _pair, text in differing]))
    assert len(read) == len(differing)
    for found, ((live, merged), text) in zip(read, differing, strict=True):
        assert found.hunk is not None
        assert (found.hunk.live, found.hunk.merged) == text
        assert all(same(whole, tree) for whole, tree in zip(found.whole(), (live, merged), strict=True))
        assert (found.live is None, found.merged is None) == (live is None, merged is None)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_lines_of_an_object_that_look_like_lines_of_a_diff_are_lines_of_the_object(text: str) -> None:
    trees = [
        {"apiVersion": "v1", "data": {"a": value, "k": text}, "kind": "C", "metadata": {"name": "a"}} for value in "xy"
    ]
    (found,) = read_diff(diffed([(dump(trees[0]), dump(trees[1]))]))
    assert all(same(whole, tree) for whole, tree in zip(found.whole(), trees, strict=True))


@pytest.mark.parametrize(
    "line", ["--- a", "+++ b", "diff a b", "@@ -1 +1 @@", "-- a", "++ b", "\\ No newline at end of file", ""]
)
def test_such_a_line_may_come_go_and_stay(line: str) -> None:
    without, with_line = config_map("|\n    x\n"), config_map(f"|\n    x\n    {line}\n")
    for pair in (
        (without, with_line),
        (with_line, without),
        (with_line, with_line.replace("name: a", "name: a\n  uid: u")),
    ):
        (found,) = hunks(diffed([pair]).decode())
        assert (found.live, found.merged) == pair


def test_many_objects_are_read_in_the_order_of_the_output() -> None:
    pairs = [
        (config_map().replace("name: a", f"name: a{n}"), config_map("w").replace("name: a", f"name: a{n}"))
        for n in range(30)
    ]
    read = read_diff(diffed(pairs))
    assert [found.either.name for found in read] == [f"a{n}" for n in range(30)]


# sides


def test_a_create_has_no_live_side_and_a_delete_no_merged_one() -> None:
    (create,) = read_diff(diffed([("", config_map())]))
    assert create.live is None
    assert create.either.address == "ConfigMap/t/a"
    (delete,) = read_diff(diffed([(config_map(), "")]))
    assert delete.merged is None
    assert delete.either.address == "ConfigMap/t/a"


def test_a_new_secret_has_the_live_side_null() -> None:
    merged = "apiVersion: v1\ndata:\n  k: '***'\nkind: Secret\nmetadata:\n  name: a\n"
    (found,) = read_diff(diffed([("null\n", merged)]))
    assert found.live is None
    assert found.merged is not None
    assert found.merged.is_secret
    assert found.whole()[0] is None


def test_an_object_with_no_side_is_refused() -> None:
    assert "one side at least" in refusal(diffed([("null\n", "null \n")])).expected


def test_two_objects_in_one_file_are_refused() -> None:
    other = config_map().replace("name: a", "name: b")
    assert refusal(diffed([(config_map(), other)])).expected == "the same object on both sides"


@pytest.mark.parametrize(
    "side", ["- a\n", "text\n", "a: 1\n", "kind: A\nmetadata: {name: a}\n", "apiVersion: v1\nkind: A\nmetadata: []\n"]
)
def test_a_side_that_names_no_object_is_refused(side: str) -> None:
    assert "apiVersion, kind and name" in refusal(diffed([(config_map(), side)])).expected
    assert "live side" in refusal(diffed([(side, config_map())])).place


def test_identity_comes_from_the_object_and_never_from_the_name_of_the_file() -> None:
    (found,) = read_diff((HEAD.replace("v1.ConfigMap.t.a", "x") + hunk(config_map(), config_map("w"))).encode())
    assert found.either.address == "ConfigMap/t/a"


def hunk(live: str, merged: str) -> str:
    before, after = live.splitlines(keepends=True), merged.splitlines(keepends=True)
    head = f"@@ -{1 if before else 0},{len(before)} +{1 if after else 0},{len(after)} @@\n"
    return head + "".join(f"-{line}" for line in before) + "".join(f"+{line}" for line in after)


# no newline at the end


def test_a_marker_of_no_newline_may_follow_each_side() -> None:
    (found,) = hunks(diffed([("a: 1", "a: 2")]).decode())
    assert (found.live, found.merged) == ("a: 1\n", "a: 2\n")
    (found,) = hunks(diffed([("a: 1\nb: 1", "a: 2\nb: 1")]).decode())
    assert (found.live, found.merged) == ("a: 1\nb: 1\n", "a: 2\nb: 1\n")
    assert [found.number for found in hunks(diffed([("a: 1", "a: 2\n"), ("b: 1\n", "b: 2")]).decode())] == [1, 2]


def test_the_marker_may_be_of_any_language() -> None:
    content = (
        HEAD + "@@ -1 +1 @@\n-a: 1\n\\ Kein Zeilenumbruch am Dateiende.\n+a: 2\n\\ Kein Zeilenumbruch am Dateiende.\n"
    )
    assert [(found.live, found.merged) for found in hunks(content)] == [("a: 1\n", "a: 2\n")]


# output that cannot be read


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        ("error: it broke\n", 1, "'diff'"),
        (HEAD, 4, "header of a hunk"),
        (HEAD.replace("--- ", "---"), 2, "'---'"),
        (HEAD.replace("+++ ", "++ ") + hunk("a\n", "b\n"), 3, "'+++'"),
        ("".join(HEAD.splitlines(keepends=True)[:2]), 3, "'+++'"),
        ("Only in /tmp/LIVE-1: a\n", 1, "'diff'"),
        ("Binary files /tmp/LIVE-1/a and /tmp/MERGED-1/a differ\n", 1, "'diff'"),
        (HEAD + "@@ -1,2 +1,2 @@\n a\n", 6, "line of the object"),
        (HEAD + "@@ -1 +1 @@\n-a\n-b\n", 6, "line of the object"),
        (HEAD + "@@ -1 +1 @@\n-a\n*b\n", 6, "line of the object"),
        (HEAD + "@@ -1,2 +1 @@\n-a\n+b\n c\n", 7, "line of the object"),
        (HEAD + "@@ -1,3 +1,3 @@\n a\n\n c\n", 6, "line of the object"),
        (HEAD + "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n", 7, "'diff'"),
        (HEAD + "@@ -2 +2 @@\n-a\n+b\n", 4, "from line 1"),
        (HEAD + "@@ -1 +2 @@\n-a\n+b\n", 4, "from line 1"),
        (HEAD + "@@ -0,0 +2 @@\n+b\n", 4, "from line 1"),
        (HEAD + "@@ -1,0 +1 @@\n+b\n", 4, "from line 1"),
        (HEAD + "@@ -a +1 @@\n+b\n", 4, "header of a hunk"),
        (HEAD + "@@ @@\n", 4, "header of a hunk"),
        (HEAD + "@@ -1 +1 @@\n-a\n+b\nand more\n", 7, "'diff'"),
    ],
)
def test_the_place_and_what_was_expected_are_named(content: str, line: int, expected: str) -> None:
    with pytest.raises(UnreadableDiff) as caught:
        hunks(content)
    assert caught.value.place == f"object {1 if line < 7 or 'line of' in expected else 2} of the diff, line {line}"
    assert expected in caught.value.expected


def test_the_second_object_is_counted() -> None:
    good = HEAD + hunk(config_map(), config_map("w"))
    assert refusal(good + "nonsense\n").place.startswith("object 2 of the diff, line ")
    assert refusal(good + HEAD + hunk("a: [\n", "a: 1\n")).place.startswith("object 2 of the diff")


@given(st.data())
def test_cut_output_is_never_taken_for_whole(data: st.DataObject) -> None:
    whole = HEAD + hunk(config_map(), config_map("w"))
    cut = whole[: data.draw(st.integers(1, len(whole) - 2))]
    assert refusal(cut)


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    assert refusal(b"diff \xff").expected == "UTF-8"


def test_a_refusal_never_holds_what_was_found() -> None:
    texts = [
        f"{CANARY}\n",
        HEAD + f"@@ -1 +1 @@\n{CANARY}\n",
        HEAD + hunk(f"k: [{CANARY}\n", "k: 1\n"),
        HEAD + hunk(f"{CANARY}: 1\n", config_map()),
        HEAD + hunk(config_map(), config_map().replace("name: a", f"name: {CANARY}")),
        HEAD + hunk(config_map(), f"k: !!int {CANARY}\n"),
    ]
    for content in texts:
        error = refusal(content)
        assert CANARY not in f"{error!r} {error} {error.place} {error.expected}"


def test_neither_a_hunk_nor_an_object_shows_what_it_holds() -> None:
    content = HEAD + hunk(config_map(CANARY), config_map())
    assert CANARY not in f"{hunks(content)!r} {read_diff(content.encode())!r}"


# written in between


def test_sides_of_two_resource_versions_are_a_race() -> None:
    def at(version: str, value: str) -> str:
        return config_map(value).replace("  name: a\n", f"  name: a\n  resourceVersion: '{version}'\n")

    def raced(live: str, merged: str) -> bool:
        (found,) = read_diff(diffed([(live, merged)]))
        return found.raced

    assert raced(at("1", "v"), at("2", "w"))
    assert not raced(at("1", "v"), at("1", "w"))
    assert not raced("", at("1", "w"))
    assert not ObjectDiff(None, None).raced


@pytest.mark.parametrize(
    ("equal", "expected"), [("a: \x01", "printable characters"), ("a: [", "YAML"), ("a: !b c", "no tag")]
)
def test_a_part_that_both_sides_have_and_that_is_no_yaml_is_refused_when_it_is_read(equal: str, expected: str) -> None:
    live, merged = (f"{config_map()}x:\n  {equal}\nz: {side}\n" for side in "ab")
    (found,) = read_diff(diffed([(live, merged)]))
    with pytest.raises(UnreadableDiff) as error:
        found.whole()
    assert error.value.expected == expected
