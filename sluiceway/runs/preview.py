"""Previews: one stack's row, and the rows of many, side by side (``spec/core.md``, Running a tool)."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from sluiceway.adapters.base import Preview
from sluiceway.model.changes import Change, Diff, repeated_address, sort_changes
from sluiceway.model.hashing import diff_hash
from sluiceway.model.order import by_code_unit
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.model.results import CannotCheck, DriftFound, Failure
from sluiceway.model.rows import Row, State
from sluiceway.model.stacks import Stack
from sluiceway.runs.job import Job


class Progress(Protocol):
    """Told when work on a stack starts and ends, from several threads."""

    def begin(self, stack: Stack) -> None:
        """Work on ``stack`` starts now."""
        ...

    def end(self, stack: Stack, row: Row) -> None:
        """Work on ``stack`` ended with ``row``."""
        ...


class Unwatched:
    """Progress that nobody watches."""

    def begin(self, stack: Stack) -> None:
        """Say nothing."""

    def end(self, stack: Stack, row: Row) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A fresh row, and the preview it is drawn from: None where that failed."""

    row: Row
    preview: Preview | None = None


def preview_stack(job: Job, stack: Stack, *, drift: bool = False) -> Row:
    """Return the row of ``stack`` as it is now; with ``drift``, what changed outside the code stands beside it.

    Never raises for what an adapter does: an exception becomes the reason ``internal-error``, its type only.
    """
    started = job.clock()
    try:
        with job.open_private() as private:
            row = see(job, stack, private, drift=drift).row
    except Exception as error:  # noqa: BLE001 - one stack's bug is one failed row, whatever it is
        row = failed_row(stack, job.broken(stack, error), drift=drift)
    return replace(row, seconds=job.clock() - started)


def preview_stacks(
    job: Job, stacks: Sequence[Stack], *, drift: bool = False, progress: Progress | None = None
) -> Iterator[Row]:
    """Yield the row of each of ``stacks`` in id order, at most ``job.concurrency`` at a time, started in id order.

    A stack named twice is previewed once. Closing the iterator early starts no further stack and waits for those that
    run.
    """
    ordered = by_code_unit({stack.id: stack for stack in stacks}.values(), key=lambda stack: stack.id)
    watched = progress or Unwatched()

    def row(stack: Stack) -> Row:
        watched.begin(stack)
        result = preview_stack(job, stack, drift=drift)
        watched.end(stack, result)
        return result

    job.readiness.ensure(job, ordered)
    workers = min(job.concurrency, len(ordered))
    if workers <= 1:
        yield from map(row, ordered)
        return
    # Most starts are for one stack, and the import is not free.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    pool = ThreadPoolExecutor(workers, thread_name_prefix="preview")
    try:
        for future in [pool.submit(row, stack) for stack in ordered]:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def see(job: Job, stack: Stack, private: Path, *, keep: bool = False, drift: bool = False) -> Seen:
    """Preview ``stack`` and return its row; with ``keep`` the preview holds its plan, which the caller leaves.

    All commands of the preview share ``previewTimeout``; the drift check has its own, as long.
    """
    failure = job.readiness.failure(job, stack)
    if job.interrupted():
        return Seen(failed_row(stack, Failure(interrupted()), drift=drift))
    if failure is not None:
        return Seen(failed_row(stack, failure, drift=drift))
    with job.open_runner(stack, stack.preview_timeout, private) as runner:
        preview = job.adapter(stack).preview(job.place(stack, runner, private), keep=keep)
    if isinstance(preview, Preview):
        preview = _checked(preview)
    job.observe(stack, preview)
    if isinstance(preview, Failure):
        return Seen(failed_row(stack, preview, drift=drift))
    row = _fresh_row(stack, preview)
    return Seen(_with_drift(job, row, stack, preview) if drift else row, preview)


def failed_row(stack: Stack, failure: Failure, *, drift: bool = False) -> Row:
    """Return the row of a stack whose preview failed; it is not checked for drift either."""
    return Row(
        stack.id,
        stack.tool,
        "preview-failed",
        drift=() if drift else None,
        drift_checked=False if drift else None,
        notes=failure.notes,
        reason=failure.reason,
    )


def interrupted() -> Reason:
    """Someone ended the run before this stack's turn came."""
    return Reason("preparation-failed", "The run was interrupted before this stack was looked at", "Run it again.")


def _checked(preview: Preview) -> Preview | Failure:
    address = repeated_address(preview.diff.changes)
    if address is None:
        return preview
    with preview.plan or nullcontext():
        return Failure(unreadable(address, "one change at each address"))


def _fresh_row(stack: Stack, preview: Preview) -> Row:
    changes = sort_changes(preview.diff.changes)
    return Row(
        stack.id,
        stack.tool,
        "pending" if changes else "in-sync",
        hash=diff_hash(Diff(stack.id, changes)),
        changes=changes,
        notes=preview.notes,
    )


def _with_drift(job: Job, row: Row, stack: Stack, preview: Preview) -> Row:
    found = _drift(job, stack, preview)
    if isinstance(found, Failure):
        return replace(
            row, hash=None, drift=(), drift_checked=False, drift_reason=found.reason, notes=_joined(row, found.notes)
        )
    if isinstance(found, CannotCheck):
        return replace(row, drift=(), drift_checked=False, notes=_joined(row, (found.note,)))
    drift = sort_changes(found.drift)
    return replace(
        row,
        state=_state(row.changes, drift),
        hash=diff_hash(Diff(stack.id, row.changes, drift)),
        drift=drift,
        drift_checked=True,
        notes=_joined(row, found.notes),
    )


def _drift(job: Job, stack: Stack, preview: Preview) -> DriftFound | CannotCheck | Failure:
    # A directory of its own: the plan that the preview keeps must stay as it is.
    try:
        with job.open_private() as private, job.open_runner(stack, stack.preview_timeout, private) as runner:
            found = job.adapter(stack).drift(job.place(stack, runner, private), preview)
    except Exception as error:  # noqa: BLE001 - the preview is whole, so its row is shown
        return job.broken(stack, error)
    if isinstance(found, DriftFound) and (address := repeated_address(found.drift)) is not None:
        return Failure(unreadable(address, "one drifted object at each address"))
    return found


def _state(changes: tuple[Change, ...], drift: tuple[Change, ...]) -> State:
    if changes:
        return "pending"
    return "drift" if drift else "in-sync"


def _joined(row: Row, notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*row.notes, *notes)))
