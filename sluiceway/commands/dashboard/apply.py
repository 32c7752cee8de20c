"""``sluiceway apply``: one deployment record, deployed exactly as it was approved (``spec/dashboard.md``, Records)."""

from dataclasses import dataclass
from datetime import datetime

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.finding import find
from sluiceway.commands.dashboard.records import Standing, one_standing, rival, tell
from sluiceway.commands.dashboard.result import DeploymentDocument, Fate
from sluiceway.commands.dashboard.trouble import Halt, sure
from sluiceway.commands.dashboard.writing import signed, write
from sluiceway.commands.reporting import report
from sluiceway.commands.settings import Exit
from sluiceway.dashboard import (
    Board,
    FailedDeploy,
    Recent,
    cleared,
    draw,
    failed_why,
    replaced,
    with_recent,
)
from sluiceway.github import Problem, State
from sluiceway.model.markdown import code
from sluiceway.model.rows import Outcome, Row
from sluiceway.model.stacks import Stack
from sluiceway.runs.deploy import Approved, deploy_stack
from sluiceway.runs.preview import preview_stack

_STATES: dict[Outcome, State] = {
    "deployed": State.SUCCESS,
    "in-sync": State.SUCCESS,
    "moved": State.ERROR,
    "refused": State.ERROR,
    "failed": State.FAILURE,
}
_WORDS: dict[Outcome, str] = {
    "deployed": "Deployed.",
    "in-sync": "Nothing was left to deploy: the stack is in sync.",
    "moved": "Moved: what a deploy would do is no longer what was approved. Nothing was deployed.",
    "refused": "Interrupted: nothing was deployed.",
    "failed": "The deploy failed; the run's log and summary say why.",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a record ended: the deploy's own row, and a fresh one where that shows nothing that could be approved."""

    one: Standing
    row: Row
    shown: Row

    @property
    def outcome(self) -> Outcome:
        """The deploy's outcome."""
        return self.row.outcome or "failed"


def apply(desk: Desk, number: int) -> int:
    """Deploy record ``number`` and return the exit code. Only this run's queued records are deployed, each once.

    Raises ``Halt`` where GitHub gives no answer before the deploy begins: nothing is deployed then. Where it gives none
    afterwards, the deploy was made, and the run ends red; ``settle`` gives the record its result.
    """
    one = one_standing(desk, number)
    stack = None if one is None else desk.stacks.get(one.ticket.stack)
    if one is None:
        raise Halt(f"There is no deployment record {number} of Sluiceway: nothing was deployed.")
    if one.state is not State.QUEUED or one.owner != desk.facts.needed():
        return _not_ours(desk, one)
    if stack is None:
        return _ended_before(desk, one, f"There is no stack {one.ticket.stack} any more. Nothing was deployed.")
    if why := _hindrance(desk, one):
        return _ended_before(desk, one, why)
    if not _claimed(desk, one):
        raise Halt(f"Another job deploys record {number}: nothing was deployed here.")
    return _deployed(desk, one, stack)


def _not_ours(desk: Desk, one: Standing) -> int:
    """Say why nothing is deployed: a job that was run again finds a record that has had its job."""
    stands = f"it stands at {one.state}" if one.state is not State.QUEUED else "it belongs to another run"
    desk.notice(f"Record {one.id} of {one.ticket.stack} is not deployed again: {stands}. {one.description}")
    return Exit.DONE if one.state is State.SUCCESS else Exit.FAILED


def _hindrance(desk: Desk, one: Standing) -> str | None:
    if not desk.config.deploys:
        return "Deploys are turned off (`deploys: false`). Nothing was deployed."
    for stack, number in sorted(one.ticket.behind.items()):
        other = one_standing(desk, number)
        if other is None or other.state is not State.SUCCESS:
            return f"{stack}, which it depends on, is not deployed. Nothing was deployed."
    other = rival(desk, one)
    return f"Another record ({other.id}) has the same tick. Nothing was deployed." if other else None


def _ended_before(desk: Desk, one: Standing, why: str) -> int:
    sure(tell(desk, one.id, State.ERROR, why))
    desk.fail(f"{one.ticket.stack}: {why}")
    desk.result.deployments.append(_document(one, "error", why))
    return Exit.FAILED


def _claimed(desk: Desk, one: Standing) -> bool:
    """Take the record: of several jobs that try, the one whose status is the oldest has it."""
    own = sure(tell(desk, one.id, State.IN_PROGRESS, "Deploying."))
    statuses = sure(desk.github.statuses(one.id))
    claims = [status for status in statuses if status.state is State.IN_PROGRESS]
    over = any(not status.state.open for status in statuses)
    return not over and bool(claims) and claims[-1].id == own.id


def _deployed(desk: Desk, one: Standing, stack: Stack) -> int:
    desk.session.progress.expect(1)
    with desk.session.ending.finishing():
        ended = _put_out(desk, one, stack)
        report(desk.session, [ended.row], "deploy")
        note = _WORDS[ended.outcome]
        desk.result.deployments.append(_document(one, ended.outcome, note))
        told = tell(desk, one.id, _STATES[ended.outcome], note)
        if isinstance(told, Problem):
            desk.fail(f"{stack.id}: the result could not be recorded. {told.note}")
        _show(desk, ended, desk.now() if isinstance(told, Problem) else told.created_at)
    well = ended.outcome in ("deployed", "in-sync") and not isinstance(told, Problem)
    return Exit.DONE if well else Exit.FAILED


def _put_out(desk: Desk, one: Standing, stack: Stack) -> Ended:
    desk.session.progress.begin(stack)
    row = deploy_stack(desk.job, stack, approve=lambda _row: Approved(one.ticket.hash), repair_drift=one.ticket.drift)
    desk.session.progress.end(stack, row)
    stuck = row.outcome == "failed" or (row.outcome == "moved" and row.reason is not None)
    # What failed half-way shows nothing that a person could approve: look at what is left.
    shown = preview_stack(desk.job, stack, drift=one.ticket.drift) if stuck else row
    return Ended(one, row, shown)


def _show(desk: Desk, ended: Ended, at: datetime) -> None:
    """Draw the stack's row, and say in a comment that it moved. The record has its result already."""
    issue = find(desk).issue
    if issue is None:
        desk.notice("There is no open dashboard to show this on.")
        return
    desk.result.url = issue.url
    write(desk, issue.number, lambda board: _drawn(desk, board, ended, at))
    if ended.outcome == "moved":
        words = f"{code(ended.one.ticket.stack)} was not deployed: what a deploy would do is no longer what was ticked."
        run = f"([run {desk.facts.run}]({desk.facts.run_page}), record {ended.one.id})"
        sure(desk.github.comment(issue.number, f"{words} Its row shows what it would do now. {run}"))


def _drawn(desk: Desk, board: Board, ended: Ended, at: datetime) -> Board:
    """Return the board with the stack's row as the deploy left it."""
    ticket = ended.one.ticket
    fresh = draw(ended.shown, desk.settings, preview_url=desk.facts.run_page, failed=_failure(desk, board, ended, at))
    if ended.outcome == "moved":
        fresh = cleared(
            fresh, signed(desk, "What was ticked is no longer what a deploy would do: it was not deployed.")
        )
    board = replaced(board, fresh)
    if ended.outcome != "deployed":
        return board
    return with_recent(board, Recent(ticket.stack, at, ticket.ticker, desk.facts.run))


def _failure(desk: Desk, board: Board, ended: Ended, at: datetime) -> FailedDeploy | None:
    """Return the failed deploy that the row tells of: this one, or one before that no deploy has made up for."""
    reason = ended.row.reason or ended.row.drift_reason
    if ended.outcome == "failed" and reason is not None:
        return FailedDeploy(at, desk.facts.run, failed_why(reason, desk.settings))
    old = board.rows.get(ended.one.ticket.stack)
    return old.failed if old and ended.outcome in ("moved", "refused") else None


def _document(one: Standing, outcome: Fate, note: str) -> DeploymentDocument:
    ticket = one.ticket
    return {
        "deployment": one.id,
        "stack": ticket.stack,
        "hash": ticket.hash,
        "ticker": ticket.ticker,
        "outcome": outcome,
        "note": note,
    }
