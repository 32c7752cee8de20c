"""What becomes of each tick, in the order of ``spec/dashboard.md``, Who may deploy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.records import Standing
from sluiceway.commands.dashboard.tickers import Doorkeeper
from sluiceway.dashboard import Board, Tick
from sluiceway.model.stacks import Stack
from sluiceway.reports.words import visible
from sluiceway.runs.dependencies import dependencies, in_order

_DONE = ("in-sync", "drift")
"""The states of a stack that holds nobody back: all that its code says is out."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A tick that deploys nothing: its box is cleared. ``told`` puts it into the run's comment."""

    tick: Tick
    why: str
    told: bool = True


@dataclass(frozen=True, slots=True)
class Granted:
    """A tick of somebody who may, ``stack`` being what it deploys."""

    tick: Tick
    stack: Stack


@dataclass(frozen=True, slots=True)
class Waits:
    """A granted tick that stays where it is until ``others`` are deployed."""

    tick: Tick
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """All ticks of a dashboard. ``granted`` are in the order of ``dependsOn``."""

    granted: tuple[Granted, ...] = ()
    refused: tuple[Refused, ...] = ()


def judge(desk: Desk, ticks: Sequence[Tick], records: Mapping[int, Standing]) -> Judged:
    """Return who is granted what. All that is asked of GitHub is asked here, before any record is opened.

    Raises ``Halt`` where GitHub gives no answer.
    """
    door = Doorkeeper(desk)
    granted: list[Granted] = []
    refused: list[Refused] = []
    for tick in ticks:
        found = _judged(desk, door, tick, records.values())
        (granted if isinstance(found, Granted) else refused).append(found)  # type: ignore[arg-type]  # as it is
    by_stack = {one.stack.id: one for one in granted}
    ordered = in_order([one.stack for one in granted], list(desk.stacks.values()))
    return Judged(tuple(by_stack[stack.id] for stack in ordered), tuple(refused))


def _judged(desk: Desk, door: Doorkeeper, tick: Tick, records: Iterable[Standing]) -> Granted | Refused:
    stack = desk.stacks.get(tick.stack)
    if stack is None:
        return Refused(tick, f"There is no stack {visible(tick.stack)} any more.")
    if why := _taken(tick, records):
        return Refused(tick, why, told=False)
    if not desk.config.deploys:
        return Refused(tick, "Deploys are turned off (`deploys: false`).")
    if desk.config.dashboard.read_only:
        return Refused(tick, "The dashboard is read-only (`dashboard.readOnly`).")
    if tick.by is None:
        return Refused(tick, tick.why)
    why = door.refusal(tick.by, stack)
    return Granted(tick, stack) if why is None else Refused(tick, why)


def _taken(tick: Tick, records: Iterable[Standing]) -> str | None:
    """Return why a tick is dropped: a record for its stack is open, or it has had its record already."""
    own = [one for one in records if one.ticket.stack == tick.stack]
    if any(one.open for one in own):
        return "A deployment of this stack is already under way."
    if tick.by is not None:
        same = (tick.stack, tick.hash, tick.by.editor or "", when(tick))
        past = next((one for one in own if one.ticket.tick == same), None)
        if past is not None:
            return f"This tick was taken before, and ended as {past.state}: {past.description} Tick again to try again."
    return None


def when(tick: Tick) -> str:
    """Return the moment of a tick as a record's payload holds it."""
    return tick.by.at.isoformat() if tick.by else ""


def held_back(desk: Desk, one: Granted, board: Board, under_way: Mapping[str, Standing]) -> Waits | Mapping[str, int]:
    """Return what a granted tick waits for: stacks that nobody deploys yet, or the records it is to be behind."""
    before = sorted(dependencies(one.stack, list(desk.stacks.values())))
    behind = {stack: under_way[stack].id for stack in before if stack in under_way}
    rows = {stack: board.rows.get(stack) for stack in before if stack not in behind}
    stuck = tuple(stack for stack, row in rows.items() if row is None or row.state not in _DONE)
    return Waits(one.tick, stuck) if stuck else behind
