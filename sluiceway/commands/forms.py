"""Reports of rows in each form. A form's modules are imported when it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from sluiceway.commands.settings import Format
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.lines import as_text
from sluiceway.reports.text import block_lines, closing_lines


@dataclass(frozen=True, slots=True)
class About:
    """What a report of rows is about: the command, the options that a deploy has to repeat, and what counts as wrong.

    ``strict`` makes a difference a failure where a form has such a thing.
    """

    act: str
    options: tuple[str, ...] = ()
    strict: bool = False


def rows_as(form: Format, rows: Sequence[Row], about: About) -> str:
    """Return the report of ``rows``."""
    match form:
        case Format.JSON:
            from sluiceway.reports.document import rows_document, written  # noqa: PLC0415 - only for this form

            return written(rows_document(rows))
        case Format.MARKDOWN:
            from sluiceway.reports.markdown import rows_markdown  # noqa: PLC0415 - only for this form

            return rows_markdown(rows, about.options)
        case Format.HTML:
            from sluiceway.reports.html import rows_html  # noqa: PLC0415 - only for this form

            return rows_html(rows, about.options, about.act)
        case Format.JUNIT:
            from sluiceway.reports.junit import rows_junit  # noqa: PLC0415 - only for this form

            return rows_junit(rows, about.options, about.act, strict=about.strict)
        case Format.TEXT:
            blocks = block_lines((row, False) for row in rows)
            return as_text(line for lines in (*blocks, closing_lines(rows, about.options)) for line in lines)


def problems_as(form: Format, problems: Sequence[Problem], stacks: Sequence[Stack]) -> str:
    """Return what ``check`` found, in a form other than text."""
    match form:
        case Format.MARKDOWN:
            from sluiceway.reports.markdown import check_markdown  # noqa: PLC0415 - only for this form

            return check_markdown(problems, stacks)
        case Format.HTML:
            from sluiceway.reports.html import check_html  # noqa: PLC0415 - only for this form

            return check_html(problems, stacks)
        case Format.JUNIT:
            from sluiceway.reports.junit import check_junit  # noqa: PLC0415 - only for this form

            return check_junit(problems, stacks)
        case _:
            from sluiceway.reports.document import check_document, written  # noqa: PLC0415 - only for this form

            return written(check_document(problems, stacks))


def stacks_as(form: Format, stacks: Sequence[Stack]) -> str:
    """Return the stacks, in a form other than text and JUnit: there is nothing to test."""
    match form:
        case Format.MARKDOWN:
            from sluiceway.reports.markdown import stacks_markdown  # noqa: PLC0415 - only for this form

            return stacks_markdown(stacks)
        case Format.HTML:
            from sluiceway.reports.html import stacks_html  # noqa: PLC0415 - only for this form

            return stacks_html(stacks)
        case _:
            from sluiceway.reports.document import stacks_document, written  # noqa: PLC0415 - only for this form

            return written(stacks_document(stacks))
