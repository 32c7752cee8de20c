"""Does a scenario's step as Sluiceway's own commands do it, with whatever ``Runner`` it is given."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recorder.scenario import Ask, ScenarioError
from sluiceway.adapters.base import Adapter, Preview
from sluiceway.adapters.registry import find_adapter
from sluiceway.discovery import Discovered, discover
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure, ToolDiff
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner
from sluiceway.reports.document import row_document
from sluiceway.runs.deploy import Approved, Decision, deploy_stack
from sluiceway.runs.job import Job
from sluiceway.runs.preview import preview_stack

OpenRunner = Callable[[Stack, float | None, Path], AbstractContextManager[Runner]]
Seen = dict[str, Any]
"""What Sluiceway made of one stack in one step: its row as JSON without ``seconds``, and the saved plan's shape."""


@dataclass
class Player:
    """Does steps in ``root``, the repository ``repository``, with the runners that ``open_runner`` gives.

    ``scratch`` is a directory for private ones. ``conceal`` takes values that must not be relayed. ``find`` gives the
    adapter of a tool.
    """

    root: Path
    repository: str
    open_runner: OpenRunner
    scratch: Path
    conceal: Callable[[Iterable[str]], None] = lambda _values: None
    find: Callable[[str], Adapter | None] = find_adapter
    rows: list[Row] = field(default_factory=list)
    """The rows of every step that was played, for who wants to report them."""

    def play(self, ask: Ask) -> list[Seen]:
        """Do ``ask``; return what was seen of each stack. Raises the first exception that an adapter let through."""
        bugs: list[Exception] = []
        shapes: dict[str, tuple[str, ...]] = {}
        stacks = self._stacks()

        def observe(stack: Stack, preview: Preview | Failure) -> None:
            if isinstance(preview, Preview):
                shapes[stack.id] = preview.shape

        job = Job(
            root=self.root,
            stacks=stacks,
            find_adapter=self.find,
            repository=self.repository,
            shows=lambda _path: False,
            open_runner=self.open_runner,
            open_private=self._open_private,
            conceal=self.conceal,
            observe=observe,
            report_bug=lambda _stack, error: bugs.append(error),
        )
        seen = self._seen(job, ask, _chosen(ask, stacks), shapes)
        if bugs:
            raise bugs[0]
        return seen

    def _stacks(self) -> tuple[Stack, ...]:
        found = discover(self.root, self.find)
        if isinstance(found, Discovered):
            return found.stacks
        raise ScenarioError("; ".join(f"{wrong.file}:{wrong.line}: {wrong.key}: {wrong.problem}" for wrong in found))

    @contextmanager
    def _open_private(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="private-", dir=self.scratch) as private:
            yield Path(private)

    def _seen(self, job: Job, ask: Ask, stacks: tuple[Stack, ...], shapes: dict[str, tuple[str, ...]]) -> list[Seen]:
        if ask.does == "check_version":
            # A version is asked once a job.
            return [{"stack": stacks[0].id, **_reason(_version(job, stacks[0]))}]
        if ask.does == "prepare":
            failures = _prepared(job, stacks)
            return [{"stack": stack.id, **_reason(failures.get(stack.id))} for stack in stacks]
        job.readiness.ensure(job, stacks)
        if ask.does == "diff":
            return [{"stack": stack.id, **_tool_diff(job, stack)} for stack in stacks]
        return [_document(self._row(job, ask, stack), shapes.get(stack.id)) for stack in stacks]

    def _row(self, job: Job, ask: Ask, stack: Stack) -> Row:
        if ask.does == "deploy":
            row = deploy_stack(job, stack, approve=_approval(ask), repair_drift=ask.repair_drift)
        else:
            row = preview_stack(job, stack, drift=ask.does == "drift")
        self.rows.append(row)
        return row


def _chosen(ask: Ask, stacks: tuple[Stack, ...]) -> tuple[Stack, ...]:
    chosen = tuple(stack for stack in stacks if ask.stack in ("", stack.id))
    if not chosen:
        raise ScenarioError(f"step {ask.name}: there is no stack {ask.stack!r} in sluiceway.yaml")
    return chosen


def _document(row: Row, shape: tuple[str, ...] | None) -> Seen:
    document: Seen = {**row_document(row)}
    del document["seconds"]
    return document if shape is None else {**document, "shape": list(shape)}


def _approval(ask: Ask) -> Callable[[Row], Decision]:
    return lambda row: Approved(ask.hash or row.hash or "")


def _version(job: Job, stack: Stack) -> Reason | None:
    with job.open_private() as private, job.open_runner(stack, stack.preview_timeout, private) as runner:
        return job.adapter(stack).check_version(runner, job.root)


def _prepared(job: Job, stacks: tuple[Stack, ...]) -> dict[str, Reason]:
    first = stacks[0]
    with job.open_private() as private, job.open_runner(first, first.preview_timeout, private) as runner:
        failures = job.adapter(first).prepare(stacks, job.root, runner)
    return {stack_id: failure.reason for stack_id, failure in failures.items()}


def _tool_diff(job: Job, stack: Stack) -> Seen:
    failure = job.readiness.failure(job, stack)
    if failure is not None:
        return _reason(failure.reason)
    with job.open_private() as private, job.open_runner(stack, stack.preview_timeout, private) as runner:
        shown = job.adapter(stack).tool_diff(job.place(stack, runner, private))
    return {"differs": shown.differs} if isinstance(shown, ToolDiff) else _reason(shown.reason)


def _reason(reason: Reason | None) -> Seen:
    if reason is None:
        return {"reason": None}
    return {"reason": {"kind": reason.kind, "detail": reason.detail, "names": dict(reason.names), "text": reason.text}}
