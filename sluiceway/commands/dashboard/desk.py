"""The desk: what every command of the dashboard works with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from sluiceway import dashboard
from sluiceway.commands.dashboard.facts import Facts, facts
from sluiceway.commands.dashboard.result import Result
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.commands.output import Output
from sluiceway.commands.session import Session, session
from sluiceway.commands.settings import Settings
from sluiceway.config import Config
from sluiceway.github import Actor, GitHub, connect
from sluiceway.model.stacks import Stack
from sluiceway.reports.words import visible
from sluiceway.runs.job import Job


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Place:
    """Where GitHub is, and what time it is; tests hand in their own."""

    github: GitHub
    now: Callable[[], datetime] = _now


@dataclass
class Desk:
    """A session, GitHub, and the workflow run. ``result`` collects what the run's end says."""

    session: Session
    github: GitHub
    facts: Facts
    now: Callable[[], datetime]
    result: Result

    @cached_property
    def bot(self) -> Actor:
        """Who we are on GitHub. Raises :class:`~sluiceway.commands.dashboard.trouble.Halt`."""
        return sure(self.github.viewer())

    @cached_property
    def job(self) -> Job:
        """The job over all stacks: one for all that this process does, so that tools are asked once."""
        return self.session.job()

    @cached_property
    def settings(self) -> dashboard.Settings:
        """The settings of the issue's body."""
        config = self.config.dashboard
        return dashboard.Settings(
            repository_url=self.facts.page,
            zone=ZoneInfo(config.time_zone),
            redact=config.redact,
            read_only=config.read_only,
            deploys=self.config.deploys,
            recently_deployed=config.recently_deployed,
            in_sync_section=config.in_sync_section,
        )

    @property
    def config(self) -> Config:
        """What ``sluiceway.yaml`` says."""
        return self.session.project.config

    @cached_property
    def stacks(self) -> dict[str, Stack]:
        """All stacks by id."""
        return {stack.id: stack for stack in self.session.project.stacks}

    def environment(self, stack: str) -> str:
        """Return the GitHub environment of a stack's records."""
        entry = self.config.entry(stack)
        return (entry.environment if entry else None) or ENVIRONMENT

    def say(self, text: str) -> None:
        """Write a line to the job log."""
        self.session.log.say(visible(text))

    def notice(self, text: str) -> None:
        """Say something that GitHub shows beside the run."""
        self.session.log.annotate("notice", visible(text))

    def fail(self, text: str) -> None:
        """Say what is not well; the command ends red."""
        self.result.problems.append(text)
        self.session.log.annotate("error", visible(text))


_TOKENS = ("INPUT_TOKEN", "GITHUB_TOKEN")
ENVIRONMENT = "sluiceway"
"""The GitHub environment of a stack that names none."""


@contextmanager
def open_desk(settings: Settings, output: Output, act: str, place: Place | None, result: Result) -> Iterator[Desk]:
    """Open a session and GitHub for the command ``act``. Raises as :func:`session` does, and ``Halt``."""
    found = facts(settings)
    here = place or Place(sure(connect({**settings.environ, "GITHUB_REPOSITORY": found.repository})))
    with session(settings, output, act) as opened:
        # No tool gets it; should one learn it some other way, it must not print it.
        opened.concealed.add(token for name in _TOKENS if (token := settings.environ.get(name)))
        yield Desk(opened, here.github, found, here.now, result)
