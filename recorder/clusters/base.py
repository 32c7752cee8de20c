"""What a cluster of the recorder is, and the doors to them: ``open_cluster``, ``open_clusters``.

The recorder makes its own clusters and reads no ``KUBECONFIG`` from outside at all (``spec/recordings.md``).
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
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
    def directory(self) -> Path:
        """Its private directory, which goes away with it."""
        ...

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of its admin, a private file in its directory."""
        ...

    def environment(self) -> dict[str, str]:
        """Return what a tool's environment must hold to reach it: ``KUBECONFIG`` alone."""
        ...

    def check(self) -> None:
        """Raise ``ClusterError`` unless it still runs and its kubeconfig still leads to it and nowhere else."""
        ...


class StandingCluster(Cluster, Protocol):
    """A cluster that can outlive the command that made it."""

    def detach(self) -> None:
        """Let it outlive this process."""
        ...


def open_cluster(
    kind: str,
    minor: str,
    *,
    nodes: int = 0,
    directory: Path | None = None,
) -> AbstractContextManager[StandingCluster]:
    """Return a context manager that makes a cluster of ``minor``, and throws it away at the end.

    ``nodes`` is how many nodes stand in so that pods become ready; kind always brings its own. ``directory`` is where
    its files go, a temporary one when it is None. ``ClusterError`` for a kind that is not offered, and on entry when
    the cluster can't be made.
    """
    if kind == "kind":
        from recorder.clusters.kind import KindCluster  # noqa: PLC0415  # only what is used is loaded

        return KindCluster(minor, directory=directory)
    if kind == "local":
        from recorder.clusters.local import LocalCluster  # noqa: PLC0415  # the same

        return LocalCluster(minor, nodes=nodes, directory=directory)
    raise ClusterError(f"there is no cluster of kind {kind!r}: choose one of {', '.join(KINDS)}")


@contextmanager
def open_clusters(
    kind: str,
    minors: Sequence[str],
    *,
    nodes: int = 0,
    directory: Path | None = None,
) -> Iterator[list[StandingCluster]]:
    """Make a cluster of each of ``minors`` side by side, in that order; all of them or none.

    ``directory`` is the parent of their directories (``<kind>-<minor>``); the rest is as for ``open_cluster``.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # heavy, and needed here only

    places = [None if directory is None else directory / f"{kind}-{minor}" for minor in minors]
    made = [
        open_cluster(kind, minor, nodes=nodes, directory=place) for minor, place in zip(minors, places, strict=True)
    ]
    with ExitStack() as stack:
        with ThreadPoolExecutor(max(len(made), 1)) as pool:
            entered = [pool.submit(stack.enter_context, cluster) for cluster in made]
        yield [each.result() for each in entered]
