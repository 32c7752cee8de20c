"""Which charts of a repo look like releases, and what a release reads outside of its directory."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from sluiceway.adapters.base import Proposal
from sluiceway.adapters.helm import charts
from sluiceway.adapters.helm.sources import within
from sluiceway.adapters.helm.target import is_local
from sluiceway.adapters.kubernetes.walking import directories
from sluiceway.model.stacks import Stack

_VALUES = re.compile(r"values-(.+)\.ya?ml")


def propose(root: Path) -> list[Proposal]:
    """Return a release for each chart that no other one holds or depends on."""
    found = {path: names for path, names in directories(root) if charts.FILE in names}
    trees = {path: charts.tree(root / path, root) for path in found}
    needed = {need for path, tree in trees.items() for need in tree if need != path}
    own = [path for path in sorted(found) if trees[path] and path not in needed and not _is_held(path, found)]
    return [_proposal(path, trees[path][within(root / path, root) or path].name, found[path]) for path in own]


def _is_held(path: str, found: Iterable[str]) -> bool:
    """Tell whether a chart lies in the ``charts`` of another."""
    return any(path.startswith("charts/" if other == "." else f"{other}/charts/") for other in found)


def _proposal(path: str, name: str, names: list[str]) -> Proposal:
    release = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")[:53].strip("-") or "release"
    values = [file for file in names if _VALUES.fullmatch(file)]
    options = {
        "release": release,
        "namespace": release,
        "chart": "./",
        **({"valuesFiles": values[:1]} if values else {}),
    }
    return Proposal(path, options, "the release's name and its namespace are guessed")


def reads(stack: Stack, root: Path) -> tuple[str, ...]:
    """Return globs of the release's chart, of the local charts that it depends on, and of its values files."""
    directory, chart = root / stack.path, str(stack.options.get("chart", ""))
    local = charts.tree(directory / chart, root) if is_local(chart) else {}
    values = [within(Path(os.path.normpath(directory / file)), root) for file in stack.options.get("valuesFiles", ())]
    return tuple(sorted({*(f"{path}/**" for path in local), *(path for path in values if path is not None)}))
