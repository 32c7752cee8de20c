"""Rows on stdout in the form that was asked for, and beside it in files and where GitHub shows them in a job."""

from collections.abc import Callable, Iterable, Iterator

from sluiceway.commands.annotations import annotate_rows
from sluiceway.commands.copies import copies, write_copies
from sluiceway.commands.forms import About, rows_as
from sluiceway.commands.session import Session
from sluiceway.commands.settings import Format
from sluiceway.commands.summary import add_summary
from sluiceway.model.rows import Row
from sluiceway.reports.lines import Line
from sluiceway.reports.text import block_lines, closing_lines


def report(
    session: Session,
    rows: Iterable[Row],
    act: str,
    shown: Callable[[Row], bool] = lambda _row: False,
    *,
    strict: bool = False,
) -> list[Row]:
    """Report ``rows`` of the command ``act`` and return them all. Text is written as rows come, all else at the end.

    ``shown`` tells whether a row's changes were just shown to the person. ``strict`` makes a difference a failure in
    forms that have one. In a GitHub job a failure is an annotation too.
    """
    settings = session.settings
    about = About(act, settings.repeated, strict)
    if settings.format is Format.TEXT:
        found = _as_text(session, rows, shown)
    else:
        found = list(rows)
        session.output.text(rows_as(settings.format, found, about))
    write_copies(session.output, copies(settings), lambda form: rows_as(form, found, about))
    if settings.github:
        annotate_rows(session.log, found, pending=act != "deploy" and not settings.quiet)
        add_summary(session, found, about)
    return found


def _as_text(session: Session, rows: Iterable[Row], shown: Callable[[Row], bool]) -> list[Row]:
    found: list[Row] = []

    def kept() -> Iterator[tuple[Row, bool]]:
        for row in rows:
            found.append(row)
            yield row, shown(row)

    for block in block_lines(kept()):
        _write(session, block)
    _write(session, closing_lines(found, session.settings.repeated))
    return found


def _write(session: Session, lines: Iterable[Line]) -> None:
    with session.progress.aside():
        session.output.lines(lines)
