"""A Kubernetes control plane of plain processes on loopback: no Docker, no root, ready in seconds.

``design.md`` (What a local control plane needs) and ``spec/recordings.md`` say what it is made of.
"""

import contextlib
import secrets
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from recorder import tools
from recorder.clusters import contents, control_plane, kubeconfig, ownership
from recorder.clusters.api import Api, wait_until
from recorder.clusters.base import ClusterError
from recorder.clusters.control_plane import ADMIN, Layout
from recorder.clusters.held import Held
from recorder.clusters.identity import Identity
from recorder.tools import MissingToolError

READY_SECONDS = 90.0
"""How long each step of a start may take, in seconds. A quiet machine needs 3 to 5 for all of them."""

PORT_TRIES = 3
"""How often a start is tried when another program takes the port between its choice and its use."""

PORTS = range(20000, 32768)
"""Where the API server's port is chosen: below those that systems give to outgoing connections, so that it is still
free when the server is started again."""

TAIL_LINES = 15
"""How much of a log an error shows, in lines."""

APISERVER, ETCD, KWOK = "kube-apiserver", "etcd", "kwok"
CONTROLLER_MANAGER, SCHEDULER = "kube-controller-manager", "kube-scheduler"

_PORT_TAKEN = "address already in use"

T = TypeVar("T")


class LocalCluster:
    """A control plane of Kubernetes ``minor`` (``1.34``), with ``nodes`` nodes played by kwok (none by default).

    A context manager: on entry it is ready to be used; on every way out its processes are ended and its private
    directory is removed, also when this process is killed. ``directory`` is that directory (it must not exist yet);
    a temporary one when it is not given. Raises ``ClusterError`` when a tool is missing, when a process dies, and
    when one is not ready in time.
    """

    kind: Literal["local"] = "local"

    def __init__(self, minor: str, *, nodes: int = 0, directory: Path | None = None) -> None:
        self.minor = minor
        self.nodes = nodes
        self.server_version = ""
        self._place = directory
        self._binaries: dict[str, Path] = {}
        self._held: Held | None = None
        self._layout: Layout | None = None
        self._api: Api | None = None
        self._ready = False

    @property
    def context(self) -> str:
        """The context's name in the kubeconfig."""
        return f"sluiceway-local-{self.minor}"

    @property
    def directory(self) -> Path:
        """The private directory that holds everything of the cluster."""
        return _made(self._layout).directory

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the admin, in the private directory."""
        return _made(self._layout).kubeconfig(ADMIN)

    @property
    def api(self) -> Api:
        """The API server, spoken to as the admin."""
        return _made(self._api)

    @property
    def processes(self) -> dict[str, Identity]:
        """Who each of its processes is, by name; the first is the keeper, which ends the others with itself."""
        return _made(self._held).identities

    def environment(self) -> dict[str, str]:
        """Return what a tool's environment must hold to reach the cluster."""
        return {"KUBECONFIG": str(self.kubeconfig)}

    def __enter__(self) -> Self:
        names = [ETCD, APISERVER, CONTROLLER_MANAGER, SCHEDULER, *([KWOK] if self.nodes else [])]
        self._binaries = self._find(names)
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process and remove the private directory. May be called again."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def detach(self) -> None:
        """Let the cluster outlive this process: from here on a SIGTERM to its keeper ends it."""
        _made(self._held).detach()
        self._held = None

    def check(self) -> None:
        """Raise ``ClusterError`` when a process has ended by itself, or the kubeconfig leads anywhere else."""
        self._check_processes()
        ownership.refuse_foreign(self.kubeconfig, context=self.context, server=self.api.address)

    def stop_apiserver(self) -> None:
        """End kube-apiserver; what it stored stays."""
        _made(self._held).stop(APISERVER)

    def start_apiserver(self) -> None:
        """Start kube-apiserver, after ``stop_apiserver`` on the same port, and wait until it is ready."""
        argv = control_plane.apiserver(self._binaries[APISERVER], _made(self._layout), port=self.api.port)
        self._run(APISERVER, argv)
        self._wait(APISERVER, "/readyz")

    def user_kubeconfig(self, name: str, rules: Iterable[Mapping[str, Any]]) -> Path:
        """Make a service account with these cluster-wide RBAC ``rules`` and no others; return its kubeconfig.

        ``rules`` are a ClusterRole's, ``[{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]``.
        """
        token = contents.create_user(self.api, name, [dict(rule) for rule in rules])
        layout = _made(self._layout)
        path = layout.kubeconfig(f"user-{name}")
        kubeconfig.write(path, context=self.context, server=self.api.address, ca_file=layout.ca_file, token=token)
        return path

    def _find(self, names: Iterable[str]) -> dict[str, Path]:
        try:
            return {name: tools.need(name, self.minor if name.startswith("kube-") else "").path for name in names}
        except MissingToolError as error:
            raise ClusterError(f"a local cluster of {self.minor} can't be made: {error}") from None

    def _start(self) -> None:
        self._held = Held(self._place)
        self._layout = Layout(self._held.directory)
        tokens = control_plane.write_secrets(self._layout)
        self._run(ETCD, control_plane.etcd(self._binaries[ETCD]))
        self._start_apiserver_on_free_port(tokens[ADMIN])
        self.server_version = self.api.get("/version")[1]["gitVersion"]
        control_plane.write_kubeconfigs(self._layout, context=self.context, server=self.api.address, tokens=tokens)
        self._start_controllers(self._layout)
        self._fill()
        self.check()
        self._ready = True

    def _start_apiserver_on_free_port(self, token: str) -> None:
        for tries_left in reversed(range(PORT_TRIES)):
            self._api = Api(_free_port(), _made(self._layout).ca_file, token)
            try:
                self.start_apiserver()
                break
            except ClusterError:
                # Another program may have taken the port between its choice and its use.
                if not tries_left or _PORT_TAKEN not in _made(self._held).log(APISERVER):
                    raise
                self.stop_apiserver()

    def _start_controllers(self, layout: Layout) -> None:
        self._run(CONTROLLER_MANAGER, control_plane.controller_manager(self._binaries[CONTROLLER_MANAGER], layout))
        self._run(SCHEDULER, control_plane.scheduler(self._binaries[SCHEDULER], layout))
        if self.nodes:
            self._run(KWOK, control_plane.kwok(self._binaries[KWOK], layout))

    def _run(self, name: str, argv: list[str]) -> None:
        # HOME is the private directory and nothing else is passed on: no file or variable of the person's counts.
        env = {"HOME": str(self.directory), "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
        _made(self._held).start(name, argv, env)

    def _fill(self) -> None:
        contents.create_storage_class(self.api)
        names = [contents.create_node(self.api, f"{self.context}-node-{number + 1}") for number in range(self.nodes)]
        # A recording that begins before the controllers have made these would race their start.
        for path in contents.DEFAULT_NAMESPACE:
            self._wait(path, path)
        for name in names:
            self._wait_for_node(name)

    def _wait_for_node(self, name: str) -> None:
        def ready() -> bool:
            return contents.node_ready(self.api, name)

        wait_until(f"node {name}", ready, seconds=READY_SECONDS, check=self._check_processes)

    def _wait(self, what: str, path: str) -> None:
        def there() -> bool:
            return self.api.exists(path)

        wait_until(what, there, seconds=READY_SECONDS, check=self._check_processes)

    def _check_processes(self) -> None:
        held = _made(self._held)
        for name, code in held.ended().items():
            # Once the cluster is handed out, a log may quote what was sent to it.
            tail = "" if self._ready else "; its log ends:\n" + _tail(held.log(name))
            raise ClusterError(f"{name} of {self.context} ended by itself (exit code {code}){tail}")


def _made(part: T | None) -> T:
    if part is None:
        raise ValueError("the cluster is not there: use it inside its with block")
    return part


def _tail(log: str) -> str:
    return "\n".join(log.splitlines()[-TAIL_LINES:])


def _free_port() -> int:
    for _ in range(PORT_TRIES * len(PORTS)):
        port = secrets.choice(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise ClusterError(f"no port from {PORTS[0]} to {PORTS[-1]} is free on loopback")
