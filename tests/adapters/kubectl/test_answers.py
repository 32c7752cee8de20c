import json
from typing import Any

import pytest
from hypothesis import given

from sluiceway.adapters.kubectl.answers import read_objects, read_stream
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import Reason
from sluiceway.model.trees import Float
from sluiceway.processes import End, Outcome
from tests.adapters.kubectl.made import live
from tests.adapters.kubectl.strategies import objects

CANARY = "c4n4ry-v4lue"
PLACE = "the live objects"


def tree(name: str = "a", **more: Any) -> dict[str, Any]:
    return dict(live(name=name, **more).tree)


def addresses(found: list[LiveObject] | Reason) -> list[str]:
    assert isinstance(found, list)
    return [item.address for item in found]


@pytest.mark.parametrize("output", [b"", b"\n", b"  \n\t"])
def test_nothing_is_no_object(output: bytes) -> None:
    assert read_objects(output, PLACE) == []


def test_one_object_and_a_list_are_read() -> None:
    assert addresses(read_objects(json.dumps(tree(), indent=4).encode(), PLACE)) == ["ConfigMap/t/a"]
    listed = {"apiVersion": "v1", "kind": "List", "items": [tree("a"), tree("b")]}
    assert addresses(read_objects(json.dumps(listed).encode(), PLACE)) == ["ConfigMap/t/a", "ConfigMap/t/b"]
    assert read_objects(json.dumps({**listed, "items": []}).encode(), PLACE) == []


def test_numbers_are_as_in_yaml() -> None:
    output = json.dumps(tree(spec={"a": 1})).replace('"a": 1', '"a": 1.0, "b": 1.50, "c": 9007199254740993, "d": 1e20')
    found = read_objects(output.encode(), PLACE)
    assert isinstance(found, list)
    assert found[0].tree["spec"] == {"a": 1, "b": Float("1.5"), "c": 9007199254740993, "d": Float("1e+20")}


@pytest.mark.parametrize(
    "output",
    [
        f"error: {CANARY}",
        f'{{"a": "{CANARY}"',
        f'{json.dumps(live().tree)} "{CANARY}"',
        f'["{CANARY}"]',
        f'"{CANARY}"',
        "null",
        "5",
        "[" * 100_000,
        json.dumps({"items": [CANARY]}),
        json.dumps({"items": [{"kind": CANARY}]}),
        json.dumps({"kind": CANARY}),
        json.dumps({"apiVersion": "v1", "kind": "A", "metadata": {"name": 5}}),
        '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "x": NaN}',
    ],
)
def test_output_that_is_no_object_is_refused_with_its_place_and_without_what_was_found(output: str) -> None:
    reason = read_objects(output.encode(), PLACE)
    assert isinstance(reason, Reason)
    assert reason.kind == "unreadable-output"
    assert reason.names["place"] == PLACE
    assert CANARY not in f"{reason!r} {reason.text}"


def test_bytes_that_are_no_utf_8_do_not_break_the_reading() -> None:
    output = json.dumps(tree(data={"k": "X"})).encode().replace(b"X", b"\xff")
    assert addresses(read_objects(output, PLACE)) == ["ConfigMap/t/a"]


@given(objects())
def test_what_is_printed_reads_back(printed: dict[str, Any]) -> None:
    def plain(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: plain(child) for key, child in node.items()}
        if isinstance(node, list):
            return [plain(child) for child in node]
        return float(node) if isinstance(node, Float) else node

    if isinstance(printed.get("items"), list):
        del printed["items"]
    assert read_objects(json.dumps(plain(printed)).encode(), PLACE) == [LiveObject(printed)]


# a stream


def test_a_stream_of_objects_is_read_one_after_the_other() -> None:
    output = f"{json.dumps(tree('a'), indent=1)}\n{json.dumps(tree('b'))}{json.dumps(tree('c'))}\n"
    assert addresses(read_stream(output.encode())) == ["ConfigMap/t/a", "ConfigMap/t/b", "ConfigMap/t/c"]


def test_a_list_in_a_stream_is_its_items() -> None:
    output = json.dumps({"kind": "List", "items": [tree("a"), tree("b")]}) + json.dumps(tree("c"))
    assert len(read_stream(output.encode())) == 3
    assert len(read_stream(b'{"items": 5}{"items": null}[]5"x"')) == 2


@pytest.mark.parametrize("rest", ["", "\n", "{", '{"a"', "error", "[1]x", "\xff"])
def test_a_stream_is_read_as_far_as_it_goes(rest: str) -> None:
    assert len(read_stream(f"{json.dumps(tree())}\n{rest}".encode("latin-1"))) == 1
    assert read_stream(b"") == []


# how it ended


@pytest.mark.parametrize(
    ("ended", "code", "well"),
    [
        ("exited", 0, True),
        ("exited", 1, False),
        ("timed-out", 0, False),
        ("too-large", 0, False),
        ("not-started", None, False),
    ],
)
def test_only_an_exit_with_0_is_an_answer(ended: End, code: int | None, *, well: bool) -> None:
    assert answered(Outcome(ended, code)) is well
