"""Clusters that outlive the command that made them: ``recorder cluster up``, ``status`` and ``down``.

Each has a private directory of its own with everything that is needed to end it again.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recorder.clusters import identity
from recorder.clusters.base import ClusterError
from recorder.clusters.identity import Identity
from recorder.clusters.kubeconfig import write_private
from recorder.clusters.local import LocalCluster

STATE = "state.json"


@dataclass(frozen=True, slots=True)
class Standing:
    """A cluster that stands until ``down``. ``processes`` holds the keeper and all it keeps, by name; none for kind."""

    kind: str
    minor: str
    context: str
    server_version: str
    directory: Path
    kubeconfig: Path
    processes: Mapping[str, Identity]

    @property
    def gone(self) -> list[str]:
        """The names of its processes that don't run any more."""
        return [name for name, process in self.processes.items() if not process.alive]


def directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of all standing clusters: ``${XDG_CACHE_HOME:-~/.cache}/sluiceway/clusters``."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "sluiceway" / "clusters"


def up_local(minor: str, *, nodes: int) -> Standing:
    """Make a local cluster that stands until ``down``. ``ClusterError`` when one of this minor stands already."""
    place = directory() / f"local-{minor}"
    if place.exists():
        raise ClusterError(f"a local cluster of {minor} stands already: use it, or end it with 'cluster down'")
    with LocalCluster(minor, nodes=nodes, directory=place) as cluster:
        processes = {"keeper": cluster.keeper, **cluster.processes}
        standing = Standing("local", minor, cluster.context, cluster.server_version, place, cluster.kubeconfig, processes)
        write_private(place / STATE, json.dumps(asdict(standing), default=str, indent=2) + "\n")
        cluster.detach()
    return standing


def all_standing() -> Iterator[Standing]:
    """Give every standing cluster, in order of its directory's name."""
    for file in sorted(directory().glob(f"*/{STATE}")):
        yield _read(json.loads(file.read_text(encoding="utf-8")))


def down(standing: Standing) -> None:
    """End ``standing`` and remove its directory. ``ClusterError`` when a process can't be ended."""
    left = [name for name, process in standing.processes.items() if not identity.end(process)]
    if left:
        raise ClusterError(f"could not end {', '.join(left)} of {standing.context}")
    shutil.rmtree(standing.directory, ignore_errors=True)


def _read(state: dict[str, Any]) -> Standing:
    processes = {name: Identity(**process) for name, process in state.pop("processes").items()}
    paths = {name: Path(state.pop(name)) for name in ("directory", "kubeconfig")}
    return Standing(**state, **paths, processes=processes)
