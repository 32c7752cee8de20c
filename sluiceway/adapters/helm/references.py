"""Charts by reference: that the version which is stated is the one which is rendered (decision 0095)."""

from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import mapping, text
from sluiceway.model.reasons import Reason
from sluiceway.processes import Running

_LONGEST = 128


def start(session: Session) -> Running | None:
    """Ask which chart helm takes for a reference; None for a local chart, which is the one that is there."""
    return None if session.target.is_local else session.place.runner.start(session.commands.chart())


def other_version(session: Session, asked: Running | None) -> Reason | None:
    """Return the reason where helm takes another version than ``options.version``, or None.

    Helm takes the nearest one of a repository whose index has it only without its build metadata, and whatever a
    digest names. Where helm can't tell, nothing is concluded: the render tells of a chart that is not there.
    """
    outcome = asked.wait() if asked is not None else None
    if outcome is None or not answered(outcome):
        return None
    try:
        chart = goyaml.load(outcome.stdout.decode("utf-8", "replace"))
    except goyaml.UnreadableYAML:
        return None
    found, stated = text(mapping(chart).get("version")), session.target.version or ""
    if not found or found.removeprefix("v") == stated.removeprefix("v"):
        return None
    named = found if len(found) <= _LONGEST and found.isprintable() else "another one"
    return Reason(
        "preparation-failed",
        f"the version {stated} of {session.target.chart} is not there: helm takes {named} in its place",
        "State the version that is there in options.version.",
        names={"chart": session.target.chart, "version": stated, "found": named},
    )
