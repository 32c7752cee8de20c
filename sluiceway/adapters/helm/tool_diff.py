"""Helm's own diff, for a person (record 0048): the plugin's diff as text, with the person's own settings of it."""

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.helm import release
from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.model.results import Failure, ToolDiff


def tool_diff(place: Workplace) -> ToolDiff | Failure:
    """Show the diff of the release, after learning what its Secrets hold, old and new: none of that is relayed."""
    session = Session.at(place)
    unknown = _conceal_both_sides(session)
    if unknown is not None:
        return unknown
    outcome = place.runner.run(session.commands.diff_for_a_person())
    if not answered(outcome):
        return Failure(session.failed(outcome, "helm diff upgrade"))
    return ToolDiff(differs=bool(outcome.stdout.strip()))


def _conceal_both_sides(session: Session) -> Failure | None:
    runner, commands = session.place.runner, session.commands
    rendering, stored = runner.start(commands.render()), runner.start(commands.release())
    outcomes = {"helm template": rendering.wait(), "helm get all": stored.wait()}
    for doing, outcome in outcomes.items():
        if doing == "helm get all" and release.is_missing(outcome):
            continue  # a release that is not installed yet holds no Secret
        if not answered(outcome):
            return Failure(session.failed(outcome, doing))
        session.conceal_secrets(outcome.stdout)
    return None
