"""Problems beside the log: GitHub Actions shows them at their lines, elsewhere they are lines that an editor links."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sluiceway.commands.settings import Settings
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem
from sluiceway.relay import JobLog, Level
from sluiceway.reports.words import losses, number, visible

_NAMED = 10


def annotate(log: JobLog, settings: Settings, level: Level, problems: Iterable[Problem]) -> None:
    """Write an annotation for each of ``problems``."""
    for problem in problems:
        key = f"{problem.key}: " if problem.key else ""
        log.annotate(level, f"{key}{problem.problem}", _place(settings, problem.file), problem.line or None)


def annotate_rows(log: JobLog, rows: Sequence[Row], *, pending: bool) -> None:
    """Write an annotation for each failure, and with ``pending`` one for all that a deploy would take away.

    GitHub shows ten of a kind in a step, so one has to do for what did not fail.
    """
    for row in rows:
        for reason in (row.reason, row.drift_reason):
            if reason is not None:
                log.annotate("error", visible(f"{row.stack}: {reason.text}"))
    lost = [f"{visible(row.stack)} ({losses(row)})" for row in rows if losses(row)] if pending else []
    if lost:
        more = [f"{number(len(lost) - _NAMED, 'more stack')}"] if len(lost) > _NAMED else []
        log.annotate("notice", f"A deploy would delete or replace objects: {', '.join((*lost[:_NAMED], *more))}")


def _place(settings: Settings, file: str) -> str:
    """Return ``file`` of the root as GitHub knows it: from the top of the checkout. One elsewhere stays as it is."""
    top = settings.environ.get("GITHUB_WORKSPACE")
    if not settings.github or not top:
        return file
    place = (settings.root or Path()).absolute() / file
    known = Path(os.path.relpath(os.path.realpath(place), os.path.realpath(top))).as_posix()
    return file if known.startswith("../") else known
