from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.changes import ShownValue
from sluiceway.model.shown import ShowValues, shortened, shown_scalar, shown_value
from sluiceway.model.trees import MISSING, Float


@pytest.mark.parametrize(
    ("glob", "path", "shown"),
    [
        ("spec.replicas", "spec.replicas", True),
        ("spec.replicas", "spec.replicasX", False),
        ("spec.replicas", "xspec.replicas", False),
        ("spec.replicas", "specXreplicas", False),
        ("spec.*", "spec.replicas", True),
        ("spec.*", "spec.template.spec", False),
        ("spec.*", "spec.ports[0]", False),
        ("spec.r*s", "spec.replicas", True),
        ("spec.containers[*].image", "spec.containers[12].image", True),
        ("spec.containers[*].image", "spec.containers[0][1].image", False),
        ("spec.containers[0].image", "spec.containers[1].image", False),
        ('data["*"]', 'data["a-b"]', True),
        ('data["*"]', 'data["a.b"]', False),
        ('data["a.b"]', 'data["a.b"]', True),
        ("a.b+", "a.bb", False),
        ("a.(b|c)", "a.b", False),
        ("a.b*", "a.b\nc", True),
        ("", "a", False),
    ],
)
def test_a_star_stands_for_a_run_of_characters_inside_one_name(glob: str, path: str, *, shown: bool) -> None:
    assert ShowValues([glob])(path) is shown


def test_one_glob_of_several_is_enough_and_none_shows_nothing() -> None:
    assert ShowValues(["a", "b"])("b")
    assert not ShowValues()("a")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("text", "text"),
        ("", ""),
        ("é😀", "é😀"),
        (5, "5"),
        (0, "0"),
        (True, "true"),
        (False, "false"),
        (Float("1.5"), "1.5"),
        (None, None),
        ({}, None),
        ([], None),
        ({"a": 1}, None),
        ([1], None),
        ("two\nlines", None),
        ("two\rlines", None),
        ("two\u2028lines", None),
        ("two\x85lines", None),
        ("\x1b[31m", None),
        ("a\u202eb", None),
        (MISSING, None),
    ],
)
def test_only_one_line_texts_numbers_and_booleans_are_shown(value: Any, shown: str | None) -> None:
    assert shown_scalar(value) == shown


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("a", "b", ShownValue("p", "a", "b")),
        (1, True, ShownValue("p", "1", "true")),
        (MISSING, "b", ShownValue("p", None, "b")),
        ("a", MISSING, ShownValue("p", "a", None)),
        ("", MISSING, ShownValue("p", "", None)),
        ("a", {"b": 1}, None),
        ([1], "a", None),
        ("a", None, None),
        (None, "a", None),
        ("a", "b\nc", None),
        (MISSING, {}, None),
        (MISSING, MISSING, None),
    ],
)
def test_both_sides_are_shown_or_none(before: Any, after: Any, value: ShownValue | None) -> None:
    assert shown_value("p", before, after) == value


def test_a_long_text_is_cut_in_the_middle_counted_in_code_points() -> None:
    assert shortened("x" * 40) == "x" * 40
    assert shortened("a" * 19 + "😀" * 2 + "b" * 20) == "a" * 19 + "…" + "b" * 20
    assert shortened("😀" * 41) == "😀" * 19 + "…" + "😀" * 20
    assert shown_scalar(10**50) == "1" + "0" * 18 + "…" + "0" * 20


@given(st.text())
def test_what_is_shown_is_never_longer_than_forty_code_points(text: str) -> None:
    assert len(shortened(text)) <= 40
    assert (shortened(text) == text) is (len(text) <= 40)
