"""Rows on stdout, in the form that was asked for."""

from collections.abc import Callable, Iterable, Iterator

from sluiceway.commands.session import Session
from sluiceway.commands.settings import Format
from sluiceway.model.rows import Row
from sluiceway.relay import JobLog
from sluiceway.reports.lines import Line
from sluiceway.reports.text import block_lines, closing_lines
from sluiceway.reports.words import visible


def report(session: Session, rows: Iterable[Row], shown: Callable[[Row], bool] = lambda _row: False) -> list[Row]:
    """Report ``rows`` and return them all. Text is written as rows come, the other forms when the last one has come.

    ``shown`` tells whether a row's changes were just shown to the person. In a GitHub job a failure is an annotation
    too.
    """
    if session.settings.format is Format.TEXT:
        found = _as_text(session, rows, shown)
    else:
        found = list(rows)
        session.output.text(_whole(session, found))
    if session.settings.github:
        for row in found:
            _annotate(session.log, row)
    return found


def _annotate(log: JobLog, row: Row) -> None:
    for reason in (row.reason, row.drift_reason):
        if reason is not None:
            log.annotate("error", visible(f"{row.stack}: {reason.text}"))


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


def _whole(session: Session, rows: list[Row]) -> str:
    if session.settings.format is Format.MARKDOWN:
        from sluiceway.reports.markdown import rows_markdown  # noqa: PLC0415 - only for this form

        return rows_markdown(rows, session.settings.repeated)
    from sluiceway.reports.document import rows_document, written  # noqa: PLC0415 - only for this form

    return written(rows_document(rows))
