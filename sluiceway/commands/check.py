"""``sluiceway check``: all problems of ``sluiceway.yaml`` and of the files it names. Starts no tool."""

import sys

from sluiceway.commands.annotations import annotate
from sluiceway.commands.output import Output
from sluiceway.commands.project import Problems, Project, open_project
from sluiceway.commands.settings import Exit, Format, Settings
from sluiceway.model.stacks import Problem
from sluiceway.relay import JobLog
from sluiceway.reports.lines import line
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
            annotate(log, "error", problems)
            annotate(log, "warning", warnings)


def _report(settings: Settings, output: Output, problems: tuple[Problem, ...], project: Project | None) -> None:
    _annotate(settings, problems, project.warnings if project else ())
    stacks = project.stacks if project else ()
    if settings.format is Format.JSON:
        from sluiceway.reports.document import check_document, written  # noqa: PLC0415 - only for this form

        output.text(written(check_document(problems, stacks)))
    elif settings.format is Format.MARKDOWN:
        from sluiceway.reports.markdown import check_markdown  # noqa: PLC0415 - only for this form

        output.text(check_markdown(problems, stacks))
    else:
        output.lines(problem_lines(problems))
        if project:
            output.lines(problem_lines(project.warnings, "warning"))
            output.lines([line(f"No problems in {number(len(stacks), 'stack')}." if stacks else project.nothing())])
