"""Deploys: a fresh preview, and only if it is what was approved, its plan put out (``spec/core.md``, Commands)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from sluiceway.adapters.base import Plan
from sluiceway.model.results import Deployed, Failure
from sluiceway.model.rows import Outcome, Row
from sluiceway.model.stacks import Stack
from sluiceway.runs.dependencies import dependencies, in_order
from sluiceway.runs.job import Job
from sluiceway.runs.preview import Progress, Seen, Unwatched, failed_row, preview_stack, see

INTERRUPTED = "Nothing was deployed: the run was interrupted before this stack's deploy began."
UNSEEN = "Nothing was deployed: what would change could not be told."
UNKNOWN_END = "How far the deploy came can't be told. A new preview shows what is left."
REPAIR_HINT = "If the approved hash is one that `sluiceway drift` gave, deploy it with --repair-drift."


@dataclass(frozen=True, slots=True)
class Approved:
    """Someone approved what hashes to ``hash``, and nothing else."""

    hash: str


@dataclass(frozen=True, slots=True)
class Declined:
    """Nobody approved; ``why`` is a sentence for the row."""

    why: str


Decision = Approved | Declined


@dataclass(frozen=True, slots=True)
class Terms:
    """How a deploy is done, the same for all stacks of one run.

    ``approve`` is asked about each fresh row that a deploy would do something for. ``minutes`` limits each stack's
    deploy commands together; None leaves it to the stack's ``deployTimeout``.
    """

    approve: Callable[[Row], Decision]
    repair_drift: bool = False
    minutes: float | None = None


def deploy_stack(
    job: Job,
    stack: Stack,
    *,
    approve: Callable[[Row], Decision],
    repair_drift: bool = False,
    minutes: float | None = None,
) -> Row:
    """Preview ``stack`` afresh, ask ``approve`` about that row, deploy exactly it, and return how that ended.

    A stack in sync, with nothing to bring up to date, ends as ``in-sync`` and nobody is asked. What does not hash to
    the approved hash ends as ``moved``, and nothing is deployed. The saved plan is left on every way out. Never raises
    for what an adapter does.
    """
    started = job.clock()
    terms = Terms(approve, repair_drift, minutes)
    try:
        row = _deployed(job, stack, terms, started)
    except Exception as error:  # noqa: BLE001 - a bug in one adapter is that stack's failure
        row = _broken(job, stack, error, UNKNOWN_END, drift=repair_drift)
    return replace(row, seconds=job.clock() - started)


def deploy_stacks(
    job: Job, stacks: Sequence[Stack], terms: Terms, *, progress: Progress | None = None
) -> Iterator[Row]:
    """Deploy ``stacks`` one after the other in the order of ``dependsOn``, and yield the row of each as it ends.

    A stack that was not deployed holds back those behind it: they are previewed, not deployed, and end as
    ``refused`` with a note that names it.
    """
    watched = progress or Unwatched()
    ordered = in_order(stacks, job.stacks)
    job.readiness.ensure(job, ordered)
    stuck: dict[str, Row] = {}
    for stack in ordered:
        watched.begin(stack)
        row = _in_turn(job, stack, terms, stuck)
        if row.outcome not in ("deployed", "in-sync"):
            stuck[stack.id] = row
        watched.end(stack, row)
        yield row


def _in_turn(job: Job, stack: Stack, terms: Terms, stuck: dict[str, Row]) -> Row:
    before = dependencies(stack, job.stacks)
    blocker = next((row for name, row in stuck.items() if name in before), None)
    if blocker is None:
        return deploy_stack(job, stack, approve=terms.approve, repair_drift=terms.repair_drift, minutes=terms.minutes)
    return _refused(preview_stack(job, stack, drift=terms.repair_drift), held_back(blocker))


def held_back(blocker: Row) -> str:
    """Return the note of a stack that was not deployed because of ``blocker``, which it depends on."""
    ended = {"moved": "moved", "failed": "failed"}.get(blocker.outcome or "", "was not deployed")
    return f"Held back: it depends on {blocker.stack}, which {ended}."


def moved(row: Row, approved: str, *, repair_drift: bool) -> str:
    """Return the note of a stack that no longer is what was approved."""
    note = f"Nothing was deployed: {approved} was approved, and the stack now gives {row.hash}."
    return note if repair_drift else f"{note} {REPAIR_HINT}"


def _broken(job: Job, stack: Stack, error: Exception, note: str, *, drift: bool) -> Row:
    row = failed_row(stack, job.broken(stack, error), drift=drift)
    return replace(row, outcome="failed", notes=(*row.notes, note))


def _deployed(job: Job, stack: Stack, terms: Terms, started: float) -> Row:
    with ExitStack() as held:
        try:
            private = held.enter_context(job.open_private())
            seen = see(job, stack, private, keep=True, drift=terms.repair_drift)
        except Exception as error:  # noqa: BLE001 - as above; and nothing was deployed yet, which the row must say
            return _broken(job, stack, error, UNSEEN, drift=terms.repair_drift)
        seen = replace(seen, row=replace(seen.row, seconds=job.clock() - started))
        if seen.preview is not None and seen.preview.plan is not None:
            held.enter_context(seen.preview.plan)
        if seen.row.reason is not None or seen.row.drift_reason is not None:
            if job.interrupted():
                return _refused(seen.row, INTERRUPTED)
            return replace(seen.row, outcome="failed", notes=(*seen.row.notes, UNSEEN))
        if seen.row.state == "in-sync" and not _upkeep(seen):
            return replace(seen.row, outcome="in-sync")
        return _decided(job, stack, private, seen, terms)


def _upkeep(seen: Seen) -> bool:
    return seen.preview is not None and seen.preview.upkeep


def _decided(job: Job, stack: Stack, private: Path, seen: Seen, terms: Terms) -> Row:
    decision = terms.approve(seen.row)
    if isinstance(decision, Declined):
        return _refused(seen.row, decision.why)
    if decision.hash != seen.row.hash:
        note = moved(seen.row, decision.hash, repair_drift=terms.repair_drift)
        return replace(seen.row, outcome="moved", notes=(*seen.row.notes, note))
    if job.interrupted():
        return _refused(seen.row, INTERRUPTED)
    return _put_out(job, stack, private, seen, terms)


def _put_out(job: Job, stack: Stack, private: Path, seen: Seen, terms: Terms) -> Row:
    row = seen.row
    minutes = stack.deploy_timeout if terms.minutes is None else terms.minutes
    try:
        with job.open_runner(stack, minutes, private) as runner:
            place = job.place(stack, runner, private)
            # Only drift that this row shows is repaired: the fresh check found it, and the approved hash covers it.
            result = job.adapter(stack).deploy(place, _plan(seen), repair_drift=bool(row.drift))
    except Exception as error:  # noqa: BLE001 - the row that was approved is shown, whatever broke
        result = Failure(job.broken(stack, error).reason, notes=(UNKNOWN_END,))
    notes = tuple(dict.fromkeys((*row.notes, *result.notes)))
    if isinstance(result, Deployed):
        return replace(row, outcome="deployed", done=result.done, notes=notes)
    outcome: Outcome = "moved" if result.moved else "failed"
    return replace(row, outcome=outcome, done=result.done, notes=notes, reason=result.reason)


def _plan(seen: Seen) -> Plan:
    if seen.preview is None or seen.preview.plan is None:
        raise TypeError("the adapter kept no plan")
    return seen.preview.plan


def _refused(row: Row, why: str) -> Row:
    return replace(row, outcome="refused", notes=(*row.notes, why))
