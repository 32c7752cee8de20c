"""From GitHub's answers to values. A field that is missing or of another kind makes the whole answer unreadable."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from sluiceway.github.problems import Problem, Unreachable
from sluiceway.github.values import (
    GHOST,
    Actor,
    Comment,
    Comparison,
    Deployment,
    Edit,
    Issue,
    Job,
    Kind,
    Permission,
    Record,
    Repository,
    Role,
    Run,
    State,
    Status,
)

T = TypeVar("T")
V = TypeVar("V")
Tree = Mapping[str, Any]

MOST_FILES = 300
"""A comparison names this many files at most, and doesn't say that there are more."""

_KINDS = {"User": Kind.PERSON, "Bot": Kind.BOT}
_ROLES = {
    "admin": Role.ADMIN,
    "maintain": Role.MAINTAIN,
    "push": Role.WRITE,
    "write": Role.WRITE,
    "triage": Role.TRIAGE,
    "pull": Role.READ,
    "read": Role.READ,
}


def read(convert: Callable[[T], V], answer: T | Problem) -> V | Problem:
    """Convert an answer; one that is not as GitHub describes it is as good as none."""
    if isinstance(answer, Problem):
        return answer
    try:
        return convert(answer)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return Unreachable(
            f"GitHub answers something that can't be read ({type(error).__name__} in {convert.__name__})."
        )


def several(convert: Callable[[T], V]) -> Callable[[list[T]], tuple[V, ...]]:
    """Return a conversion of lists: what is no list is unreadable, not empty."""

    def all_of(items: list[T]) -> tuple[V, ...]:
        if not isinstance(items, list):
            raise TypeError
        return tuple(convert(item) for item in items)

    return all_of


def actor(tree: Tree | None) -> Actor:
    """Read an account of REST (``type``) or GraphQL (``__typename``); none is a deleted one."""
    if tree is None or tree["login"] == GHOST.login:
        return GHOST
    login = _text(tree["login"])
    kind = _KINDS.get(tree["type"] if "type" in tree else tree["__typename"], Kind.OTHER)
    if kind is Kind.BOT and not login.endswith("[bot]"):
        login += "[bot]"
    return Actor(login, kind)


def viewer(tree: Tree) -> Actor:
    """Read who the token is: GraphQL calls each viewer a user, and gives a bot's login with its suffix."""
    login = _text(tree["viewer"]["login"])
    return Actor(login, Kind.BOT if login.endswith("[bot]") else Kind.PERSON)


def permission(tree: Tree) -> Permission:
    """Read what a user may do: the highest of the flags, which also hold for custom roles."""
    user = tree["user"]
    flags = (user or {}).get("permissions")
    if flags is None:
        role = _ROLES.get(tree["role_name"], Role.NONE)
    else:
        role = max((_ROLES.get(name, Role.NONE) for name, may in flags.items() if may is True), default=Role.NONE)
    return Permission(role, _text(tree["role_name"]), actor(user))


def repository(tree: Tree) -> Repository:
    """Read a repository."""
    return Repository(
        full_name=_text(tree["full_name"]),
        fork=_flag(tree["fork"]),
        private=_flag(tree["private"]),
        archived=_flag(tree["archived"]),
        has_issues=_flag(tree["has_issues"]),
        default_branch=_text(tree["default_branch"]),
        url=_text(tree["html_url"]),
    )


def issue(tree: Tree) -> Issue:
    """Read an issue."""
    labels = (label if isinstance(label, str) else label["name"] for label in tree["labels"])
    return Issue(
        number=int(tree["number"]),
        node_id=_text(tree["node_id"]),
        title=_text(tree["title"]),
        body=_optional(tree["body"]),
        open=tree["state"] == "open",
        locked=_flag(tree["locked"]),
        author=actor(tree["user"]),
        labels=tuple(_text(label) for label in labels),
        url=_text(tree["html_url"]),
        updated_at=_time(tree["updated_at"]),
        closed_at=None if tree["closed_at"] is None else _time(tree["closed_at"]),
    )


def edit(tree: Tree) -> Edit:
    """Read an edit. What GitHub calls its ``diff`` is the whole body after it."""
    return Edit(actor(tree["editor"]), _time(tree["editedAt"]), None if tree["diff"] is None else _text(tree["diff"]))


def comment(tree: Tree) -> Comment:
    """Read a comment."""
    at = _time(tree["created_at"])
    return Comment(int(tree["id"]), actor(tree["user"]), _optional(tree["body"]), _text(tree["html_url"]), at)


def deployment(tree: Tree) -> Deployment:
    """Read a deployment of REST."""
    return Deployment(
        id=int(tree["id"]),
        node_id=_text(tree["node_id"]),
        task=_text(tree["task"]),
        environment=_text(tree["environment"]),
        sha=_text(tree["sha"]),
        ref=_text(tree["ref"]),
        payload=_payload(tree["payload"]),
        description=_optional(tree["description"]),
        creator=actor(tree["creator"]),
        created_at=_time(tree["created_at"]),
    )


def status(tree: Tree) -> Status:
    """Read a deployment status of REST."""
    return Status(
        id=_text(tree["node_id"]),
        state=State(tree["state"]),
        description=_optional(tree["description"]),
        log_url=_optional(tree.get("log_url") or tree.get("target_url")),
        creator=actor(tree["creator"]),
        created_at=_time(tree["created_at"]),
    )


def record(tree: Tree) -> Record:
    """Read a deployment of GraphQL with its newest status."""
    found = Deployment(
        id=int(tree["databaseId"]),
        node_id=_text(tree["id"]),
        task=_optional(tree["task"]),
        environment=_optional(tree["environment"]),
        sha=_text(tree["commitOid"]),
        ref=_text(tree["ref"]["name"]) if tree["ref"] is not None else _text(tree["commitOid"]),
        payload=_payload(tree["payload"]),
        description=_optional(tree["description"]),
        creator=actor(tree["creator"]),
        created_at=_time(tree["createdAt"]),
    )
    newest = tree["latestStatus"]
    return Record(found, None if newest is None else _latest_status(newest))


def _latest_status(tree: Tree) -> Status:
    return Status(
        id=_text(tree["id"]),
        state=State(_text(tree["state"]).lower()),
        description=_optional(tree["description"]),
        log_url=_optional(tree["logUrl"]),
        creator=actor(tree["creator"]),
        created_at=_time(tree["createdAt"]),
    )


def comparison(tree: Tree) -> Comparison:
    """Read what lies between two commits: all files that were touched, renamed ones by both names."""
    ahead = tree["status"] in {"ahead", "identical"}
    files = tree.get("files")
    if not ahead or files is None or len(files) >= MOST_FILES:
        return Comparison(None, ahead)
    before = (file["previous_filename"] for file in files if "previous_filename" in file)
    return Comparison(frozenset(map(_text, (*(file["filename"] for file in files), *before))), ahead)


def run(tree: Tree) -> Run:
    """Read an attempt of a workflow run."""
    return Run(
        id=int(tree["id"]),
        attempt=int(tree["run_attempt"]),
        status=_text(tree["status"]),
        conclusion=tree["conclusion"],
        event=_text(tree["event"]),
        head_sha=_text(tree["head_sha"]),
        url=_text(tree["html_url"]),
    )


def job(tree: Tree) -> Job:
    """Read a job."""
    return Job(
        int(tree["id"]), _text(tree["name"]), _text(tree["status"]), tree["conclusion"], _optional(tree["html_url"])
    )


def commit(tree: Tree) -> str:
    """Read the sha of a commit."""
    return _text(tree["sha"])


def _payload(given: Any) -> Tree:
    """Return a payload's object. GraphQL gives its JSON as text, of which the object may be text once more."""
    for _ in range(2):
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except ValueError:
                return {}
    return given if isinstance(given, dict) else {}


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError
    return given


def _optional(given: Any) -> str:
    return "" if given is None else _text(given)


def _flag(given: Any) -> bool:
    if not isinstance(given, bool):
        raise TypeError
    return given


def _time(given: Any) -> datetime:
    return datetime.fromisoformat(_text(given))
