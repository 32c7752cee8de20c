"""``sluiceway settle``: results for records whose run never gave one, and the start of those that waited."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.facts import Attempt
from sluiceway.commands.dashboard.finding import find
from sluiceway.commands.dashboard.records import Standing, all_standing, one_standing, tell, working_row
from sluiceway.commands.dashboard.result import Go
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.commands.dashboard.writing import write
from sluiceway.dashboard import Board, DashboardRow, FailedDeploy, Recent, draw, parse, replaced, with_recent
from sluiceway.dashboard.rows import WORKING
from sluiceway.github import NotFound, State
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row

DIED = "The run ended without a result: how far the deploy came can't be told."
NEVER = "The run ended before the deploy began. Nothing was deployed."


@dataclass
class Settled:
    """``started`` are the records to apply now: those that waited, and whose turn has come."""

    started: list[Standing] = field(default_factory=list)

    @property
    def matrix(self) -> tuple[Go, ...]:
        """The records to apply now."""
        return tuple(Go(one.id, one.ticket.stack) for one in self.started)


@dataclass
class _Runs:
    """Asks GitHub about each attempt of a run once."""

    desk: Desk
    _over: dict[Attempt, bool] = field(default_factory=dict)

    def over(self, attempt: Attempt) -> bool:
        """Tell whether an attempt has ended. One that GitHub no longer has is over. Raises ``Halt``."""
        if attempt == self.desk.facts.attempt:
            return False
        if attempt not in self._over:
            run = self.desk.github.run(attempt.run, attempt=attempt.number)
            self._over[attempt] = isinstance(run, NotFound) or sure(run).over
        return self._over[attempt]


def settle(desk: Desk) -> Settled:
    """Give results to the records whose run is over, end or start those that wait, and mend the rows of all.

    Raises ``Halt`` where GitHub gives no answer.
    """
    desk.facts.needed()
    records = all_standing(desk)
    settled = Settled()
    end_dead(desk, records)
    for one in sorted(records.values(), key=lambda one: one.id):
        if one.waiting:
            _move_on(desk, records, settled, one)
    desk.result.matrix.extend(settled.matrix)
    issue = find(desk).issue
    if issue is not None:
        desk.result.url = issue.url
        known = with_shown(desk, parse(issue.body), records)
        write(desk, issue.number, lambda board: mended(desk, board, known))
    return settled


def end_dead(desk: Desk, records: dict[int, Standing]) -> None:
    """End the records whose run is over; ``records`` has them as they stand afterwards."""
    runs = _Runs(desk)
    for one in sorted(records.values(), key=lambda one: one.id):
        if not one.open or one.owner is None or not runs.over(one.owner):
            continue
        # It may have got its result since it was read. Now that its run is over, nobody gives it one any more.
        now = one_standing(desk, one.id)
        if now is not None and now.open and now.owner == one.owner:
            words = DIED if now.state is State.IN_PROGRESS else NEVER
            _end(desk, records, now, State.ERROR, words)
        elif now is not None:
            records[one.id] = now


def _move_on(desk: Desk, records: dict[int, Standing], settled: Settled, one: Standing) -> None:
    """End a waiting record where a stack before it failed, start it where all were deployed."""
    if one.ticket.stack not in desk.stacks:
        _end(desk, records, one, State.ERROR, "There is no such stack any more. Nothing was deployed.")
        return
    before = {stack: records.get(number) or one_standing(desk, number) for stack, number in one.ticket.behind.items()}
    failed = [stack for stack, other in before.items() if other is None or not (other.open or _went_well(other))]
    if failed:
        words = f"{', '.join(sorted(failed))}, which it depends on, was not deployed. Nothing was deployed."
        _end(desk, records, one, State.FAILURE, words)
    elif all(other is not None and _went_well(other) for other in before.values()):
        words = "An apply job follows."
        sure(tell(desk, one.id, State.QUEUED, words))
        started = replace(one, owner=desk.facts.needed(), description=words)
        records[one.id] = started
        settled.started.append(started)
        _note(desk, started, "queued")


def _went_well(one: Standing) -> bool:
    return one.state is State.SUCCESS


def _end(desk: Desk, records: dict[int, Standing], one: Standing, state: State, words: str) -> None:
    sure(tell(desk, one.id, state, words))
    ended = replace(one, state=state, description=words)
    records[one.id] = ended
    _note(desk, ended, "failed" if state is State.FAILURE else "error")
    desk.notice(f"{one.ticket.stack}: record {one.id} ended. {words}")


def _note(desk: Desk, one: Standing, outcome: str) -> None:
    desk.result.deployments.append(
        {
            "deployment": one.id,
            "stack": one.ticket.stack,
            "hash": one.ticket.hash,
            "ticker": one.ticket.ticker,
            "outcome": outcome,  # type: ignore[typeddict-item]  # one of its words
            "note": one.description,
        }
    )


Known = Mapping[int, Standing | None]
"""Records by id; None where there is no such record."""


def with_shown(desk: Desk, board: Board, records: Mapping[int, Standing]) -> dict[int, Standing | None]:
    """Return ``records`` with those that rows show as open and that are too old to be among them."""
    shown = {row.deployment for row in board.rows.values() if row.state in WORKING and row.deployment}
    return {**records, **{number: one_standing(desk, number) for number in sorted(shown - records.keys())}}


def open_by_stack(records: Iterable[Standing]) -> dict[str, Standing]:
    """Return the open record of each stack; of several, which only a race leaves for a moment, the oldest."""
    found: dict[str, Standing] = {}
    for one in sorted(records, key=lambda one: one.id, reverse=True):
        if one.open:
            found[one.ticket.stack] = one
    return found


def mended(desk: Desk, board: Board, records: Known) -> Board:
    """Return the board with the rows of open records drawn, and those redrawn whose record is no longer open.

    A row of a record that was opened since ``records`` were read stays as it is.
    """
    under_way = open_by_stack(one for one in records.values() if one)
    for stack, one in under_way.items():
        old = board.rows.get(stack)
        row = working_row(desk, one, old)
        if old is None or (old.state, old.deployment) != (row.state, row.deployment):
            board = replaced(board, row)
    for row in board.rows.values():
        known = row.deployment is None or row.deployment in records
        if row.state in WORKING and row.stack not in under_way and known:
            board = _redrawn(desk, board, row, records.get(row.deployment or 0))
    return board


def _redrawn(desk: Desk, board: Board, row: DashboardRow, one: Standing | None) -> Board:
    """Return the board with the row of a stack that nobody deploys any more, without a fresh preview of it."""
    stack = desk.stacks.get(row.stack)
    tool = stack.tool if stack else ""
    if one is not None and one.state is State.SUCCESS:
        run = str((one.owner or one.ticket.attempt).run)
        board = with_recent(board, Recent(row.stack, one.since, one.ticket.ticker, run))
        return replaced(board, draw(Row(row.stack, tool, "in-sync", outcome="deployed"), desk.settings))
    why = one.description if one is not None else "Its deployment record is gone."
    failed = FailedDeploy(one.since, str((one.owner or one.ticket.attempt).run), why) if one is not None else row.failed
    reason = Reason("preparation-failed", why.rstrip("."), "The next scan draws this row anew.")
    return replaced(board, draw(Row(row.stack, tool, "preview-failed", reason=reason), desk.settings, failed=failed))
