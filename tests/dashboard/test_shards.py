import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sluiceway.dashboard import Board, Repeated, draw, dump, load, merged, scanned
from sluiceway.model.changes import Change
from sluiceway.model.rows import Row
from tests import strategies as any_
from tests.dashboard.boards import HASH, PREVIEW, ROOT, SETTINGS, body, is_text, pending, some_rows
from tests.fakes import CREATE, DELETE


@given(st.lists(any_.rows(), max_size=4))
def test_rows_come_back_whole(rows: list[Row]) -> None:
    assume(is_text(rows))
    text = dump(rows)
    assert text.isascii()
    assert load(text) == tuple(rows)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        '{"version": 2, "rows": []}',
        '{"version": 1}',
        '{"version": 1, "rows": [{}]}',
        '{"version": 1, "rows": [7]}',
        '{"version": 1, "rows": 7}',
        "[" * 100_000,
    ],
)
def test_what_is_no_shard(text: str) -> None:
    assert load(text) is None


def test_a_change_that_cannot_be_one_is_no_shard() -> None:
    document = json.loads(dump([pending("a", HASH, CREATE)]))
    document["rows"][0]["changes"][0]["op"] = "none"
    assert load(json.dumps(document)) is None


def test_a_stack_in_two_shards_is_named() -> None:
    assert merged([[pending("b"), pending("a")], [pending("a")], [pending("b")]]) == Repeated(("a", "b"))


def body_of(rows: tuple[Row, ...]) -> str:
    fresh = [draw(row, SETTINGS, preview_url=PREVIEW) for row in rows]
    return body(scanned(Board(), fresh, ROOT, known=[row.stack for row in rows], full=True).board)


@given(some_rows(), st.data())
def test_shards_give_the_body_of_one_scan(rows: list[Row], data: st.DataObject) -> None:
    assume(is_text(rows))
    shards: list[list[Row]] = [[], [], []]
    for row in rows:
        shards[data.draw(st.integers(0, 2))].append(row)
    read = [load(dump(shard)) for shard in shards]
    found = merged(part for part in read if part is not None)
    assert not isinstance(found, Repeated)
    assert body_of(found) == body_of(tuple(rows))


def test_300_stacks_in_shards_give_the_body_of_one_scan() -> None:
    changes = [Change(f"ConfigMap/shop/{index}", "ConfigMap", f"shop/{index}", "create") for index in range(9)]
    rows = [pending(f"envs/{index}", f"{index:016x}", DELETE, *changes) for index in range(300)]
    shards = [load(dump(rows[shard::4])) or () for shard in range(4)]
    found = merged(shards)
    assert not isinstance(found, Repeated)
    assert body_of(found) == body_of(tuple(rows))
