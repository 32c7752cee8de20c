import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.dashboard.markers import Marker, decoded, encoded, ending, within
from tests.dashboard.rendering import rendered
from tests.strategies import HOSTILE, names

texts = names | st.text(st.characters())
keys = st.from_regex(r"\A[a-z]{1,5}(-[a-z]{1,3}){0,2}\Z")
markers = st.builds(Marker, keys, st.dictionaries(keys, texts, max_size=4))


def test_a_marker_is_a_comment_with_its_keys() -> None:
    marker = Marker("row", {"stack": "envs/prod", "state": "pending"})
    assert str(marker) == '<!-- sluiceway:row stack="envs/prod" state="pending" -->'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("envs/prod:a.b@c+d", "envs/prod:a.b@c+d"),
        ("é😀", "é😀"),
        ('100% "<a>"', "100%25%20%22%3Ca%3E%22"),
        ("a\nb\x7f", "a%0Ab%7F"),
        ("a--b---c-", "a-%2Db-%2D%2Dc-"),
        ("\u202e\x85\ud800", "%E2%80%AE%C2%85%ED%A0%80"),
    ],
)
def test_what_is_encoded(text: str, written: str) -> None:
    assert encoded(text) == written
    assert decoded(written) == text


@pytest.mark.parametrize("written", ["%", "%2", "a%zz", "%ff", "%C3"])
def test_what_cannot_be_decoded(written: str) -> None:
    assert decoded(written) is None
    assert ending(f'<!-- sluiceway:row stack="{written}" -->') is None


@given(texts)
def test_any_text_comes_back(text: str) -> None:
    assert decoded(encoded(text)) == text


@given(markers, st.sampled_from(["", "- [ ] `a` ", "  "]), st.sampled_from(["", " ", "\t "]))
def test_any_marker_comes_back_from_the_end_of_a_line(marker: Marker, before: str, after: str) -> None:
    line = f"{before}{marker}"
    assert "\n" not in line
    assert line.isprintable()
    assert ending(line + after) == (before, marker)
    assert list(within(line)) == [marker]


@given(markers)
def test_no_value_ends_the_comment(marker: Marker) -> None:
    comment = str(marker).removeprefix("<!--").removesuffix("-->")
    assert "--" not in comment
    assert ">" not in comment
    page = rendered(f"a {marker}\n\n{marker}\n")
    assert page.tags == {"html", "head", "body", "p"}
    assert page.prose.split() == ["a"]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "text",
        '<!-- sluiceway:row stack="a" --> text',
        '<!-- sluiceway:row stack="a" stack="b" -->',
        "<!-- sluiceway:row stack=a -->",
        '<!-- sluiceway:row stack="a"-->',
        '<!-- sluiceway:row  stack="a" -->',
        '<!-- sluiceway:Row stack="a" -->',
        '<!-- other:row stack="a" -->',
        '<!-- sluiceway:row stack="a" --&gt;',
    ],
)
def test_what_is_no_marker_at_the_end_of_a_line(line: str) -> None:
    assert ending(line) is None


def test_several_markers_on_one_line_are_all_seen() -> None:
    one, two = Marker("row", {"stack": "a"}), Marker("row", {"stack": "b"})
    assert list(within(f"x {one} y {two} z")) == [one, two]
    assert ending(f"x {one} y {two}") == (f"x {one} y ", two)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_in_a_marker_shows_nothing(name: str) -> None:
    assert rendered(f"a {Marker('row', {'stack': name * 3})}").prose.split() == ["a"]
