"""``sluiceway scan``: previews stacks and writes the dashboard issue."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sluiceway.commands.dashboard import issues
from sluiceway.commands.dashboard.board import Publishing
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.finding import find
from sluiceway.commands.dashboard.scope import scope
from sluiceway.commands.dashboard.trouble import Halt
from sluiceway.commands.dashboard.writing import Written
from sluiceway.commands.reporting import report
from sluiceway.commands.session import Session
from sluiceway.commands.settings import Exit, UsageProblem
from sluiceway.dashboard import Board, Repeated, load, merged, parse
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.reports.words import visible
from sluiceway.runs.diff import diff_stack
from sluiceway.runs.job import Job
from sluiceway.runs.preview import preview_stacks

LARGEST_MIB = 256


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``number``-th of ``of`` parts of all stacks, counted from 1."""

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> "Shard":
        """Return the shard that ``text`` names: ``2/5``. Raises :class:`UsageProblem` for anything else."""
        found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageProblem(f"--shard {visible(text)}: it takes I/N, the first of five is 1/5")
        return cls(int(found[1]), int(found[2]))

    def of_all(self, stacks: Sequence[Stack]) -> tuple[Stack, ...]:
        """Return the stacks of this shard: every ``of``-th one, so that each shard has some of each directory."""
        return tuple(stacks[self.number - 1 :: self.of])


@dataclass(frozen=True, slots=True)
class Scanned:
    """The exit code of a scan, and what it wrote; None where it wrote nothing."""

    code: int
    written: Written | None = None


def scan(desk: Desk, drift: bool | None = None) -> Scanned:
    """Preview what has to be, and write the issue. ``drift`` overrides what ``sluiceway.yaml`` says of drift checks."""
    found = find(desk)
    before = parse(found.issue.body) if found.issue else Board()
    todo = scope(desk, before)
    desk.say(todo.why)
    if todo.outdated:
        desk.notice(f"{todo.why} Nothing is scanned.")
        return Scanned(Exit.DONE)
    rows = looked_at(desk.session, desk.job, [desk.stacks[stack] for stack in todo.stacks], drift)
    return publish(desk, rows, before, full=todo.full)


def publish(desk: Desk, rows: Sequence[Row], before: Board, *, full: bool) -> Scanned:
    """Write ``rows`` into the issue. ``before`` is the board when the previews began."""
    written = issues.publish(desk, Publishing(desk, rows, before, desk.now(), full=full))
    failed = any(row.reason or row.drift_reason for row in rows)
    return Scanned(Exit.FAILED if failed else Exit.DONE, written)


def looked_at(session: Session, job: Job, stacks: Sequence[Stack], drift: bool | None) -> list[Row]:
    """Preview ``stacks`` and report their rows; those that check for drift come behind the others."""
    checked = {stack.id for stack in stacks if (stack.drift_enabled if drift is None else drift)}
    session.progress.expect(len(stacks))
    groups = (
        preview_stacks(
            job,
            [one for one in stacks if (one.id in checked) is with_drift],
            drift=with_drift,
            progress=session.progress,
        )
        for with_drift in (False, True)
    )
    with session.ending.finishing():
        rows = report(session, chain.from_iterable(groups), "scan")
        _log_diffs(session, job, rows)
    if job.interrupted():
        raise Halt("The scan was interrupted: the dashboard stays as it was.")
    return rows


def _log_diffs(session: Session, job: Job, rows: Sequence[Row]) -> None:
    if not session.project.config.scan.log_diff:
        return
    by_id = {stack.id: stack for stack in job.stacks}
    for row in rows:
        if row.state == "pending" and isinstance(found := diff_stack(job, by_id[row.stack]), Failure):
            session.log.say(visible(f"{row.stack}: its tool's diff can't be shown: {found.reason.text}"))


def merge(desk: Desk, files: Sequence[str]) -> Scanned:
    """Write the issue from the rows of all shards. A stack that no shard has gets a row that says so."""
    found = merged(_rows_in(Path(file)) for file in files)
    if isinstance(found, Repeated):
        raise UsageProblem(f"--merge: {', '.join(map(visible, found.stacks))} stands in more than one of these files")
    lost = [stack for stack in desk.stacks.values() if stack.id not in {row.stack for row in found}]
    rows = [row for row in found if row.stack in desk.stacks] + [_no_row(stack) for stack in lost]
    issue = find(desk).issue
    return publish(desk, rows, parse(issue.body) if issue else Board(), full=True)


def _no_row(stack: Stack) -> Row:
    why = Reason("preparation-failed", "No shard of the scan gave a row for this stack", "See the runs of the shards.")
    return Row(stack.id, stack.tool, "preview-failed", reason=why)


def _rows_in(file: Path) -> tuple[Row, ...]:
    try:
        if file.stat().st_size > LARGEST_MIB * 1024 * 1024:
            raise UsageProblem(f"--merge: {visible(str(file))} is larger than {LARGEST_MIB} MiB")
        rows = load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is no text"
        raise UsageProblem(f"--merge: {visible(str(file))} can't be read: {why}") from None
    if rows is None:
        raise UsageProblem(f"--merge: {visible(str(file))} is no file that `scan --shard` wrote")
    return rows
