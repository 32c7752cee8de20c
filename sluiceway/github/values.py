"""What GitHub tells, as values. Nothing in here knows of HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any


class Kind(StrEnum):
    """What an account is."""

    PERSON = "person"
    BOT = "bot"
    DELETED = "deleted"
    OTHER = "other"
    """An organization, a mannequin, an enterprise's account: nobody who could approve."""


@dataclass(frozen=True, slots=True)
class Actor:
    """An account. A bot's login ends with ``[bot]``; a deleted account's is ``ghost``."""

    login: str
    kind: Kind


GHOST = Actor("ghost", Kind.DELETED)


class Role(IntEnum):
    """What a person may do in a repository; the higher may all that the lower may."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


@dataclass(frozen=True, slots=True)
class Permission:
    """What a user may do. A custom role counts by what it lets do; ``role_name`` is its own name."""

    role: Role
    role_name: str
    user: Actor


@dataclass(frozen=True, slots=True)
class Repository:
    """What is to be known of the repository."""

    full_name: str
    fork: bool
    private: bool
    archived: bool
    has_issues: bool
    default_branch: str
    url: str


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue as it was when it was read. ``body`` is empty where there is none."""

    number: int
    node_id: str
    title: str
    body: str
    open: bool
    locked: bool
    author: Actor
    labels: tuple[str, ...]
    url: str
    updated_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Edit:
    """One version of an issue's body: who wrote it, when, and the whole body after it.

    ``body`` is None where someone removed that version from the history.
    """

    editor: Actor
    at: datetime
    body: str | None


@dataclass(frozen=True, slots=True)
class History:
    """An issue's body and its edits, newest first, read at one moment.

    An issue that was never edited has no edits; after the first, the last entry is the body as it was created.
    ``whole`` is False where there are older edits than were asked for.
    """

    body: str
    author: Actor
    edits: tuple[Edit, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an issue."""

    id: int
    author: Actor
    body: str
    url: str
    created_at: datetime


class State(StrEnum):
    """What a deployment status says."""

    QUEUED = "queued"
    WAITING = "waiting"
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    SUCCESS = "success"
    FAILURE = "failure"
    ERROR = "error"
    INACTIVE = "inactive"

    @property
    def open(self) -> bool:
        """Tell whether a deployment in this state still waits for its result."""
        return self in {State.QUEUED, State.WAITING, State.PENDING, State.IN_PROGRESS}


@dataclass(frozen=True, slots=True)
class Status:
    """One status of a deployment. ``description`` and ``log_url`` are empty where there is none."""

    id: str
    state: State
    description: str
    log_url: str
    creator: Actor
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment record. ``payload`` is empty where it is no object."""

    id: int
    node_id: str
    task: str
    environment: str
    sha: str
    ref: str
    payload: Mapping[str, Any]
    description: str
    creator: Actor
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Record:
    """A deployment with its newest status; None where it has none yet."""

    deployment: Deployment
    newest: Status | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What lies between two commits.

    ``files`` is None where not all are known: there are 300 or more, or the second commit doesn't come after the
    first. Then any file may have changed. ``ahead`` tells whether the second is the first or comes after it.
    """

    files: frozenset[str] | None
    ahead: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of a workflow run."""

    id: int
    attempt: int
    status: str
    conclusion: str | None
    event: str
    head_sha: str
    url: str

    @property
    def over(self) -> bool:
        """Tell whether it has ended, however."""
        return self.status == "completed"


@dataclass(frozen=True, slots=True)
class Job:
    """A job of one attempt of a workflow run."""

    id: int
    name: str
    status: str
    conclusion: str | None
    url: str

    @property
    def over(self) -> bool:
        """Tell whether it has ended, however."""
        return self.status == "completed"
