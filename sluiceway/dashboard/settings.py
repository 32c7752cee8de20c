"""What the body takes from ``sluiceway.yaml`` and from the job, handed in."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from sluiceway.dashboard.names import link, said


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the body (``dashboard.*`` and ``deploys``).

    ``repository_url`` is the repository's page without a slash at its end; ``zone`` the time zone in which times are
    written. Title, label and pin are the issue's, not the body's.
    """

    repository_url: str
    zone: tzinfo = UTC
    redact: bool = False
    read_only: bool = False
    deploys: bool = True
    recently_deployed: int = 10
    in_sync_section: bool = True

    @property
    def boxes(self) -> bool:
        """Whether rows have boxes to tick."""
        return self.deploys and not self.read_only

    def when(self, at: datetime) -> str:
        """Return a time as a person reads it: absolute, to the minute, with its zone."""
        local = at.astimezone(self.zone)
        return said(f"{local:%Y-%m-%d %H:%M} {local.tzname() or ''}".rstrip())

    def run(self, run: str, words: str = "run") -> str:
        """Return a link to the workflow run of this id, or ``words`` alone where there is none."""
        return link(words, f"{self.repository_url}/actions/runs/{run}") if _is_number(run) else words

    def commit(self, sha: str) -> str:
        """Return a link to a commit, by its short name."""
        return link(f"`{sha[:7]}`", f"{self.repository_url}/commit/{sha}") if _is_hex(sha) else "an unknown commit"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_hex(text: str) -> bool:
    return bool(text) and all(char in "0123456789abcdef" for char in text)


def stamp(at: datetime) -> str:
    """Return a time as markers hold it: UTC, to the minute (``2026-11-30T12:30Z``)."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


def stamped(text: str) -> datetime | None:
    """Return the time that a marker holds, or None where it is none."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return None
