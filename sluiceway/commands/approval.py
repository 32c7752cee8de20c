"""What was approved: hashes from the command line, or the answer of the person at the terminal."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from sluiceway.commands.asking import agrees, has_terminal
from sluiceway.commands.output import Output
from sluiceway.commands.session import Session
from sluiceway.commands.settings import Format, UsageProblem
from sluiceway.model.rows import Row
from sluiceway.processes import interrupted_by
from sluiceway.reports.text import row_lines
from sluiceway.reports.words import deploy_command, visible
from sluiceway.runs.deploy import INTERRUPTED, Approved, Decision, Declined

DECLINED = "Nothing was deployed: the answer was no."
_HASH = re.compile(r"[0-9a-f]{16}")


def hashes(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the approved hash of each stack id: ``HASH`` for the one of ``names``, or ``ID=HASH``.

    Split at the last ``=``: an id may hold one. Raises :class:`UsageProblem` for anything else.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, digest = text.rpartition("=")
        if not _HASH.fullmatch(digest):
            raise UsageProblem("--hash takes the 16 characters 0-9 and a-f that `preview` or `drift` showed")
        if not equals and len(set(names)) != 1:
            raise UsageProblem(f"--hash {digest}: several stacks need --hash ID=HASH for each")
        name = name if equals else names[0]
        if name not in names:
            raise UsageProblem(
                f"--hash {visible(text)}: {visible(name)} is not among the stacks to deploy: name it too"
            )
        if found.get(name, digest) != digest:
            raise UsageProblem(f"--hash: two hashes for {visible(name)}: give the one that was approved")
        found[name] = digest
    return found


@dataclass
class Approval:
    """Decides about each fresh row of a deploy.

    ``seen`` are the ids of the rows that were shown to the person, ``unasked`` of those that nobody could be asked
    about.
    """

    session: Session
    given: dict[str, str]
    seen: set[str] = field(default_factory=set)
    unasked: set[str] = field(default_factory=set)

    def __call__(self, row: Row) -> Decision:
        """Return the hash that was approved for ``row``, or why none was. What is in sync needs no hash."""
        if row.stack in self.given:
            return Approved(self.given[row.stack])
        if row.state == "in-sync":
            return Approved(row.hash or "")
        page = self._page()
        if page is None:
            self.unasked.add(row.stack)
            command = deploy_command(row, options=self.session.settings.repeated)
            return Declined(f"Nothing was deployed: without a terminal to ask on, a deploy needs the hash: {command}")
        return self._asked(row, page)

    def _asked(self, row: Row, page: Output) -> Decision:
        self.seen.add(row.stack)
        with self.session.progress.aside():
            page.lines(row_lines(row))
            yes = page.lost is None and agrees(
                f"Deploy {visible(row.stack)}?", page.text, lambda: interrupted_by() is not None
            )
        if interrupted_by() is not None:
            return Declined(INTERRUPTED)
        return Approved(row.hash or "") if yes else Declined(DECLINED)

    def _page(self) -> Output | None:
        """Return where the row is shown and the question asked: never on a stdout that holds JSON or Markdown."""
        settings = self.session.settings
        if not has_terminal():
            return None
        if settings.format is Format.TEXT and sys.stdout.isatty():
            return self.session.output
        if not sys.stderr.isatty():
            return None
        return Output.on(sys.stderr, settings)
