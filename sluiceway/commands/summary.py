"""The summary of a step of a GitHub job: Markdown that GitHub shows on the page of the run."""

from collections.abc import Sequence
from pathlib import Path

from sluiceway.commands.forms import About
from sluiceway.commands.session import Session
from sluiceway.model.rows import Row

MOST = 1024 * 1024
"""Bytes that GitHub takes of one step; of more it shows nothing at all."""


def add_summary(session: Session, rows: Sequence[Row], about: About) -> None:
    """Add the report of ``rows`` to what the step's summary holds, unless there is none or it is not wanted.

    One that can't be written is said and no failure: the report is on stdout.
    """
    settings = session.settings
    name = settings.environ.get("GITHUB_STEP_SUMMARY")
    if not name or settings.no_summary or settings.on_stage:
        return
    from sluiceway.reports.summary import summary_markdown  # noqa: PLC0415 - only in a GitHub job

    try:
        with Path(name).open("ab") as file:
            before = "\n" if file.tell() else ""
            text = summary_markdown(rows, about.act, about.options, MOST - file.tell() - len(before))
            if text:
                file.write(f"{before}{text}".encode("utf-8", "backslashreplace"))
            else:
                session.log.say("sluiceway: the summary of this step is full: this report is not in it")
    except OSError as error:
        session.log.say(f"sluiceway: the summary of this step can't be written: {error.strerror}")
