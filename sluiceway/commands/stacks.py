"""``sluiceway stacks``: what ``sluiceway.yaml`` declares. Starts no tool."""

from sluiceway.commands.output import Output
from sluiceway.commands.project import open_project
from sluiceway.commands.settings import Exit, Format, Settings
from sluiceway.reports.lines import line
from sluiceway.reports.text import stack_lines


def run(settings: Settings, output: Output) -> int:
    """Report the stacks with their tools and options."""
    project = open_project(settings)
    stacks = project.stacks
    if settings.format is Format.JSON:
        from sluiceway.reports.document import stacks_document, written  # noqa: PLC0415 - only for this form

        output.text(written(stacks_document(stacks)))
    elif settings.format is Format.MARKDOWN:
        from sluiceway.reports.markdown import stacks_markdown  # noqa: PLC0415 - only for this form

        output.text(stacks_markdown(stacks))
    else:
        output.lines(stack_lines(stacks) if stacks else [line(project.nothing())])
    return Exit.DONE
