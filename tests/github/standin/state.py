"""What the stand-in holds: one repository and the accounts around it. No HTTP in here."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from typing import Any

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
ROLES = {
    "none": (),
    "read": ("pull",),
    "triage": ("pull", "triage"),
    "write": ("pull", "triage", "push"),
    "maintain": ("pull", "triage", "push", "maintain"),
    "admin": ("pull", "triage", "push", "maintain", "admin"),
}
LEGACY = {"maintain": "write", "triage": "read"}
LONGEST_BODY = 65536


class Clock:
    """A clock that only moves when it is told to, and by a second with each write."""

    def __init__(self, at: datetime = START) -> None:
        self.at = at

    def advance(self, **by: float) -> datetime:
        """Move on, by ``minutes=5`` and the like."""
        self.at += timedelta(**by)
        return self.at


@dataclass(eq=False)
class Account:
    """A user, a bot or an organization; a deleted one is shown as nobody."""

    id: int
    login: str
    kind: str = "User"
    deleted: bool = False


@dataclass(eq=False)
class Token:
    """Who asks with it, and what it may: ``{"issues": "write"}``; None: everything."""

    account: Account
    grants: dict[str, str] | None = None

    def may(self, scope: str, level: str) -> bool:
        """Tell whether it may read or write something."""
        if self.grants is None or scope == "metadata":
            return True
        return self.grants.get(scope) in ({"read", "write"} if level == "read" else {"write"})


@dataclass(eq=False)
class Version:
    """A version of an issue's body."""

    editor: Account
    at: datetime
    body: str | None


@dataclass(eq=False)
class Comment:
    """A comment."""

    id: int
    author: Account
    at: datetime
    body: str


@dataclass(eq=False)
class Label:
    """A label."""

    id: int
    name: str
    color: str
    description: str


@dataclass(eq=False)
class Issue:
    """An issue, or a pull request, which GitHub lists among them."""

    id: int
    number: int
    title: str
    author: Account
    versions: list[Version]
    labels: list[Label]
    created: datetime
    updated: datetime
    closed: datetime | None = None
    locked: bool = False
    pinned: bool = False
    is_pull_request: bool = False
    comments: list[Comment] = field(default_factory=list)

    @property
    def body(self) -> str:
        """The body now."""
        return self.versions[-1].body or ""

    def write(self, editor: Account, body: str, at: datetime) -> None:
        """Give it another body; the same one is no edit."""
        if body != self.body:
            self.versions.append(Version(editor, at, body))
            self.updated = at

    @property
    def edits(self) -> list[Version]:
        """The edits, newest first, and last the body as it was created; none where it was never edited."""
        return list(reversed(self.versions)) if len(self.versions) > 1 else []


@dataclass(eq=False)
class Status:
    """A deployment status."""

    id: int
    state: str
    description: str
    log_url: str
    environment_url: str
    creator: Account
    at: datetime


@dataclass(eq=False)
class Deployment:
    """A deployment."""

    id: int
    sha: str
    ref: str
    task: str
    environment: str
    payload: Any
    description: str
    transient: bool
    production: bool
    creator: Account
    at: datetime
    statuses: list[Status] = field(default_factory=list)


@dataclass(eq=False)
class Commit:
    """A commit and what it touched: the path now, and the one before where it was renamed."""

    sha: str
    parent: str | None
    files: dict[str, str | None]
    at: datetime


@dataclass(eq=False)
class Job:
    """A job of a run."""

    id: int
    name: str
    status: str = "in_progress"
    conclusion: str | None = None


@dataclass(eq=False)
class Run:
    """A workflow run, at its newest attempt."""

    id: int
    event: str
    sha: str
    at: datetime
    attempt: int = 1
    status: str = "in_progress"
    conclusion: str | None = None
    jobs: list[Job] = field(default_factory=list)


class State:
    """A repository and all that the stand-in knows."""

    def __init__(self, name: str = "octo/shop", *, fork: bool = False) -> None:
        self.name = name
        self.owner, self.short_name = name.split("/")
        self.fork = fork
        self.archived = False
        self.has_issues = True
        self.checks_fail = False
        self.clock = Clock()
        self._ids: Iterator[int] = iter(range(1001, 10**9))
        self.accounts: dict[str, Account] = {}
        self.roles: dict[str, tuple[str, str]] = {}
        self.tokens: dict[str, Token] = {}
        self.labels: list[Label] = []
        self.issues: list[Issue] = []
        self.deployments: list[Deployment] = []
        self.commits: dict[str, Commit] = {}
        self.branches: dict[str, str] = {}
        self.runs: dict[int, Run] = {}
        self.account(self.owner, kind="Organization")
        self.bot = self.account("github-actions", kind="Bot")
        self.push(["README.md"])

    def next_id(self) -> int:
        """Return an id that nothing has yet."""
        return next(self._ids)

    def account(self, login: str, kind: str = "User") -> Account:
        """Return an account, made where there is none."""
        return self.accounts.setdefault(login, Account(self.next_id(), login, kind))

    def found(self, login: str) -> Account | None:
        """Return the account that a login of REST names."""
        account = self.accounts.get(login.removesuffix("[bot]"))
        if account is None or account.deleted or (account.kind == "Bot") != login.endswith("[bot]"):
            return None
        return account

    def token(self, value: str, account: Account, grants: dict[str, str] | None = None) -> str:
        """Make a token."""
        self.tokens[value] = Token(account, grants)
        return value

    def push(self, files: Iterable[str], branch: str = "main", renamed: dict[str, str] | None = None) -> str:
        """Commit changes of files onto a branch and return the sha; ``renamed`` is new name → old name."""
        touched: dict[str, str | None] = {**dict.fromkeys(files), **(renamed or {})}
        return self._commit(self.branches.get(branch), touched, branch)

    def force_push(self, onto: str, files: Iterable[str], branch: str = "main") -> str:
        """Rewrite a branch: what came after a commit goes, another commit takes its place."""
        return self._commit(onto, dict.fromkeys(files), branch)

    def _commit(self, parent: str | None, files: dict[str, str | None], branch: str) -> str:
        at = self.clock.advance(seconds=1)
        sha = sha1(f"{self.next_id()} {parent} {files}".encode(), usedforsecurity=False).hexdigest()
        self.commits[sha] = Commit(sha, parent, files, at)
        self.branches[branch] = sha
        return sha

    def resolve(self, ref: str) -> Commit | None:
        """Return the commit that a branch or a sha names."""
        ref = ref.removeprefix("refs/heads/").removeprefix("heads/")
        return self.commits.get(self.branches.get(ref, ref))

    def line(self, commit: Commit) -> list[Commit]:
        """Return a commit and all before it."""
        found = [commit]
        while found[-1].parent is not None:
            found.append(self.commits[found[-1].parent])
        return found

    def label(self, name: str) -> Label | None:
        """Return a label by its name, in whatever case."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)

    def make_label(self, name: str, color: str = "ededed", description: str = "") -> Label:
        """Make a label."""
        self.labels.append(Label(self.next_id(), name, color, description))
        return self.labels[-1]

    def issue(self, number: int) -> Issue | None:
        """Return an issue by its number."""
        return next((issue for issue in self.issues if issue.number == number), None)

    def open_issue(
        self, author: Account, title: str, body: str, labels: Iterable[str] = (), *, is_pull_request: bool = False
    ) -> Issue:
        """Open an issue; labels that don't exist are made, as GitHub does."""
        at = self.clock.advance(seconds=1)
        held = [self.label(name) or self.make_label(name) for name in labels]
        issue = Issue(self.next_id(), len(self.issues) + 1, title, author, [Version(author, at, body)], held, at, at)
        issue.is_pull_request = is_pull_request
        self.issues.append(issue)
        return issue

    def start_run(self, event: str = "push", jobs: Iterable[str] = ("sluiceway",)) -> Run:
        """Start a workflow run."""
        run = Run(self.next_id(), event, self.branches["main"], self.clock.advance(seconds=1))
        run.jobs = [Job(self.next_id(), name) for name in jobs]
        self.runs[run.id] = run
        return run

    def end_run(self, run: Run, conclusion: str = "success") -> None:
        """End a run and its jobs."""
        run.status, run.conclusion = "completed", conclusion
        for job in run.jobs:
            job.status, job.conclusion = "completed", conclusion
