import hashlib
import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.model.changes import Change, Diff, Holder, ShownValue
from sluiceway.model.hashing import canonical_json, diff_hash

texts = st.text(st.sampled_from('ab.-/"\\\0\x07\n\x7f\u2028é\uffee😀\U00010000\ud800'), max_size=5)
keys = st.lists(texts, max_size=4)


def changes(*, drift: bool = False) -> st.SearchStrategy[list[Change]]:
    """Draw changes at different addresses."""
    values = st.lists(
        st.builds(ShownValue, texts, st.none() | texts, st.none() | texts),
        max_size=3,
        unique_by=lambda value: value.path,
    )
    updates = st.builds(
        lambda address, changed, shown, held: Change(
            address, "T", "n", "update", tuple(changed), values=tuple(shown), holders=tuple(held)
        ),
        texts,
        keys,
        values,
        st.lists(st.builds(Holder, texts, texts, st.none(), st.none(), st.just(())), max_size=2 if drift else 0),
    )
    others = st.builds(lambda address, op: Change(address, "T", "n", op), texts, st.sampled_from(["create", "delete"]))
    return st.lists(updates | others, max_size=5, unique_by=lambda change: change.address)


diffs = st.builds(
    lambda stack, found, drift: Diff(stack, tuple(found), tuple(drift)), texts, changes(), changes(drift=True)
)


def test_the_known_hash_of_nothing() -> None:
    diff = Diff("envs/prod")
    assert canonical_json(diff) == b'{"changes":[],"stackId":"envs/prod"}'
    assert diff_hash(diff) == "e0f919130abe4bf7"


def test_the_canonical_json_of_everything() -> None:
    moved = Change(
        "B/b",
        "B",
        "b",
        "replace",
        changed_keys=("z", "a", "a"),
        replace_keys=("z",),
        tracking="move",
        previous_address="B/old",
        values=(ShownValue("z", new="2"), ShownValue("a", "1", "é")),
    )
    drifted = Change("A/a", "A", "a", "update", ("k",), holders=(Holder("m", "Update", "scale", "now", ("k",)),))
    diff = Diff("web", (moved, Change("A/a", "A", "a", "delete")), (drifted,))
    assert canonical_json(diff).decode() == (
        '{"changes":['
        '{"address":"A/a","changedKeys":[],"name":"a","op":"delete","replaceKeys":[],"type":"A"},'
        '{"address":"B/b","changedKeys":["a","z"],"name":"b","op":"replace","previousAddress":"B/old",'
        '"replaceKeys":["z"],"tracking":"move","type":"B",'
        '"values":[{"new":"é","old":"1","path":"a"},{"new":"2","path":"z"}]}'
        '],"drift":['
        '{"address":"A/a","changedKeys":["k"],"name":"a","op":"update","replaceKeys":[],"type":"A"}'
        '],"stackId":"web"}'
    )


def test_non_ascii_stays_as_it_is_and_control_characters_are_escaped() -> None:
    diff = Diff('é😀\u2028\x7f\0\x07\x1f\b\t\n\f\r"\\/')
    assert canonical_json(diff) == (
        '{"changes":[],"stackId":"é😀\u2028\x7f\\u0000\\u0007\\u001f\\b\\t\\n\\f\\r\\"\\\\/"}'.encode()
    )


def test_changes_keys_and_values_are_sorted_by_utf_16_code_unit() -> None:
    high, low = "\uffee", "😀"
    found = tuple(
        Change(name, "T", name, "update", (high, low), values=(ShownValue(high, "1"), ShownValue(low, "1")))
        for name in (high, low)
    )
    document = json.loads(canonical_json(Diff("web", found, found)))
    for listed in (document["changes"], document["drift"]):
        assert [change["address"] for change in listed] == [low, high]
        assert [change["changedKeys"] for change in listed] == [[low, high]] * 2
        assert [[value["path"] for value in change["values"]] for change in listed] == [[low, high]] * 2


def test_an_empty_text_is_not_an_absent_one() -> None:
    empty = Change("A", "T", "n", "update", ("k",), values=(ShownValue("k", "", None),))
    assert b'"values":[{"old":"","path":"k"}]' in canonical_json(Diff("web", (empty,)))


@settings(max_examples=60)
@given(diffs, st.randoms(use_true_random=False))
def test_the_order_of_the_input_never_changes_the_hash(diff: Diff, random: Any) -> None:
    def shuffled(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(random.sample(items, len(items)))

    def mixed(change: Change) -> Change:
        return replace(
            change,
            changed_keys=shuffled((*change.changed_keys, *change.changed_keys[:1])),
            values=shuffled(change.values),
        )

    other = Diff(diff.stack_id, shuffled(tuple(map(mixed, diff.changes))), shuffled(tuple(map(mixed, diff.drift))))
    assert canonical_json(other) == canonical_json(diff)
    assert diff_hash(other) == diff_hash(diff)


@given(diffs)
def test_the_canonical_json_is_sorted_without_white_space_and_never_holds_null(diff: Diff) -> None:
    written = canonical_json(diff).decode("utf-8", "surrogatepass")
    document = json.loads(written)
    assert written == json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert document.keys() == {"changes", "stackId", *(["drift"] if diff.drift else [])}
    known = {"address", "changedKeys", "name", "op", "replaceKeys", "type"}
    for change in (*document["changes"], *document.get("drift", [])):
        assert known <= change.keys() <= known | {"previousAddress", "tracking", "values"}
        assert change.get("values") != []
        assert None not in change.values()
        assert all(None not in value.values() for value in change.get("values", []))


@given(diffs)
def test_the_hash_is_the_beginning_of_a_sha_256(diff: Diff) -> None:
    assert diff_hash(diff) == hashlib.sha256(canonical_json(diff)).hexdigest()[:16]


@given(diffs)
def test_who_holds_a_drifted_field_is_not_hashed(diff: Diff) -> None:
    bare = replace(diff, drift=tuple(replace(change, holders=()) for change in diff.drift))
    assert diff_hash(bare) == diff_hash(diff)


@given(changes())
def test_everything_that_is_shown_is_hashed(found: list[Change]) -> None:
    hashes = {diff_hash(Diff("web", tuple(found)))}
    for number, change in enumerate(found):
        others = found[:number], found[number + 1 :]
        for other in (
            replace(change, name="other"),
            replace(change, type="Other"),
            replace(change, tracking="import"),
            replace(change, op="replace"),
        ):
            hashes.add(diff_hash(Diff("web", (*others[0], other, *others[1]))))
    assert len(hashes) == 1 + 4 * len(found)


def test_drift_is_hashed_apart_from_changes() -> None:
    change = Change("A", "T", "n", "delete")
    assert len({diff_hash(diff) for diff in (Diff("w", (change,)), Diff("w", (), (change,)), Diff("w"))}) == 3
