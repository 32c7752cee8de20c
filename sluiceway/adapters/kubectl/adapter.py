"""The adapter for plain manifests and kustomizations (records 0060 and 0070)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import FileProblem, Plan, Preview, Proposal, Workplace
from sluiceway.adapters.kubectl import files, versions
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner

# Each step loads what it needs when it is called: start-up is part of every preview.
# ruff: noqa: PLC0415


class KubectlAdapter:
    """``tool: kubectl``. It knows the world through the Runner and the stack's directory only."""

    tool = "kubectl"

    def options(self) -> Any:
        """Return the model of the options."""
        from sluiceway.adapters.kubectl.options import KubectlOptions

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
        from sluiceway.adapters.kubectl.preview import preview
        from sluiceway.adapters.kubectl.session import Session

        return preview(Session.at(place), keep=keep)

    def drift(self, place: Workplace, preview: Preview) -> DriftFound | CannotCheck | Failure:
        """Return which changes came from outside the code."""
        from sluiceway.adapters.kubectl.drift import drift
        from sluiceway.adapters.kubectl.session import Session

        return drift(Session.at(place), preview)

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        """Show kubectl's own diff of the set, with the job's own diff program."""
        from sluiceway.adapters.kubectl.session import Session
        from sluiceway.adapters.kubectl.tool_diff import tool_diff

        return tool_diff(Session.at(place))

    def deploy(self, place: Workplace, plan: Plan, *, repair_drift: bool = False) -> Deployed | Failure:  # noqa: ARG002
        """Put out exactly ``plan``. A repair deploys the same set with the same flags (record 0070)."""
        from sluiceway.adapters.kubectl.deploy import deploy
        from sluiceway.adapters.kubectl.plan import KubectlPlan
        from sluiceway.adapters.kubectl.session import Session

        if not isinstance(plan, KubectlPlan):
            raise TypeError("a plan of another adapter")
        return deploy(Session.at(place), plan)

    def propose(self, root: Path) -> list[Proposal]:
        """Return the kustomizations that no other one reads, and the directories of plain manifests."""
        from sluiceway.adapters.kubectl.proposals import propose

        return propose(root)

    def reads(self, stack: Stack, root: Path) -> tuple[str, ...]:
        """Return what the stack's kustomization reads outside of its directory."""
        from sluiceway.adapters.kubectl.proposals import reads

        return reads(stack, root)
