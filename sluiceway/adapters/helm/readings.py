"""One reading of a release for a preview: the plugin's diff, and side by side with it what we compare ourselves."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sluiceway.adapters.helm import manifests, references, release, structured, versions
from sluiceway.adapters.helm.comparison import Compared, compare, stands_twice
from sluiceway.adapters.helm.manifests import Item
from sluiceway.adapters.helm.release import DEPLOYED, UNINSTALLED, Release
from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.helm.structured import Entry
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.model.results import Failure
from sluiceway.processes import Outcome, Running

_OWN_CAPABILITIES = 3
"""The major version of helm that renders a template without the cluster's ``.Capabilities``."""

_OTHER_VERSION = " which is incompatible with Kubernetes v"
"""What helm says of a chart that wants another Kubernetes."""

_DUPLICATE = "Found duplicate key"
"""What the plugin writes to stderr when it drops the second of two objects of one name."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read of one release.

    ``entries`` are the plugin's, ``compared`` ours. ``release`` is None for one that is not there. ``start`` is the
    revision that an upgrade starts from, None for an install. ``render`` is the render that the saved plan is made of.
    """

    entries: Sequence[Entry]
    compared: Sequence[Compared]
    release: Release | None
    start: Release | None
    items: Sequence[Item] = field(repr=False)
    render: bytes = field(repr=False)
    validated: bool = False
    """Whether the render had to be told the cluster's version: see ``as_upgrade``."""

    @property
    def same_start(self) -> bool:
        """Whether the plugin's diff starts from what an upgrade starts from.

        The plugin takes the last revision for what is there, also one that failed, was cut off, or was uninstalled.
        """
        return self.release is None or self.release.state == DEPLOYED


def take(session: Session) -> Readings | Failure:
    """Read the release, render the chart and let the plugin compare them, side by side."""
    runner, commands = session.place.runner, session.commands
    diff, rendering, stored = (
        runner.start(command) for command in (commands.diff(), commands.render(), commands.release())
    )
    chart = references.start(session)
    last = _last(session, stored.wait())
    if isinstance(last, Reason):
        return Failure(last)
    start = _start(session, last)
    if isinstance(start, Reason):
        return Failure(start)
    outcome, validated = _plain(session, rendering.wait())
    render = _rendered(session, outcome)
    if isinstance(render, Reason):
        return Failure(render)
    other = references.other_version(session, chart)
    if other is not None:
        return Failure(other)
    items = _items(session, render)
    if isinstance(items, Reason):
        return Failure(items)
    entries = _entries(session, diff, has_twice=any(_any_twice(side) for side in (items, last.items if last else ())))
    if isinstance(entries, Reason):
        return Failure(entries)
    before = start.items if start else ()
    readings = Readings(entries, compare(before, items), last, start, items, render, validated)
    return readings if readings.same_start else as_upgrade(session, readings)


def as_upgrade(session: Session, readings: Readings) -> Readings | Failure:
    """Compare once more with the chart rendered as a deploy renders it, and as the plugin does.

    The saved render is the plain one (``spec/helm.md``); a chart that asks ``.Release.IsUpgrade`` renders two things,
    and so does one that asks ``.Capabilities``, for which ``helm template`` of Helm 3 has values of its own.
    """
    outcome = session.place.runner.run(session.commands.version())
    unfit = versions.unfit(outcome)
    if unfit is not None:
        return Failure(unfit)
    upgrade, validate = readings.start is not None, versions.major_of(outcome) == _OWN_CAPABILITIES
    if not upgrade and not validate:
        return readings
    render = _rendered(session, session.place.runner.run(session.commands.render(upgrade=upgrade, validate=validate)))
    if isinstance(render, Reason):
        return Failure(render)
    items = _items(session, render)
    if isinstance(items, Reason):
        return Failure(items)
    return replace(readings, compared=compare(readings.start.items if readings.start else (), items))


def _last(session: Session, outcome: Outcome) -> Release | Reason | None:
    """Read the last revision of the release; None when there is none."""
    if release.is_missing(outcome):
        return None
    if not answered(outcome):
        return session.failed(outcome, "helm get all")
    session.conceal_secrets(outcome.stdout)
    return release.read_release(outcome, session.target.namespace)


def _start(session: Session, last: Release | None) -> Release | Reason | None:
    """Return the revision that an upgrade starts from: the deployed one, which need not be the last."""
    if last is None or last.state == UNINSTALLED:
        return None
    if last.state == DEPLOYED:
        return last
    outcome = session.place.runner.run(session.commands.history())
    if not answered(outcome):
        return session.failed(outcome, "helm history")
    revision = release.deployed_revision(outcome)
    if isinstance(revision, Reason):
        return revision
    if revision is None:
        return last
    return _last(session, session.place.runner.run(session.commands.release(revision)))


def _plain(session: Session, outcome: Outcome) -> tuple[Outcome, bool]:
    """Return the plain render, and whether it was made with ``--validate``.

    ``helm template`` of Helm 3 holds a chart's ``kubeVersion`` against a version of its own, not the cluster's.
    """
    if answered(outcome) or _OTHER_VERSION not in outcome.stderr:
        return outcome, False
    version = session.place.runner.run(session.commands.version())
    if versions.major_of(version) != _OWN_CAPABILITIES:
        return outcome, False
    return session.place.runner.run(session.commands.render(validate=True)), True


def _rendered(session: Session, outcome: Outcome) -> bytes | Reason:
    if not answered(outcome):
        return session.failed(outcome, "helm template")
    session.conceal_secrets(outcome.stdout)
    return outcome.stdout


def _items(session: Session, render: bytes) -> list[Item] | Reason:
    try:
        items = manifests.read(manifests.decoded(render), session.target.namespace)
    except manifests.UnreadableManifest as error:
        return unreadable(f"the render: {error.place}", error.expected)
    for first, second in stands_twice(items):
        return twice(first, second)
    return items


def _entries(session: Session, diff: Running, *, has_twice: bool) -> Sequence[Entry] | Reason:
    outcome = diff.wait()
    if not answered(outcome):
        return session.failed(outcome, "helm diff upgrade")
    if _DUPLICATE in outcome.stderr and not has_twice:
        return unreadable("helm diff upgrade", "each object once")
    return structured.read_structured(outcome.stdout, session.target.namespace)


def _any_twice(items: Sequence[Item]) -> bool:
    addresses = [item.address for item in items]
    return len(set(addresses)) < len(addresses)


def twice(first: Item, second: Item) -> Reason:
    """Return the reason for a chart that renders one object twice: helm's diff shows the first, a deploy makes both."""
    places = " and ".join(dict.fromkeys(item.source for item in (first, second) if item.source))
    return Reason(
        "preparation-failed",
        f"the chart renders {second.address} twice" + (f" ({places})" if places else ""),
        "Give one of them another name, or take it out: helm's diff shows only the first of them.",
        names={"object": second.address, **({"file": second.source} if second.source else {})},
    )
