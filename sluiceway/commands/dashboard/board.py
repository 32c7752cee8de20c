"""The board that a scan writes, made anew from the board as it is whenever another has written in between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.records import Standing, all_standing, working_row
from sluiceway.commands.dashboard.settle import end_dead, open_by_stack, with_shown
from sluiceway.commands.dashboard.writing import stale_noted
from sluiceway.dashboard import Board, DashboardRow, Root, draw, scanned
from sluiceway.dashboard.rows import WORKING
from sluiceway.model.rows import Row


@dataclass
class Publishing:
    """What a scan found.

    ``rows`` are fresh, of all stacks where ``full``. ``before`` is the board when it began, ``at`` when its previews
    were done.
    """

    desk: Desk
    rows: Sequence[Row]
    before: Board
    at: datetime
    full: bool
    _stale: set[str] = field(default_factory=set)
    _records: dict[int, Standing] = field(default_factory=dict)

    def prepare(self) -> None:
        """Read the deployment records, as late as can be. Raises ``Halt`` where GitHub gives no answer."""
        found = with_shown(self.desk, self.before, all_standing(self.desk))
        self._records = {number: one for number, one in found.items() if one is not None}
        if self.desk.facts.attempt is not None:
            end_dead(self.desk, self._records)

    def __call__(self, board: Board) -> Board:
        """Return the board with what the scan found."""
        desk, board = self.desk, self._mended(board)
        root = Root(desk.facts.sha, desk.facts.run, self.at)
        found = scanned(
            board,
            list(self._drawn(board)),
            root,
            known=tuple(desk.stacks),
            full=self.full,
            open_rows=self._working(board),
        )
        self._stale |= set(found.stale)
        unticked = {stack for stack in self._stale if not (row := found.board.rows.get(stack)) or not row.ticked}
        return stale_noted(desk, found.board, unticked)

    def _mended(self, board: Board) -> Board:
        """Return a board without ticks where its first line was damaged: whatever that body says deploys nothing."""
        if board.root is not None:
            return board
        self._stale |= {stack for stack, row in board.rows.items() if row.deployable and row.ticked}
        return replace(board, rows={stack: row.with_tick(ticked=False) for stack, row in board.rows.items()})

    def _working(self, board: Board) -> list[DashboardRow]:
        under_way = open_by_stack(self._records.values()).items()
        known = [(stack, one) for stack, one in under_way if stack in self.desk.stacks]
        newer = [row for row in board.rows.values() if row.state in WORKING and self._is_newer(row)]
        return [*newer, *(working_row(self.desk, one, board.rows.get(stack)) for stack, one in known)]

    def _is_newer(self, row: DashboardRow) -> bool:
        """Tell whether a row's record was opened after the records were read."""
        return row.deployment is not None and row.deployment > max(self._records, default=0)

    def _drawn(self, board: Board) -> Iterator[DashboardRow]:
        """Yield the fresh rows. One that another run drew while the previews ran is newer than they are: it stays."""
        for row in self.rows:
            now, then = board.rows.get(row.stack), self.before.rows.get(row.stack)
            if now and then and now.marker != then.marker and now.state not in WORKING:
                yield now
            else:
                yield draw(
                    row, self.desk.settings, preview_url=self.desk.facts.run_page, failed=now.failed if now else None
                )
