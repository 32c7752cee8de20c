"""One reading of the cluster for a preview: the diff, and side by side with it the live objects of the set."""

from dataclasses import dataclass

from sluiceway.adapters.kubectl.diff_output import ObjectDiff, UnreadableDiff, read_diff
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.live_set import LiveSet
from sluiceway.adapters.kubectl.parts import in_parts
from sluiceway.adapters.kubectl.session import Session, with_set
from sluiceway.adapters.kubernetes.fold import differing
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import unreadable
from sluiceway.model.results import Failure
from sluiceway.processes import Outcome

RETAKES = 3
"""How often a raced preview is taken again (``spec/kubectl.md``, a raced preview)."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What kubectl printed, read: the objects that differ, and every live object of the set."""

    diffs: tuple[ObjectDiff, ...] = ()
    live: tuple[LiveObject, ...] = ()

    @property
    def raced(self) -> tuple[str, ...]:
        """The objects that differ and were written between kubectl's two reads: the diff shows that write as ours.

        A write that leaves no difference (a status, a heartbeat) changes nothing of the row.
        """
        return tuple(
            diff.live.address
            for diff in self.diffs
            if diff.live is not None
            and diff.merged is not None
            and diff.raced
            and differing(diff.live, diff.merged.tree)
        )

    def shown_twice(self) -> str | None:
        """Return the address of an object that the diff shows twice: two changes at one address can't be read."""
        seen: set[str] = set()
        for diff in self.diffs:
            address = diff.either.address
            if address in seen:
                return address
            seen.add(address)
        return None


@dataclass(frozen=True, slots=True)
class Taken:
    """The readings that count, and a note for each object that was still being written."""

    readings: Readings
    notes: tuple[str, ...] = ()


def take(session: Session, manifests: tuple[Manifest, ...]) -> Taken | Failure:
    """Read the cluster; again, at once, while someone writes to an object in between."""
    readings = _once(session, manifests)
    for _retake in range(RETAKES):
        if isinstance(readings, Failure) or not readings.raced:
            break
        readings = _once(session, manifests)
    if isinstance(readings, Failure):
        return readings
    notes = tuple(
        f"{address} was written by someone else while the preview ran, {1 + RETAKES} times: "
        "a change of theirs may read as one of this row"
        for address in readings.raced
    )
    return Taken(readings, notes)


def _once(session: Session, manifests: tuple[Manifest, ...]) -> Readings | Failure:
    with in_parts(session.commands):
        diff, live = session.place.runner.start(session.commands.diff()), LiveSet.start(session, manifests)
        objects = live.wait()
        diffs = read_diff_outcome(diff.wait(), manifests)
    if isinstance(diffs, Failure):
        return diffs
    if isinstance(objects, Failure):
        return objects
    session.conceal_live(objects)
    return Readings(tuple(diffs), tuple(objects))


def read_diff_outcome(outcome: Outcome, manifests: tuple[Manifest, ...]) -> list[ObjectDiff] | Failure:
    """Read what ``kubectl diff`` ended with: 0 no differences, 1 differences, above 1 an error (record 0060)."""
    if outcome.ended != "exited" or outcome.exit_code not in (0, 1) or (outcome.exit_code == 1 and not outcome.stdout):
        return Failure(with_set(failed(outcome, "kubectl diff"), manifests))
    if outcome.exit_code == 0:
        return Failure(unreadable("kubectl diff exited 0", "no output")) if outcome.stdout else []
    try:
        diffs = read_diff(outcome.stdout)
    except UnreadableDiff as error:
        return Failure(unreadable(error.place, error.expected))
    return diffs or Failure(unreadable("kubectl diff exited 1", "at least one object"))
