"""``sluiceway auto``: what the event asks for, in one job."""

from sluiceway.commands.dashboard.apply import apply
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.events import Work
from sluiceway.commands.dashboard.resolve import resolve
from sluiceway.commands.dashboard.result import Go
from sluiceway.commands.dashboard.scan import scan
from sluiceway.commands.dashboard.settle import settle
from sluiceway.commands.dashboard.trouble import Halt
from sluiceway.commands.settings import Exit


def auto(desk: Desk, work: Work) -> int:
    """Do what an event asks for and return the exit code; what fails does not keep the rest from being done."""
    codes = [] if work == "scan" else [_deploys(desk)]
    if work in ("scan", "all") or desk.result.rescan:
        codes.append(_scan(desk))
    desk.result.rescan = False
    return max(codes)


def _scan(desk: Desk) -> int:
    try:
        found = scan(desk)
    except Halt as halt:
        desk.fail(str(halt))
        return Exit.FAILED
    rows = found.written.board.rows.values() if found.written else ()
    # A tick that was set while the issue was written has lost its own wake-up, and one that waited may go on.
    ticked = any(row.deployable and row.ticked for row in rows)
    return max(found.code, _deploys(desk) if ticked else Exit.DONE)


def _deploys(desk: Desk) -> int:
    """Settle, resolve, apply each, until nothing is left that can be deployed now."""
    code = Exit.DONE
    waits, queue = True, _settled(desk)
    while waits or queue:
        if waits:
            more, waits, well = _resolved(desk)
            queue, code = queue + more, code if well else Exit.FAILED
        if not queue:
            break
        for go in queue:
            code = max(code, Exit(_applied(desk, go)))
        queue = _settled(desk)
    return Exit.FAILED if desk.result.problems else code


def _settled(desk: Desk) -> list[Go]:
    try:
        settle(desk)
    except Halt as halt:
        desk.fail(str(halt))
    return _taken(desk)


def _resolved(desk: Desk) -> tuple[list[Go], bool, bool]:
    """Return what to apply, whether ticks wait for that, and whether it went well."""
    try:
        found = resolve(desk)
    except Halt as halt:
        desk.fail(str(halt))
        return _taken(desk), False, False
    return _taken(desk), bool(found.waits), True


def _taken(desk: Desk) -> list[Go]:
    """Return what is to be applied, which this job does itself: no other is to."""
    todo = desk.result.matrix
    desk.result.matrix = []
    return todo


def _applied(desk: Desk, go: Go) -> int:
    try:
        return apply(desk, go.deployment)
    except Halt as halt:
        desk.fail(f"{go.stack}: {halt}")
        return Exit.FAILED
