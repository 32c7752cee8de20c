"""The board: all that a body holds. Pure steps from one board to the next; rows that a step doesn't name stay."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sluiceway.dashboard.rows import WORKING, DashboardRow
from sluiceway.dashboard.settings import stamp
from sluiceway.model.order import code_units, sorted_unique

VERSION = "1"
"""Of the body's form. A body of another version is left alone."""


@dataclass(frozen=True, slots=True)
class Root:
    """The facts of the root marker: the last scan's commit, run id and time; when all stacks were last scanned."""

    scan_sha: str = ""
    scan_run: str = ""
    scan_at: datetime | None = None
    full_scan_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Recent:
    """One deploy that went through: the stack, when, the login of who ticked, the run's id."""

    stack: str
    at: datetime
    by: str
    run: str


@dataclass(frozen=True, slots=True)
class Board:
    """A body, read or to be written.

    ``root`` is None where the first line holds no root marker of this version, ``version`` is what it says.
    ``rows`` are the whole ones by stack id; ``damaged`` the ids of those that were not whole: twice, cut, out of place.
    ``rescan`` tells whether the box for a new scan is ticked. ``recent`` has the newest deploy first.
    """

    root: Root | None = None
    rows: Mapping[str, DashboardRow] = field(default_factory=dict)
    rescan: bool = False
    recent: tuple[Recent, ...] = ()
    damaged: tuple[str, ...] = ()
    version: str | None = VERSION


@dataclass(frozen=True, slots=True)
class Scanned:
    """A board after a scan. ``stale`` are stacks whose tick was on a hash that the scan no longer found."""

    board: Board
    stale: tuple[str, ...] = ()


def replaced(board: Board, *rows: DashboardRow) -> Board:
    """Return ``board`` with ``rows`` in place of those of the same stacks."""
    own = {row.stack: row for row in rows}
    damaged = tuple(stack for stack in board.damaged if stack not in own)
    return replace(board, rows={**board.rows, **own}, damaged=damaged)


def with_recent(board: Board, *recent: Recent) -> Board:
    """Return ``board`` with more deploys that went through, the newest first, each once."""
    return replace(board, recent=newest_first((*recent, *board.recent)))


def newest_first(recent: Iterable[Recent]) -> tuple[Recent, ...]:
    """Return deploys in the order they are listed in, each once; of the same minute by stack."""
    once = {(found.stack, stamp(found.at), found.run): found for found in recent}
    by_stack = sorted(once.values(), key=lambda found: (code_units(found.stack), found.run))
    return tuple(sorted(by_stack, key=lambda found: stamp(found.at), reverse=True))


def missing(board: Board, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known stacks that have no whole row: a scan that a push narrowed has to preview them too."""
    return sorted_unique(stack for stack in known if stack not in board.rows)


def scanned(  # noqa: PLR0913 - the facts of one scan, each named
    board: Board,
    drawn: Iterable[DashboardRow],
    root: Root,
    *,
    known: Iterable[str],
    full: bool,
    open_rows: Iterable[DashboardRow] = (),
) -> Scanned:
    """Return ``board`` after a scan that gave the rows ``drawn``.

    After a ``full`` scan there is one row for each stack that was drawn or is open, and no other. After one that a push
    narrowed, the rows of other ``known`` stacks stay byte for byte. ``open_rows`` are the rows of stacks whose
    deployment record is open: they win over drawn ones, and one that stands there already with the same record stays. A
    tick stays where the fresh row has the same hash. ``root`` holds the scan's own facts.
    """
    wanted = set(known)
    kept = {} if full else {stack: row for stack, row in board.rows.items() if stack in wanted}
    fresh = {row.stack: _with_old_tick(row, board.rows.get(row.stack)) for row in drawn}
    working = {row.stack: _standing(row, board.rows.get(row.stack)) for row in open_rows}
    rows = {**kept, **fresh, **working}
    full_at = root.scan_at if full else board.root.full_scan_at if board.root else None
    damaged = () if full else tuple(stack for stack in board.damaged if stack in wanted and stack not in rows)
    after = Board(replace(root, full_scan_at=full_at), rows, recent=board.recent, damaged=damaged)
    return Scanned(after, _stale(board, rows))


def _with_old_tick(row: DashboardRow, old: DashboardRow | None) -> DashboardRow:
    return row.with_tick(True) if old and old.deployable and old.ticked and old.hash == row.hash else row


def _standing(row: DashboardRow, old: DashboardRow | None) -> DashboardRow:
    same = old is not None and old.state in WORKING and old.state == row.state and old.deployment == row.deployment
    return old if old is not None and same else row


def _stale(board: Board, rows: Mapping[str, DashboardRow]) -> tuple[str, ...]:
    ticked = (row for row in board.rows.values() if row.deployable and row.ticked)
    return sorted_unique(row.stack for row in ticked if not is_ticked(rows.get(row.stack), row.hash))


def is_ticked(row: DashboardRow | None, diff_hash: str | None) -> bool:
    """Tell whether ``row`` is one that a tick deploys, with this hash, and is ticked."""
    return row is not None and row.deployable and row.hash == diff_hash and row.ticked is True
