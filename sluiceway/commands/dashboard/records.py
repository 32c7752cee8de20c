"""Deployment records: the lock and the history of a stack's deploys (``spec/dashboard.md``, Records; record 0107)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sluiceway import dashboard
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.facts import Attempt, attempt_of
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.dashboard import DashboardRow
from sluiceway.github import Actor, Deployment, NotFound, Problem, Record, State, Status

TASK = "sluiceway:"
VERSION = 1
MOST = 300
"""How many of an environment's newest records are looked at."""
_FORMS: Mapping[str, type] = {"hash": str, "ticker": str, "ticked": str, "run": str, "attempt": int, "drift": bool}


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a record was opened for: a tick. ``ticked`` is when, which makes two ticks of one person two.

    ``attempt`` opened it. ``behind`` are the records, by stack, that have to succeed first.
    """

    stack: str
    hash: str
    ticker: str
    ticked: str
    attempt: Attempt
    drift: bool = False
    behind: Mapping[str, int] = field(default_factory=dict)

    @property
    def tick(self) -> tuple[str, str, str, str]:
        """What is the same of two records only where both are for one tick."""
        return self.stack, self.hash, self.ticker, self.ticked

    @property
    def payload(self) -> dict[str, Any]:
        """The record's payload."""
        return {
            "version": VERSION,
            "hash": self.hash,
            "ticker": self.ticker,
            "ticked": self.ticked,
            "run": str(self.attempt.run),
            "attempt": self.attempt.number,
            "drift": self.drift,
            "behind": dict(self.behind),
        }


@dataclass(frozen=True, slots=True)
class Standing:
    """A record of ours, and where it stands. ``state`` is None before it has a status.

    ``at`` is when it was opened, ``since`` when it got its newest status. ``owner`` is the attempt that deploys it;
    None of one that waits for others, which nobody does yet.
    """

    id: int
    ticket: Ticket
    at: datetime
    since: datetime
    state: State | None = None
    owner: Attempt | None = None
    description: str = ""

    @property
    def open(self) -> bool:
        """Whether it has no result yet."""
        return self.state is None or self.state.open

    @property
    def waiting(self) -> bool:
        """Whether it is queued behind others and nobody has started it."""
        return self.open and self.owner is None


def ticket_of(deployment: Deployment) -> Ticket | None:
    """Return what a record was opened for, or None where it is none of ours, or not well-formed."""
    payload, behind = deployment.payload, deployment.payload.get("behind", {})
    if not deployment.task.startswith(TASK) or payload.get("version") != VERSION:
        return None
    if not all(type(payload.get(key)) is form for key, form in _FORMS.items()) or not _is_behind(behind):
        return None
    if not (payload["run"].isascii() and payload["run"].isdigit()):
        return None
    return Ticket(
        stack=deployment.task.removeprefix(TASK),
        hash=payload["hash"],
        ticker=payload["ticker"],
        ticked=payload["ticked"],
        attempt=Attempt(int(payload["run"]), payload["attempt"]),
        drift=payload["drift"],
        behind=behind,
    )


def _is_behind(behind: Any) -> bool:
    return isinstance(behind, dict) and all(type(number) is int for number in behind.values())


def standing(deployment: Deployment, newest: Status | None, bot: Actor) -> Standing | None:
    """Return where a record stands, or None where it is none of ours: somebody else may have made one like it."""
    ticket = ticket_of(deployment)
    if ticket is None or deployment.creator != bot:
        return None
    at = deployment.created_at
    if newest is None:
        return Standing(deployment.id, ticket, at, at, owner=ticket.attempt)
    waits = newest.state is State.QUEUED and not newest.log_url and bool(ticket.behind)
    owner = None if waits else attempt_of(newest.log_url) or ticket.attempt
    return Standing(deployment.id, ticket, at, newest.created_at, newest.state, owner, newest.description)


def all_standing(desk: Desk) -> dict[int, Standing]:
    """Return the records of all environments that the stacks have, by id, the newest first."""
    found: dict[int, Standing] = {}
    for environment in sorted({desk.environment(stack) for stack in desk.stacks} | {desk.environment("")}):
        found.update(_ours(desk, sure(desk.github.records(environment=environment, most=MOST))))
    return dict(sorted(found.items(), reverse=True))


def _ours(desk: Desk, records: Iterable[Record]) -> dict[int, Standing]:
    ours = (standing(record.deployment, record.newest, desk.bot) for record in records)
    return {one.id: one for one in ours if one is not None}


def one_standing(desk: Desk, number: int) -> Standing | None:
    """Return where one record stands, or None where there is no such record of ours."""
    deployment = desk.github.deployment(number)
    if isinstance(deployment, NotFound):
        return None
    statuses = sure(desk.github.statuses(number, most=1))
    return standing(sure(deployment), statuses[0] if statuses else None, desk.bot)


def opened(desk: Desk, ticket: Ticket) -> Standing:
    """Open a record. It has no status yet, so nothing deploys it. Raises ``Halt`` without an answer."""
    made = sure(
        desk.github.create_deployment(
            sha=desk.facts.sha,
            task=f"{TASK}{ticket.stack}",
            environment=desk.environment(ticket.stack),
            payload=ticket.payload,
            description=f"Ticked by {ticket.ticker}",
        )
    )
    return Standing(made.id, ticket, made.created_at, made.created_at, owner=ticket.attempt)


def rival(desk: Desk, own: Standing) -> Standing | None:
    """Return an earlier record that stands in the way of ``own``: one for the same tick, or one that is open.

    Two runs may open a record for one stack at the same time. Each looks after it did; the lower number stays.
    """
    # Of whatever environment: sluiceway.yaml may have named another one while an earlier record was open.
    found = sure(desk.github.deployments(task=f"{TASK}{own.ticket.stack}", most=_LOOKED_AT))
    for deployment in found:
        if deployment.id >= own.id or (ticket := ticket_of(deployment)) is None or deployment.creator != desk.bot:
            continue
        other = one_standing(desk, deployment.id)
        if other is not None and (other.open or ticket.tick == own.ticket.tick):
            return other
    return None


_LOOKED_AT = 10


def tell(desk: Desk, number: int, state: State, words: str, *, owned: bool = True) -> Status | Problem:
    """Give a record a status. ``owned`` says that this attempt deploys it, or ended it."""
    page = desk.facts.run_page if owned else ""
    return desk.github.create_status(number, state, description=words, log_url=page)


def working_row(desk: Desk, one: Standing, old: DashboardRow | None) -> DashboardRow:
    """Return the row of a stack whose record is open."""
    ticket = one.ticket
    run = str((one.owner or ticket.attempt).run)
    deployment = dashboard.Deployment(one.id, one.at, ticket.ticker, run, tuple(sorted(ticket.behind)))
    drawn = dashboard.queued if one.waiting else dashboard.deploying
    return drawn(ticket.stack, deployment, desk.settings, failed=old.failed if old else None)
