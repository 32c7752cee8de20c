"""Records a scenario: plays it against a cluster until two takes in a row are the same (``spec/recordings.md``)."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recorder import world
from recorder.recording_runner import RecordingRunner, Tape
from recorder.scenario import Ask, Outside, Scenario, ScenarioError
from recorder.settle import settle
from recorder.stage import Stage, Standing
from recorder.steps import Player
from recorder.take import Finished, Take, TakeError, TakenStep, UnsteadyError, finish
from recorder.timeline import Timeline
from recorder.tools import PLUGIN
from recorder.versions import server_minor
from sluiceway.model.stacks import Stack
from sluiceway.processes import ProcessRunner, Runner
from sluiceway.recordings import Places

TAKES = 10
"""How many takes one recording gets at most."""

OUTSIDE_SECONDS = 60.0
"""How long a command of someone else may take, in seconds."""

STEP_MINUTES = 2.0
"""How long a step of Sluiceway may take, in minutes, a deploy too: a recorder waits for nothing without a limit."""

GRACE_SECONDS = 5.0
"""How long a command that is ended may take to end, in seconds."""

NODES: Final = {"helm": 1}
"""How many nodes stand in for a tool that waits until pods are ready; kubectl's recordings are made without."""


@dataclass(frozen=True, slots=True)
class Session:
    """What one recording is made with: a scenario, a tool's version, and where. ``kind`` is the cluster's.

    ``versions`` are all versions of each tool that a command of someone else may name. ``say`` gets each line that a
    tool wrote on stderr, and why a take was taken again. ``stopped`` tells whether to give up before the next step.
    """

    scenario: Scenario
    version: str
    stage: Stage
    kind: str
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _line: None
    stopped: Callable[[], bool] = lambda: False


def record(session: Session) -> Finished:
    """Return the recording of the session's scenario: two takes in a row gave the same bytes.

    Raises ``TakeError`` when that did not happen in :data:`TAKES` takes, and whatever makes a take impossible.
    """
    before: Finished | None = None
    trouble = ""
    for _ in range(TAKES):
        try:
            finished = finish(take(session))
        except UnsteadyError as error:
            before, trouble = None, str(error)
            session.say(f"taken again: {trouble}")
            continue
        if before == finished:
            return finished
        if before is not None:
            trouble = f"two takes differ in {', '.join(_differing(before, finished))}"
            session.say(f"taken again: {trouble}")
        before = finished
    raise TakeError(
        f"{session.scenario.name} {session.version}: no two of {TAKES} takes in a row were alike; {trouble}"
    )


def _differing(one: Finished, other: Finished) -> list[str]:
    paths = sorted({*one.files, *other.files})
    return [path for path in paths if one.files.get(path) != other.files.get(path)] or ["what Sluiceway showed"]


def take(session: Session) -> Take:
    """Play the scenario once, from a fresh copy of its example and empty namespaces."""
    with tempfile.TemporaryDirectory(prefix="take-", dir=session.stage.directory) as directory:
        return _Taking(session, Path(directory)).play()


class _Taking:
    """One take in the making, in a private directory of its own."""

    def __init__(self, session: Session, directory: Path) -> None:
        self.session = session
        self.scenario = session.scenario
        self.directory = directory
        self.root = directory / "root"
        self.source = directory / "source"
        self.nodes = NODES.get(self.scenario.tool, 0)
        self.standing = self._standing()
        self.timeline = Timeline(self.standing.since if self.standing else 0)
        self.steps: list[TakenStep] = []
        self.at_rest = True

    def play(self) -> Take:
        """Do every step in order."""
        world.start(self.scenario, self.source)
        shutil.copytree(self.source, self.root, symlinks=True)
        if self.standing:
            # A scenario empties namespaces: only ever of a cluster that still is the recorder's own.
            self.standing.cluster.check()
            self.standing.admin.reset(self.scenario.namespaces)
        for number, step in enumerate(self.scenario.steps, 1):
            if isinstance(step, Ask):
                self._ask(step, number)
            elif isinstance(step, Outside):
                self._outside(step, number)
            else:
                world.change(step, self.source)
                world.change(step, self.root)
        return Take(
            self.scenario,
            self.standing.cluster.kind if self.standing else "none",
            self._versions(),
            self.timeline,
            Places(self.root, self.directory, {}),
            self.steps,
        )

    def _standing(self) -> Standing | None:
        if not self.scenario.needs_cluster:
            return None
        minor = self._server_minor(self.scenario.tool, self.session.version)
        if minor is None:
            return None
        if self.session.kind == "none":
            raise TakeError(f"{self.scenario.name} needs a cluster: --cluster=kind or --cluster=local says which")
        return self.session.stage.standing(self.session.kind, minor, nodes=self.nodes)

    def _server_minor(self, tool: str, version: str) -> str | None:
        return server_minor(self.scenario.home / "scenarios", tool, version)

    def _versions(self) -> dict[str, str]:
        plugin = {PLUGIN: self.session.stage.plugin().version} if self.scenario.tool == "helm" else {}
        server = {"server": self.standing.cluster.server_version} if self.standing else {}
        return {self.scenario.tool: self.session.version, **plugin, **server}

    def _begin(self, number: int) -> None:
        if self.session.stopped():
            raise TakeError(f"{self.scenario.name}: stopped before step {number}")
        if self.standing is None:
            return
        if not self.at_rest:
            settle(self.standing.admin, self.scenario.namespaces, ready=self.nodes > 0)
        self.at_rest = False
        self.timeline.begin(number)

    def _align(self) -> None:
        """Wait until a write lands in one second, where a server stamps it."""
        if self.standing is not None:
            self.timeline.align()

    def _check_out(self) -> None:
        """Make the root what a job finds: the files of the scenario, and nothing that a step before built there."""
        shutil.rmtree(self.root)
        shutil.copytree(self.source, self.root, symlinks=True)

    def _ask(self, ask: Ask, number: int) -> None:
        self._begin(number)
        self._check_out()
        tape = Tape() if ask.recorded else None
        files = world.files(self.source)
        environment = self._environment(self.scenario.tool, self.session.version, number)

        @contextmanager
        def open_runner(_stack: Stack, minutes: float | None, private: Path) -> Iterator[Runner]:
            limit = min(minutes or STEP_MINUTES, STEP_MINUTES)
            with ProcessRunner(
                environment=environment,
                relay=self.session.say,
                shown=_unseen,
                limit=limit,
                grace=GRACE_SECONDS,
                write_grace=GRACE_SECONDS,
            ) as runner:
                yield RecordingRunner(runner, self.root, private, tape, self._align)
                if tape is not None:
                    tape.finish()

        seen = Player(self.root, self.scenario.repository, open_runner, self.directory).play(ask)
        if tape is not None:
            self.steps.append(TakenStep(ask, tape, files, seen))

    def _outside(self, step: Outside, number: int) -> None:
        tool, version = self._named(step.argv[0])
        environment = self._environment(tool, version, number)
        self._begin(number)
        done = _run_outside(step, number, Path(environment["PATH"]) / tool, self.root, environment)
        if done is None:
            return
        for line in done.stderr.decode("utf-8", "replace").splitlines():
            self.session.say(line)
        if done.returncode:
            raise ScenarioError(f"step {number}: {' '.join(step.argv)} ended with exit code {done.returncode}")

    def _named(self, name: str) -> tuple[str, str]:
        """Return the tool and version of a command of someone else.

        ``kubectl`` is the one that is recorded, or of the server's minor where another tool is; ``kubectl-1.37`` is
        the newest of these.
        """
        if name == self.scenario.tool:
            return name, self.session.version
        if name in self.session.versions:
            tool, minor = name, self._server_minor(self.scenario.tool, self.session.version)
            known = [it for it in self.session.versions[name] if self._server_minor(name, it) == minor]
        else:
            tool, _, wanted = name.rpartition("-")
            known = [it for it in self.session.versions.get(tool, ()) if it.removeprefix("v").startswith(wanted)]
        if not known:
            raise ScenarioError(f"{self.scenario.name}: {name} is no tool that scenarios/versions.yaml lists")
        return tool, known[-1]

    def _environment(self, tool: str, version: str, number: int) -> dict[str, str]:
        # A fresh HOME for each step, as a job on a fresh machine has: no discovery cache from a step before.
        home, temporary = self.directory / f"home-{number}", self.directory / "tmp"
        for each in (home, temporary):
            each.mkdir(mode=0o700, exist_ok=True)
        variables = self.session.stage.variables(tool, version, home, temporary)
        return variables | (self.standing.cluster.environment() if self.standing else {})


def _run_outside(
    step: Outside, number: int, program: Path, directory: Path, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes] | None:
    """Run ``step``; return how it ended, None when it was killed as it says."""
    seconds = step.killed_after or OUTSIDE_SECONDS
    try:
        done = subprocess.run(
            [program, *step.argv[1:]],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        if step.killed_after:
            return None
        raise ScenarioError(f"step {number}: {step.argv[0]}: not within {seconds:g} seconds") from None
    if step.killed_after:
        raise ScenarioError(f"step {number}: {step.argv[0]} ended before it was killed, after {seconds:g} seconds")
    return done


def _unseen(_line: str) -> None:
    """Show nothing: a recorder has no person to show a tool's stdout to."""
