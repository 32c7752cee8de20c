import shlex

import pytest
from hypothesis import given

from sluiceway.model.changes import Change, ShownValue
from sluiceway.model.rows import Row
from sluiceway.reports.words import as_read, counted, deploy_command, does, duration, number, value, visible
from tests.fakes import CREATE, DELETE, UPDATE
from tests.strategies import names


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain name", "plain name"),
        ("é😀", "é😀"),
        ("a\nb", "a\\nb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b", "\\x9b"),
        ("\u202e", "\\u202e"),
        ("\udc80", "\\udc80"),
        ("\u00a0", "\\xa0"),
        ("::add-mask::x", "\\x3a:add-mask::x"),
        ("  ##[group]x", "  \\x23#[group]x"),
        ("role ##[set-output name=a]b", "role \\x23#[set-output name=a]b"),
        ("###[group]", "#\\x23#[group]"),
        ("a::b", "a::b"),
        ("## [1] #[2]", "## [1] #[2]"),
    ],
)
def test_visible(text: str, seen: str) -> None:
    assert visible(text) == seen


@given(names)
def test_what_is_visible_can_be_printed_on_one_line(name: str) -> None:
    assert visible(name).isprintable()


@pytest.mark.parametrize(("count", "words"), [(0, "0 stacks"), (1, "1 stack"), (2, "2 stacks")])
def test_number(count: int, words: str) -> None:
    assert number(count, "stack") == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.0 s"), (59.94, "59.9 s"), (60, "1 min 0 s"), (125.4, "2 min 5 s")]
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_counted_and_read_with_deletes_first() -> None:
    moved = Change("x", "t", "n", "update", tracking="move")
    assert counted((CREATE, UPDATE, DELETE, moved)) == [
        ("delete", "1 delete"),
        ("create", "1 create"),
        ("update", "2 updates"),
        ("tracking", "1 tracking change"),
    ]
    assert as_read((CREATE, UPDATE, DELETE)) == [DELETE, CREATE, UPDATE]
    assert does(moved) == "update and move"


@pytest.mark.parametrize(("old", "new", "words"), [("1", "2", "1 → 2"), (None, "2", "2"), ("1", None, "1")])
def test_value(old: str | None, new: str | None, words: str) -> None:
    assert value(ShownValue("p", old, new)) == words


@pytest.mark.parametrize("name", ["web", "a b", "it's", "$(reboot)", "a;b", "-x"])
def test_the_deploy_command_is_one_that_a_shell_reads_back(name: str) -> None:
    row = Row(name, "kubectl", "pending", "0123456789abcdef")
    assert shlex.split(deploy_command(row)) == ["sluiceway", "deploy", name, "--hash", "0123456789abcdef"]
