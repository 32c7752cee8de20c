"""Where scenarios are recorded: the tools of each version, and a cluster for each minor that is asked for."""

import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from recorder import tools
from recorder.admin import Admin
from recorder.clusters.base import Cluster, ClusterError, open_cluster
from recorder.kube import AdminError, Kube
from recorder.take import TakeError
from sluiceway.private import private_directory, sweep

_HELPERS = ("diff",)
"""What a recorded tool starts itself, taken from the system."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster that stands until the stage is left. ``since`` is when it was made, in seconds since the epoch."""

    cluster: Cluster
    admin: Admin
    since: float


@dataclass
class Stage:
    """The tools and clusters of one session; a context manager that ends them all. Used from several threads.

    ``kind`` is what clusters are made of. ``open_cluster`` makes one of a kind and a minor, ``need`` finds a tool.
    """

    open_cluster: Callable[[str, str], AbstractContextManager[Cluster]] = open_cluster
    need: Callable[[str, str], tools.Found] = tools.need
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __enter__(self) -> Self:
        self._held = ExitStack()
        # What a recorder that was killed left behind holds values too.
        sweep()
        self.directory = self._held.enter_context(private_directory())
        self._standing: dict[tuple[str, str], Standing | Exception] = {}
        self._locks: dict[tuple[str, str], threading.Lock] = {}
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

    def standing(self, kind: str, version: str) -> Standing:
        """Return the cluster of ``kind`` for a tool's ``version``, of the same minor; made when first asked for."""
        minor = minor_of(version)
        with self._lock:
            lock = self._locks.setdefault((kind, minor), threading.Lock())
        with lock:
            if (kind, minor) not in self._standing:
                self._standing[kind, minor] = self._tried(kind, minor)
        standing = self._standing[kind, minor]
        if isinstance(standing, Exception):
            raise standing
        return standing

    def variables(self, path: Path, home: Path, temporary: Path) -> dict[str, str]:
        """Return the environment of every recorded process, whatever machine it runs on; nothing else is in it."""
        return {"HOME": str(home), "LC_ALL": "C", "PATH": str(path), "TMPDIR": str(temporary), "TZ": "UTC"}

    def _tried(self, kind: str, minor: str) -> Standing | Exception:
        # A cluster that can't be made is not tried again for every scenario.
        try:
            return self._stand(kind, minor)
        except (ClusterError, AdminError, tools.MissingToolError, OSError) as error:
            return error

    def _stand(self, kind: str, minor: str) -> Standing:
        since = time.time()
        cluster = self._held.enter_context(self.open_cluster(kind, minor))
        private = self.directory / f"{kind}-{minor}"
        private.mkdir(mode=0o700)
        kube = Kube(cluster.kubeconfig, private)
        self._held.callback(kube.close)
        return Standing(cluster, Admin(kube), since)

    def _helper(self, name: str) -> Path:
        found = shutil.which(name, path=self.environment.get("PATH", ""))
        if found is None:
            raise TakeError(f"{name} is not on PATH, and a recorded tool starts it")
        return Path(found).resolve()


def minor_of(version: str) -> str:
    """Return ``1.34`` of ``v1.34.0``."""
    found = re.match(r"v?(\d+\.\d+)", version)
    if found is None:
        raise TakeError(f"{version} is not a version")
    return found[1]
