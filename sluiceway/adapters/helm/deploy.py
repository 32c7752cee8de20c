"""The deploy: render again, ask for the version, then upgrade (record 0069, The deploy; ``spec/helm.md``)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.helm import manifests, versions
from sluiceway.adapters.helm.plan import HelmPlan
from sluiceway.adapters.helm.recovery import left, way_out
from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.patterns import listed
from sluiceway.model.changes import Change
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.model.results import Deployed, Failure
from sluiceway.processes import Outcome

NOTHING = "nothing was deployed"
_SERVER_SIDE = 4
"""From this major version on helm applies a release server-side, unless an older one made it."""


@dataclass(frozen=True, slots=True)
class _Flags:
    """What the deploy passes to the helm that runs."""

    major: int
    force_conflicts: bool = False

    @property
    def rollback(self) -> str:
        """The flag that rolls a failed deploy back: Helm 4 renamed it, and warns of the old name."""
        return "--rollback-on-failure" if self.major >= _SERVER_SIDE else "--atomic"


def deploy(place: Workplace, plan: HelmPlan, *, repair_drift: bool) -> Deployed | Failure:
    """Put out the release exactly as ``plan`` saw it rendered. ``repair_drift`` may take fields from other managers.

    All but the upgrade itself comes first: a render, a version or a metadata that can't be read deploys nothing.
    """
    session = Session.at(place)
    stopped = _render_again(session, plan)
    if stopped is not None:
        return stopped
    flags = _flags(session, repair_drift=repair_drift)
    if isinstance(flags, Reason):
        return Failure(flags, notes=(NOTHING,))
    command = session.commands.upgrade(rollback_flag=flags.rollback, force_conflicts=flags.force_conflicts)
    outcome = place.runner.run(command)
    if not answered(outcome):
        return _failed(session, outcome, flags)
    return Deployed(tuple(_done(plan)), tuple(_not_told(plan.changes, flags)))


def _render_again(session: Session, plan: HelmPlan) -> Failure | None:
    """Render the chart once more; return why nothing can be deployed, or None when it is what the preview saw."""
    outcome = session.place.runner.run(session.commands.render(validate=plan.validated))
    if not answered(outcome):
        return Failure(session.failed(outcome, "helm template"), notes=(NOTHING,))
    session.conceal_secrets(outcome.stdout)
    if plan.is_of(outcome.stdout):
        return None
    digests = manifests.digests(outcome.stdout, session.target.namespace)
    return Failure(_other_render(plan.differing(digests.objects)), notes=(NOTHING,), moved=True)


def _other_render(objects: list[str]) -> Reason:
    what = listed(objects) or "no object, only the text around them"
    return Reason(
        "preparation-failed",
        f"the chart renders something else than it did for the preview: {what}",
        "If it does so each time, it renders something by chance (a password, a certificate, the time) and never "
        "deploys: make that once, outside of the chart. Else the stack was changed since: preview again.",
        detail="random-render",
        names={"objects": ", ".join(objects)} if objects else {},
    )


def _flags(session: Session, *, repair_drift: bool) -> _Flags | Reason:
    """Find out which flags the helm that runs, and the release, want."""
    outcome = session.place.runner.run(session.commands.version())
    unfit = versions.unfit(outcome)
    major = versions.major_of(outcome)
    if unfit is not None or major is None:
        return unfit or unreadable("helm version", "a version")
    if major < _SERVER_SIDE or not repair_drift:
        return _Flags(major)
    server_side = _applied_server_side(session, session.place.runner.run(session.commands.metadata()))
    return server_side if isinstance(server_side, Reason) else _Flags(major, force_conflicts=server_side)


def _applied_server_side(session: Session, outcome: Outcome) -> bool | Reason:
    """Tell whether helm applies the release server-side. One that Helm 3 made says nothing of it, and is not."""
    if not answered(outcome):
        return session.failed(outcome, "helm get metadata")
    try:
        metadata = json.loads(outcome.stdout)
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict) or metadata.get("name") != session.target.release:
        return unreadable("helm get metadata", "the metadata of the release")
    method = metadata.get("applyMethod", "csa")
    return method == "ssa" if method in ("csa", "ssa") else unreadable("helm get metadata", "applyMethod csa or ssa")


def _done(plan: HelmPlan) -> Iterator[str]:
    """Say what the upgrade put out: a whole release, as ``kubectl apply`` puts out a whole set."""
    yield from (f"applied {address}" for address in plan.applied)
    yield from (f"deleted {change.address}" for change in plan.changes if change.op == "delete")


def _not_told(changes: tuple[Change, ...], flags: _Flags) -> Iterator[str]:
    """Say what a deploy that went through leaves open: Helm 3 goes on in silence when it can't delete an object."""
    deleted = [change.address for change in changes if change.op == "delete"]
    if deleted and flags.major < _SERVER_SIDE:
        yield f"Helm 3 does not tell of an object that it can't delete: see that {', '.join(deleted)} is gone"


def _failed(session: Session, outcome: Outcome, flags: _Flags) -> Failure:
    reason = session.failed(outcome, "helm upgrade")
    if reason.detail == "release-pending":
        history = session.place.runner.run(session.commands.history())
        step = way_out(history, session.target, stumbles=flags.major < _SERVER_SIDE)
        reason = replace(reason, next_step=step) if step else reason
    return Failure(reason, notes=(left(outcome, session.target),))
