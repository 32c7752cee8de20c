from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.model.order import by_code_unit, code_units, sorted_unique

any_text = st.text(st.characters(), max_size=6)
"""Lone surrogates too: a file name can hold one."""


def units(text: str) -> list[int]:
    """Return the UTF-16 code units of a text by the arithmetic of the standard, not by a codec."""
    found = []
    for point in map(ord, text):
        if point < 0x10000:
            found.append(point)
        else:
            found += [0xD800 + ((point - 0x10000) >> 10), 0xDC00 + ((point - 0x10000) & 0x3FF)]
    return found


def test_characters_past_the_first_plane_come_before_the_end_of_it() -> None:
    texts = ["\uffee", "😀", "z", "\ue000", "a", "Z", "é", "-", "\U00010000", "\ud7ff"]
    in_order = ["-", "Z", "a", "z", "é", "\ud7ff", "\U00010000", "😀", "\ue000", "\uffee"]
    assert by_code_unit(texts) == in_order
    assert sorted(texts) != in_order


def test_a_beginning_comes_first() -> None:
    assert by_code_unit(["ab", "a", "", "a\0"]) == ["", "a", "a\0", "ab"]


@settings(max_examples=100)
@given(st.lists(any_text))
def test_the_order_is_that_of_the_code_units(texts: list[str]) -> None:
    assert by_code_unit(texts) == sorted(texts, key=units)


@settings(max_examples=100)
@given(any_text, any_text)
def test_every_text_has_a_key_of_its_own(one: str, other: str) -> None:
    assert (code_units(one) == code_units(other)) is (units(one) == units(other))


def test_items_are_sorted_by_a_key_and_equal_ones_keep_their_order() -> None:
    assert by_code_unit([("b", 1), ("a", 2), ("b", 0)], key=lambda item: item[0]) == [("a", 2), ("b", 1), ("b", 0)]


@settings(max_examples=100)
@given(st.lists(any_text))
def test_sorted_unique_drops_what_stands_twice(texts: list[str]) -> None:
    assert sorted_unique([*texts, *texts]) == tuple(sorted(set(texts), key=units))
