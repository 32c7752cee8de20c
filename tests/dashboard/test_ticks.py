from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from sluiceway.dashboard import Deployment, Edit, Tick, cleared, deploying, draw, parse, replaced, ticks
from sluiceway.model.rows import Row
from tests.dashboard.boards import AT, HASH, OTHER_HASH, PREVIEW, SETTINGS, board, body, drawn, pending, ticked
from tests.fakes import DRIFT

PLAIN = body(board(drawn("a"), drawn("b")))
A, B = ticked(PLAIN, "a"), ticked(PLAIN, "b")
AB = ticked(A.replace("\r\n", "\n"), "b")
MOVED = body(board(drawn("a", OTHER_HASH), drawn("b")))


REMOVED = "An edit of the issue that may have ticked this was removed from its history."


def bot(text: str | None) -> Edit:
    return Edit(text, AT, "sluiceway[bot]", bot=True, ours=True)


def person(text: str | None, name: str | None = "octocat") -> Edit:
    return Edit(text, AT, name)


def found(*edits: Edit, complete: bool = True) -> dict[str, Tick]:
    """Return the ticks of the newest edit's body; ``edits`` are given oldest first, as a story."""
    newest = list(reversed(edits))
    result = ticks(newest[0].body or "", newest, complete=complete)
    assert not result.behind
    return {tick.stack: tick for tick in result.ticks}


def test_the_edit_that_ticked() -> None:
    setter = person(A)
    assert found(bot(PLAIN), setter) == {"a": Tick("a", HASH, False, setter)}


def test_each_box_has_the_edit_that_ticked_it() -> None:
    first, second = person(A), person(AB, "hubot")
    assert {stack: tick.by for stack, tick in found(bot(PLAIN), first, second).items()} == {"a": first, "b": second}


def test_the_bots_own_rewrites_are_looked_through() -> None:
    setter = person(A)
    rewritten = A.replace("Scanned 2026", "Scanned on 2026")
    assert found(bot(PLAIN), setter, bot(rewritten), bot(A))["a"].by == setter


def test_a_tick_that_a_write_of_ours_lost_and_brought_back_is_still_the_persons() -> None:
    setter = person(A)
    assert found(bot(PLAIN), setter, bot(PLAIN), bot(A))["a"].by == setter
    other = person(B, "hubot")
    ticks_found = found(bot(PLAIN), setter, bot(PLAIN), other, bot(AB))
    assert {stack: tick.by for stack, tick in ticks_found.items()} == {"a": setter, "b": other}


def test_the_newest_tick_counts() -> None:
    second = person(A, "hubot")
    assert found(bot(PLAIN), person(A), person(PLAIN), second)["a"].by == second
    assert found(bot(PLAIN), person(A), bot(PLAIN), second)["a"].by == second


def test_a_text_edit_by_somebody_else_is_not_the_tick() -> None:
    setter = person(A)
    assert found(bot(PLAIN), setter, person(A.replace("Tick a box", "Tick me"), "hubot"))["a"].by == setter


def test_bots_and_deleted_accounts_are_told() -> None:
    machine = Edit(A, AT, "other[bot]", bot=True)
    assert found(bot(PLAIN), machine)["a"].by == machine
    ghost = person(A, None)
    assert found(bot(PLAIN), ghost)["a"].by == ghost


@pytest.mark.parametrize(
    ("story", "complete", "why"),
    [
        ([person(A)], True, "No person's edit of the issue ticked this."),
        ([person(A)], False, "The issue's edit history does not reach back to who ticked this."),
        ([bot(A)], True, "No person's edit of the issue ticked this."),
        ([bot(PLAIN), bot(A)], True, "No person's edit of the issue ticked this."),
        ([bot(PLAIN), bot(A)], False, "The issue's edit history does not reach back to who ticked this."),
        (
            [bot(PLAIN), person(None), bot(A)],
            True,
            REMOVED,
        ),
        ([bot(None), person(A)], True, REMOVED),
        (
            [bot(PLAIN), person(A), person(PLAIN), bot(A)],
            True,
            "The tick was taken back.",
        ),
        ([bot(MOVED), person(A)], True, "The edit that ticked this changed more of the row than its box."),
        ([person(""), person(A)], True, "The edit that ticked this changed more of the row than its box."),
    ],
)
def test_a_tick_of_nobody(story: Sequence[Edit], complete: bool, why: str) -> None:
    assert found(*story, complete=complete)["a"] == Tick("a", HASH, False, None, why)


def test_a_tick_on_another_hash_is_another_tick() -> None:
    moved = ticked(MOVED, "a")
    setter = person(moved, "hubot")
    assert found(bot(PLAIN), person(A), bot(MOVED), setter)["a"] == Tick("a", OTHER_HASH, False, setter)
    assert found(bot(PLAIN), person(A), bot(moved))["a"].by is None


BY_HAND = "Somebody edited this row by hand, so what it showed need not be what it deploys. "
UNSEEN = "An edit of the issue that may have changed this row was removed from its history. "
SCAN = "Scan all stacks, then tick it."
FORGED = PLAIN.replace(HASH, OTHER_HASH)
CALMED = PLAIN.replace("**: 1 update", "**: 1 create")
RESCANNED = body(board(draw(pending("a"), SETTINGS, preview_url=PREVIEW), drawn("b")))


def noted(text: str, note: str = "Look again.") -> str:
    """Return the body after we put a note on the row of ``a``, and carried all else as it is."""
    now = parse(text)
    return body(replaced(now, cleared(now.rows["a"], note)))


@pytest.mark.parametrize("made", [FORGED, CALMED, PLAIN.replace("data.greeting", "data.nothing")])
def test_nobody_ticks_a_row_that_another_edited_by_hand(made: str) -> None:
    assert made != PLAIN
    tick = person(ticked(made, "a"))
    told = [
        found(bot(PLAIN), person(made, "mallory"), tick),
        found(bot(PLAIN), person(ticked(made, "a"), "mallory")),
        # A write of ours carries it, once with a note of ours, once after one that didn't have it.
        found(bot(PLAIN), person(made, "mallory"), bot(noted(made)), person(ticked(noted(made), "a"))),
        found(bot(PLAIN), person(made, "mallory"), bot(PLAIN), bot(made), tick),
    ]
    assert [one["a"].by for one in told] == [None] * 4
    assert {one["a"].why for one in told[2:]} == {BY_HAND + SCAN}


def test_nor_one_whose_blanks_a_note_of_ours_evens_out() -> None:
    made = CALMED.replace("\n\n  <details>", "\n \n  <details>", 1)
    carried = noted(made)
    assert "\n \n" not in carried
    assert found(bot(PLAIN), person(made), bot(carried), person(ticked(carried, "a")))["a"].why == BY_HAND + SCAN


def test_a_row_that_we_drew_is_ticked_whoever_carried_it() -> None:
    setter = person(A)
    assert found(bot(PLAIN), person(FORGED, "mallory"), person(PLAIN), setter)["a"].by == setter
    assert found(bot(PLAIN), person(CALMED), bot(RESCANNED), by := person(ticked(RESCANNED, "a")))["a"].by == by
    assert found(bot(PLAIN), bot(noted(PLAIN)), by := person(ticked(noted(PLAIN), "a")))["a"].by == by
    assert found(bot(PLAIN), bot(PLAIN), setter, complete=False)["a"].by == setter


def test_a_removed_edit_matters_only_where_it_may_have_ticked_or_changed_the_row() -> None:
    setter = person(A)
    assert found(bot(PLAIN), person(None), bot(PLAIN), setter)["a"].by == setter
    assert found(person(None), bot(PLAIN), setter)["a"].why == UNSEEN + SCAN
    assert found(bot(PLAIN), setter, bot(None), bot(A))["a"].by == setter


def test_a_tick_of_a_drifted_row_repairs_drift() -> None:
    text = body(board(draw(Row("a", "kubectl", "drift", HASH, drift=(DRIFT,)), SETTINGS)))
    assert found(bot(text), person(ticked(text, "a")))["a"].drift


def test_nothing_ticked() -> None:
    result = ticks(PLAIN, [], complete=True)
    assert (result.ticks, result.stray, result.behind) == ((), (), False)


@pytest.mark.parametrize("edits", [[], [bot(PLAIN)], [person(B), bot(PLAIN)], [person(None), bot(PLAIN)]])
def test_a_history_that_lags_tells_of_nobody(edits: Sequence[Edit]) -> None:
    result = ticks(A, edits, complete=True)
    assert result.behind
    assert [(tick.stack, tick.by) for tick in result.ticks] == [("a", None)]
    assert result.ticks[0].why == "The issue's edit history does not hold the newest edit yet."


def test_line_ends_make_no_newer_edit() -> None:
    setter = person(A)
    assert ticks(A.replace("\r\n", "\n"), [setter, bot(PLAIN)], complete=True).ticks[0].by == setter


def test_boxes_of_rows_that_no_tick_deploys_are_stray() -> None:
    row = deploying("a", Deployment(7, AT, "octocat", "1"), SETTINGS)
    text = body(board(row)).replace("- **`a`**", "- [x] **`a`**")
    result = ticks(text, [person(text), bot(PLAIN)], complete=True)
    assert (result.ticks, result.stray) == ((), ("a",))


def test_long_histories_are_read_once() -> None:
    story = [replace(bot(PLAIN), at=AT + timedelta(minutes=minute)) for minute in range(300)]
    setter = person(AB)
    assert {tick.by for tick in found(*story, setter).values()} == {setter}  # type: ignore[type-var]
