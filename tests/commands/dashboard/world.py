"""A repo, a cluster and GitHub, all simulated: the commands run in this process, on the stand-in and its clock."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluiceway.adapters import registry
from sluiceway.adapters.base import Workplace
from sluiceway.commands.conclusion import concluded
from sluiceway.commands.dashboard import running
from sluiceway.commands.dashboard.desk import Place
from sluiceway.commands.dashboard.running import Asked
from sluiceway.commands.output import Output
from sluiceway.commands.settings import Settings
from sluiceway.dashboard import Board, DashboardRow, parse
from sluiceway.github import GitHub, Missing, connect
from sluiceway.model.changes import Change, Diff, Holder
from sluiceway.model.hashing import diff_hash
from sluiceway.model.results import Deployed, DriftFound, Failure
from tests import fakes
from tests.commands.dashboard.direct import Fates, direct
from tests.fakes import CONFLICT, FakeAdapter
from tests.github.standin import GitHubServer, StandInTime
from tests.github.standin.state import Issue, Run

Command = Callable[[Settings, Output, Asked, Place], int]


@dataclass
class Live:
    """One stack: what its code says, what is in the cluster, and what somebody changed there."""

    code: int = 0
    out: int = 0
    drift: int = 0
    gone: bool = False
    fails: bool = False

    def changes(self) -> tuple[Change, ...]:
        if self.code == self.out:
            return ()
        if self.gone:
            return (Change(f"ConfigMap/shop/old-{self.out}", "ConfigMap", f"shop/old-{self.out}", "delete"),)
        address = f"ConfigMap/shop/settings-{self.code}"
        return (Change(address, "ConfigMap", f"shop/settings-{self.code}", "update", changed_keys=("data.greeting",)),)

    def drifted(self) -> tuple[Change, ...]:
        if not self.drift:
            return ()
        held = (Holder("kubectl-edit", "Update", None, "2026-03-02T08:00:00Z", ("spec.replicas",)),)
        name = f"shop/web-{self.drift}"
        return (Change(f"Deployment/{name}", "Deployment", name, "update", ("spec.replicas",), holders=held),)


@dataclass
class Put:
    """One deploy that reached the cluster."""

    stack: str
    hash: str
    repaired: bool


class Cluster:
    """The stacks as they are, and an adapter that previews and deploys them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.stacks = {name: Live() for name in names}
        self.puts: list[Put] = []
        self.before_deploy: Callable[[str], None] = lambda _stack: None
        self.after_deploy: Callable[[str], None] = lambda _stack: None
        self.adapter = FakeAdapter(
            previews=dict.fromkeys(names, self._preview),
            drifts=dict.fromkeys(names, self._drift),
            deploys=dict.fromkeys(names, self._deploy),
        )

    def hash(self, stack: str, *, drift: bool = False) -> str:
        """What a row of the stack would have for a hash now."""
        live = self.stacks[stack]
        return diff_hash(Diff(stack, live.changes(), live.drifted() if drift else ()))

    def _preview(self, place: Workplace) -> tuple[Change, ...]:
        return self.stacks[place.stack.id].changes()

    def _drift(self, place: Workplace) -> DriftFound:
        return DriftFound(self.stacks[place.stack.id].drifted())

    def _deploy(self, place: Workplace) -> Deployed | Failure:
        stack = place.stack.id
        live, repairs = self.stacks[stack], self.adapter.repairs[-1]
        self.before_deploy(stack)
        self.puts.append(Put(stack, self.hash(stack, drift=repairs), repairs))
        if live.fails:
            return CONFLICT
        live.out, live.gone = live.code, False
        live.drift = 0 if repairs else live.drift
        self.after_deploy(stack)
        return Deployed((f"applied ConfigMap/shop/settings-{live.code}",))


@dataclass
class Came:
    """What one run of a command came to."""

    code: int
    out: str
    log: str
    outputs: dict[str, str]
    result: Any


@dataclass
class World:
    """A repo at ``root`` whose ``sluiceway.yaml`` declares ``entries``, on the stand-in ``server``."""

    root: Path
    server: GitHubServer
    cluster: Cluster
    extra: dict[str, str] = field(default_factory=dict)
    github: GitHub = field(init=False)
    run: Run = field(init=False)

    def __post_init__(self) -> None:
        self.github = self.connected()
        self.run = self.server.state.start_run()
        self.root.mkdir(exist_ok=True)
        self.declare()

    def connected(self) -> GitHub:
        found = connect(self.server.environment(), pacing=0, time=StandInTime(self.server.state.clock))
        assert not isinstance(found, Missing)
        return found

    def straight(self) -> GitHub:
        """A port that needs no socket."""
        return direct(self.server, Fates())

    def declare(self, more: str = "", **entries: str) -> None:
        """Write sluiceway.yaml; ``entries`` has more keys of single stacks."""
        lines = []
        for name in self.cluster.stacks:
            (self.root / name).mkdir(exist_ok=True, parents=True)
            lines.append(f"  - {{path: {name}, tool: fake{', ' if name in entries else ''}{entries.get(name, '')}}}\n")
        (self.root / "sluiceway.yaml").write_text("stacks:\n" + "".join(lines) + more)

    # What happens in the repository.

    def push(self, *stacks: str, files: Sequence[str] = ()) -> str:
        """Change the code of stacks, or files of no stack."""
        for stack in stacks:
            self.cluster.stacks[stack].code += 1
        return self.server.state.push([*(f"{stack}/all.yaml" for stack in stacks), *files])

    # What GitHub's runner does.

    def job(self, event: str, payload: dict[str, Any] | None = None, **more: str) -> Came:
        """Run ``auto`` for an event, in a run of its own."""
        with self.workflow(event):
            return self.command(running.run_auto, event, payload, **more)

    @contextmanager
    def workflow(self, event: str, conclusion: str = "success") -> Iterator[Run]:
        """A workflow run that ends when this is left."""
        self.run = self.server.state.start_run(event)
        try:
            yield self.run
        finally:
            self.server.state.end_run(self.run, conclusion)

    def command(
        self,
        command: Command,
        event: str = "workflow_dispatch",
        payload: dict[str, Any] | None = None,
        given: Asked | None = None,
        **more: str,
    ) -> Came:
        """Run one command in the workflow run that is under way."""
        here = self.root.parent
        (here / "event.json").write_text(json.dumps({**self._repository(), **(payload or {})}))
        for name in ("output", "result.json"):
            (here / name).unlink(missing_ok=True)
        environ = {
            **self.server.environment(),
            "GITHUB_RUN_ID": str(self.run.id),
            "GITHUB_RUN_ATTEMPT": str(self.run.attempt),
            "GITHUB_SHA": self.server.state.branches["main"],
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(here / "event.json"),
            "GITHUB_OUTPUT": str(here / "output"),
            **self.extra,
            **more,
        }
        given = given or Asked()
        asked = Asked(here / "result.json", given.drift, given.shard, given.rows, given.merge)
        settings = Settings(root=self.root, environ=environ, concurrency=1)
        out, log = io.StringIO(), io.StringIO()
        place = Place(self.github, lambda: self.server.state.clock.at)
        with redirect_stdout(out), redirect_stderr(log), installed(self.cluster.adapter):
            code = concluded(settings, lambda output: command(settings, output, asked, place))
        return Came(code, out.getvalue(), log.getvalue(), self._outputs(here / "output"), _read(here / "result.json"))

    def _repository(self) -> dict[str, Any]:
        return {"repository": {"fork": self.server.state.fork, "default_branch": "main"}}

    def _outputs(self, file: Path) -> dict[str, str]:
        if not file.exists():
            return {}
        return dict(line.split("=", 1) for line in file.read_text().splitlines())

    def edited(self, number: int = 1, login: str = "ada", kind: str = "User") -> dict[str, Any]:
        """The payload of the event that an edit of the issue makes."""
        return {
            "action": "edited",
            "changes": {"body": {"from": ""}},
            "issue": {"number": number, "body": self.issue(number).body, "user": {"type": "Bot"}},
            "sender": {"login": login, "type": kind},
        }

    def woken(self) -> Came:
        """Run ``auto`` as an edit of the issue does."""
        return self.job("issues", self.edited(self.dashboard.number))

    # What a person sees.

    def issue(self, number: int = 1) -> Issue:
        found = self.server.state.issue(number)
        assert found is not None
        return found

    @property
    def dashboard(self) -> Issue:
        """The open dashboard."""
        (found,) = [issue for issue in self.server.state.issues if issue.closed is None and issue.author.kind == "Bot"]
        return found

    @property
    def board(self) -> Board:
        return parse(self.dashboard.body)

    def row(self, stack: str) -> DashboardRow:
        return self.board.rows[stack]

    @property
    def states(self) -> dict[str, str]:
        return {stack: row.state for stack, row in sorted(self.board.rows.items())}

    def records(self, stack: str) -> list[str]:
        """The newest status of each record of a stack, oldest record first."""
        found = [one for one in self.server.state.deployments if one.task == f"sluiceway:{stack}"]
        return [one.statuses[-1].state if one.statuses else "none" for one in sorted(found, key=lambda one: one.id)]


def _read(file: Path) -> Any:
    return json.loads(file.read_text()) if file.exists() else None


@contextmanager
def installed(adapter: FakeAdapter) -> Iterator[None]:
    """Let the registry find ``adapter`` for ``tool: fake``. Inside of itself it does nothing."""
    if "fake" in registry.BUILT_IN:
        yield
        return
    fakes.INSTALLED = adapter
    registry.BUILT_IN["fake"] = "tests.fakes:INSTALLED"
    try:
        yield
    finally:
        registry.BUILT_IN.pop("fake", None)
