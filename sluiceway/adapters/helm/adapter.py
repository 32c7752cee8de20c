"""The adapter for Helm releases (record 0069; ``spec/helm.md``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import FileProblem, Plan, Preview, Proposal, Workplace
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner

# Each step loads what it needs when it is called: start-up is part of every preview.
# ruff: noqa: PLC0415


class HelmAdapter:
    """``tool: helm``. It knows the world through the Runner and the stack's directory only."""

    tool = "helm"

    def options(self) -> Any:
        """Return the model of the options."""
        from sluiceway.adapters.helm.options import HelmOptions

        return HelmOptions

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        """Return what is wrong with the stack's chart and its values files."""
        from sluiceway.adapters.helm import files

        return files.check(stack, root)

    def check_version(self, runner: Runner, root: Path) -> Reason | None:
        """Return why helm or its diff plugin can't serve, or None."""
        from sluiceway.adapters.helm import versions

        return versions.check(runner, root)

    def prepare(self, stacks: Sequence[Stack], root: Path, runner: Runner) -> dict[str, Failure]:
        """Build the local charts that list dependencies, each once, lowest level first."""
        from sluiceway.adapters.helm import preparation

        return preparation.prepare(stacks, root, runner)

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        """Return what a deploy would change of what helm stored for the release."""
        from sluiceway.adapters.helm.preview import preview

        return preview(place, keep=keep)

    def drift(self, place: Workplace, preview: Preview) -> DriftFound | CannotCheck | Failure:
        """Return what the three-way diff finds beyond the plain one."""
        from sluiceway.adapters.helm.drift import drift

        return drift(place, preview)

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        """Show the diff plugin's own diff."""
        from sluiceway.adapters.helm.tool_diff import tool_diff

        return tool_diff(place)

    def deploy(self, place: Workplace, plan: Plan, *, repair_drift: bool = False) -> Deployed | Failure:
        """Put out exactly ``plan``. A repair takes fields back from other field managers where that is needed."""
        from sluiceway.adapters.helm.deploy import deploy
        from sluiceway.adapters.helm.plan import HelmPlan

        if not isinstance(plan, HelmPlan):
            raise TypeError("a plan of another adapter")
        return deploy(place, plan, repair_drift=repair_drift)

    def propose(self, root: Path) -> list[Proposal]:
        """Return a release for each chart that no other one depends on."""
        from sluiceway.adapters.helm.proposals import propose

        return propose(root)

    def reads(self, stack: Stack, root: Path) -> tuple[str, ...]:
        """Return the charts and values files that the release reads outside of its directory."""
        from sluiceway.adapters.helm.proposals import reads

        return reads(stack, root)
