"""Where scenarios are recorded: the tools of each version, and a cluster for each minor that is asked for."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Protocol, Self

from recorder import tools
from recorder.admin import Admin
from recorder.clusters.base import Cluster, ClusterError, open_cluster
from recorder.kube import AdminError, Kube
from recorder.take import TakeError
from recorder.tools import Found
from sluiceway.private import private_directory, sweep

_HELPERS = ("diff",)
"""What a recorded tool starts itself, taken from the system."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster that stands until the stage is left. ``since`` is when it was made, in seconds since the epoch."""

    cluster: Cluster
    admin: Admin
    since: float


class OpenCluster(Protocol):
    """What makes a cluster (``recorder.clusters.base.open_cluster``)."""

    def __call__(self, kind: str, minor: str, *, nodes: int) -> AbstractContextManager[Cluster]:
        """Return a context manager that makes a cluster, and throws it away at the end."""
        ...


class _Wanted(NamedTuple):
    kind: str
    minor: str
    nodes: int


@dataclass
class Stage:
    """The tools and clusters of one session; a context manager that ends them all. Used from several threads.

    ``open_cluster`` makes a cluster of a kind and a minor with so many nodes, ``need`` finds a tool.
    """

    open_cluster: OpenCluster = open_cluster
    need: Callable[[str, str], Found] = tools.need
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __enter__(self) -> Self:
        self._held = ExitStack()
        # What a recorder that was killed left behind holds values too.
        sweep()
        self.directory = self._held.enter_context(private_directory())
        self._standing: dict[_Wanted, Standing | Exception] = {}
        self._locks: dict[_Wanted, threading.Lock] = {}
        self._lock = threading.Lock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def tools(self, tool: str, version: str) -> Path:
        """Return a directory to be a ``PATH``: ``tool`` in exactly ``version``, and what it starts itself."""
        directory = self.directory / "tools" / f"{tool}-{version}"
        with self._lock:
            if not directory.is_dir():
                found = self.need(tool, version.removeprefix("v"))
                directory.mkdir(parents=True)
                (directory / tool).symlink_to(found.path.resolve())
                for helper in _HELPERS:
                    (directory / helper).symlink_to(self._helper(helper))
        return directory

    def plugin(self) -> Found:
        """Return Helm's diff plugin."""
        return self.need(tools.PLUGIN, tools.PLUGIN_WANTED)

    def standing(self, kind: str, minor: str, *, nodes: int = 0) -> Standing:
        """Return the cluster of ``kind``, ``minor`` and ``nodes`` that stand in; made when first asked for."""
        # kind always brings a node of its own.
        wanted = _Wanted(kind, minor, nodes if kind == "local" else 0)
        with self._lock:
            lock = self._locks.setdefault(wanted, threading.Lock())
        with lock:
            if wanted not in self._standing:
                self._standing[wanted] = self._tried(wanted)
        standing = self._standing[wanted]
        if isinstance(standing, Exception):
            raise standing
        return standing

    def variables(self, tool: str, version: str, home: Path, temporary: Path) -> dict[str, str]:
        """Return the environment of every recorded process, whatever machine it runs on; nothing else is in it."""
        path = self.tools(tool, version)
        plugins = {"HELM_PLUGINS": str(self._plugins())} if tool == "helm" else {}
        return {
            "HOME": str(home),
            "LC_ALL": "C",
            "PATH": str(path),
            "TMPDIR": str(temporary),
            "TZ": "UTC",
            **plugins,
        }

    def _plugins(self) -> Path:
        """Return a directory that holds the diff plugin and no other, to be ``HELM_PLUGINS``."""
        directory = self.directory / "plugins"
        with self._lock:
            if not directory.is_dir():
                found = self.plugin()
                directory.mkdir()
                (directory / tools.PLUGIN_FOLDER).symlink_to(found.path.resolve())
        return directory

    def _tried(self, wanted: _Wanted) -> Standing | Exception:
        # A cluster that can't be made is not tried again for every scenario.
        try:
            return self._stand(wanted)
        except (ClusterError, AdminError, tools.MissingToolError, OSError) as error:
            return error

    def _stand(self, wanted: _Wanted) -> Standing:
        since = time.time()
        cluster = self._held.enter_context(self.open_cluster(wanted.kind, wanted.minor, nodes=wanted.nodes))
        private = self.directory / f"{wanted.kind}-{wanted.minor}-{wanted.nodes}"
        private.mkdir(mode=0o700)
        kube = Kube(cluster.kubeconfig, private)
        self._held.callback(kube.close)
        return Standing(cluster, Admin(kube), since)

    def _helper(self, name: str) -> Path:
        found = shutil.which(name, path=self.environment.get("PATH", ""))
        if found is None:
            raise TakeError(f"{name} is not on PATH, and a recorded tool starts it")
        return Path(found).resolve()
