"""The preview of a Helm stack: what a deploy would change (record 0069; ``spec/helm.md``)."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sluiceway.adapters.base import Preview, Workplace
from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.comparison import Compared
from sluiceway.adapters.helm.manifests import Item
from sluiceway.adapters.helm.merge import Merged, merge
from sluiceway.adapters.helm.readings import Readings, as_upgrade, take
from sluiceway.adapters.helm.recovery import rollback, uninstall
from sluiceway.adapters.helm.release import Release
from sluiceway.adapters.helm.session import Session
from sluiceway.model.changes import Change, Diff, sort_changes
from sluiceway.model.results import Failure

if TYPE_CHECKING:
    from sluiceway.adapters.helm.plan import HelmPlan

RELEASE = "Release"
"""The type of the release itself on a row: it is there only while helm's own state of it has to change."""


def preview(place: Workplace, *, keep: bool = False) -> Preview | Failure:
    """Return what a deploy of the stack would change; with ``keep``, with the digests that the deploy must meet."""
    session = Session.at(place)
    readings = take(session)
    if isinstance(readings, Failure):
        return readings
    merged = _merged(session, readings)
    if readings.same_start and not merged.agreed:
        readings = as_upgrade(session, readings)
        if isinstance(readings, Failure):
            return readings
        merged = _merged(session, readings)
    changes = sort_changes([*merged.changes, *_of_the_release(session, readings.release)])
    return Preview(
        Diff(place.stack.id, changes),
        notes=tuple(_notes(session, readings, merged)),
        fingerprint=hashlib.sha256(readings.render).hexdigest(),
        plan=_plan(session, changes, readings) if keep else None,
        shape=tuple(_shape(item) for item in readings.items),
    )


def _plan(session: Session, changes: tuple[Change, ...], readings: Readings) -> "HelmPlan":
    from sluiceway.adapters.helm.plan import HelmPlan  # noqa: PLC0415 - only a deploy keeps one

    digests = manifests.digests(readings.render, session.target.namespace)
    applied = dict.fromkeys(item.address for item in readings.items if not item.only_a_test)
    return HelmPlan(digests.whole, tuple(digests.objects.items()), changes, tuple(applied), readings.validated)


def _merged(session: Session, readings: Readings) -> Merged:
    # From another start the plugin shows something else than the deploy will do.
    entries = readings.entries if readings.same_start else ()
    merged = merge(entries, readings.compared, session.place.shows)
    return merged if readings.same_start else replace(merged, unseen=())


def _of_the_release(session: Session, release: Release | None) -> Iterator[Change]:
    """Yield the change of a release that is not as a good deploy leaves it: such a stack is never in sync."""
    if release is not None and release.state not in ("deployed", "uninstalled"):
        name = f"{session.target.namespace}/{session.target.release}"
        yield Change(f"{RELEASE}/{name}", RELEASE, name, "update", changed_keys=("status",))


def _notes(session: Session, readings: Readings, merged: Merged) -> Iterator[str]:
    if readings.release is not None and not readings.same_start:
        yield _state_note(session, readings.release, readings.start)
    if merged.unseen:
        yield f"not shown by helm's diff plugin, or not whole: {', '.join(sorted(merged.unseen))}"
    for compared in readings.compared:
        if compared.op == "forget":
            yield _left_behind(compared)
    if readings.start is None and session.target.is_local:
        yield from _custom_kinds(session)


def _state_note(session: Session, release: Release, start: Release | None) -> str:
    target = session.target
    since = f"the release {target.release} is {release.state} since revision {release.revision}"
    if start is None:
        return f"{since}: a deploy installs it anew"
    never = start is release
    if not release.pending:
        what = "no revision was ever deployed" if never else f"revision {start.revision} is deployed"
        return f"{since}: {what}, and the row compares with {_compared(never)}"
    way_out = uninstall(target) if never else rollback(target, str(start.revision))
    return (
        f"{since}: a deploy is at work on it, or was killed half-way. Helm refuses the next one until it is over; "
        f"if nothing is at work, {way_out} gets out of it. The row compares with {_compared(never)}"
    )


def _compared(never: bool) -> str:
    """Say what a row is worth whose last revision is not deployed."""
    if never:
        return "that one: any object of it may be missing in the cluster. `sluiceway drift` asks the cluster"
    return "the deployed one: what the last one left in the cluster is not on it. `sluiceway drift` asks the cluster"


def _left_behind(compared: Compared) -> str:
    item = compared.either
    why = "a hook, which helm never deletes for that" if item.hook else "its annotation helm.sh/resource-policy says so"
    return f"{item.address} is no longer in the chart and stays in the cluster: {why}"


def _custom_kinds(session: Session) -> Iterator[str]:
    if (session.place.directory / session.target.chart / "crds").is_dir():
        yield "the kinds in the chart's directory crds are on no row: a first install makes those that are missing"


def _shape(item: Item) -> str:
    live = item.object
    hook = " (hook)" if item.hook else ""
    return f"{live.api_version} {live.kind} {live.namespace or '-'} {live.name}{hook}"
