import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from sluiceway.reports.folding import NARROWEST, folded
from sluiceway.reports.lines import Line, Span, as_text, line
from sluiceway.reports.text import row_lines
from tests.strategies import rows


def shown(one: Line, width: int) -> list[str]:
    return as_text(folded(one, width)).splitlines()


def test_a_line_that_fits_is_left_alone() -> None:
    one = line("x" * 30)
    assert folded(one, 30) == [one]


def test_words_are_kept_and_what_follows_keeps_the_indent() -> None:
    one = line(Span("Why:  ", "failed"), "another field manager holds a field", depth=1, hang=8)
    assert shown(one, 26) == ["  Why:  another field", "        manager holds a", "        field"]


def test_each_part_keeps_its_kind() -> None:
    one = line(Span("first words ", "delete"), Span("other words", "head"), hang=4)
    assert [[(span.text.strip(), span.style) for span in part.spans] for part in folded(one, 20)] == [
        [("first words", "delete"), ("other", "head")],
        [("", "plain"), ("words", "head")],
    ]


def test_a_name_is_folded_after_its_own_marks() -> None:
    one = line("spec.template.spec.containers[0].image", depth=2)
    assert shown(one, 26) == ["    spec.template.spec.", "      containers[0].image"]


def test_what_stands_in_brackets_stays_together_where_it_can() -> None:
    assert shown(line("web  12 updates  (2 min 5 s)", hang=4), 24) == ["web  12 updates", "    (2 min 5 s)"]


def test_a_word_without_marks_is_cut_at_the_edge() -> None:
    assert shown(line("x" * 45, hang=2), 20) == ["x" * 20, "  " + "x" * 18, "  " + "x" * 7]


def test_a_wide_character_counts_twice() -> None:
    assert shown(line("\u6f22" * 15, hang=0), 20) == ["\u6f22" * 10, "\u6f22" * 5]


def test_what_is_there_to_be_copied_is_never_folded() -> None:
    one = line("sluiceway deploy " + "web " * 20, whole=True)
    assert folded(one, 20) == [one]


def test_a_terminal_that_is_too_narrow_folds_nothing() -> None:
    one = line("some words that are long")
    assert folded(one, NARROWEST - 1) == [one]


@given(rows(), st.integers(NARROWEST, 120))
def test_no_character_is_lost_and_no_line_is_too_wide(row: object, width: int) -> None:
    for one in row_lines(row):  # type: ignore[arg-type]  # a row
        parts = folded(one, width)
        assert "".join(part.text for part in parts).replace(" ", "") == one.text.replace(" ", "")
        assert one.whole or all(cell_len(part.text) <= width for part in parts)


@given(st.text(st.characters(categories=["L", "M", "P", "Zs", "So"]), max_size=80), st.integers(NARROWEST, 40))
@example("a\u0301" * 40, NARROWEST)
def test_text_of_any_script_is_folded(text: str, width: int) -> None:
    parts = folded(line(text, hang=4), width)
    assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())
    assert all(cell_len(part.text) <= width for part in parts)


@pytest.mark.parametrize("width", [40, 80])
def test_a_hang_takes_no_more_than_half_of_the_terminal(width: int) -> None:
    parts = folded(line("word " * 60, hang=200), width)
    assert all(cell_len(part.spans[0].text) == width // 2 for part in parts[1:])
