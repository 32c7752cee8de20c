"""The preview: what a deploy of the rendered set would change now (records 0060 and 0070)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sluiceway.adapters.base import Preview
from sluiceway.adapters.kubectl import inventory
from sluiceway.adapters.kubectl.diff_output import ObjectDiff, UnreadableDiff
from sluiceway.adapters.kubectl.documents import stands_twice
from sluiceway.adapters.kubectl.inventory import is_inventory
from sluiceway.adapters.kubectl.pairing import Pairing, pair
from sluiceway.adapters.kubectl.plan import Applied, KubectlPlan
from sluiceway.adapters.kubectl.readings import Readings, Taken, take
from sluiceway.adapters.kubectl.rendered import Rendered, write_private
from sluiceway.adapters.kubectl.session import Session, refused
from sluiceway.adapters.kubernetes import fold
from sluiceway.adapters.kubernetes.objects import LiveObject, mapping
from sluiceway.model.changes import Change, Diff, repeated_address, sort_changes
from sluiceway.model.order import sorted_unique
from sluiceway.model.reasons import unreadable
from sluiceway.model.results import Failure

if TYPE_CHECKING:
    from sluiceway.adapters.kubectl.candidates import Stocktaking
    from sluiceway.adapters.kubectl.hidden import Hidden
    from sluiceway.adapters.kubectl.pruning import Candidate


@dataclass(frozen=True, slots=True)
class SavedSet:
    """The rendered set on disk, with the inventory behind it where the stack has one."""

    rendered: Rendered
    digest: str
    stock: "Stocktaking | None"

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of rendering and of taking stock."""
        return (*self.rendered.notes, *(self.stock.notes if self.stock else ()))


def save_set(session: Session) -> SavedSet | Failure:
    """Render the stack, take stock where it prunes, and write the set; the same for a preview and a drift check."""
    rendered = session.render()
    if isinstance(rendered, Failure):
        return rendered
    stock = _stock(session, rendered) if session.target.prune else None
    if isinstance(stock, Failure):
        return stock
    content = rendered.content
    if stock is not None:
        ending = b"" if not content or content.endswith(b"\n") else b"\n"
        found, stack = stock.inventory, session.place.stack.id
        content = content + ending + inventory.document(found.name, stack, stock.objects, found.version, stock.going)
    return SavedSet(rendered, write_private(session.commands.manifests, content), stock)


def _stock(session: Session, rendered: Rendered) -> "Stocktaking | Failure":
    from sluiceway.adapters.kubectl.candidates import take_stock  # noqa: PLC0415 - only a stack that prunes needs it

    return take_stock(session, rendered)


def preview(session: Session, *, keep: bool) -> Preview | Failure:
    """Return what a deploy would change; with ``keep`` the set stays on disk as the saved plan."""
    saved = save_set(session)
    if isinstance(saved, Failure):
        return saved
    try:
        result = _previewed(session, saved, keep=keep)
    except BaseException:
        session.commands.manifests.unlink(missing_ok=True)
        raise
    if not keep or isinstance(result, Failure):
        for path in (session.commands.manifests, session.commands.prune, session.commands.probe):
            path.unlink(missing_ok=True)
    return result


def _previewed(session: Session, saved: SavedSet, *, keep: bool) -> Preview | Failure:
    if not saved.rendered.manifests and saved.stock is None:
        return Preview(Diff(session.place.stack.id), notes=saved.notes, fingerprint=saved.digest)
    taken = take(session, saved.rendered.manifests)
    if isinstance(taken, Failure):
        return taken
    readings, name = taken.readings, saved.stock.inventory.name if saved.stock else ""
    pairing = pair(saved.rendered.manifests, readings, _home(session, saved, readings, name))
    doubled = pairing.doubled()
    if doubled is not None:
        return refused(stands_twice(*doubled))
    twice = readings.shown_twice()
    if twice is not None:
        return Failure(unreadable("the diff", f"{twice} once"))
    hidden = _hidden(session, pairing)
    if isinstance(hidden, Failure):
        return hidden
    saved = _without_the_set(saved, pairing)
    changes = [*_changes(session, readings, hidden, name), *_deletes(saved)]
    twice = repeated_address(changes)
    if twice is not None:
        return Failure(unreadable("the diff", f"{twice} once"))
    upkeep = any(is_inventory(diff.either, name) for diff in readings.diffs)
    notes = (*_notes(session, saved, taken, pairing), *(hidden.notes if hidden else ()))
    if upkeep and not changes:
        notes = (
            *notes,
            f"the stack's inventory is behind: `sluiceway deploy {session.place.stack.id}` brings it up to date",
        )
    return Preview(
        Diff(session.place.stack.id, sort_changes(changes)),
        notes=tuple(dict.fromkeys(notes)),
        fingerprint=saved.digest,
        plan=_plan(session, saved, pairing) if keep else None,
        upkeep=upkeep,
        shape=_shape(saved),
    )


def _hidden(session: Session, pairing: Pairing) -> "Hidden | Failure | None":
    """Look for what the dry run hides, where an object was ever applied client-side."""
    live = (pair.live for pair in pairing.pairs if pair.live is not None)
    if not any(fold.LAST_APPLIED in mapping(item.metadata.get("annotations")) for item in live):
        return None
    from sluiceway.adapters.kubectl.hidden import find_hidden  # noqa: PLC0415 - rare, and it needs a lot

    try:
        return find_hidden(session, pairing)
    except UnreadableDiff as error:
        return Failure(unreadable(error.place, error.expected))


def _without_the_set(saved: SavedSet, pairing: Pairing) -> SavedSet:
    """Take out of the deletes whatever is one of the set's own live objects, under whichever name and group."""
    if saved.stock is None:
        return saved
    uids = {pair.live.uid for pair in pairing.pairs if pair.live is not None}
    judgement = saved.stock.judgement
    deletes = tuple(candidate for candidate in judgement.deletes if candidate.live.uid not in uids)
    return replace(saved, stock=replace(saved.stock, judgement=replace(judgement, deletes=deletes)))


def _home(session: Session, saved: SavedSet, readings: Readings, name: str) -> str | None:
    """Return the namespace in which objects that write none are, as far as it can be known."""
    if session.target.namespace:
        return session.target.namespace
    if saved.stock is not None:
        found = [diff.either for diff in readings.diffs if is_inventory(diff.either, name)]
        return found[0].namespace if found else saved.stock.inventory.home
    return None


def _changes(session: Session, readings: Readings, hidden: "Hidden | None", name: str) -> list[Change]:
    shows = session.place.shows
    shown = [diff for diff in readings.diffs if not is_inventory(diff.either, name)]
    found = [change for diff in shown if (change := _change(diff, hidden, shows)) is not None]
    changes = {change.address: change for change in found}
    for live in readings.live:
        change = changes.get(live.address) or (_hidden_change(live, hidden, shows) if hidden else None)
        if live.deletion_time and not is_inventory(live, name):
            change = _being_deleted(live, change)
        if change is not None:
            changes[live.address] = change
    return list(changes.values())


def _change(diff: ObjectDiff, hidden: "Hidden | None", shows: Callable[[str], bool]) -> Change | None:
    """Fold one object of the diff (the table of record 0060)."""
    if diff.live is None:
        return fold.create(diff.either)
    if diff.merged is None:
        return fold.delete(diff.live)
    sides = hidden.after.get(diff.live.address) if hidden else None
    before, after = sides or (diff.live.tree, diff.merged.tree)
    more = hidden.more.get(diff.live.address, ()) if hidden else ()
    live = LiveObject(before)
    paths = [*fold.differing(live, after), *more]
    return fold.update(live, after, paths, shows) if paths else None


def _hidden_change(live: LiveObject, hidden: "Hidden", shows: Callable[[str], bool]) -> Change | None:
    """Return the change of an object that the diff does not show, and that the deploy changes all the same."""
    after = hidden.alone.get(live.address, live.tree)
    paths = fold.differing(live, after)
    return fold.update(live, after, paths, shows) if paths else None


def _being_deleted(live: LiveObject, change: Change | None) -> Change:
    """Return the change of an object that is being deleted: never in sync, although kubectl finds nothing to do."""
    if change is None:
        change = Change(live.address, live.kind, live.place, "update")
    if change.op != "update":
        return change
    return replace(change, changed_keys=sorted_unique([*change.changed_keys, "metadata.deletionTimestamp"]))


def _deletes(saved: SavedSet) -> list[Change]:
    return [fold.delete(candidate.live) for candidate in saved.stock.judgement.deletes] if saved.stock else []


def _notes(session: Session, saved: SavedSet, taken: Taken, pairing: Pairing) -> tuple[str, ...]:
    notes = [*saved.notes, *taken.notes]
    if session.target.prune and not session.place.repository:
        notes.append(
            "the repository has no name here (--repository or GITHUB_REPOSITORY): this row's inventory is another one "
            "than the one of a job that has it"
        )
    notes.extend(_deletion_note(live) for live in taken.readings.live if live.deletion_time)
    notes.extend(
        f"{pairing.address(number)}: a key taken out of a Secret's stringData stays in the cluster"
        for number, manifest in enumerate(saved.rendered.manifests)
        if manifest.kind == "Secret" and not manifest.group and mapping(manifest.tree.get("stringData"))
    )
    return tuple(notes)


def _deletion_note(live: LiveObject) -> str:
    waits = f" and waits for its finalizers ({', '.join(live.finalizers)})" if live.finalizers else ""
    return (
        f"{live.address} is being deleted since {live.deletion_time}{waits}; no deploy can take that back, "
        "and the first one after it is gone makes it anew"
    )


def _plan(session: Session, saved: SavedSet, pairing: Pairing) -> KubectlPlan:
    deletes = saved.stock.judgement.deletes if saved.stock else ()
    session.commands.prune.unlink(missing_ok=True)
    prune_digest = _write_prune_file(session, deletes) if deletes else None
    applied = [
        Applied(_word(manifest.group, manifest.kind, manifest.name), pairing.address(number), pairing.is_new(number))
        for number, manifest in enumerate(saved.rendered.manifests)
    ]
    if saved.stock is not None:
        applied.append(Applied(_word("", "ConfigMap", saved.stock.inventory.name), "", created=False))
    return KubectlPlan(
        session.commands,
        saved.digest,
        tuple(applied),
        saved.rendered.manifests,
        saved.stock.inventory.home if saved.stock else None,
        saved.stock.inventory.name if saved.stock else None,
        saved.stock.objects if saved.stock else "",
        saved.stock.going if saved.stock else "",
        deletes,
        prune_digest,
    )


def _write_prune_file(session: Session, deletes: "tuple[Candidate, ...]") -> str:
    from sluiceway.adapters.kubectl.pruning import delete_file  # noqa: PLC0415 - only a stack that prunes needs it

    return write_private(session.commands.prune, delete_file(deletes))


def _word(group: str, kind: str, name: str) -> str:
    """Return how kubectl names an object that it applied: ``deployment.apps/web``."""
    resource = f"{kind}.{group}" if group else kind
    return f"{resource.lower()}/{name}"


def _shape(saved: SavedSet) -> tuple[str, ...]:
    lines = [
        f"{m.api_version} {m.kind} {m.namespace or '-'} {m.name}" for m in saved.rendered.manifests
    ]  # fmt: skip
    if saved.stock is None:
        return tuple(lines)
    listed = [f"inventory {line}" for line in saved.stock.objects.splitlines()]
    deletes = [f"prune {c.live.api_version} {c.live.kind} {c.live.place}" for c in saved.stock.judgement.deletes]
    return (*lines, *listed, *deletes)
