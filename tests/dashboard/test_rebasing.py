from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.dashboard import (
    Board,
    Deployment,
    Edit,
    Rebased,
    Recent,
    Root,
    TooLarge,
    cleared,
    deploying,
    draw,
    parse,
    rebased,
    replaced,
    same,
    scanned,
    ticks,
    with_recent,
)
from tests.dashboard.boards import (
    AT,
    HASH,
    OTHER_HASH,
    ROOT,
    SETTINGS,
    board,
    boards,
    body,
    drawn,
    in_sync,
    pending,
    ticked,
    unticked,
)

BASE = body(board(drawn("a"), drawn("b"), drawn("c")))
LATER = Root("f" * 40, "4712", AT + timedelta(hours=1))
RECORD = Deployment(7, AT, "octocat", "12")
DEPLOYING = deploying("a", RECORD, SETTINGS)


def after(base: str, between: str, written: str) -> Rebased:
    result = rebased(base, between, written, SETTINGS)
    assert isinstance(result, Rebased)
    return result


def scan(text: str, a_hash: str = HASH) -> str:
    rows = [drawn("a", a_hash), drawn("b"), draw(in_sync("c"), SETTINGS)]
    return body(scanned(parse(text), rows, LATER, known="abc", full=True).board)


def test_nothing_in_between() -> None:
    assert after(BASE, BASE.replace("\n", "\r\n"), scan(BASE)) == Rebased(scan(BASE))


def test_a_text_edit_in_between_is_overwritten() -> None:
    edited = BASE.replace("Tick a box", "Tick me").replace("1 update", "nothing")
    assert after(BASE, edited, scan(BASE)) == Rebased(scan(BASE))


def test_a_tick_in_between_is_carried_where_the_hash_stays() -> None:
    result = after(BASE, ticked(BASE, "a"), scan(BASE))
    assert result == Rebased(ticked(scan(BASE), "a").replace("\r\n", "\n"), ticked=("a",))


def test_a_tick_in_between_is_stale_where_the_hash_moved() -> None:
    result = after(BASE, ticked(BASE, "a"), scan(BASE, OTHER_HASH))
    assert result == Rebased(scan(BASE, OTHER_HASH), stale=("a",))
    gone = after(BASE, ticked(BASE, "c"), scan(BASE))
    assert gone == Rebased(scan(BASE), stale=("c",))


def test_a_tick_that_was_taken_back_in_between_goes() -> None:
    base = ticked(BASE, "a").replace("\r\n", "\n")
    result = after(base, unticked(base, "a"), scan(base))
    assert result == Rebased(scan(BASE), unticked=("a",))


def test_the_box_of_a_scan_ticked_in_between_stays_ticked() -> None:
    between = BASE.replace("- [ ] Scan all", "- [x] Scan all")
    assert parse(after(BASE, between, scan(BASE)).body).rescan
    assert not parse(after(between, between.replace("Scanned", "scanned"), scan(between)).body).rescan


def test_a_row_that_another_writer_changed_is_taken() -> None:
    between = body(replaced(parse(BASE), DEPLOYING))
    result = after(BASE, between, scan(BASE))
    assert result.taken == ("a",)
    assert parse(result.body).rows["a"] == DEPLOYING
    assert parse(result.body).rows["c"].state == "in-sync"
    done = body(replaced(parse(between), draw(in_sync("a"), SETTINGS)))
    assert parse(after(between, done, scan(between, OTHER_HASH)).body).rows["a"].state == "in-sync"


def test_our_own_open_deployment_stays() -> None:
    ours = body(replaced(parse(BASE), DEPLOYING))
    between = scan(BASE, OTHER_HASH)
    result = after(BASE, between, ours)
    assert parse(result.body).rows["a"].state == "deploying"
    assert result.taken == ("c",)
    assert parse(result.body).root == parse(between).root


def test_a_box_that_we_cleared_stays_cleared() -> None:
    base = ticked(BASE, "a").replace("\r\n", "\n")
    ours = body(replaced(parse(base), cleared(parse(base).rows["a"], "No.")))
    between = scan(base)
    assert parse(between).rows["a"].ticked
    result = parse(after(base, between, ours).body)
    assert result.rows["a"].ticked is False
    assert result.rows["c"].state == "in-sync"


def test_a_tick_set_on_a_box_that_another_writer_cleared_is_not_brought_back() -> None:
    base = ticked(BASE, "a").replace("\r\n", "\n")
    between = body(replaced(parse(base), cleared(parse(base).rows["a"], "No.")))
    result = parse(after(base, between, scan(base)).body)
    assert result.rows["a"].ticked is False
    assert "Note: No." in result.rows["a"].text()


def test_rows_that_were_damaged_or_deleted_in_between_are_ours() -> None:
    for between in ("", BASE.replace('hash="', 'hash="x'), BASE + BASE):
        assert after(BASE, between, scan(BASE)).body == scan(BASE)


def test_rows_that_came_and_went() -> None:
    between = body(replaced(parse(BASE), drawn("d")))
    assert sorted(parse(after(BASE, between, scan(BASE)).body).rows) == ["a", "b", "c", "d"]
    ours = body(scanned(parse(BASE), [drawn("a")], LATER, known="a", full=True).board)
    assert sorted(parse(after(BASE, ticked(BASE, "a"), ours).body).rows) == ["a"]


def test_deploys_of_both_are_listed() -> None:
    one, two = Recent("a", AT, "octocat", "1"), Recent("b", AT, "octocat", "2")
    ours, theirs = (body(with_recent(parse(BASE), found)) for found in (one, two))
    assert parse(after(BASE, theirs, ours).body).recent == (one, two)


@pytest.mark.parametrize("ours_is_later", [True, False])
def test_the_later_scan_is_the_one_that_is_named(ours_is_later: bool) -> None:
    first, second = scan(BASE), body(scanned(parse(BASE), [], ROOT, known="abc", full=False).board)
    ours, theirs = (first, second.replace("4711", "4710")) if ours_is_later else (second.replace("4711", "4710"), first)
    root = parse(after(BASE, theirs, ours).body).root
    assert root is not None
    assert root.scan_run == "4712"


def test_a_scan_in_between_is_named_where_we_did_not_scan_ourselves() -> None:
    theirs = body(replace(parse(BASE), root=Root("f" * 40, "4712", AT, AT)))
    ours = body(replaced(parse(BASE), DEPLOYING))
    assert parse(after(BASE, theirs, ours).body).root == parse(theirs).root


def test_too_large_together() -> None:
    long = [draw(pending(f"{'x' * 200}{index}"), SETTINGS) for index in range(120)]
    ours, theirs = (body(replaced(parse(BASE), *rows)) for rows in (long[:60], long[60:]))
    assert isinstance(rebased(BASE, theirs, ours, SETTINGS), TooLarge)


@given(st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_no_tick_is_lost_and_none_is_made(before: set[str], between: set[str], moved: set[str]) -> None:
    def with_ticks(text: str, stacks: set[str]) -> str:
        found = parse(text)
        return body(replace(found, rows={stack: row.with_tick(stack in stacks) for stack, row in found.rows.items()}))

    empty = body(board(*(drawn(stack) for stack in "abcd")))
    base, edited = with_ticks(empty, before), with_ticks(empty, between)
    rows = [drawn(stack, OTHER_HASH if stack in moved else HASH) for stack in "abcd"]
    found = scanned(parse(base), rows, LATER, known="abcd", full=True)
    result = after(base, edited, body(found.board))
    held = {stack for stack, row in parse(result.body).rows.items() if row.ticked}
    assert held == between - moved
    assert set(result.stale) == (between - before) & moved
    assert set(found.stale) == before & moved
    assert between <= held | set(result.stale) | set(found.stale)


def test_what_was_carried_is_still_the_persons() -> None:
    setter = Edit(ticked(BASE, "a"), AT, "octocat")
    ours = Edit(scan(BASE), AT, "sluiceway[bot]", bot=True, ours=True)
    again = replace(ours, body=after(BASE, setter.body or "", scan(BASE)).body)
    first = replace(ours, body=BASE)
    assert ticks(again.body or "", [again, ours, setter, first], complete=True).ticks[0].by == setter


@given(boards(SETTINGS), boards(SETTINGS), boards(SETTINGS))
def test_any_three_bodies_give_one(base: Board, between: Board, written: Board) -> None:
    texts = [body(found) for found in (base, between, written)]
    result = after(*texts)
    again = parse(result.body)
    assert again.damaged == ()
    assert set(written.rows) <= set(again.rows)
    assert same(after(texts[1], texts[1], result.body).body, result.body)
