"""After a write that stuck: what happened between our reading and our writing is taken in, so that nothing is lost."""

from dataclasses import dataclass, replace
from typing import TypeVar

from sluiceway.dashboard.board import Board, Root, is_ticked, newest_first
from sluiceway.dashboard.building import TooLarge, build
from sluiceway.dashboard.reading import parse, same
from sluiceway.dashboard.rows import WORKING, DashboardRow
from sluiceway.dashboard.settings import Settings
from sluiceway.model.order import sorted_unique

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rebased:
    """The body that holds our changes and those made in between; the same as ours where there were none.

    ``ticked`` and ``unticked`` are stacks whose box follows a person's edit in between; ``stale`` those whose tick in
    between was on a hash that our row no longer has; ``taken`` those whose row is another writer's.
    """

    body: str
    ticked: tuple[str, ...] = ()
    unticked: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()


def rebased(base: str, between: str, written: str, settings: Settings) -> Rebased | TooLarge:
    """Return ``written`` with what ``between`` has that ``base`` had not.

    ``base`` is the body that ours was built from, ``between`` the one just before our write. Rows that another writer
    changed in between are newer than what we read, so they are taken, unless ours says that a deploy is under way. A
    person's edit changes boxes and nothing else: whether a row was changed is told by its marker.
    """
    if same(base, between):
        return Rebased(written)
    merge = _Merge(parse(base), parse(between), parse(written))
    board = merge.board()
    built = build(board, settings)
    if isinstance(built, TooLarge):
        return built
    return Rebased(built.body, *merge.boxes(board), merge.stale(board), merge.taken(board))


@dataclass(frozen=True, slots=True)
class _Merge:
    base: Board
    theirs: Board
    ours: Board

    def board(self) -> Board:
        stacks = {*self.ours.rows, *self.theirs.rows}
        merged = {stack: self._row(stack) for stack in stacks}
        return replace(
            self.ours,
            root=self._root(),
            rows={stack: row for stack, row in merged.items() if row},
            rescan=self._either(self.base.rescan, self.theirs.rescan, self.ours.rescan),
            recent=newest_first((*self.ours.recent, *self.theirs.recent)),
        )

    def boxes(self, board: Board) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the stacks whose box is ticked, and those whose box is not, where ours was otherwise."""
        moved = [row for stack, row in board.rows.items() if _box(row) != _box(self.ours.rows.get(stack))]
        own = [row for row in moved if row.deployable and row.stack in self.ours.rows]
        return (
            sorted_unique(row.stack for row in own if row.ticked),
            sorted_unique(row.stack for row in own if not row.ticked),
        )

    def stale(self, board: Board) -> tuple[str, ...]:
        ticked = [row for row in self.theirs.rows.values() if is_ticked(row, row.hash)]
        new = [row for row in ticked if not is_ticked(self.base.rows.get(row.stack), row.hash)]
        return sorted_unique(row.stack for row in new if _hash(board.rows.get(row.stack)) != row.hash)

    def taken(self, board: Board) -> tuple[str, ...]:
        return sorted_unique(
            stack for stack, row in board.rows.items() if _facts(row) != _facts(self.ours.rows.get(stack))
        )

    def _row(self, stack: str) -> DashboardRow | None:
        base, theirs, ours = (side.rows.get(stack) for side in (self.base, self.theirs, self.ours))
        if theirs is None:
            return ours
        if ours is None:
            return theirs if base is None else None
        changed = base is None or _facts(theirs) != _facts(base)
        own_work = ours.state in WORKING and theirs.state not in WORKING and _facts(ours) != _facts(base)
        row = theirs if changed and not own_work else ours
        return self._with_box(row, base, theirs, ours)

    def _with_box(
        self, row: DashboardRow, base: DashboardRow | None, theirs: DashboardRow, ours: DashboardRow
    ) -> DashboardRow:
        was, now = is_ticked(base, row.hash), is_ticked(theirs, row.hash)
        known = _hash(theirs) == row.hash
        own = is_ticked(ours, row.hash) if _hash(ours) == row.hash else False
        return row.with_tick(now if known and was != now else own)

    def _root(self) -> Root | None:
        base, theirs, ours = (side.root for side in (self.base, self.theirs, self.ours))
        if theirs is None or ours is None or theirs == base:
            return ours or theirs
        later = ours == base or _scanned_at(theirs) > _scanned_at(ours)
        return theirs if later else ours

    @staticmethod
    def _either(base: T, theirs: T, ours: T) -> T:
        return theirs if theirs != base else ours


def _facts(row: DashboardRow | None) -> object:
    return row and row.marker


def _hash(row: DashboardRow | None) -> str | None:
    return row.hash if row else None


def _box(row: DashboardRow | None) -> bool | None:
    return row.ticked if row else None


def _scanned_at(root: Root) -> str:
    return f"{root.scan_at or ''}"
