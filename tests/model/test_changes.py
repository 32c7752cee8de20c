from typing import Any

import pytest

from sluiceway.model.changes import Change, repeated_address, sort_changes


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"op": "none"}, "an op other than none"),
        ({"op": "create", "changed_keys": ("a",)}, "list no keys"),
        ({"op": "delete", "changed_keys": ("a",)}, "list no keys"),
        ({"op": "update", "previous_address": "A/old"}, "move only"),
        ({"op": "update", "previous_address": "A/old", "tracking": "import"}, "move only"),
        ({"op": "replace", "changed_keys": ("a",), "replace_keys": ("b",)}, "part of changed_keys"),
    ],
)
def test_what_is_no_change(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Change("A/a", "A", "a", **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "none", "tracking": "import"},
        {"op": "none", "tracking": "forget"},
        {"op": "none", "tracking": "move", "previous_address": "A/old"},
        {"op": "update", "tracking": "move", "previous_address": "A/old", "changed_keys": ("a",)},
        {"op": "create"},
        {"op": "delete"},
        {"op": "replace", "changed_keys": ("a", "b"), "replace_keys": ("b",)},
    ],
)
def test_what_is_a_change(fields: dict[str, Any]) -> None:
    assert Change("A/a", "A", "a", **fields).op == fields["op"]


def test_changes_are_sorted_by_address() -> None:
    changes = [Change(address, "A", "a", "create") for address in ("b", "\uffee", "😀", "a", "B")]
    assert [change.address for change in sort_changes(changes)] == ["B", "a", "b", "😀", "\uffee"]


def test_an_address_that_stands_twice_is_found() -> None:
    once = [Change(address, "A", "a", "create") for address in ("a", "b")]
    assert repeated_address(once) is None
    assert repeated_address([*once, Change("a", "B", "b", "delete")]) == "a"
    assert repeated_address(()) is None
