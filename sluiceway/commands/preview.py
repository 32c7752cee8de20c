"""``sluiceway preview`` and ``sluiceway drift``."""

from collections.abc import Sequence

from sluiceway.commands.output import Output
from sluiceway.commands.reporting import report
from sluiceway.commands.session import session
from sluiceway.commands.settings import Exit, Settings
from sluiceway.model.rows import Row
from sluiceway.runs.preview import preview_stacks


def run(settings: Settings, output: Output, names: Sequence[str], *, drift: bool, exit_code: bool) -> int:
    """Report the row of each of the stacks ``names`` (all where none is named), with ``drift`` what drifted too.

    With ``exit_code``, a difference where nothing failed ends with :attr:`Exit.DIFFERENT`.
    """
    act = "drift" if drift else "preview"
    with session(settings, output, act) as opened:
        stacks = opened.project.chosen(names)
        opened.progress.expect(len(stacks))
        with opened.ending.finishing():
            previewed = preview_stacks(opened.job(), stacks, drift=drift, progress=opened.progress)
            rows = report(opened, previewed, act, strict=exit_code)
    if any(row.reason or row.drift_reason for row in rows):
        return Exit.FAILED
    return Exit.DIFFERENT if exit_code and any(map(_differs, rows)) else Exit.DONE


def _differs(row: Row) -> bool:
    return row.state != "in-sync"
