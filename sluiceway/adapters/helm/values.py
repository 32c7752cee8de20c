"""The values that a stack's own files hold, none of which may be relayed (``spec/core.md``, The tool's words)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.helm import charts
from sluiceway.adapters.helm.sources import Unread, text_of
from sluiceway.adapters.helm.target import Target
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.secrets import as_go_prints
from sluiceway.model.trees import Float

FILE = "values.yaml"
SHORTEST = 4
FEWEST_DIGITS = 6
"""A number with fewer digits, such as a port, stands in too many places."""

_SEPARATOR = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)


def values_of(place: Workplace) -> list[str]:
    """Return each text and each long number that the stack's files hold, once, in the spellings that helm prints.

    These are its values files, and the ``values.yaml`` of its local chart and of the local charts of its tree. A file
    that can't be read holds nothing. The stack's own names (release, namespace, chart) are left out.
    """
    target = Target.of(place.stack)
    tree = charts.tree(place.directory / target.chart, place.root) if target.is_local else {}
    files = [
        *(place.directory / file for file in target.values_files),
        *(place.root / path / FILE for path in tree),
    ]
    own = {target.release, target.namespace, target.chart, target.chart.rpartition("/")[2]}
    own |= {chart.name for chart in list(tree.values())[-1:]}
    found = dict.fromkeys(value for file in files for value in _values_in(file, place.root))
    return [value for value in found if value not in own]


def _values_in(file: Path, root: Path) -> Iterator[str]:
    """Yield the values of every document of a file: Helm 4 merges them, Helm 3 reads the first."""
    text = text_of(file, root)
    if isinstance(text, Unread):
        return
    for document in _SEPARATOR.split(text):
        try:
            yield from _scalars(goyaml.load(document))
        except goyaml.UnreadableYAML:
            continue


def _scalars(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for child in node.values():
            yield from _scalars(child)
    elif isinstance(node, list):
        for child in node:
            yield from _scalars(child)
    elif isinstance(node, (int, Float)) and not isinstance(node, bool):
        yield from _number(node)
    elif isinstance(node, str) and len(node) >= SHORTEST:
        yield node


def _number(node: int | Float) -> Iterator[str]:
    """Yield a long number as it is, and as Go prints it once it is a float: ``1.234567e+06``."""
    written = str(node)
    if sum(map(str.isdigit, written)) >= FEWEST_DIGITS:
        yield written
        yield from as_go_prints(node)
