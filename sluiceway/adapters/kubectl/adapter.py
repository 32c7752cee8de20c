"""The adapter for plain manifests and kustomizations (records 0060 and 0070)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import FileProblem, Plan, Preview, Workplace
from sluiceway.adapters.kubectl import deploy, drift, files, preview, versions
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.plan import KubectlPlan
from sluiceway.adapters.kubectl.preview import SavedSet
from sluiceway.adapters.kubectl.readings import read_live_outcome
from sluiceway.adapters.kubectl.session import Session, with_set
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner


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


class KubectlAdapter:
    """``tool: kubectl``. It knows the world through the Runner and the stack's directory only."""

    tool = "kubectl"

    def options(self) -> Any:
        """Return the model of the options."""
        from sluiceway.adapters.kubectl.options import KubectlOptions  # noqa: PLC0415 - pydantic is heavy

        return KubectlOptions

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        """Return what is wrong with the stack's files."""
        return files.check(stack, root)

    def check_version(self, runner: Runner, root: Path) -> Reason | None:
        """Return why kubectl can't serve, or None."""
        return versions.check(runner, root)

    def prepare(self, stacks: Sequence[Stack], root: Path, runner: Runner) -> dict[str, Failure]:  # noqa: ARG002
        """Prepare nothing: kubectl needs nothing that several stacks share."""
        return {}

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        """Return what a deploy would change."""
        return preview.preview(Session.at(place), keep=keep)

    def drift(self, place: Workplace, preview: Preview) -> DriftFound | CannotCheck | Failure:
        """Return which changes came from outside the code."""
        return drift.drift(Session.at(place), preview)

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        """Show kubectl's own diff of the set, with the job's own diff program."""
        session = Session.at(place)
        saved = preview.save_set(session)
        if isinstance(saved, Failure):
            return saved
        try:
            if not saved.rendered.manifests and saved.stock is None:
                return ToolDiff(differs=False)
            concealed = _conceal_live_secrets(session, saved)
            if isinstance(concealed, Failure):
                return concealed
            outcome = place.runner.run(session.commands.diff_for_a_person())
        finally:
            session.commands.manifests.unlink(missing_ok=True)
        differs = outcome.ended == "exited" and outcome.exit_code == 1 and bool(outcome.stdout)
        if differs or (outcome.ended == "exited" and outcome.exit_code == 0):
            return ToolDiff(differs=differs)
        return Failure(with_set(failed(outcome, "kubectl diff"), saved.rendered.manifests))

    def deploy(self, place: Workplace, plan: Plan, *, repair_drift: bool = False) -> Deployed | Failure:  # noqa: ARG002
        """Put out exactly ``plan``. A repair deploys the same set with the same flags (record 0070)."""
        if not isinstance(plan, KubectlPlan):
            raise TypeError("a plan of another adapter")
        return deploy.deploy(Session.at(place), plan)
