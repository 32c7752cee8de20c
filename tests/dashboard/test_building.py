import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.dashboard import (
    AIM,
    LIMIT,
    Board,
    Built,
    DashboardRow,
    Deployment,
    Recent,
    Root,
    Settings,
    TooLarge,
    build,
    deploying,
    draw,
    parse,
    queued,
    replaced,
    with_recent,
)
from sluiceway.dashboard.markers import Marker
from sluiceway.dashboard.rows import units
from sluiceway.model.changes import Change
from sluiceway.model.rows import Row
from tests.dashboard import boards
from tests.dashboard.boards import AT, HASH, PREVIEW, SETTINGS, board, body, in_sync, pending
from tests.dashboard.rendering import rendered
from tests.fakes import CREATE, DELETE, DRIFT
from tests.strategies import names

LATER = Marker("row", {"stack": "f", "state": "new", "lines": "1"})
"""The row of a later version."""
RECENT = (
    "- `c`, 2026-11-30 13:30 CET, by `octocat`, [run](https://github.example/o/r/actions/runs/11) "
    '<!-- sluiceway:deployed stack="c" at="2026-11-30T12:30Z" by="octocat" run="11" -->'
)
SHORT = "[run of the scan](https://github.example/o/r/actions/runs/4711) shows all."


def test_a_whole_body() -> None:
    given_board = with_recent(
        board(
            draw(Row("b", "kubectl", "drift", HASH, drift=(DRIFT,)), SETTINGS),
            draw(in_sync("c"), SETTINGS),
            draw(pending("a", HASH, DELETE, CREATE), SETTINGS),
            queued("d", Deployment(8, AT, "octocat", "", ("a",)), SETTINGS),
            deploying("e", Deployment(7, AT, "octocat", "12"), SETTINGS),
            DashboardRow(LATER, (f"- f {LATER}",)),
        ),
        Recent("c", AT, "octocat", "11"),
    )
    text = body(given_board)
    rows = ("  ", "- **`", "- [ ] **`", "<", "- f")
    assert [line for line in text.split("\n") if line and not line.startswith(rows)] == [
        "**6 stacks**: 1 deploying, 1 queued, 1 pending, 1 drifted, 1 in sync, 1 in another state.",
        "**1 object would be deleted or replaced**, in 1 stack.",
        "Scanned 2026-11-30 13:30 CET at commit [`0123abc`](https://github.example/o/r/commit/0123abc" + "0" * 33 + ") "
        "([run](https://github.example/o/r/actions/runs/4711)). All stacks were last scanned 2026-11-30 13:30 CET.",
        "Tick a box to deploy exactly what its row shows.",
        "- [ ] Scan all stacks now <!-- sluiceway:rescan -->",
        "## Deploying",
        "## Pending",
        "## Drifted",
        "## In another state",
        "## In sync",
        "## Recently deployed",
        RECENT,
    ]
    assert text.startswith(
        '<!-- sluiceway:dashboard v="1" scan-sha="0123abc' + "0" * 33 + '" scan-run="4711" scan-at="2026-11-30T12:30Z" '
        'full-scan-at="2026-11-30T12:30Z" -->\n'
    )
    page = rendered(text)
    assert page.headings == ["Deploying", "Pending", "Drifted", "In another state", "In sync", "Recently deployed"]
    assert page.boxes == [False, False, False]
    assert [len(found.css("li")) for found in page.lists("Deploying")] == [2]


def test_an_empty_board() -> None:
    text = body(Board())
    assert text.split("\n\n")[:3] == ['<!-- sluiceway:dashboard v="1" -->', "**No stacks.**", "Not scanned yet."]
    assert parse(text).root == Root()


def test_without_deploys_and_read_only_the_body_says_why_there_are_no_boxes() -> None:
    off, closed = replace(SETTINGS, deploys=False), replace(SETTINGS, read_only=True)
    assert "Deploys are turned off (`deploys: false`)" in body(board(draw(pending("a"), off)), off)
    text = body(board(draw(pending("a"), closed)), closed)
    assert "This dashboard is read-only" in text
    assert rendered(text).boxes == []


def test_stacks_in_sync_are_kept_unseen_where_they_are_not_listed() -> None:
    settings = replace(SETTINGS, in_sync_section=False)
    text = body(board(*(draw(in_sync(stack), settings) for stack in "cab")), settings)
    assert rendered(text).headings == []
    assert "**3 stacks**: 3 in sync." in text
    assert set(parse(text).rows) == {"a", "b", "c"}


def test_a_section_is_one_list() -> None:
    rows = [draw(pending(f"s{index}", HASH, DELETE, CREATE), SETTINGS) for index in range(5)]
    page = rendered(body(board(*rows)))
    (found,) = page.lists("Pending")
    assert len([node for node in found.iter() if node.tag == "li"]) == 5
    assert len(page.tree.css("details")) == 5


@st.composite
def anything(draw_: st.DrawFn) -> tuple[Board, Settings]:
    settings = draw_(boards.settings)
    return draw_(boards.boards(settings)), settings


@given(anything())
def test_what_is_built_is_read_back_and_built_the_same(given_: tuple[Board, Settings]) -> None:
    given_board, settings = given_
    text = body(given_board, settings)
    back = parse(text)
    assert body(back, settings) == text
    assert body(parse(text.replace("\n", "\r\n")), settings) == text
    assert back.damaged == ()
    assert (back.root, back.rescan) == (given_board.root, given_board.rescan)
    assert back.recent == given_board.recent[: settings.recently_deployed]
    assert {stack: (row.marker, row.ticked) for stack, row in back.rows.items()} == {
        stack: (row.marker, row.ticked) for stack, row in given_board.rows.items()
    }


@given(anything(), st.randoms())
def test_the_order_of_rows_makes_no_difference(given_: tuple[Board, Settings], chance: random.Random) -> None:
    given_board, settings = given_
    shuffled = list(given_board.rows.items())
    chance.shuffle(shuffled)
    assert body(replace(given_board, rows=dict(shuffled)), settings) == body(given_board, settings)


def long_row(stack: str, length: int, *loud: Change) -> Row:
    name = "n" * 100
    changes = [Change(f"{name}{index}", "T", name, "create") for index in range(length // 115)]
    return pending(stack, HASH, *loud, *changes)


def test_the_biggest_row_is_shortened_and_no_other() -> None:
    rows = [draw(pending(f"s{index}", HASH, DELETE, CREATE), SETTINGS) for index in range(20)]
    built = build(board(*rows, draw(long_row("big", 70_000, DELETE), SETTINGS, preview_url=PREVIEW)), SETTINGS)
    assert isinstance(built, Built)
    assert built.shortened == 1
    assert f"1 row is shortened to fit here; the {SHORT}" in built.body
    assert units(built.body) <= AIM
    assert all(row.text() in built.body for row in rows)
    big = parse(built.body).rows["big"]
    assert "- **Will be deleted:** `ConfigMap/shop/old`" in big.text()
    assert "608 other changes, not listed here." in big.text()
    assert body(parse(built.body)) == built.body


def test_rows_of_70_000_characters_of_deletes() -> None:
    gone = [Change(f"{'n' * 100}{index}", "T", "n", "delete") for index in range(600)]
    rows = [draw(pending(stack, HASH, *gone), SETTINGS) for stack in "abc"]
    assert all(units(row.text()) > 70_000 for row in rows)
    built = build(board(*rows), SETTINGS)
    assert isinstance(built, Built)
    assert (built.shortened, units(built.body) < 2_000) == (3, True)
    assert built.body.count("- **600 objects will be deleted or replaced**, not listed here.") == 3
    assert built.body.count("**600 deletes**") == 3
    assert "Will be deleted:" not in built.body


def test_one_name_of_70_000_characters() -> None:
    row = draw(pending("a", HASH, replace(DELETE, address="😀" * 35_000)), SETTINGS)
    built = build(board(row), SETTINGS)
    assert isinstance(built, Built)
    assert "😀" not in built.body
    assert parse(built.body).rows["a"].deployable


@pytest.mark.parametrize("length", [15, 30, 40])
def test_300_pending_stacks_fit(length: int) -> None:
    stacks = [f"{'envs/production/service-':.<{length - 3}}{index:03}" for index in range(300)]
    rows = [
        draw(pending(stack, f"{index:016x}", CREATE, DELETE), SETTINGS, preview_url=PREVIEW)
        for index, stack in enumerate(stacks)
    ]
    built = build(board(*rows), SETTINGS)
    assert isinstance(built, Built)
    assert units(built.body) <= LIMIT
    back = parse(built.body)
    assert [row.deployable for row in back.rows.values()] == [True] * 300
    assert [row.hash for row in back.rows.values()] == [row.hash for row in rows]
    assert built.body.count("**1 delete**, 1 create") == 300
    assert len(rendered(built.body).boxes) == 301


def test_what_does_not_fit_at_its_shortest_has_no_body() -> None:
    rows = [draw(pending(f"{index:0200}"), SETTINGS) for index in range(300)]
    found = build(board(*rows), SETTINGS)
    assert isinstance(found, TooLarge)
    assert found.units > LIMIT


def test_a_row_that_was_read_is_never_shortened() -> None:
    text = body(board(draw(long_row("old", 40_000), SETTINGS)))
    fresh = draw(long_row("new", 40_000), SETTINGS)
    built = build(replaced(parse(text), fresh), SETTINGS)
    assert isinstance(built, Built)
    assert parse(text).rows["old"].text() in built.body
    assert (built.shortened, parse(built.body).rows["new"].short) == (1, True)


def test_a_row_that_was_shortened_before_is_counted_still() -> None:
    text = body(board(draw(long_row("a", 70_000), SETTINGS), draw(pending("b"), SETTINGS)))
    again = build(replaced(parse(text), draw(in_sync("b"), SETTINGS)), SETTINGS)
    assert isinstance(again, Built)
    assert again.shortened == 1
    assert "1 row is shortened" in again.body


@given(st.lists(st.tuples(names, st.integers(0, 40_000)), min_size=1, max_size=6, unique_by=lambda pair: pair[0]))
def test_any_rows_fit_or_are_too_large(given_rows: list[tuple[str, int]]) -> None:
    rows = [draw(long_row(stack, length, DELETE), SETTINGS) for stack, length in given_rows]
    built = build(board(*rows), SETTINGS)
    assert isinstance(built, Built)
    assert units(built.body) <= AIM + 100
    back = parse(built.body)
    assert back.damaged == ()
    assert sorted(back.rows) == sorted(row.stack for row in rows)
    assert len(rendered(built.body).boxes) == len(rows) + 1
    assert built.body.count("Will be deleted:") == len(rows)


def test_units_are_those_of_utf_16() -> None:
    assert [units(text) for text in ("", "a", "é", "日", "😀", "\ud800")] == [0, 1, 1, 1, 2, 1]


def test_recent_deploys_are_cut_to_the_setting() -> None:
    recent = [Recent("a", AT.replace(minute=minute), "octocat", str(minute)) for minute in range(12)]
    given_board = with_recent(board(), *recent)
    assert [found.run for found in parse(body(given_board)).recent] == [str(minute) for minute in range(11, 1, -1)]
    assert "Recently deployed" not in body(given_board, replace(SETTINGS, recently_deployed=0))
