"""``sluiceway resolve``: from ticks to deployment records (``spec/dashboard.md``, Who may deploy)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sluiceway.commands.dashboard import history, judging
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.finding import the_open
from sluiceway.commands.dashboard.judging import Granted, Refused, Waits
from sluiceway.commands.dashboard.records import Standing, Ticket, all_standing, opened, rival, tell, working_row
from sluiceway.commands.dashboard.result import Go
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.commands.dashboard.writing import STALE, comment, signed, with_notes, write
from sluiceway.dashboard import KNOWN_STATES, Board, Tick, cleared, parse, replaced
from sluiceway.github import Issue, State


@dataclass
class Resolved:
    """What came of the ticks. ``opened`` are the records of this run, ``waits`` the ticks that stay."""

    opened: list[Standing] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    waits: list[Waits] = field(default_factory=list)
    stray: tuple[str, ...] = ()
    rescan: bool = False

    @property
    def matrix(self) -> tuple[Go, ...]:
        """The records to apply now."""
        return tuple(Go(one.id, one.ticket.stack) for one in self.opened if not one.waiting)


def resolve(desk: Desk) -> Resolved:
    """Open a record for each tick of somebody who may, clear the boxes of all others, and say why.

    Raises ``Halt`` where GitHub gives no answer: before the first record was opened nothing is deployed at all. After
    it, what was opened is in the result's matrix all the same: the record is what counts, the issue a cache.
    """
    desk.facts.needed()
    issue = the_open(desk)
    if issue is None:
        return Resolved()
    reading = history.read(desk, issue.number)
    _recover(desk, issue, reading)
    reading = history.read(desk, issue.number)
    board = parse(reading.body)
    found = Resolved(stray=reading.ticks.stray, rescan=board.rescan)
    desk.result.rescan = board.rescan
    if reading.ticks.ticks or reading.ticks.stray:
        _settle_ticks(desk, issue, board, reading.ticks.ticks, found)
    return found


def _recover(desk: Desk, issue: Issue, reading: history.Reading) -> None:
    note = signed(desk, STALE)
    board = parse(reading.body)
    if history.recovered(board, reading.edits, note) != board:
        write(desk, issue.number, lambda now: history.recovered(now, reading.edits, note))


def _settle_ticks(desk: Desk, issue: Issue, board: Board, ticks: Sequence[Tick], found: Resolved) -> None:
    records = all_standing(desk)
    judged = judging.judge(desk, ticks, records)
    found.refused.extend(judged.refused)
    under_way = {one.ticket.stack: one for one in records.values() if one.open}
    try:
        for one in judged.granted:
            _open(desk, one, board, under_way, found)
    finally:
        desk.result.matrix.extend(found.matrix)
        _tell_result(desk, found)
        write(desk, issue.number, lambda now: _drawn(desk, now, found))
        _comment(desk, issue, found.refused)


def _open(desk: Desk, one: Granted, board: Board, under_way: dict[str, Standing], found: Resolved) -> None:
    behind = judging.held_back(desk, one, board, under_way)
    if isinstance(behind, Waits):
        found.waits.append(behind)
        desk.notice(f"{one.stack.id} stays ticked: it depends on {', '.join(behind.others)}, which must be deployed.")
        return
    by = one.tick.by
    if by is None or by.editor is None:
        raise TypeError("a granted tick has an editor")
    attempt = desk.facts.needed()
    ticket = Ticket(one.stack.id, one.tick.hash, by.editor, judging.when(one.tick), attempt, one.tick.drift, behind)
    made = opened(desk, ticket)
    other = rival(desk, made)
    if other is not None:
        tell(desk, made.id, State.ERROR, f"Another run took this tick (record {other.id}).")
        found.refused.append(Refused(one.tick, "Another run took this tick.", told=False))
        if other.open:
            under_way[one.stack.id] = other
        return
    words = f"Waits for {', '.join(sorted(behind))}." if behind else "An apply job follows."
    sure(tell(desk, made.id, State.QUEUED, words, owned=not behind))
    kept = replace(made, state=State.QUEUED, owner=None if behind else attempt, description=words)
    under_way[one.stack.id] = kept
    found.opened.append(kept)


def _drawn(desk: Desk, board: Board, found: Resolved) -> Board:
    """Return the board with the rows of opened records, and the boxes of refused ticks cleared."""
    notes = {one.tick.stack: signed(desk, one.why) for one in found.refused if _still(board, one.tick)}
    board = with_notes(board, notes)
    strays = [board.rows[stack] for stack in found.stray if stack in board.rows]
    stray = [cleared(row) for row in strays if not row.deployable and row.state in KNOWN_STATES]
    rows = [working_row(desk, one, board.rows.get(one.ticket.stack)) for one in found.opened]
    return replaced(board, *stray, *rows)


def _still(board: Board, tick: Tick) -> bool:
    row = board.rows.get(tick.stack)
    return row is not None and row.deployable and row.ticked is True and row.hash == tick.hash


def _tell_result(desk: Desk, found: Resolved) -> None:
    for one in found.opened:
        ticket = one.ticket
        desk.result.deployments.append(
            {
                "deployment": one.id,
                "stack": ticket.stack,
                "hash": ticket.hash,
                "ticker": ticket.ticker,
                "outcome": "waiting" if one.waiting else "queued",
            }
        )
        desk.say(f"{ticket.stack}: record {one.id}, ticked by {ticket.ticker}. {one.description}")
    for refused in found.refused:
        by = refused.tick.by
        who = {"ticker": by.editor} if by and by.editor else {}
        desk.result.refused.append({"stack": refused.tick.stack, **who, "why": refused.why})  # type: ignore[typeddict-item]  # as declared
        desk.notice(f"{refused.tick.stack}: not deployed. {refused.why}")


def _comment(desk: Desk, issue: Issue, refused: Iterable[Refused]) -> None:
    told = {one.tick.stack: one.why for one in refused if one.told}
    if told:
        comment(desk, issue.number, "Not deployed", told)
