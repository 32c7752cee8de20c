"""kubectl's own diff, for a person (record 0048): the same command with the job's own diff program."""

from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.live_set import read_live_outcome
from sluiceway.adapters.kubectl.parts import in_parts
from sluiceway.adapters.kubectl.preview import SavedSet, save_set
from sluiceway.adapters.kubectl.session import Session, with_set
from sluiceway.model.results import Failure, ToolDiff


def tool_diff(session: Session) -> ToolDiff | Failure:
    """Show the diff of the set; an exit code of 1 with something printed is differences, as for every diff."""
    saved = save_set(session)
    if isinstance(saved, Failure):
        return saved
    try:
        return _shown(session, saved)
    finally:
        for path in (session.commands.manifests, session.commands.prune):
            path.unlink(missing_ok=True)


def _shown(session: Session, saved: SavedSet) -> ToolDiff | Failure:
    manifests = saved.rendered.manifests
    if not manifests and saved.stock is None:
        return ToolDiff(differs=False)
    concealed = _conceal_live_secrets(session, saved)
    if isinstance(concealed, Failure):
        return concealed
    with in_parts(session.commands):
        outcome = session.place.runner.run(session.commands.diff_for_a_person())
    differs = outcome.exit_code == 1 and bool(outcome.stdout)
    if outcome.ended == "exited" and (outcome.exit_code == 0 or differs):
        return ToolDiff(differs=differs)
    return Failure(with_set(failed(outcome, "kubectl diff"), manifests))


def _conceal_live_secrets(session: Session, saved: SavedSet) -> Failure | None:
    """Learn what the live Secrets of the set hold before a diff is shown that could print an old value of one."""
    manifests = saved.rendered.manifests
    if not any(manifest.kind == "Secret" and not manifest.group for manifest in manifests):
        return None
    objects = read_live_outcome(session.place.runner.run(session.commands.live_set()), manifests)
    if isinstance(objects, Failure):
        return objects
    session.conceal_live(objects)
    return None
