"""``sluiceway stacks``: what ``sluiceway.yaml`` declares. Starts no tool."""

from sluiceway.commands.copies import copies, write_copies
from sluiceway.commands.forms import stacks_as
from sluiceway.commands.output import Output
from sluiceway.commands.project import open_project
from sluiceway.commands.settings import Exit, Format, Settings, UsageProblem
from sluiceway.reports.lines import as_text, line
from sluiceway.reports.text import stack_lines


def run(settings: Settings, output: Output) -> int:
    """Report the stacks with their tools and options. Raises :class:`UsageProblem` for JUnit: nothing is tested."""
    asked = copies(settings)
    if Format.JUNIT in {settings.format, *(copy.form for copy in asked)}:
        raise UsageProblem("stacks tests nothing, so it has no JUnit report; `sluiceway check` has one")
    project = open_project(settings)
    lines = list(stack_lines(project.stacks)) or [line(project.nothing())]

    def made(form: Format) -> str:
        return as_text(lines) if form is Format.TEXT else stacks_as(form, project.stacks)

    if settings.format is Format.TEXT:
        output.lines(lines)
    else:
        output.text(made(settings.format))
    write_copies(output, asked, made)
    return Exit.DONE
