"""What a cluster of the recorder is, and the one door to them: ``open_cluster``.

The recorder makes its own clusters and reads no ``KUBECONFIG`` from outside at all (``spec/recordings.md``).
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol, get_args

ClusterKind = Literal["kind", "local"]
"""Where to record: clusters of the kind CLI on Docker (the reference), or plain processes on loopback."""

KINDS: tuple[ClusterKind, ...] = get_args(ClusterKind)

MINORS = ("1.34", "1.37")
"""The Kubernetes minors that are recorded (``spec/recordings.md``)."""


class ClusterError(Exception):
    """A cluster could not be made or kept, or is not the recorder's own. The message says what to do."""


class Cluster(Protocol):
    """A cluster that the recorder made and will throw away."""

    @property
    def kind(self) -> ClusterKind:
        """What it is made of."""
        ...

    @property
    def minor(self) -> str:
        """Its Kubernetes minor, ``1.34``."""
        ...

    @property
    def server_version(self) -> str:
        """The version its API server gives, ``v1.34.4``."""
        ...

    @property
    def context(self) -> str:
        """The context's name in its kubeconfig."""
        ...

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of its admin, a private file that goes away with it."""
        ...

    def environment(self) -> dict[str, str]:
        """Return what a tool's environment must hold to reach it: ``KUBECONFIG`` alone."""
        ...


def open_cluster(kind: str, minor: str, *, nodes: int = 0) -> AbstractContextManager[Cluster]:
    """Return a context manager that makes a cluster of ``minor``, and throws it away at the end.

    ``nodes`` is how many nodes stand in so that pods become ready; kind always brings its own. Raises
    ``ClusterError`` for a kind or minor that is not offered, on entry also when the cluster can't be made.
    """
    if kind not in KINDS:
        raise ClusterError(f"there is no cluster of kind {kind!r}: choose one of {', '.join(KINDS)}")
    if kind == "kind":
        from recorder.clusters.kind import KindCluster  # noqa: PLC0415  # only what is used is loaded

        return KindCluster(minor)
    from recorder.clusters.local import LocalCluster  # noqa: PLC0415  # the same

    return LocalCluster(minor, nodes=nodes)
