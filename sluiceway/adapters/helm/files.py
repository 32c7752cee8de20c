"""The files of a Helm stack: its chart and its values files (``spec/core.md``, Stack ids and discovery)."""

import os
from collections.abc import Iterator
from pathlib import Path

from sluiceway.adapters.base import FileProblem
from sluiceway.adapters.helm import charts
from sluiceway.adapters.helm.sources import Unread, mapping_of, within
from sluiceway.adapters.helm.target import is_local
from sluiceway.model.stacks import Stack

# ruff: noqa: PTH110, PTH112, PTH113 - Path's own raise where a directory may not be read


def check(stack: Stack, root: Path) -> list[FileProblem]:
    """Return what is wrong with the files of a stack whose directory exists. Starts no tool, reaches no cluster.

    What of the options is wrong itself is left out of them, so any may be missing.
    """
    chart, values_files = stack.options.get("chart", ""), stack.options.get("valuesFiles", ())
    directory = root / stack.path
    problems = list(_local_chart(directory, chart, root) if is_local(chart) else _reference(directory, chart))
    for index, file in enumerate(values_files):
        says = mapping_of(directory / file, root)
        if isinstance(says, Unread):
            problems.append(_problem(f"options.valuesFiles[{index}]", directory / file, root, says))
    return problems


def _local_chart(directory: Path, chart: str, root: Path) -> Iterator[FileProblem]:
    place = directory / chart
    if wrong := _no_directory(place, root):
        yield FileProblem("options.chart", wrong)
        return
    says = charts.read(place, root)
    if isinstance(says, Unread):
        yield _problem("options.chart", place / charts.FILE, root, says)


def _no_directory(place: Path, root: Path) -> str | None:
    if within(place, root) is None:
        return "leads out of the repo: name one in it"
    if not os.path.lexists(place):
        return "there is no such directory: mend the path, or make it"
    if not os.path.isdir(place):
        return (
            "is a file, expected the directory of a chart"
            if os.path.isfile(place)
            else "is a link to nothing: mend it, or remove it"
        )
    if not os.path.lexists(place / charts.FILE):
        return f"is no chart, for it holds no {charts.FILE}: name the directory of one"
    return None


def _reference(directory: Path, chart: str) -> Iterator[FileProblem]:
    """Find what stands where a reference leads: helm takes it before any repository, and ignores the version."""
    if chart and os.path.exists(directory / chart):
        yield FileProblem(
            "options.chart",
            f"{chart} stands in the stack's directory too, and helm would take that: write `./{chart}` and no version "
            "for it, or rename it",
        )


def _problem(key: str, path: Path, root: Path, unread: Unread) -> FileProblem:
    """Tell of a file: at its line where one can be named, else at the option that names it."""
    file = within(path, root)
    if file is None or not unread.line:
        named = path.name if path.name == charts.FILE else ""
        return FileProblem(key, f"{named} {unread.problem}".lstrip())
    return FileProblem(key, unread.problem, file=file, line=unread.line)
