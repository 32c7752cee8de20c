"""The issue's edit history: whose ticks stand, and which were lost when a run died in the middle of a write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.trouble import Halt, sure
from sluiceway.commands.dashboard.writing import with_notes
from sluiceway.dashboard import Board, DashboardRow, Edit, Ticks, parse, ticks
from sluiceway.github import Edit as Version
from sluiceway.github import History, Kind

FIRST, MOST = 50, 400
"""How many edits are asked for at first, and where that doesn't reach back to who ticked."""
_ASKED_AGAIN = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A body, its edits, and its ticks, read at one moment."""

    body: str
    edits: tuple[Edit, ...]
    ticks: Ticks


def read(desk: Desk, number: int) -> Reading:
    """Return the ticks of the issue with whose edit set each. Raises ``Halt`` where GitHub can't tell."""
    for _ in range(_ASKED_AGAIN):
        history = sure(desk.github.history(number, most=FIRST))
        found = _ticks(desk, history)
        if any(tick.by is None for tick in found.ticks.ticks) and not history.whole:
            found = _ticks(desk, sure(desk.github.history(number, most=MOST)))
        if not found.ticks.behind:
            return found
    raise Halt("GitHub's edit history lags behind the dashboard: whose ticks these are can't be told. Run this again.")


def _ticks(desk: Desk, history: History) -> Reading:
    # An issue that was never edited has no edits: its body is as its author, our bot, created it.
    edits = tuple(_edit(desk, one) for one in history.edits)
    return Reading(history.body, edits, ticks(history.body, edits, complete=history.whole))


def _edit(desk: Desk, version: Version) -> Edit:
    editor = version.editor
    return Edit(
        body=version.body,
        at=version.at,
        editor=None if editor.kind is Kind.DELETED else editor.login,
        bot=editor.kind not in {Kind.PERSON, Kind.DELETED},
        ours=editor == desk.bot,
    )


def recovered(board: Board, edits: Sequence[Edit], note: str) -> Board:
    """Return ``board`` with the ticks that an edit of ours took away without a word, as a run does that died.

    A run that lives looks after its write and carries such a tick over. Where the row shows something else by now, it
    gets ``note`` instead.
    """
    rows, stale = dict(board.rows), set()
    for row in _lost(edits):
        now = board.rows.get(row.stack)
        if now is None or not now.deployable or now.ticked:
            continue
        if now.hash == row.hash:
            rows[row.stack] = now.with_tick(True)
        else:
            stale.add(row.stack)
    return with_notes(replace(board, rows=rows), dict.fromkeys(stale, note))


def _lost(edits: Sequence[Edit]) -> Iterator[DashboardRow]:
    """Yield the ticked rows that an edit of ours made unticked ones, where nobody has dealt with the stack since."""
    boards = [parse(edit.body) if edit.body is not None else None for edit in edits]
    dealt: set[str] = set()
    for index, (after, before) in enumerate(pairwise(boards)):
        if after is None or before is None:
            return
        for stack, row in before.rows.items():
            now = after.rows.get(stack)
            if stack in dealt or not row.deployable:
                continue
            if edits[index].ours and row.ticked and now and _is_silent(row, now):
                yield row
            if now is None or now.ticked != row.ticked or _is_answered(row, now):
                dealt.add(stack)


def _is_silent(row: DashboardRow, now: DashboardRow) -> bool:
    return now.deployable and not now.ticked and not _is_answered(row, now)


def _is_answered(row: DashboardRow, now: DashboardRow) -> bool:
    """Tell whether an edit dealt with a row: it has no box any more, or a note that it had not."""
    return not now.deployable or ("note" in now.marker.keys and now.texts != row.texts)
