"""A Kubernetes control plane of plain processes on loopback: no Docker, no root, ready in seconds.

``design.md`` (What a local control plane needs) and ``spec/recordings.md`` say what it is made of.
"""

import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar

from recorder import tools
from recorder.clusters import contents, control_plane, kubeconfig
from recorder.clusters.api import Api, wait_until
from recorder.clusters.base import ClusterError
from recorder.clusters.control_plane import ADMIN, Layout
from recorder.clusters.held import Held
from recorder.clusters.identity import Identity
from recorder.tools import Found

READY_SECONDS = 90.0
"""How long each step of a start may take, in seconds. A quiet machine needs 3 to 5 for all."""

PORT_TRIES = 3
"""How often a start is tried when another program takes the port between its choice and its use."""

TAIL_LINES = 15
"""How much of a log an error shows."""

_PORT_TAKEN = "address already in use"

_APISERVER, _ETCD = "kube-apiserver", "etcd"
_CONTROLLER_MANAGER, _SCHEDULER, _KWOK = "kube-controller-manager", "kube-scheduler", "kwok"


class LocalCluster:
    """A control plane of Kubernetes ``minor`` (``1.34``), with ``nodes`` nodes played by kwok (none by default).

    A context manager: on entry it is ready to be used, on every way out its processes are ended and its private
    directory is removed, also when this process is killed. ``directory`` is that directory (it must not exist yet);
    a temporary one when it is not given. Raises ``MissingToolError`` for what is not installed and ``ClusterError``
    when a process dies or is not ready in time.
    """

    kind: Literal["local"] = "local"

    def __init__(self, minor: str, *, nodes: int = 0, directory: Path | None = None) -> None:
        self.minor = minor
        self.nodes = nodes
        self.server_version = ""
        self._directory = directory
        self._binaries: dict[str, Found] = {}
        self._layout: Layout | None = None
        self._held: Held | None = None
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
    def processes(self) -> Mapping[str, Identity]:
        """Who each of the cluster's processes is, by name."""
        return dict(_made(self._held).identities)

    def environment(self) -> dict[str, str]:
        """Return what a tool's environment must hold to reach the cluster."""
        return {"KUBECONFIG": str(self.kubeconfig)}

    def __enter__(self) -> Self:
        names = [_ETCD, _APISERVER, _CONTROLLER_MANAGER, _SCHEDULER, *([_KWOK] if self.nodes else [])]
        self._binaries = {name: self._binary(name) for name in names}
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

    @property
    def keeper(self) -> Identity:
        """Who the process is that a SIGTERM ends together with the whole cluster, once it is detached."""
        return _made(self._held).keeper

    def detach(self) -> None:
        """Let the cluster outlive this process: from here on only its keeper ends it."""
        _made(self._held).detach()
        self._held = None

    def check(self) -> None:
        """Raise ``ClusterError`` when one of the cluster's processes has ended by itself."""
        for name, code in _made(self._held).ended().items():
            raise ClusterError(f"{name} ended by itself (exit code {code}){self._tail(name)}")

    def stop_apiserver(self) -> None:
        """End kube-apiserver; what it stored stays."""
        _made(self._held).stop(_APISERVER)

    def start_apiserver(self) -> None:
        """Start kube-apiserver again on the same port, and wait until it is ready."""
        self._start_apiserver()

    def user_kubeconfig(self, name: str, rules: list[dict[str, list[str]]]) -> Path:
        """Return the kubeconfig of a new service account that has the cluster-wide RBAC ``rules`` and no others."""
        token = contents.create_user(self.api, name, rules)
        layout = _made(self._layout)
        path = layout.kubeconfig(f"user-{name}")
        return kubeconfig.write(
            path, context=self.context, server=self.api.address, ca_file=layout.ca_file, token=token
        )

    def _binary(self, name: str) -> Found:
        return tools.need(name, self.minor if name.startswith("kube-") else "")

    def _start(self) -> None:
        self._layout = Layout(self._new_directory())
        self._held = Held(self._layout.directory)
        tokens = control_plane.write_secrets(self._layout)
        self._run(_ETCD, control_plane.etcd(self._binaries[_ETCD].path))
        self._api = self._start_on_free_port(tokens[ADMIN])
        control_plane.write_kubeconfigs(self._layout, context=self.context, server=self._api.address, tokens=tokens)
        self._start_controllers(self._layout)
        self._fill(self._api)
        self._ready = True

    def _new_directory(self) -> Path:
        if self._directory is None:
            return Path(tempfile.mkdtemp(prefix="sluiceway-cluster-"))
        self._directory.mkdir(mode=0o700, parents=True)
        return self._directory

    def _run(self, name: str, argv: list[str]) -> None:
        # HOME is the private directory and nothing else is passed on: no file or variable of the person's counts.
        env = {"HOME": str(self.directory), "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
        _made(self._held).start(name, argv, env)

    def _start_on_free_port(self, token: str) -> Api:
        for tries_left in reversed(range(PORT_TRIES)):
            self._api = Api(_free_port(), _made(self._layout).ca_file, token)
            try:
                self._start_apiserver()
                break
            except ClusterError:
                # Another program may take the port between its choice and its use.
                if not tries_left or _PORT_TAKEN not in self._log(_APISERVER):
                    raise
                self.stop_apiserver()
        return self.api

    def _start_apiserver(self) -> None:
        argv = control_plane.apiserver(self._binaries[_APISERVER].path, _made(self._layout), port=self.api.port)
        self._run(_APISERVER, argv)
        self._wait("kube-apiserver is ready", "/readyz")
        self.server_version = self.api.get("/version")[1]["gitVersion"]

    def _start_controllers(self, layout: Layout) -> None:
        self._run(_CONTROLLER_MANAGER, control_plane.controller_manager(self._binaries[_CONTROLLER_MANAGER].path, layout))
        self._run(_SCHEDULER, control_plane.scheduler(self._binaries[_SCHEDULER].path, layout))
        if self.nodes:
            self._run(_KWOK, control_plane.kwok(self._binaries[_KWOK].path, layout))

    def _fill(self, api: Api) -> None:
        contents.create_storage_class(api)
        names = [contents.create_node(api, f"{self.context}-node-{number + 1}") for number in range(self.nodes)]
        # A recording that starts before these are there would race the controllers' own start.
        for path in contents.DEFAULT_NAMESPACE:
            self._wait(f"{path} is there", path)
        for name in names:
            wait_until(
                f"node {name} is ready",
                lambda name=name: contents.node_ready(api, name),
                seconds=READY_SECONDS,
                check=self.check,
            )

    def _wait(self, what: str, path: str) -> None:
        wait_until(what, lambda: self.api.exists(path), seconds=READY_SECONDS, check=self.check)

    def _tail(self, name: str) -> str:
        # Once the cluster is handed out, a log may quote what was sent to it.
        if self._ready:
            return ""
        return "; its log ends:\n" + "\n".join(self._log(name).splitlines()[-TAIL_LINES:])

    def _log(self, name: str) -> str:
        return (self.directory / f"{name}.log").read_text(encoding="utf-8", errors="replace")


T = TypeVar("T")


def _made(part: T | None) -> T:
    if part is None:
        raise ValueError("the cluster is not there: use it inside its with block")
    return part


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
