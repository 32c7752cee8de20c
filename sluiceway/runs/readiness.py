"""What has to be right before a stack's first command: its tool's version, and what several stacks need once."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sluiceway.model.stacks import Stack
    from sluiceway.runs.job import Job


class Readiness:
    """What a job found out about its tools, each asked once (``spec/core.md``, Running a tool).

    A tool that can't serve fails exactly the stacks of that tool. Nothing else of the job runs while a tool is asked
    or stacks are prepared, so that no preview meets a half-built chart.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._tools: dict[str, Reason | None] = {}
        self._stacks: dict[str, Failure | None] = {}

    def ensure(self, job: Job, stacks: Sequence[Stack]) -> None:
        """Check the tools of ``stacks`` and prepare those that weren't yet, all stacks of one tool together."""
        with self._lock:
            new = [stack for stack in stacks if stack.id not in self._stacks]
            self._stacks.update({stack.id: job.hindrance(stack) for stack in new})
            free = [stack for stack in new if self._stacks[stack.id] is None]
            for tool in dict.fromkeys(stack.tool for stack in free):
                self._ensure_tool(job, tool, [stack for stack in free if stack.tool == tool])

    def failure(self, job: Job, stack: Stack) -> Failure | None:
        """Return why ``stack`` can't go on, or None; finds out first where :meth:`ensure` did not."""
        self.ensure(job, (stack,))
        return self._stacks[stack.id]

    def _ensure_tool(self, job: Job, tool: str, stacks: list[Stack]) -> None:
        try:
            found = self._asked(job, tool, stacks)
        except Exception as error:  # noqa: BLE001 - a bug in one tool's adapter never stops the stacks of another
            found = dict.fromkeys((stack.id for stack in stacks), job.broken(stacks[0], error))
        for stack in stacks:
            self._stacks[stack.id] = found.get(stack.id)

    def _asked(self, job: Job, tool: str, stacks: list[Stack]) -> dict[str, Failure]:
        adapter = job.find_adapter(tool)
        if adapter is None:
            return dict.fromkeys((stack.id for stack in stacks), Failure(no_adapter(tool)))
        minutes = max(stack.preview_timeout for stack in stacks)
        with job.open_private() as private, job.open_runner(stacks[0], minutes, private) as runner:
            if tool not in self._tools:
                self._tools[tool] = adapter.check_version(runner, job.root)
            reason = self._tools[tool]
            if reason is not None:
                return dict.fromkeys((stack.id for stack in stacks), Failure(reason))
            return adapter.prepare(stacks, job.root, runner)


def no_adapter(tool: str) -> Reason:
    """No installed package brings an adapter for ``tool``."""
    return Reason(
        "tool-missing",
        f"No adapter for {tool} is installed",
        "Install the package that brings it, or correct the stack's tool.",
        names={"tool": tool},
    )
