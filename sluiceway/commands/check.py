"""``sluiceway check``: all problems of ``sluiceway.yaml`` and of the files it names. Starts no tool."""

import sys
from collections.abc import Iterator

from sluiceway.commands.annotations import annotate
from sluiceway.commands.copies import copies, write_copies
from sluiceway.commands.forms import problems_as
from sluiceway.commands.output import Output
from sluiceway.commands.project import Problems, Project, open_project
from sluiceway.commands.settings import Exit, Format, Settings
from sluiceway.model.stacks import Problem
from sluiceway.relay import JobLog
from sluiceway.reports.lines import Line, as_text, line
from sluiceway.reports.text import problem_lines
from sluiceway.reports.words import number


def run(settings: Settings, output: Output) -> int:
    """Report every problem at once; none is ``Exit.DONE``."""
    try:
        project = open_project(settings)
    except Problems as found:
        _report(settings, output, found.problems, None)
        return Exit.USAGE
    _report(settings, output, (), project)
    return Exit.DONE


def _annotate(settings: Settings, problems: tuple[Problem, ...], warnings: tuple[Problem, ...]) -> None:
    if settings.github:
        with JobLog(sys.stderr, github=True) as log:
            annotate(log, settings, "error", problems)
            annotate(log, settings, "warning", warnings)


def _report(settings: Settings, output: Output, problems: tuple[Problem, ...], project: Project | None) -> None:
    _annotate(settings, problems, project.warnings if project else ())
    stacks = project.stacks if project else ()
    lines = list(_lines(problems, project))

    def made(form: Format) -> str:
        return as_text(lines) if form is Format.TEXT else problems_as(form, problems, stacks)

    if settings.format is Format.TEXT:
        output.lines(lines)
    else:
        output.text(made(settings.format))
    write_copies(output, copies(settings), made)


def _lines(problems: tuple[Problem, ...], project: Project | None) -> Iterator[Line]:
    yield from problem_lines(problems)
    if project:
        yield from problem_lines(project.warnings, "warning")
        count = number(len(project.stacks), "stack")
        yield line(f"No problems in {count}." if project.stacks else project.nothing())
