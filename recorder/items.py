"""What the test of a scenario does: record where ``--record-mode`` says so, replay, compare with the snapshot."""

import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from recorder import shelf
from recorder.clusters.base import ClusterError
from recorder.kube import AdminError
from recorder.located import ScenarioError
from recorder.plugin import DIRECTORY, WORKSHOP, ScenarioTest
from recorder.recording import Session, record
from recorder.replaying import Replayed, replay
from recorder.snapshots import ScenarioSnapshots
from recorder.stage import Stage
from recorder.take import Finished, TakeError
from recorder.tools import MissingToolError
from recorder.versions import all_versions, server_minor
from sluiceway.processes import interrupt_all
from sluiceway.processes.interrupts import forget_interrupt
from sluiceway.recordings import Recording, RecordingError

READABLE: Final = (ScenarioError, RecordingError, TakeError, AdminError, ClusterError, MissingToolError)
"""Errors that say what is wrong and what to do."""

NEW_CLUSTER = "kind"
"""What a new recording is made with, unless ``--cluster`` says otherwise: the reference."""


def plays(request: pytest.FixtureRequest, snapshot: SnapshotAssertion, record_mode: str) -> None:
    """Play a scenario with one version of its tool, and hold what Sluiceway shows against the snapshot."""
    test = request.node
    assert isinstance(test, ScenarioTest)  # noqa: S101 # the plugin makes no others
    workshop = request.config.stash[WORKSHOP]
    replayed = workshop.recorded(test) if workshop.is_due(test, record_mode) else _replayed(test, workshop, record_mode)
    shown = [{"step": name, "stacks": seen} for name, seen in replayed.seen.items()]
    assert shown == snapshot.use_extension(ScenarioSnapshots)  # noqa: S101 # this is a test


def _replayed(test: ScenarioTest, workshop: "Workshop", record_mode: str) -> Replayed:
    try:
        return replay(test.scenario, place(test))
    except RecordingError:
        # A scenario's commands depend on each other through the cluster: what is new is recorded with all the rest.
        if record_mode != "new_episodes":
            raise
    return workshop.recorded(test)


def place(test: ScenarioTest) -> Path:
    """Return where the test's recording stands."""
    return shelf.place(test.scenario, test.version)


class Workshop:
    """Records the scenarios of a session: one after the other on each cluster, the clusters side by side."""

    def __init__(self, tests: Sequence[ScenarioTest], config: pytest.Config) -> None:
        self._tests = tests
        self._cluster: str | None = config.getoption("cluster")
        self._results: dict[ScenarioTest, Future[Finished]] = {}
        self._workers: dict[tuple[str, str | None], ThreadPoolExecutor] = {}
        self._held = ExitStack()
        self._stage: Stage | None = None
        self._words: dict[ScenarioTest, list[str]] = {}
        self._stopped = threading.Event()

    def is_due(self, test: ScenarioTest, record_mode: str) -> bool:
        """Tell whether the test's recording is to be made anew, whatever it holds now."""
        if record_mode in ("once", "new_episodes"):
            return not place(test).is_dir()
        return record_mode in ("all", "rewrite")

    def recorded(self, test: ScenarioTest) -> Replayed:
        """Record the test's scenario, save that, and return what its replay gives: the same as was seen live."""
        if test not in self._results:
            self._begin(test)
        try:
            finished = self._results[test].result()
        finally:
            test.add_report_section("call", "stderr of the tools", "\n".join(self._words[test]))
        shelf.save(finished.files, place(test))
        replayed = replay(test.scenario, place(test))
        if replayed.seen != finished.seen:
            raise RecordingError(f"{place(test)}: its replay does not show what was seen while it was recorded")
        return replayed

    def interrupt(self) -> None:
        """End the tools that run, so that :meth:`close` need not wait for them."""
        self._stopped.set()
        interrupt_all(signal.SIGINT)

    def close(self) -> None:
        """Give up the takes that run, drop those that wait, and end every cluster."""
        self._stopped.set()
        for worker in self._workers.values():
            worker.shutdown(wait=True, cancel_futures=True)
        self._held.close()
        if self._workers:
            forget_interrupt()

    def _begin(self, test: ScenarioTest) -> None:
        """Start recording ``test`` and, in the background, all that will be asked for after it."""
        mode = test.config.getoption("record_mode")
        following = self._tests[self._tests.index(test) :]
        for other in [test, *(other for other in following if other is not test and self.is_due(other, mode))]:
            if other not in self._results:
                self._results[other] = self._submit(other)

    def _submit(self, test: ScenarioTest) -> Future[Finished]:
        kind = self._kind(test)
        scenarios = test.scenario.home / DIRECTORY
        key = (kind, server_minor(scenarios, test.scenario.tool, test.version))
        if key not in self._workers:
            self._workers[key] = ThreadPoolExecutor(1, thread_name_prefix="record")
        words = self._words.setdefault(test, [])
        session = Session(
            test.scenario,
            test.version,
            self._open_stage(),
            kind,
            all_versions(scenarios),
            words.append,
            self._stopped.is_set,
        )
        return self._workers[key].submit(record, session)

    def _open_stage(self) -> Stage:
        if self._stage is None:
            self._stage = self._held.enter_context(Stage())
        return self._stage

    def _kind(self, test: ScenarioTest) -> str:
        if self._cluster:
            return self._cluster
        try:
            made_with = Recording.load(place(test)).cluster
        except RecordingError:
            return NEW_CLUSTER
        return made_with if made_with != "none" else NEW_CLUSTER
