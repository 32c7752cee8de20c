"""The preparation: local charts get their dependencies built, each chart once a job (record 0069, Subcharts)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sluiceway.adapters.helm import charts, commands
from sluiceway.adapters.helm.charts import Chart
from sluiceway.adapters.helm.failures import failed
from sluiceway.adapters.helm.target import Target
from sluiceway.adapters.kubernetes.ends import answered, not_exited
from sluiceway.adapters.kubernetes.patterns import NAME, Pattern, first_match
from sluiceway.model.order import code_units
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner

Trees = dict[str, dict[str, Chart]]
"""The charts of each stack with a local chart, by path, by the stack's id."""


def prepare(stacks: Sequence[Stack], root: Path, runner: Runner) -> dict[str, Failure]:
    """Build every local chart of ``stacks`` that lists dependencies, lowest level first, and in path order within one.

    Returns a failure for exactly the stacks that need a chart that could not be built. A chart that needs such a one
    is not built either.
    """
    trees = {stack.id: tree for stack in stacks if (tree := _tree(stack, root))}
    failures: dict[str, Failure] = {}
    for chart in in_order(trees.values()):
        below = next((failures[path] for path in chart.needs if path in failures), None)
        failure = below or (_build(chart, root, runner) if chart.lists_dependencies else None)
        if failure is not None:
            failures[chart.path] = failure
    needed = {stack: [failures[path] for path in failures if path in tree] for stack, tree in trees.items()}
    return {stack: found[0] for stack, found in needed.items() if found}


def in_order(trees: Iterable[dict[str, Chart]]) -> list[Chart]:
    """Return every chart of ``trees`` once, lowest level first, and in path order (by code unit) within a level.

    Where a circle gives a chart another level in each tree, the highest counts.
    """
    charts_by_path: dict[str, Chart] = {}
    for chart in (chart for tree in trees for chart in tree.values()):
        known = charts_by_path.get(chart.path)
        if known is None or known.level < chart.level:
            charts_by_path[chart.path] = chart
    return sorted(charts_by_path.values(), key=lambda chart: (chart.level, code_units(chart.path)))


def _tree(stack: Stack, root: Path) -> dict[str, Chart]:
    target = Target.of(stack)
    return charts.tree(root / stack.path / target.chart, root) if target.is_local else {}


def _build(chart: Chart, root: Path, runner: Runner) -> Failure | None:
    outcome = runner.run(commands.build_dependencies(root / chart.path))
    if answered(outcome):
        return None
    named = chart.path if chart.path.isprintable() else "a chart"
    doing = f"helm dependency build in {named}"
    early = not_exited(outcome, doing, "helm")
    return Failure(_unbuilt(named, failed(outcome, doing), outcome.stderr) if early is None else early)


def _unbuilt(chart: str, reason: Reason, stderr: str) -> Reason:
    """Return the reason of a build that failed, with the cause where helm's words are known ones."""
    head = _HEAD.search(stderr)
    found = first_match(_PATTERNS, {"<name>": NAME}, stderr[head.start() :]) if head else None
    names = {"chart": chart, **(found.names if found else {})}
    if found is not None:
        what = f"{reason.what}: {found.pattern.what.format_map(names)}"
        reason = replace(reason, what=what, next_step=found.pattern.next_step)
    return replace(reason, kind="preparation-failed", names={**reason.names, **names})


_HEAD = re.compile("^Error: ", re.MULTILINE)
_PATTERNS = (
    Pattern(
        None,
        r"Error: the lock file \((?:Chart|requirements)\.lock\) is out of sync with the dependencies file ",
        "its lock file is not the one of its dependencies as they are listed now",
        "Run `helm dependency update` in it, and commit the lock file.",
    ),
    Pattern(
        None,
        "Error: can't get a valid version for "
        '(?:dependency |[0-9]+ subchart\\(s\\): ")(?P<dependency><name>)(?:$|" \\()',
        "there is no {dependency} of the version that is listed, or locked",
        "Correct the version; where a lock file holds an older one, run `helm dependency update` in the chart.",
    ),
    Pattern(
        None,
        "Error: (?:no repository definition for |no cached repository for )",
        "helm does not know the repository of a dependency",
        "Let the job add it with `helm repo add` first.",
    ),
    Pattern(
        None,
        r"Error: directory [^\n]{1,1000} not found$",
        "a dependency names a directory that is not there",
        "Correct its file:// repository.",
    ),
)
