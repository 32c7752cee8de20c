"""A cluster of the kind CLI on Docker: the reference to record on (``spec/recordings.md``)."""

import json
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from recorder import tools
from recorder.clusters import ownership
from recorder.clusters.api import wait_until
from recorder.clusters.base import ClusterError
from recorder.clusters.held import Held
from recorder.tools import Missing, MissingToolError

IMAGES: Mapping[str, str] = {
    "1.34": "kindest/node:v1.34.11@sha256:44e222ee2132dab25ff87301682f89eb82c7880ea3a1bf543bfe9708fd08d67d",
    "1.37": "kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5",
}
"""The node image of each minor, as kind v0.33.0 was released with them: a tag can be moved, a digest can't."""

KIND_VERSION = ">=0.33.0"
"""The kind that these images were built for, or later."""

CREATE_SECONDS = 900.0
"""How long a cluster may take, in seconds, with the pull of its node image."""

COMMAND_SECONDS = 60.0
"""How long any other command may take, in seconds."""

TAIL_LINES = 15
"""How much of kind's log an error shows, in lines."""

_CREATE = "kind-create"
_WITHOUT = ("KUBECONFIG", "KIND_CLUSTER_NAME", "KIND_EXPERIMENTAL_PROVIDER")


class KindCluster:
    """A cluster of Kubernetes ``minor`` (``1.34``) with one node, under a name of its own.

    A context manager: on entry it is ready to be used, on every way out it is deleted, also when this process is
    killed. ``directory`` is where its kubeconfig goes (it must not exist yet); a temporary one when it is not given.
    Raises ``ClusterError`` when no Docker engine answers, a tool is missing, or kind fails.
    """

    kind: Literal["kind"] = "kind"

    def __init__(self, minor: str, *, directory: Path | None = None) -> None:
        self.minor = minor
        self.name = f"sluiceway-{minor.replace('.', '-')}-{secrets.token_hex(3)}"
        self.server_version = ""
        self._place = directory
        self._server = ""
        self._held: Held | None = None
        self._directory: Path | None = None

    @property
    def context(self) -> str:
        """The context's name in the kubeconfig, as kind gives it."""
        return f"kind-{self.name}"

    @property
    def directory(self) -> Path:
        """The private directory that holds the kubeconfig."""
        if self._directory is None:
            raise ValueError("the cluster is not there: use it inside its with block")
        return self._directory

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of the admin, in the private directory."""
        return self.directory / "kubeconfig"

    def environment(self) -> dict[str, str]:
        """Return what a tool's environment must hold to reach the cluster."""
        return {"KUBECONFIG": str(self.kubeconfig)}

    def __enter__(self) -> Self:
        image = IMAGES.get(self.minor)
        if image is None:
            raise ClusterError(
                f"no node image is pinned for Kubernetes {self.minor}: choose one of {', '.join(IMAGES)}"
            )
        need_docker()
        kind, kubectl = _need("kind", KIND_VERSION), _need("kubectl", self.minor)
        try:
            self._create(kind, image)
            self.server_version = self._read_server_version(kubectl)
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
        """Delete the cluster and its private directory. May be called again."""
        held, self._held = self._held, None
        if held is not None:
            try:
                held.close()
            except ClusterError as error:
                raise ClusterError(f"{error}: delete it with 'kind delete cluster --name {self.name}'") from None

    def detach(self) -> None:
        """Let the cluster outlive this process."""
        if self._held is not None:
            self._held.leave()
            self._held = None

    def check(self) -> None:
        """Raise ``ClusterError`` when the kubeconfig leads anywhere else than to the cluster that was made here."""
        ownership.refuse_foreign(self.kubeconfig, context=self.context, server=self._server)

    def _create(self, kind: Path, image: str) -> None:
        held = self._held = Held(self._place)
        self._directory = held.directory
        name, kubeconfig = f"--name={self.name}", f"--kubeconfig={self.kubeconfig}"
        # Said before it is created, so that half a cluster is deleted too.
        held.afterwards([str(kind), "delete", "cluster", name, kubeconfig], _environment())
        argv = [str(kind), "create", "cluster", name, f"--image={image}", kubeconfig, "--wait=120s"]
        held.start(_CREATE, argv, _environment())
        wait_until(f"the kind cluster {self.name}", lambda: bool(held.ended()), seconds=CREATE_SECONDS)
        code = held.ended()[_CREATE]
        if code:
            # Nothing of a stack was in this cluster yet that its log could quote.
            tail = "\n".join(held.log(_CREATE).splitlines()[-TAIL_LINES:])
            raise ClusterError(f"kind could not make the cluster {self.name} (exit code {code}); its log ends:\n{tail}")
        self._server = ownership.server_of(self.kubeconfig, context=self.context)

    def _read_server_version(self, kubectl: Path) -> str:
        said = _output([str(kubectl), "version", "--output=json"], {**_environment(), **self.environment()})
        version: str = json.loads(said)["serverVersion"]["gitVersion"]
        return version


def need_docker() -> None:
    """Raise ``ClusterError`` unless a Docker engine answers: an installed client alone makes no cluster."""
    if isinstance(tools.find("docker"), Missing):
        raise ClusterError("kind needs Docker, and no Docker engine answers: start it, or use --cluster=local")


def name_of(context: str) -> str:
    """Return the name of the kind cluster that ``context`` belongs to."""
    return context.removeprefix("kind-")


def names() -> list[str]:
    """Return the names of all kind clusters of this Docker engine."""
    return _run("get", "clusters").split()


def delete(name: str, kubeconfig: Path) -> None:
    """Delete the kind cluster ``name``, and its entries in ``kubeconfig``."""
    _run("delete", "cluster", f"--name={name}", f"--kubeconfig={kubeconfig}")


def _run(*arguments: str) -> str:
    return _output([str(_need("kind", KIND_VERSION)), *arguments], _environment())


def _output(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run ``argv`` and return its stdout; ``ClusterError`` when it fails or takes longer than ``COMMAND_SECONDS``."""
    name = f"{Path(argv[0]).name} {argv[1]}"
    try:
        result = subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ClusterError(f"{name}: not within {COMMAND_SECONDS:g} seconds") from None
    if result.returncode:
        raise ClusterError(f"{name} failed (exit code {result.returncode})")
    return result.stdout


def _need(name: str, wanted: str) -> Path:
    try:
        return tools.need(name, wanted).path
    except MissingToolError as error:
        raise ClusterError(f"a kind cluster can't be made: {error} Or use --cluster=local") from None


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _WITHOUT}
