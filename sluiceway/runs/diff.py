"""The tool's own diff, for a person (record 0048; ``spec/core.md``, The tool's words)."""

from sluiceway.model.results import Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.runs.job import Job
from sluiceway.runs.preview import interrupted


def diff_stack(job: Job, stack: Stack) -> ToolDiff | Failure:
    """Let the adapter of ``stack`` show its tool's diff, within ``previewTimeout``; the runner passes it on, live.

    Never raises for what an adapter does: an exception becomes a failure.
    """
    failure = job.readiness.failure(job, stack)
    if job.interrupted():
        return Failure(interrupted())
    if failure is not None:
        return failure
    try:
        with job.open_private() as private, job.open_runner(stack, stack.preview_timeout, private) as runner:
            return job.adapter(stack).tool_diff(job.place(stack, runner, private))
    except Exception as error:  # noqa: BLE001 - a bug in an adapter is this stack's failure
        return job.broken(stack, error)
