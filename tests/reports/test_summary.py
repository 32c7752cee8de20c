import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.changes import Change
from sluiceway.model.rows import Row
from sluiceway.reports.markdown import rows_markdown
from sluiceway.reports.summary import summary_markdown
from tests.fakes import CREATE, DELETE, DRIFT, UPDATE
from tests.reports.test_markdown import OURS, kinds
from tests.strategies import rows

HASH = "0123456789abcdef"
WEB = Row("web", "kubectl", "pending", HASH, 1, (CREATE, DELETE, UPDATE), (DRIFT,), True)
MANY = Row(
    "many",
    "kubectl",
    "pending",
    HASH,
    1,
    tuple(Change(f"{n:03}", "c", f"{n}", "create") for n in range(900)),
    outcome=None,
)
FULL = 1024 * 1024


def size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))


def test_what_is_taken_away_stands_above_all_rows() -> None:
    text = summary_markdown([WEB, Row("db", "kubectl", "in-sync", HASH)], "drift", ("--root", "x"), FULL)
    head, rest = text.split("\n\n### ", 1)
    assert head == "## sluiceway drift\n\n2 stacks: 1 in sync, 1 pending\n\n- **1 delete** in `web`"
    assert f"### {rest}" == rows_markdown([WEB, Row("db", "kubectl", "in-sync", HASH)], ("--root", "x"))


def test_no_rows() -> None:
    assert summary_markdown([], "preview", (), FULL) == "## sluiceway preview\n\nNo stacks.\n"


def test_the_longest_row_loses_most_and_says_so() -> None:
    text = summary_markdown([MANY, WEB], "preview", (), 2000)
    many, web = text.split("### ")[1:]
    assert many == (
        "`many`: pending\n\n900 creates\n\nThis stack is shortened here: the log has all of it.\n\n"
        f"To deploy exactly this: `sluiceway deploy many --hash {HASH}`\n\n"
    )
    assert f"### {web}" == rows_markdown([WEB])


def test_a_row_loses_its_fields_before_its_objects_and_its_deletes_last() -> None:
    keys = tuple(f"spec.field{n:04}" for n in range(200))
    update = Change("b", "c", "b", "update", changed_keys=keys)
    creates = tuple(Change(f"create-{n:03}", "c", f"{n}", "create") for n in range(100))
    row = Row("web", "kubectl", "pending", HASH, 1, (DELETE, update, *creates), (DRIFT,), True)
    shorter = [summary_markdown([row], "preview", (), room) for room in (9000, 4000, 500, 310)]
    assert ["spec.field" in text for text in shorter] == [True, False, False, False]
    assert ["create-099" in text for text in shorter] == [True, True, False, False]
    assert ["**delete** `ConfigMap/shop/old`" in text for text in shorter] == [True, True, True, False]
    assert ["Changed outside" in text for text in shorter] == [True, True, False, False]
    assert all("**1 delete**, 100 creates, 1 update" in text and HASH in text for text in shorter)


def test_stacks_without_room_are_counted() -> None:
    given_rows = [Row(f"stack-{n:03}", "kubectl", "in-sync", HASH) for n in range(100)]
    text = summary_markdown(given_rows, "preview", (), 500)
    left = int(re.search(r"\n\n(\d+) more stacks did not fit here: the log has all of them\.\n$", text)[1])  # type: ignore[index]
    assert text.count("### ") + left == 100
    assert 0 < left < 100
    assert size(text) <= 500


@given(st.lists(rows(), min_size=1, max_size=6), st.integers(200, 3000))
def test_it_fits_and_nothing_in_it_is_cut(given_rows: list[Row], room: int) -> None:
    text = summary_markdown(given_rows, "preview", (), room)
    assert size(text) <= room
    assert kinds(text) - {"text_special"} <= OURS


@pytest.mark.parametrize("room", [0, 1, 50])
def test_no_room_at_all(room: int) -> None:
    assert size(summary_markdown([WEB], "preview", (), room)) <= room
