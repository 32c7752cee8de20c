import resource
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubernetes.goyaml import DEPTH_LIMIT, RepeatedKey, UnreadableYAML, load
from sluiceway.model.trees import Float, same
from tests.adapters.kubectl import yaml_table as table
from tests.adapters.kubectl.strategies import dump, trees

CANARY = "c4n4ry-v4lue"
SECONDS = 3
"""CPU time that no text of this size comes near unless it takes more than linear time."""


def refusal(text: str, **how: Any) -> UnreadableYAML:
    with pytest.raises(UnreadableYAML) as caught:
        load(text, **how)
    return caught.value


def read(written: str) -> Any:
    try:
        (item,) = load(written, alone=True)
    except UnreadableYAML:
        return UnreadableYAML
    return item


def test_every_value_is_what_it_is_to_kubectl() -> None:
    expected = {**table.VALUES, **table.PAST_INT64}
    found = {written: read(f"- value: {written}\n") for written in expected}
    assert [written for written, value in expected.items() if not same(found[written], {"value": value})] == []


def test_every_key_is_what_it_is_to_kubectl() -> None:
    found = {written: read(f"- {written} : x\n") for written in table.KEYS}
    assert found == {written: {key: "x"} for written, key in table.KEYS.items()}


def test_what_is_refused() -> None:
    refused = [*table.REFUSED, *table.BY_CHANCE, *table.REFUSED_HERE]
    assert [written for written in refused if read(f"- value: {written}\n") is not UnreadableYAML] == []


def test_what_only_kubectl_refuses_is_read_somehow() -> None:
    found = {text: load(f"value: {text}\n")["value"] for text in table.REFUSED_BY_KUBECTL}
    assert found == table.REFUSED_BY_KUBECTL


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "---\n---\n", "null\n", "~", "\ufeff"])
def test_an_empty_document_is_none(text: str) -> None:
    assert load(text) is None


@pytest.mark.parametrize("text", ["a: 1\r\nb: 2\r\n", "\ufeffa: 1\nb: 2", "--- # x\na: 1\nb: 2\n...\n", "a: 1\rb: 2\r"])
def test_byte_order_marks_line_ends_and_document_marks_do_not_matter(text: str) -> None:
    assert load(text, alone=True) == {"a": 1, "b": 2}


def test_only_the_first_document_is_read() -> None:
    assert load("a: 1\n---\nb: 2\n") == {"a": 1}
    assert load("a: 1\n...\nb: 2\n") == {"a": 1}


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 2\n", "a: 1\n...\n---\nb: 2\n", "a: 1\n--- b\n", "a: 1\r---\rb: 2"])
def test_a_second_document_is_refused_where_the_first_stands_alone(text: str) -> None:
    assert refusal(text, alone=True).expected == "nothing behind the end of the document"


def test_a_refusal_names_the_line_and_never_the_text() -> None:
    error = refusal(f"a: 1\nb: 2\nc: [{CANARY}\n")
    assert error.line == 4
    for text in (
        f"k: {CANARY}\n{CANARY}",
        f"k: !!int {CANARY}",
        f"k: *{CANARY}",
        f"{{? [{CANARY}] : x}}",
        f"@{CANARY}",
    ):
        error = refusal(text)
        assert CANARY not in f"{error!r} {error} {error.expected}"
        assert error.__cause__ is None
        assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: .inf\n", 2),
        ("a: 1\n\n\nb: !!int x\n", 4),
        ("a:\n  b:\n    ~: 1\n", 3),
        ("a: 1\nb: @\n", 2),
        ("a: \x07\n", 1),
        ("a: 1\nb: \x07\n", 2),
        ('a: 1\n1: x\n"1": y\n', 3),
        ("b: 1\na: &a\n- *a\n", 2),
    ],
)
def test_the_line_of_a_refusal(text: str, line: int) -> None:
    assert refusal(text).line == line


# keys that stand twice


def repeated_in(text: str) -> list[RepeatedKey]:
    found: list[RepeatedKey] = []
    load(text, repeated=found)
    return found


def test_a_key_that_stands_twice_is_noted_with_its_line_and_the_last_one_counts() -> None:
    text = "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\na: 4\n"
    assert load(text) == {"a": 4, "b": {"c": 3, "d": 2}}
    assert repeated_in(text) == [RepeatedKey(5, "c"), RepeatedKey(6, "a")]


def test_a_key_that_stands_three_times_is_noted_twice() -> None:
    assert repeated_in("a: 1\na: 2\na: 3\n") == [RepeatedKey(2, "a"), RepeatedKey(3, "a")]


def test_the_same_key_in_other_maps_or_spelled_otherwise() -> None:
    assert repeated_in("- a: 1\n- a: 2\n") == []
    assert repeated_in("y: 1\non: 2\n") == [RepeatedKey(2, "true")]


def test_a_key_that_overrides_a_merged_one_is_the_use_of_a_merge() -> None:
    assert repeated_in("x: &x {a: 1}\nb:\n  <<: *x\n  a: 2\n") == []


def test_a_merge_that_overrides_a_key_is_noted_since_other_readers_do_it_the_other_way_round() -> None:
    assert repeated_in("x: &x {a: 1}\nb:\n  a: 2\n  <<: *x\n") == [RepeatedKey(4, "a")]


def test_a_key_that_stands_twice_behind_a_merge_is_noted_once() -> None:
    assert repeated_in("x: &x {a: 1}\nb:\n  <<: *x\n  a: 2\n  a: 3\n") == [RepeatedKey(5, "a")]


# bounds


def test_nesting_is_bounded() -> None:
    assert load("[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT)
    for deep in (DEPTH_LIMIT + 1, 900, 100_000):
        for start, end in (("[", "]"), ("{a: ", "}"), ("- ", "")):
            refusal(start * deep + "x" + end * deep)


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("levels", [4, 9, 200])
def test_an_alias_bomb_is_refused_fast_and_in_little_memory(levels: int) -> None:
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert "aliases" in refusal(bomb(levels)).expected
    assert time.process_time() - start < 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024


def test_a_bomb_of_merges_is_refused() -> None:
    lines = ["m0: &m0 {a: 1, b: 2}"]
    lines += [f"m{n}: &m{n}\n  <<: [{', '.join([f'*m{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert "aliases" in refusal("\n".join(lines)).expected


def test_many_aliases_that_multiply_nothing_are_read() -> None:
    common = "- &labels {app: web, tier: front}\n" + "- *labels\n" * 5000
    assert load(common) == [{"app": "web", "tier": "front"}] * 5001


def test_an_anchor_that_is_set_anew_counts_from_there_on() -> None:
    assert load("- &a 1\n- *a\n- &a {b: 2}\n- *a\n") == [1, 1, {"b": 2}, {"b": 2}]


# what a cluster answers


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\n",
        "a: &x {b: 1}\n",
        "&x a: 1\n",
        "- &x [1]\n- *x\n",
        "a: &x 1\nb: *x\n",
        '{"a":&x 1}',
        "\ufeff&x a",
        "a: !foo 1\n",
        "a: !!str 1\n",
        "a: !foo {b: 1}\n",
        "a: !!seq [b]\n",
        "!!str a: 1\n",
        "a: ! 5\n",
        "--- !foo\na: 1\n",
    ],
)
def test_anchors_aliases_and_tags_are_refused_from_a_cluster(text: str) -> None:
    assert refusal(text, refuse_tags=True).expected in {"no anchor", "no tag"}


@pytest.mark.parametrize(
    "text",
    [
        "a: b &c\n",
        "a: 'x &y'\n",
        "a: |\n  if a && b; then &x\n  &y\n",
        "a: b*c\nc: '*'\n",
        "a: hello! you\n",
        "a: 'x ! y'\n",
        '"&a": "*a"\n',
    ],
)
def test_what_looks_like_an_anchor_an_alias_or_a_tag_is_read(text: str) -> None:
    assert same(load(text, refuse_tags=True), load(text))


def test_floats_and_dates_are_never_objects_of_python() -> None:
    tree = load("a: 2020-01-01\nb: 1.5\nc: 2001-12-14t21:59:43Z\n")
    assert [type(value) for value in tree.values()] == [str, Float, str]


@given(trees())
def test_what_kubectl_would_print_reads_back(tree: Any) -> None:
    assert same(load(dump(tree), refuse_tags=True, alone=True), tree)


@settings(max_examples=100)
@given(st.text("ab: -[]{}#&*!|>'\"%@`,?\n\t~1.0_", max_size=40))
def test_any_text_is_read_or_refused_at_one_of_its_lines(text: str) -> None:
    line = 1
    try:
        load(text)
    except UnreadableYAML as error:
        line = error.line
    assert 1 <= line <= text.count("\n") + 2


def test_a_key_that_stands_very_often_takes_no_time_of_its_own() -> None:
    text = "".join(f"a: {number}\n" for number in range(20_000))
    begun = time.process_time()
    repeated = repeated_in(text)
    assert time.process_time() - begun < SECONDS
    assert len(repeated) == 19_999
    with pytest.raises(UnreadableYAML, match="line 2: expected no key that is another one as text"):
        load(f"1: a\n'1': b\n{text}")


@pytest.mark.parametrize("keys", ["<<: a\n<<: b\n", "b: 1\n<<: a\n<<: b\nb: 2\n"])
def test_a_merge_key_that_is_only_a_key_may_stand_twice(keys: str) -> None:
    repeated: list[RepeatedKey] = []
    assert load(keys, refuse_tags=True, repeated=repeated)["<<"] == "b"
    assert "<<" in {found.key for found in repeated}
