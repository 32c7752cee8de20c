"""``sluiceway deploy``: puts out exactly what was approved."""

from collections.abc import Sequence
from dataclasses import dataclass

from sluiceway.commands.approval import Approval, hashes
from sluiceway.commands.output import Output
from sluiceway.commands.reporting import report
from sluiceway.commands.session import Session, session
from sluiceway.commands.settings import Exit, Settings
from sluiceway.model.rows import Row
from sluiceway.runs.deploy import Terms, deploy_stacks


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be deployed: stack ids, hashes as they were typed, and terms. ``minutes`` limits each deploy."""

    names: tuple[str, ...]
    hashes: tuple[str, ...] = ()
    repair_drift: bool = False
    minutes: float | None = None


def run(settings: Settings, output: Output, order: Order) -> int:
    """Deploy the stacks of ``order`` in the order of ``dependsOn``, and report how each ended."""
    given = hashes(order.hashes, order.names)
    with session(settings, output, "deploy") as opened:
        return put_out(opened, order, Approval(opened, given))


def put_out(opened: Session, order: Order, approval: Approval) -> int:
    """Deploy what ``approval`` approves, and return the exit code."""
    stacks = opened.project.chosen(order.names)
    opened.progress.expect(len(stacks))
    terms = Terms(approval, repair_drift=order.repair_drift, minutes=order.minutes)
    with opened.ending.finishing():
        deployed = deploy_stacks(opened.job(), stacks, terms, progress=opened.progress)
        rows = report(opened, deployed, "deploy", lambda row: row.stack in approval.seen)
    return _code(rows, approval.unasked)


def _code(rows: Sequence[Row], unasked: set[str]) -> int:
    outcomes = {row.outcome for row in rows}
    if outcomes <= {"deployed", "in-sync"}:
        return Exit.DONE
    return Exit.USAGE if unasked and not outcomes & {"failed", "moved"} else Exit.FAILED
