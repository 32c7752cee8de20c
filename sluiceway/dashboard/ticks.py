"""Ticks: which boxes are ticked, and whose edit of the issue set each (``spec/dashboard.md``, Who may deploy)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sluiceway.dashboard.board import Board
from sluiceway.dashboard.reading import parse, same
from sluiceway.dashboard.rows import DashboardRow, as_drawn
from sluiceway.model.order import by_code_unit

_BEHIND = "The issue's edit history does not hold the newest edit yet"
_CUT_OFF = "The issue's edit history does not reach back to who ticked this"
_REMOVED = "An edit of the issue that may have ticked this was removed from its history"
_NOBODY = "No person's edit of the issue ticked this"
_TAKEN_BACK = "The tick was taken back"
_NOT_ONLY = "The edit that ticked this changed more of the row than its box"
_SCAN = "Scan all stacks, then tick it"
_BY_HAND = f"Somebody edited this row by hand, so what it showed need not be what it deploys. {_SCAN}"
_UNSEEN = f"An edit of the issue that may have changed this row was removed from its history. {_SCAN}"

Box = Literal["ticked", "unticked", "absent"]
"""How a body has a row with one hash: with its box ticked, unticked, or not at all."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the issue's body. ``body`` is the whole text after it, None where GitHub no longer has it.

    ``editor`` is a login, None of a deleted account. ``bot``: no person made it. ``ours``: our own bot did.
    """

    body: str | None
    at: datetime
    editor: str | None = None
    bot: bool = False
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """A ticked box of a row that can be deployed, and the edit that set it.

    ``by`` is None where that can't be told, and ``why`` then says so. The edit may be another bot's or a deleted
    account's: whether its editor may deploy is for the caller to ask.
    """

    stack: str
    hash: str
    drift: bool
    by: Edit | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ticks:
    """What is ticked, by stack id; ``stray`` are ticked rows that no tick deploys.

    ``behind``: the newest edit was not there yet, so nothing could be told. Ask for the edits again.
    """

    ticks: tuple[Tick, ...] = ()
    stray: tuple[str, ...] = ()
    behind: bool = False


def ticks(body: str, edits: Sequence[Edit], *, complete: bool) -> Ticks:
    """Return the ticks of ``body``, each with the edit that set it, from the issue's ``edits``, the newest first.

    Our own bot's edits are looked through: they carry ticks over. ``complete`` says that the edits reach back to the
    issue's first text. Of a body that is no dashboard of this version nothing is a tick.
    """
    board = parse(body)
    if board.root is None:
        return Ticks()
    ticked = [row for row in by_code_unit(board.rows.values(), key=lambda row: row.stack) if row.ticked]
    behind = not edits or edits[0].body is None or not same(edits[0].body, body)
    history = _History(edits, complete=complete)
    found = tuple(
        _tick(row, None, f"{_BEHIND}.") if behind else _tick(row, *history.setter(row.stack, row.hash or ""))
        for row in ticked
        if row.deployable
    )
    return Ticks(found, tuple(row.stack for row in ticked if not row.deployable), behind and bool(found))


def _tick(row: DashboardRow, by: Edit | None, why: str) -> Tick:
    return Tick(row.stack, row.hash or "", row.drift > 0, by, why)


class _History:
    """The edits of an issue, each body read once."""

    def __init__(self, edits: Sequence[Edit], *, complete: bool) -> None:
        self._edits = edits
        self._end = _NOBODY if complete else _CUT_OFF
        self._boards: list[Board | None] = [None if edit.body is None else parse(edit.body) for edit in edits]

    def setter(self, stack: str, diff_hash: str) -> tuple[Edit | None, str]:
        """Return the edit that ticked the row with this hash, or None and why it can't be told.

        It is the newest edit by anybody but our bot before which the row stood there unticked, and after which ticked.
        What was ticked has to be a row that our bot drew: of any other, what it shows and its hash may be two things.
        """
        for index, edit in enumerate(self._edits):
            if edit.ours:
                continue
            before, after = self._box(index + 1, stack, diff_hash), self._box(index, stack, diff_hash)
            if after is None or (before is None and index + 1 < len(self._edits)):
                return None, f"{_REMOVED}."
            if before is None:
                return None, f"{self._end}."
            if before == after:
                continue
            if after == "ticked":
                if before == "absent":
                    return None, f"{_NOT_ONLY}."
                forged = self._forged(index, stack)
                return (None, f"{forged}.") if forged else (edit, "")
            return None, f"{_TAKEN_BACK}."
        return None, f"{self._end}."

    def _forged(self, index: int, stack: str) -> str | None:
        """Return why the row as it stood after edit ``index`` is not one that our bot drew, or None where it is.

        Our bot drew it where the edit that first had it is ours. Notes of ours may have come since, also on a forged
        row that we carried: so it has to hold for the whole row, and for the row without them.
        """
        return self._foreign(index, stack, _whole) or self._foreign(index, stack, as_drawn)

    def _foreign(self, index: int, stack: str, form: Callable[[DashboardRow], object]) -> str | None:
        rows = [board.rows.get(stack) if board else None for board in self._boards]
        ticked = rows[index]
        wanted = form(ticked) if ticked else None
        first = max(at for at, row in enumerate(rows) if row is not None and form(row) == wanted)
        if not self._edits[first].ours:
            return _BY_HAND
        return _UNSEEN if first + 1 < len(rows) and self._boards[first + 1] is None else None

    def _box(self, index: int, stack: str, diff_hash: str) -> Box | None:
        board = self._boards[index] if index < len(self._boards) else None
        row = board.rows.get(stack) if board else None
        if board is None:
            return None
        if row is None or not row.deployable or row.hash != diff_hash:
            return "absent"
        return "ticked" if row.ticked else "unticked"


def _whole(row: DashboardRow) -> object:
    return row.marker, row.texts
