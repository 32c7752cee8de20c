"""What the dry run hides of objects that were once applied client-side, found for a whole set (decision 0071)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sluiceway.adapters.kubectl import migration
from sluiceway.adapters.kubectl.answers import read_stream
from sluiceway.adapters.kubectl.diff_output import ObjectDiff
from sluiceway.adapters.kubectl.managed_fields import UnreadableFields
from sluiceway.adapters.kubectl.migration import Migration
from sluiceway.adapters.kubectl.pairing import Pairing
from sluiceway.adapters.kubectl.rendered import write_private
from sluiceway.adapters.kubectl.session import Session
from sluiceway.adapters.kubernetes.fold import LAST_APPLIED_PATH, differing
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.paths import Path
from sluiceway.model.trees import MISSING

MOST_PROBES = 20
"""How many dry runs a preview takes at most to learn defaults, where some objects are refused."""


@dataclass
class Hidden:
    """What the deploy really leaves, by address.

    ``after``: of objects that the diff shows, both sides whole, in place of what it shows. ``alone``: of objects that
    it does not show. ``more``: paths to add to what the diff shows (a Secret, whose values the diff masks).
    """

    after: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    alone: dict[str, Any] = field(default_factory=dict)
    more: dict[str, list[Path]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def find_hidden(session: Session, pairing: Pairing) -> Hidden:
    """Find what the deploy takes out although the dry run does not show it; one dry run more where defaults matter."""
    hidden = Hidden()
    migrations = _migrations(session, pairing, hidden)
    probes = _probe(session, [item for item in migrations if item.needs_probe])
    shown = {diff.live.address: diff for diff in pairing.readings.diffs if diff.live and diff.merged}
    for item in migrations:
        _settle(item, shown.get(item.live.address), probes, hidden)
    return hidden


def _migrations(session: Session, pairing: Pairing, hidden: Hidden) -> list[Migration]:
    found = []
    for pair in pairing.pairs:
        if pair.live is None:
            continue
        try:
            item = migration.migration_of(pair.live, pair.manifest, session.target.manager)
        except UnreadableFields:
            hidden.notes.append(f"{pair.live.address}: its managed fields can't be read, so what a deploy takes out of "
                                "an object that was applied client-side can't be told")  # fmt: skip
            continue
        if item is not None:
            found.append(item)
    return found


def _probe(session: Session, migrations: list[Migration]) -> Mapping[str, LiveObject]:
    """Ask, as a dry run, what the API server makes of the manifests alone; what it can't answer is left out.

    kubectl prints nothing at all when one object is refused (its port is taken, say): each half is asked then.
    """
    answers: dict[str, LiveObject] = {}
    waiting = [migrations] if migrations else []
    for _ in range(MOST_PROBES):
        if not waiting:
            break
        group = waiting.pop(0)
        found = _asked(session, group)
        answers |= found
        if not found and len(group) > 1:
            half = len(group) // 2
            waiting += [group[:half], group[half:]]
    return answers


def _asked(session: Session, migrations: list[Migration]) -> dict[str, LiveObject]:
    write_private(session.commands.probe, migration.probe_content(migrations))
    outcome = session.place.runner.run(session.commands.probe_defaults())
    session.commands.probe.unlink(missing_ok=True)
    named = {(live.group, live.kind, live.name): live for live in read_stream(outcome.stdout)}
    answers = {}
    for number, item in enumerate(migrations):
        answer = named.get((item.live.group, item.live.kind, migration.probe_name(number)))
        if answer is not None:
            answers[item.live.address] = answer
    return answers


def _settle(item: Migration, shown: ObjectDiff | None, probes: Mapping[str, LiveObject], hidden: Hidden) -> None:
    address = item.live.address
    probe = probes[address].tree if address in probes else MISSING
    if item.needs_probe and probe is MISSING:
        item = item.only(migration.was_stated(item) | {LAST_APPLIED_PATH})
        hidden.notes.append(
            f"{address} was applied client-side before: the deploy takes out what its manifest no longer states, and "
            "whether a default takes its place can't be told"
        )
    if item.live.is_secret:
        item = item.only(migration.was_stated(item) | {LAST_APPLIED_PATH})
        after = migration.after_migration(item, item.live.tree, MISSING)
        hidden.alone[address] = after
        hidden.more[address] = differing(item.live, after)
    elif shown is not None:
        before, merged = shown.whole()
        hidden.after[address] = (before, migration.after_migration(item, merged, probe))
    else:
        hidden.alone[address] = migration.after_migration(item, item.live.tree, probe)
