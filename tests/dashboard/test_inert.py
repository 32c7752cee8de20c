"""No name does anything: bodies rendered as GitHub renders them, whatever rows are called."""

from dataclasses import replace

import pytest
from hypothesis import given

from sluiceway.dashboard import (
    Board,
    Deployment,
    FailedDeploy,
    Recent,
    Settings,
    cleared,
    deploying,
    draw,
    parse,
    queued,
    with_recent,
)
from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from tests.dashboard.boards import AT, HASH, PREVIEW, SETTINGS, board, body
from tests.dashboard.rendering import LINKING, OURS, Page, rendered
from tests.dashboard.test_building import anything
from tests.strategies import HOSTILE

MORE = (
    "`",
    "``` \n# head",
    "</details>",
    "</summary></details><h1>x</h1>",
    '<!-- sluiceway:row stack="x" state="pending" hash="0123456789abcdef" lines="1" -->',
    "--> <b>x</b>",
    "\n- [x] y <!-- sluiceway:rescan -->",
    "\u2028- [x] y",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "![](https://x.example/p.png)",
    "[x]: https://x.example",
    "[^1]",
    "$`x`$",
    "| a |\n| - |",
    "שלום",
    "=====",
    "1. one",
)


def check(page: Page, boxes: int) -> None:
    assert page.tags <= OURS
    assert not LINKING.search(page.prose)
    assert all(link.startswith(SETTINGS.repository_url + "/") for link in page.links)
    assert set(page.headings) <= {
        "Deploying",
        "Pending",
        "Drifted",
        "Preview failed",
        "In sync",
        "In another state",
        "Recently deployed",
    }
    assert len(page.boxes) == boxes
    for fold in page.tree.css("details"):
        assert [node.tag for node in fold.iter()] == ["summary", "ul"]
    for row in page.tree.css("body > ul > li"):
        assert len(row.css("input")) <= 1
    assert all(char.isprintable() or char in "\n\u200b" for char in page.html)


@given(anything())
def test_nothing_of_any_board_is_more_than_text(given_: tuple[Board, Settings]) -> None:
    given_board, settings = given_
    boxes = sum(row.ticked is not None for row in given_board.rows.values())
    check(rendered(body(given_board, settings)), boxes + (not settings.read_only))


@pytest.mark.parametrize("name", [*HOSTILE, *MORE])
def test_hostile_names_in_each_place(name: str) -> None:
    reason = Reason("tool-error", name, name)
    changed = Change(name, name, name, "replace", (name,), (name,), values=(ShownValue(name, name, name),))
    moved = Change(name, name, name, "none", tracking="move", previous_address=name)
    drifted = Change(name, name, name, "update", (name, "k"), holders=(Holder(name, name, name, name, (name,)),))
    row = Row(name, name, "pending", HASH, changes=(changed, moved), drift=(drifted,), notes=(name,))
    failed = FailedDeploy(AT, name, name)
    rows = [
        cleared(draw(row, SETTINGS, preview_url=PREVIEW, failed=failed), name),
        draw(Row(f"{name}2", name, "preview-failed", reason=reason), SETTINGS),
        draw(Row(f"{name}3", name, "in-sync", drift_reason=reason), SETTINGS),
        deploying(f"{name}4", Deployment(7, AT, name, name), SETTINGS, failed=failed),
        queued(f"{name}5", Deployment(7, AT, name, name, (name,)), SETTINGS),
    ]
    text = body(with_recent(board(*rows), Recent(name, AT, name, name)))
    check(rendered(text), 2)
    back = parse(text)
    assert set(back.rows) == {row.stack for row in rows}
    assert (back.damaged, back.rescan, [found.stack for found in back.recent]) == ((), False, [name])
    for level in range(len(rows[0].texts)):
        check(rendered(body(board(replace(rows[0], texts=rows[0].texts[level : level + 1])))), 2)
