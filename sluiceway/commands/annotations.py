"""Problems beside the log: GitHub Actions shows them at their lines, elsewhere they are lines that an editor links."""

from collections.abc import Iterable

from sluiceway.model.stacks import Problem
from sluiceway.relay import JobLog, Level


def annotate(log: JobLog, level: Level, problems: Iterable[Problem]) -> None:
    """Write an annotation for each of ``problems``."""
    for problem in problems:
        key = f"{problem.key}: " if problem.key else ""
        log.annotate(level, f"{key}{problem.problem}", problem.file, problem.line or None)
