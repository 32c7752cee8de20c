"""The workflow run that a command is part of, from what GitHub's runner sets."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluiceway.commands.settings import Settings, UsageProblem
from sluiceway.reports.words import visible

PUBLIC = "https://github.com"
_ATTEMPT = re.compile(r"/actions/runs/(\d{1,18})/attempts/(\d{1,9})\Z")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a workflow run: re-running gives the same run another one."""

    run: int
    number: int


@dataclass(frozen=True, slots=True)
class Facts:
    """A workflow run. ``attempt`` is None outside of one. ``payload`` is the event's, empty where there is none."""

    repository: str
    server: str = PUBLIC
    attempt: Attempt | None = None
    sha: str = ""
    event: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def page(self) -> str:
        """The repository's page."""
        return f"{self.server}/{self.repository}"

    @property
    def run(self) -> str:
        """The id of the run as text, empty outside of one."""
        return str(self.attempt.run) if self.attempt else ""

    @property
    def run_page(self) -> str:
        """The page of this attempt, empty outside of a run."""
        return f"{self.page}/actions/runs/{self.attempt.run}/attempts/{self.attempt.number}" if self.attempt else ""

    def needed(self) -> Attempt:
        """Return the attempt. Raises :class:`UsageProblem` outside of a workflow run: there a deploy has no owner."""
        if self.attempt is None:
            raise UsageProblem("this command works in a GitHub Actions job only: GITHUB_RUN_ID is not set")
        return self.attempt


def attempt_of(page: str) -> Attempt | None:
    """Return which attempt a page is of, as :attr:`Facts.run_page` writes it."""
    found = _ATTEMPT.search(page)
    return Attempt(int(found[1]), int(found[2])) if found else None


def facts(settings: Settings) -> Facts:
    """Return what the environment says of the run. Raises :class:`UsageProblem` for what can't be read."""
    environ = settings.environ
    run, number = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_RUN_ATTEMPT", "1")
    if run and not (_is_number(run) and _is_number(number)):
        raise UsageProblem("GITHUB_RUN_ID and GITHUB_RUN_ATTEMPT are numbers")
    return Facts(
        repository=settings.repository or environ.get("GITHUB_REPOSITORY", ""),
        server=environ.get("GITHUB_SERVER_URL", PUBLIC).rstrip("/"),
        attempt=Attempt(int(run), int(number)) if run else None,
        sha=environ.get("GITHUB_SHA", ""),
        event=environ.get("GITHUB_EVENT_NAME", ""),
        payload=_payload(environ.get("GITHUB_EVENT_PATH", "")),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _payload(path: str) -> Mapping[str, Any]:
    if not path:
        return {}
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageProblem(f"GITHUB_EVENT_PATH: {visible(path)} can't be read") from None
    return payload if isinstance(payload, dict) else {}
