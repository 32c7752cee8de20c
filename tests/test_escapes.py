import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.escapes import without_escapes

HOSTILE = st.text(st.sampled_from("\x1b\x9b\x9d\x90\x9c\x07[]P^_\\m;0 aé\t\r\n\x00\x7f\u202e"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("as it is: é, ✓, 日本\ttab", "as it is: é, ✓, 日本\ttab"),
        ("\x1b[1;38:5:9mcolour\x1b[0m", "colour"),
        ("\x9b31mC1\x9bm", "C1"),
        ("\x1b[2J\x1b[?25lclear and hide\x1b[1 q", "clear and hide"),
        ("\x1b]0;title\x07osc\x1b]8;;https://host/\x1b\\link\x1b]8;;\x1b\\", "osclink"),
        ("\x9dtitle\x9cC1 osc", "C1 osc"),
        ("\x1bPdevice\x1b\\\x1b_program\x1b\\\x1b^private\x1b\\\x1bXstart\x1b\\strings", "strings"),
        ("\x1b7\x1b8\x1b(B\x1bcsingle", "single"),
        ("cut short: \x1b[12", "cut short: "),
        ("\x1b]unterminated strings lose no text", "unterminated strings lose no text"),
        ("alone\x1b", "alone"),
        ("bell\x07 back\x08 nul\x00 del\x7f return\r line\n next\x85", "bell back nul del return line next"),
        ("a\u202eb\u2066c\u200fd\u2028e", "abcde"),
    ],
)
def test_leaves_plain_text(text: str, plain: str) -> None:
    assert without_escapes(text) == plain


def test_keeps_colours_only_where_asked() -> None:
    text = "\x1b[31mred\x1b[0m\x1b[2J\x1b]0;t\x07\x1b[1Aup\x1b\x1b[32mgreen"
    assert without_escapes(text, keep_colour=True) == "\x1b[31mred\x1b[0mup\x1b[32mgreen"


@given(HOSTILE)
def test_nothing_is_left_for_a_terminal_to_obey(text: str) -> None:
    plain = without_escapes(text)
    assert all(character.isprintable() or character == "\t" for character in plain)
    assert without_escapes(plain) == plain


@given(HOSTILE)
def test_with_colours_kept_only_whole_colour_sequences_are_left(text: str) -> None:
    assert without_escapes(without_escapes(text, keep_colour=True)) == without_escapes(text)


@pytest.mark.parametrize("part", ["\x1b]", "\x9d", "\x1b[", "\x9b0;", "\x1b[0;", "\x1bP0", "\x1b(", "\x1b", "\x90\x1b"])
def test_a_hostile_line_takes_no_more_than_its_length(part: str) -> None:
    began = time.process_time()
    without_escapes(part * 100_000 + "é", keep_colour=True)
    assert time.process_time() - began < 1
