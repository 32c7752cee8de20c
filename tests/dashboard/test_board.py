from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.dashboard import (
    Board,
    Deployment,
    Recent,
    Root,
    deploying,
    draw,
    missing,
    parse,
    queued,
    replaced,
    scanned,
    with_recent,
)
from tests.dashboard.boards import AT, OTHER_HASH, ROOT, SETTINGS, board, body, drawn, in_sync, some_rows, ticked

LATER = Root("f" * 40, "4712", AT + timedelta(hours=1))
RECORD = Deployment(7, AT, "octocat", "12")
A, B = drawn("a"), drawn("b")


def test_replacing_rows_leaves_the_others_byte_for_byte() -> None:
    text = body(board(A, B, drawn("c")))
    after = replaced(parse(text), deploying("b", RECORD, SETTINGS))
    assert parse(body(after)).rows["a"].text() == A.text()
    assert after.rows["b"].state == "deploying"
    assert body(after).count(drawn("c").text()) == 1


def test_replacing_a_damaged_row_mends_it() -> None:
    damaged = replace(board(A), damaged=("b", "c"))
    assert replaced(damaged, B).damaged == ("c",)


def test_recent_deploys_are_listed_once_and_the_newest_first() -> None:
    one, two = Recent("a", AT, "octocat", "1"), Recent("b", AT + timedelta(minutes=1), "octocat", "2")
    same_minute = Recent("0", AT, "octocat", "3")
    after = with_recent(with_recent(Board(), one), two, same_minute, one)
    assert after.recent == (two, same_minute, one)


def test_stacks_without_a_whole_row() -> None:
    assert missing(replace(board(A), damaged=("b",)), ["b", "a", "c"]) == ("b", "c")


def test_a_full_scan_leaves_one_row_for_each_stack() -> None:
    before = replace(board(A, drawn("gone")), damaged=("b",), rescan=True)
    after = scanned(before, [B, draw(in_sync("a"), SETTINGS)], LATER, known=["a", "b"], full=True)
    assert sorted(after.board.rows) == ["a", "b"]
    assert after.board.rows["a"].state == "in-sync"
    assert (after.board.damaged, after.board.rescan) == ((), False)
    assert after.board.root == replace(LATER, full_scan_at=LATER.scan_at)


def test_a_narrowed_scan_keeps_the_others_byte_for_byte() -> None:
    text = ticked(body(board(A, B, drawn("gone"))), "b")
    after = scanned(parse(text), [drawn("c"), draw(in_sync("a"), SETTINGS)], LATER, known="abc", full=False)
    assert sorted(after.board.rows) == ["a", "b", "c"]
    assert after.board.rows["b"] == parse(text).rows["b"]
    assert after.board.root == replace(LATER, full_scan_at=AT)
    assert after.stale == ()


def test_a_narrowed_scan_names_what_stays_damaged() -> None:
    before = replace(board(A), damaged=("b", "c", "gone"))
    assert scanned(before, [B], LATER, known="abc", full=False).board.damaged == ("c",)


@pytest.mark.parametrize(
    ("fresh", "kept", "stale"),
    [
        (drawn("a"), True, ()),
        (drawn("a", OTHER_HASH), False, ("a",)),
        (draw(in_sync("a"), SETTINGS), None, ("a",)),
    ],
)
def test_a_tick_stays_where_the_hash_does(fresh: object, kept: bool | None, stale: tuple[str, ...]) -> None:
    before = parse(ticked(body(board(A, B)), "a"))
    after = scanned(before, [fresh, B], LATER, known="ab", full=True)  # type: ignore[list-item]
    assert after.board.rows["a"].ticked is kept
    assert after.stale == stale
    assert after.board.rows["b"].ticked is False


def test_a_tick_on_a_stack_that_is_gone_is_stale() -> None:
    before = parse(ticked(body(board(A, B)), "a"))
    assert scanned(before, [B], LATER, known="b", full=True).stale == ("a",)


def test_an_open_deployment_wins_over_what_the_scan_found() -> None:
    standing = deploying("a", RECORD, SETTINGS)
    again = deploying("a", replace(RECORD, run="13"), SETTINGS)
    after = scanned(board(standing), [A], LATER, known="a", full=True, open_rows=[again]).board
    assert after.rows["a"] == standing
    waiting = queued("a", RECORD, SETTINGS)
    assert scanned(board(waiting), [A], LATER, known="a", full=True, open_rows=[again]).board.rows["a"] == again
    other = deploying("a", replace(RECORD, id=8), SETTINGS)
    assert scanned(board(standing), [A], LATER, known="a", full=True, open_rows=[other]).board.rows["a"] == other
    assert scanned(board(standing), [A], LATER, known="a", full=True).board.rows["a"] == A
    assert scanned(Board(), [], LATER, known="a", full=True, open_rows=[other]).board.rows["a"] == other


@given(some_rows(), st.data())
def test_narrowed_scans_of_all_stacks_give_what_a_full_one_gives(rows: list, data: st.DataObject) -> None:  # type: ignore[type-arg]
    fresh = [draw(row, SETTINGS) for row in rows]
    known = [row.stack for row in fresh]
    cut = data.draw(st.integers(0, len(fresh)))
    whole = scanned(Board(), fresh, ROOT, known=known, full=True).board
    first = scanned(Board(), fresh[:cut], ROOT, known=known, full=True).board
    both = scanned(parse(body(first)), fresh[cut:], ROOT, known=known, full=False).board
    assert body(both) == body(whole)
