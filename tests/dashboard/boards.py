"""Rows and boards to test with, and strategies that draw them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from sluiceway.dashboard import (
    Board,
    Built,
    DashboardRow,
    Deployment,
    FailedDeploy,
    Recent,
    Root,
    Settings,
    build,
    deploying,
    draw,
    queued,
    replaced,
    scanned,
    with_recent,
)
from sluiceway.model.changes import Change
from sluiceway.model.rows import Row
from tests import strategies as any_

SETTINGS = Settings("https://github.example/o/r", ZoneInfo("Europe/Berlin"))
AT = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
ROOT = Root("0123abc" + "0" * 33, "4711", AT)
HASH, OTHER_HASH = "0123456789abcdef", "fedcba9876543210"
PREVIEW = "https://github.example/o/r/actions/runs/4711"
UPDATE = Change("ConfigMap/shop/settings", "ConfigMap", "shop/settings", "update", changed_keys=("data.greeting",))


def pending(stack: str, diff_hash: str = HASH, *changes: Change) -> Row:
    return Row(stack, "kubectl", "pending", diff_hash, changes=changes or (UPDATE,))


def in_sync(stack: str) -> Row:
    return Row(stack, "kubectl", "in-sync", HASH)


def drawn(stack: str, diff_hash: str = HASH) -> DashboardRow:
    return draw(pending(stack, diff_hash), SETTINGS)


def board(*rows: DashboardRow) -> Board:
    return replaced(Board(root=replace(ROOT, full_scan_at=AT)), *rows)


def body(given: Board, settings: Settings = SETTINGS) -> str:
    built = build(given, settings)
    assert isinstance(built, Built)
    return built.body


def ticked(text: str, stack: str) -> str:
    """Return the body as GitHub's page writes it after a click on the box of ``stack``."""
    return _with_box(text, stack, "- [ ] ", "- [x] ")


def unticked(text: str, stack: str) -> str:
    return _with_box(text, stack, "- [x] ", "- [ ] ")


def _with_box(text: str, stack: str, before: str, after: str) -> str:
    lines = text.split("\n")
    found = [index for index, line in enumerate(lines) if f'row stack="{stack}"' in line]
    assert len(found) == 1
    assert lines[found[0]].startswith(before)
    lines[found[0]] = after + lines[found[0]].removeprefix(before)
    return "\r\n".join(lines)


def is_text(rows: Sequence[Row]) -> bool:
    """Tell whether no name has the halves of one character side by side, as no text has that was read from anywhere."""
    return "\\ud800\\udc" not in repr(rows)


times = st.integers(0, 10**6).map(lambda minutes: AT + timedelta(minutes=minutes))
runs = st.sampled_from(["", "1", "4711", "no run"])
failures = st.none() | st.builds(FailedDeploy, times, runs, any_.names)
deployments = st.builds(
    Deployment, st.integers(1, 10**12), times, any_.names, runs, st.lists(st.sampled_from(["a", "b/c"])).map(tuple)
)
settings = st.builds(
    Settings,
    st.just(SETTINGS.repository_url),
    st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")]),
    redact=st.booleans(),
    read_only=st.booleans(),
    deploys=st.booleans(),
    recently_deployed=st.integers(0, 3),
    in_sync_section=st.booleans(),
)
recents = st.lists(st.builds(Recent, any_.names, times, any_.names, runs), max_size=4)


@st.composite
def some_rows(draw_: st.DrawFn) -> list[Row]:
    """Draw rows of different stacks."""
    found = draw_(st.lists(any_.rows(), max_size=5))
    return list({row.stack: row for row in found}.values())


@st.composite
def boards(draw_: st.DrawFn, given: Settings) -> Board:
    """Draw a board that the commands could make, with ticks."""
    rows = [draw(row, given, preview_url=PREVIEW, failed=draw_(failures)) for row in draw_(some_rows())]
    working: Sequence[DashboardRow] = [
        draw_(st.sampled_from([deploying, queued]))(row.stack, draw_(deployments), given)
        for row in rows
        if draw_(st.integers(0, 3)) == 0
    ]
    rows = [row.with_tick(draw_(st.booleans())) for row in rows]
    known = [row.stack for row in rows]
    after = scanned(Board(), rows, ROOT, known=known, full=True, open_rows=working).board
    return with_recent(replace(after, rescan=draw_(st.booleans()) and not given.read_only), *draw_(recents))
