# ruff: noqa: ARG002 - the arguments are the protocol's
"""An adapter with scripted results, and a job around it: no tool, no cluster."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sluiceway.adapters.base import Adapter, FileProblem, Plan, Preview, Workplace
from sluiceway.adapters.options import Options
from sluiceway.model.changes import Change, Diff, Holder
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Runner, Running
from sluiceway.runs.job import Job

CANARY = "c4n4ry-v4lue"
"""A property value: it must never be seen outside of an adapter."""

Scripted = Any
"""A result, an exception to raise, or a function of the workplace that gives one of them."""

UPDATE = Change("ConfigMap/shop/settings", "ConfigMap", "shop/settings", "update", changed_keys=("data.greeting",))
CREATE = Change("Service/shop/web", "Service", "shop/web", "create")
DELETE = Change("ConfigMap/shop/old", "ConfigMap", "shop/old", "delete")
DRIFT = Change(
    "Deployment.apps/shop/web",
    "Deployment",
    "shop/web",
    "update",
    changed_keys=("spec.replicas",),
    holders=(Holder("kubectl", "Update", "scale", "2026-11-30T12:30:56Z", ("spec.replicas",)),),
)
CONFLICT = Failure(
    Reason(
        "tool-error",
        "fake exited with an error (2)",
        "Its words are in the log.",
        exit_code=2,
        detail="conflict",
        names={"manager": "kubectl"},
    )
)


class FakeOptions(Options):
    """What ``options`` of a stack with ``tool: fake`` may hold."""

    loud: bool = False


@dataclass
class FakePlan:
    """A plan that tells whether it was left."""

    stack: str
    left: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = True


class FakeRunner:
    """Starts nothing; an adapter under test here is scripted and must not ask it to."""

    def start(self, command: Command) -> Running:
        raise AssertionError(command.argv)

    def run(self, command: Command) -> Outcome:
        raise AssertionError(command.argv)


@dataclass
class FakeAdapter:
    """Gives what it was scripted to, by stack id, and keeps account of what it was asked."""

    tool: str = "fake"
    version: Reason | Exception | None = None
    unprepared: Mapping[str, Failure] = field(default_factory=dict)
    previews: Mapping[str, Scripted] = field(default_factory=dict)
    drifts: Mapping[str, Scripted] = field(default_factory=dict)
    deploys: Mapping[str, Scripted] = field(default_factory=dict)
    diffs: Mapping[str, Scripted] = field(default_factory=dict)
    upkeep: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    repairs: list[bool] = field(default_factory=list)
    plans: list[FakePlan] = field(default_factory=list)
    places: list[Workplace] = field(default_factory=list)

    def options(self) -> Any:
        return FakeOptions

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        return []

    def check_version(self, runner: Runner, root: Path) -> Reason | None:
        self.asked.append(f"version {self.tool}")
        if isinstance(self.version, Exception):
            raise self.version
        return self.version

    def prepare(
        self,
        stacks: Sequence[Stack],
        root: Path,
        runner: Runner,
    ) -> dict[str, Failure]:
        self.asked.append("prepare " + " ".join(stack.id for stack in stacks))
        return {name: failure for name, failure in self.unprepared.items() if name in {stack.id for stack in stacks}}

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        result = self._answer("preview", place, self.previews.get(place.stack.id, ()))
        if isinstance(result, Failure):
            return result
        plan = FakePlan(place.stack.id) if keep else None
        if plan is not None:
            self.plans.append(plan)
        if isinstance(result, Preview):
            return Preview(result.diff, result.notes, plan=plan, upkeep=result.upkeep)
        return Preview(Diff(place.stack.id, tuple(result)), plan=plan, upkeep=place.stack.id in self.upkeep)

    def drift(
        self,
        place: Workplace,
        preview: Preview,
    ) -> DriftFound | CannotCheck | Failure:
        result: DriftFound | CannotCheck | Failure = self._answer(
            "drift", place, self.drifts.get(place.stack.id, DriftFound())
        )
        return result

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        result: ToolDiff | Failure = self._answer(
            "diff", place, self.diffs.get(place.stack.id, ToolDiff(differs=False))
        )
        return result

    def deploy(
        self,
        place: Workplace,
        plan: Plan,
        *,
        repair_drift: bool = False,
    ) -> Deployed | Failure:
        assert isinstance(plan, FakePlan)
        assert not plan.left
        self.repairs.append(repair_drift)
        result: Deployed | Failure = self._answer("deploy", place, self.deploys.get(place.stack.id, Deployed()))
        return result

    def _answer(self, step: str, place: Workplace, scripted: Scripted) -> Any:
        self.asked.append(f"{step} {place.stack.id}")
        self.places.append(place)
        result = scripted(place) if callable(scripted) else scripted
        if isinstance(result, BaseException):
            raise result
        return result


@dataclass
class World:
    """The hooks of a job, with an account of what was opened and closed."""

    root: Path
    runners: list[tuple[str, float | None]] = field(default_factory=list)
    opened: int = 0
    closed: int = 0
    bugs: list[tuple[str, Exception]] = field(default_factory=list)
    concealed: list[str] = field(default_factory=list)
    interrupted: bool = False

    @contextmanager
    def open_private(self) -> Iterator[Path]:
        self.opened += 1
        private = self.root / f"private-{self.opened}"
        private.mkdir()
        try:
            yield private
        finally:
            self.closed += 1

    @contextmanager
    def open_runner(self, stack: Stack, minutes: float | None, private: Path) -> Iterator[Runner]:
        assert private.is_dir()
        self.runners.append((stack.id, minutes))
        yield FakeRunner()

    def conceal(self, values: Iterable[str]) -> None:
        self.concealed.extend(values)

    def job(self, adapters: Adapter | Sequence[Adapter], stacks: Sequence[Stack], **more: Any) -> Job:
        found = {adapter.tool: adapter for adapter in (adapters if isinstance(adapters, Sequence) else (adapters,))}
        return Job(
            root=self.root,
            stacks=tuple(stacks),
            find_adapter=found.get,
            repository="acme/shop",
            shows=lambda _path: False,
            open_runner=self.open_runner,
            open_private=self.open_private,
            conceal=self.conceal,
            interrupted=lambda: self.interrupted,
            report_bug=lambda stack, error: self.bugs.append((stack.id, error)),
            **more,
        )


def stack(name: str, *depends_on: str, tool: str = "fake", **more: Any) -> Stack:
    return Stack(name, path=name, tool=tool, depends_on=depends_on, **more)


def stacks(*names: str) -> list[Stack]:
    return [stack(name) for name in names]


def ticking(*seconds: float) -> Callable[[], float]:
    times = iter(seconds)
    return lambda: next(times)


INSTALLED: Adapter = FakeAdapter()
"""The adapter that the registry finds for ``tool: fake``, where a test installs it there."""
