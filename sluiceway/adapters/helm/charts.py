"""Local charts and the local charts they depend on, from their files alone (record 0069, Subcharts)."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluiceway.adapters.helm.sources import Unread, mapping_of, within
from sluiceway.adapters.kubernetes.objects import items, mapping, text

FILE = "Chart.yaml"
OLDER_FILE = "requirements.yaml"
"""Where a chart of ``apiVersion: v1`` lists its dependencies. Helm v3.18.0 and v4.3.0 read it in a newer chart too, and
its list then counts instead of that in ``Chart.yaml``."""

_LOCAL = "file://"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart inside the repo.

    ``path`` is that of its directory, relative to the root, with every link followed. ``needs`` are the paths of the
    local charts it depends on, as far as they were followed, and ``level`` is one more than the highest of theirs.
    """

    path: str
    name: str
    lists_dependencies: bool
    needs: tuple[str, ...] = ()
    level: int = 1


def read(directory: Path, root: Path) -> dict[str, Any] | Unread:
    """Return what the ``Chart.yaml`` in ``directory`` says, or why it can't be read."""
    return mapping_of(directory / FILE, root)


def tree(directory: Path, root: Path) -> dict[str, Chart]:
    """Return the chart in ``directory`` and the local charts of its whole tree, by path, each behind those it needs.

    A dependency is not followed that is no chart inside the repo, that can't be read, or that closes a circle: it is
    left to helm (record 0069). A chart that can't be read itself has an empty tree.
    """
    done: dict[str, Chart] = {}
    first = _opened(directory, root)
    trail = {} if first is None else {first.chart.path: first}
    while trail:
        here = next(reversed(trail.values()))
        found = next(here.ahead, None)
        if found is None:
            trail.popitem()
            done[here.chart.path] = here.closed(done)
            continue
        path = within(found, root)
        if path is None or path in trail:
            continue
        deeper = None if path in done else _opened(found, root)
        if deeper is not None:
            trail[path] = deeper
        if deeper is not None or path in done:
            here.needs[path] = None
    return done


@dataclass(frozen=True, slots=True)
class _Open:
    """A chart whose dependencies are being followed; ``ahead`` gives the directories that are left."""

    chart: Chart
    ahead: Iterator[Path]
    needs: dict[str, None]

    def closed(self, done: dict[str, Chart]) -> Chart:
        level = 1 + max((done[path].level for path in self.needs), default=0)
        chart = self.chart
        return Chart(chart.path, chart.name, chart.lists_dependencies, tuple(self.needs), level)


def _opened(directory: Path, root: Path) -> _Open | None:
    path, says = within(directory, root), read(directory, root)
    if path is None or isinstance(says, Unread):
        return None
    listed = _listed(says, directory, root)
    chart = Chart(path, text(_said(says, "name")), bool(listed))
    return _Open(chart, _directories(listed, root / path), {})


def _listed(says: dict[str, Any], directory: Path, root: Path) -> list[Any]:
    older = mapping_of(directory / OLDER_FILE, root)
    listed = None if isinstance(older, Unread) else _said(older, "dependencies")
    return items(_said(says, "dependencies") if listed is None else listed)


def _directories(listed: list[Any], directory: Path) -> Iterator[Path]:
    """Yield where the dependencies with a ``file://`` repository are; helm takes the rest for a path as it stands.

    It makes the path plain before it follows any link.
    """
    repositories = (text(_said(mapping(dependency), "repository")) for dependency in listed)
    for repository in repositories:
        if repository.startswith(_LOCAL):
            yield directory / os.path.normpath(repository.removeprefix(_LOCAL))


def _said(says: Mapping[str, Any], key: str) -> Any:
    """Return the value of ``key``, whose case Go does not mind."""
    return says.get(key, next((value for name, value in says.items() if name.lower() == key), None))
