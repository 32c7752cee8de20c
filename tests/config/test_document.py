import json
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.config.document import DEEPEST, node_at, parse, position_of, scalar
from sluiceway.config.findings import Position


def data(text: str) -> Any:
    node, findings = parse(text)
    assert node is not None
    assert findings == []
    return node.data


def told(text: str) -> list[str]:
    return [f"{finding.position.line}:{finding.position.column} {finding.problem}" for finding in parse(text)[1]]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30T12:30:56Z", "2026-11-30T12:30:56Z"),
        ("12:30:45", "12:30:45"),
        ("no", "no"),
        ("on", "on"),
        ("Y", "Y"),
        ("1_000", "1_000"),
        ("=", "="),
        ("v1.30", "v1.30"),
        ("1.30.0", "1.30.0"),
        ("tRUE", "tRUE"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("10", 10),
        ("010", 10),
        ("-5", -5),
        ("+5", 5),
        ("0x1F", 31),
        ("0o17", 15),
        ("0b1", "0b1"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("'10'", "10"),
        ('"true"', "true"),
        ("''", ""),
        ("|\n  a\n  b", "a\nb\n"),
    ],
)
def test_a_scalar_reads_as_yaml_1_2_reads_it(written: str, value: object) -> None:
    found = data(f"key: {written}\n")["key"]
    assert found == value
    assert type(found) is type(value)


def test_a_number_of_many_digits_is_no_whole_number() -> None:
    assert scalar("9" * 5000) == float("inf")
    assert scalar("0x" + "f" * 5000) == float("inf")


def test_lists_and_mappings_nest() -> None:
    text = "a:\n  - b: [1, {c: d}]\n    e:\n  - []\nf: {}\n"
    assert data(text) == {"a": [{"b": [1, {"c": "d"}], "e": None}, []], "f": {}}


def test_keys_are_text_as_written() -> None:
    assert data("1: a\ntrue: b\n~: c\n'': d\n") == {"1": "a", "true": "b", "~": "c", "": "d"}


def test_every_key_and_item_knows_its_place() -> None:
    node, _ = parse("# comment\na:\n  - x\n  -\n    b: 1\n    c: {d: 2}\n")
    assert node is not None
    assert position_of(node, ()) == Position(2, 1)
    assert position_of(node, ("a",)) == Position(2, 1)
    assert position_of(node, ("a", 0)) == Position(3, 5)
    assert position_of(node, ("a", 1, "b")) == Position(5, 5)
    assert position_of(node, ("a", 1, "c", "d")) == Position(6, 9)


def test_what_is_not_there_stands_where_it_would_belong() -> None:
    node, _ = parse("a:\n  - b: 1\n")
    assert node is not None
    assert position_of(node, ("a", 0, "missing", "deeper")) == position_of(node, ("a", 0))
    assert node_at(node, ("a", 0, "missing", "deeper")) is None


def test_anchors_and_aliases() -> None:
    assert data("a: &x {b: 1}\nc: *x\nd: [*x]\n") == {"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}]}


def test_an_anchor_set_twice_means_the_latest() -> None:
    assert data("[&x 1, *x, &x 2, *x]") == [1, 1, 2, 2]


def test_merging_adds_what_a_mapping_does_not_say_itself() -> None:
    text = "- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- {<<: *a, y: 3}\n- {<<: [*a, *b], w: 0}\n"
    assert data(text)[2:] == [{"x": 1, "y": 3}, {"x": 1, "y": 1, "z": 2, "w": 0}]


def test_a_merged_key_stands_where_it_was_written() -> None:
    node, _ = parse("- &a\n  x: 1\n- <<: *a\n")
    assert node is not None
    assert position_of(node, (1, "x")) == Position(2, 3)


def test_a_quoted_merge_key_is_a_key() -> None:
    assert data("'<<': 1") == {"<<": 1}


@pytest.mark.parametrize("value", ["1", "[a]", "[{}, 1]"])
def test_only_mappings_merge(value: str) -> None:
    assert told(f"a: 1\n<<: {value}\n") == ["2:1 expected a mapping, or a list of mappings, to merge"]


def test_a_key_that_stands_twice_names_both_lines_and_the_first_holds() -> None:
    node, findings = parse("a: 1\nb: 2\na: 3\n")
    assert node is not None
    assert node.data == {"a": 1, "b": 2}
    assert [(finding.position, finding.path, finding.problem) for finding in findings] == [
        (Position(3, 1), ("a",), "stands twice, first on line 1: keep one")
    ]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "---\n# nothing\n...\n", "~", "\n\n"])
def test_an_empty_file(text: str) -> None:
    assert told(text) == ["1:1 is empty: write at least `stacks: []`, or remove the file"]


@pytest.mark.parametrize("text", ["a: 1\n---\nb: 1\n", "a: 1\n---\n"])
def test_a_second_document(text: str) -> None:
    assert told(text) == ["2:1 holds a second document: keep one"]


@pytest.mark.parametrize("text", ["---\na: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n"])
def test_one_document_however_it_is_marked(text: str) -> None:
    assert data(text) == {"a": 1}


@pytest.mark.parametrize("tag", ["!!str", "!", "!x", "!!python/object/apply:os.system", "!!binary"])
def test_tags_mean_nothing(tag: str) -> None:
    (problem,) = told(f"a: 1\nb: {tag} x\n")
    assert problem.startswith("2:4 has the tag `")
    assert problem.endswith("`: tags mean nothing here, remove it")


@pytest.mark.parametrize("key", ["? [a]\n", "? {a: b}\n"])
def test_a_key_is_text(key: str) -> None:
    assert told(f"a: 1\n{key}: b\n") == ["2:3 has a key that is a list or a mapping, expected text"]


COLON = "is not YAML: a `: ` where no key can stand: check the indentation, and put text that holds `: ` in quotes"
START = "is not YAML: a tab, `@`, `%` or backquote can't start a value: indent with spaces, and put such text in quotes"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b: c", f"1:5 {COLON}"),
        ("a:\n\t- b", f"2:1 {START}"),
        ("a: @b", f"1:4 {START}"),
        ("a: 'b", "1:4 is not YAML: a quote that is never closed: close it"),
        ("a:\n  - b\n  c: d\n", "3:3 is not YAML: a line among list items that doesn't start with `- `"),
        ("a: 'b' c\n", "1:8 is not YAML: a line that fits no key: check the indentation and the quotes"),
        ("a: 1\nb\n", "2:1 is not YAML: a key without a `:`, or a line of text that is not indented enough"),
        ("a: [1", "1:4 is not YAML: a `[` without its `]`, or a missing comma"),
        ("a: {b: 1\nc: 2\n", "1:4 is not YAML: a `{` without its `}`, or a missing comma"),
        ("a: *b", "1:4 the alias `*b` has no anchor above it: write the value out"),
        ("a: &b [*b]", "1:8 the alias `*b` stands inside its own anchor: write the value out"),
    ],
)
def test_text_that_is_no_yaml(text: str, expected: str) -> None:
    node, _ = parse(text)
    assert node is None
    assert told(text) == [expected]


def test_nesting_has_a_limit() -> None:
    assert data("[" * DEEPEST + "]" * DEEPEST)
    assert told("- " * (DEEPEST + 1) + "a") == [f"1:{2 * DEEPEST + 1} is nested more than {DEEPEST} deep: nest it less"]


@pytest.mark.parametrize("text", ["[" * 100_000, "[\n" * 100_000, "- " * 100_000, "{a: " * 100_000, "? " * 100_000])
def test_endless_nesting_is_refused(text: str) -> None:
    (problem,) = told(text)
    assert "nested" in problem


BOMBS = {
    "aliases": "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{at}: &{at} [{', '.join([f'*{before}'] * 10)}]\n" for before, at in pairwise("abcdefghi")),
    "merges": "- &a {"
    + ", ".join(f"k{at}: 1" for at in range(1000))
    + "}\n- {<<: ["
    + ", ".join(["*a"] * 100_000)
    + "]}\n",
    "flat": "- &a " + "[x]\n" + "- *a\n" * 150_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=list(BOMBS))
def test_a_bomb_is_refused_fast(bomb: str) -> None:
    begun = time.process_time()
    (problem,) = told(bomb)
    assert "holds more than 200,000 values with its aliases: use fewer" in problem
    assert time.process_time() - begun < 5


_plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text("ab: -#'\"\\\n\té~!&*[]{}?,|>%@`", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc: #\n", max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(tree=st.dictionaries(st.text("abc", min_size=1), _plain, min_size=1))
def test_what_a_json_writer_wrote_is_read_back(tree: dict[str, Any]) -> None:
    assert data(json.dumps(tree)) == tree
    assert data(json.dumps(tree, ensure_ascii=False, indent=1)) == tree
