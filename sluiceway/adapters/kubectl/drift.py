"""The drift check: the preview's set and diff once more, with managed fields (record 0070)."""

from collections.abc import Iterable

from sluiceway.adapters.base import Preview
from sluiceway.adapters.kubectl import drifting
from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.inventory import is_inventory
from sluiceway.adapters.kubectl.parts import in_parts
from sluiceway.adapters.kubectl.preview import SavedSet, save_set
from sluiceway.adapters.kubectl.readings import RETAKES, read_diff_outcome
from sluiceway.adapters.kubectl.session import Session
from sluiceway.model.changes import Change, sort_changes
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, DriftFound, Failure

CANNOT_CHECK = (
    "drift is checked with prune or forceConflicts only: without them every change made outside the code is already "
    "a change or a failure on the row"
)

DELETES_UNKNOWN = "without prune there is no inventory, so whether an object was deleted outside the code can't be told"


def drift(session: Session, preview: Preview) -> DriftFound | CannotCheck | Failure:
    """Return which of the row's changes came from outside the code."""
    if not (session.target.prune or session.target.force_conflicts):
        return CannotCheck(CANNOT_CHECK)
    saved = save_set(session)
    if isinstance(saved, Failure):
        return saved
    try:
        if saved.digest != preview.fingerprint:
            return Failure(_moved(session.place.stack.id))
        return _found(session, saved, preview)
    finally:
        for path in (session.commands.manifests, session.commands.prune):
            path.unlink(missing_ok=True)


def _moved(stack: str) -> Reason:
    return Reason(
        "preparation-failed",
        f"{stack}: what the manifests render to, or the inventory, changed between the preview and the drift check",
        "Check again.",
        detail="set-changed",
        names={"stack": stack},
    )


def _found(session: Session, saved: SavedSet, preview: Preview) -> DriftFound | Failure:
    diffs = _diffs(session, saved)
    if isinstance(diffs, Failure):
        return diffs
    stock = saved.stock
    notes = [] if stock is not None else [DELETES_UNKNOWN]
    found: list[Change] = []
    if stock is not None:
        home = session.target.namespace or stock.inventory.home
        found.extend(drifting.deleted(stock.inventory.listed, diffs, home))
    for diff in diffs:
        result = drifting.updated(diff, session.target.manager)
        found.extend([result.change] if result.change else [])
        notes.extend([result.note] if result.note else [])
    return DriftFound(sort_changes(_on_the_row(found, preview)), tuple(dict.fromkeys(notes)))


def _diffs(session: Session, saved: SavedSet) -> list[ObjectDiff] | Failure:
    if not saved.rendered.manifests and saved.stock is None:
        return []
    name = saved.stock.inventory.name if saved.stock else ""
    diffs: list[ObjectDiff] = []
    for _attempt in range(1 + RETAKES):
        with in_parts(session.commands):
            outcome = session.place.runner.run(session.commands.diff(managed_fields=True))
        result = read_diff_outcome(outcome, saved.rendered.manifests)
        if isinstance(result, Failure):
            return result
        diffs = [diff for diff in result if not is_inventory(diff.either, name)]
        if not any(diff.raced for diff in diffs):
            break
    return diffs


def _on_the_row(found: Iterable[Change], preview: Preview) -> list[Change]:
    """Keep what the row shows too: drift is told of the row's changes, not of what someone did since."""
    row = {change.address: change for change in preview.diff.changes}
    return [
        change
        for change in found
        if change.address in row
        and (change.op == "delete") == (row[change.address].op == "create")
        and set(change.changed_keys) <= set(row[change.address].changed_keys)
    ]
