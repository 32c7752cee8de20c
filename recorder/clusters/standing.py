"""Clusters that outlive the command that made them: ``recorder cluster up``, ``status`` and ``down``.

Each has a private directory of its own, with all that is needed to end it again, from its very start on.
"""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recorder.clusters import held, identity, kind
from recorder.clusters.base import ClusterError, StandingCluster, open_clusters
from recorder.clusters.files import replace_private
from recorder.clusters.identity import Identity

STATE = "cluster.json"
"""What a finished cluster is, in its directory."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster in its ``directory``. ``context`` and the rest are empty while it is not finished.

    ``processes`` are by name, the one that ends the others first; kind's run in Docker and are not among them.
    """

    directory: Path
    processes: Mapping[str, Identity]
    kind: str = ""
    context: str = ""
    server_version: str = ""

    @property
    def name(self) -> str:
        """What it is called in a report, ``local-1.34``."""
        return self.directory.name

    @property
    def kubeconfig(self) -> Path:
        """The kubeconfig of its admin."""
        return self.directory / "kubeconfig"


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all standing clusters: ``${XDG_CACHE_HOME:-~/.cache}/sluiceway/clusters``."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "sluiceway" / "clusters"


def up(cluster_kind: str, minors: Sequence[str], *, nodes: int) -> list[Standing]:
    """Make a cluster of each minor that stands until ``down``; all of them or none (``ClusterError``)."""
    with open_clusters(cluster_kind, minors, nodes=nodes, directory=folder()) as clusters:
        for cluster in clusters:
            _write(cluster)
        for cluster in clusters:
            cluster.detach()
    return [_read(cluster.directory) for cluster in clusters]


def all_standing() -> list[Standing]:
    """Return every cluster that stands, in order of name."""
    places = folder().iterdir() if folder().exists() else ()
    return [_read(place) for place in sorted(places)]


def missing(standing: Standing) -> list[str]:
    """Return the names of what no longer runs of ``standing``."""
    if standing.kind == "kind":
        return [] if kind.name_of(standing.context) in kind.names() else [standing.context]
    return [name for name, process in standing.processes.items() if not process.alive]


def down(standing: Standing) -> None:
    """End ``standing`` and remove its directory. ``ClusterError`` when that fails."""
    left = [
        name for name, process in standing.processes.items() if not identity.end(process, seconds=held.CLOSE_SECONDS)
    ]
    if left:
        raise ClusterError(f"could not end {', '.join(left)} of {standing.name}")
    if standing.kind == "kind":
        kind.delete(kind.name_of(standing.context), standing.kubeconfig)
    shutil.rmtree(standing.directory, ignore_errors=True)


def _write(cluster: StandingCluster) -> None:
    state = {"kind": cluster.kind, "context": cluster.context, "server_version": cluster.server_version}
    replace_private(cluster.directory / STATE, json.dumps(state, indent=2) + "\n")


def _read(place: Path) -> Standing:
    state = place / STATE
    content = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
    return Standing(place, identity.read(place / held.PROCESSES), **content)
