"""What the port does to issues: read, write, pin, comment, label."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from sluiceway.github import reading
from sluiceway.github.exchange import Answer
from sluiceway.github.problems import Invalid, NotFound, Outdated, Problem
from sluiceway.github.queries import HISTORY, LAST_COMMENTS, PIN, PINNED
from sluiceway.github.reading import Tree, read, several
from sluiceway.github.repository import Below
from sluiceway.github.values import Comment, History, Issue

LOOKED_THROUGH = 20
"""How many of the newest issues, or of an issue's comments, are looked through for one whose answer was lost."""
EDITS_A_PAGE = 20
"""How many versions of a body, of up to 65,536 characters each, are asked for at once."""


class IssuesPort(Below):
    """The issues of a repository."""

    def issue(self, number: int) -> Issue | Problem:
        """Return an issue."""
        return read(reading.issue, self._get(f"/issues/{number}"))

    def issues(
        self,
        *,
        creator: str,
        label: str | None,
        open: bool,  # noqa: A002  # GitHub's own word
        most: int | None = None,
    ) -> tuple[Issue, ...] | Problem:
        """Return issues, no pull requests: the open ones by number, or the closed ones, last closed first."""
        order = {"sort": "created", "direction": "asc"} if open else {"sort": "updated", "direction": "desc"}
        parameters = {"creator": creator, "state": "open" if open else "closed", **order}
        if label is not None:
            parameters["labels"] = label
        request = self._reading("/issues", parameters)
        found = read(_without_pull_requests, self._caller.pages(request))
        if isinstance(found, Problem) or open:
            return found if isinstance(found, Problem) else tuple(sorted(found, key=lambda issue: issue.number))[:most]
        return tuple(sorted(found, key=_closed, reverse=True))[:most]

    def create_issue(self, *, title: str, body: str, labels: Sequence[str]) -> Issue | Problem:
        """Create an issue. Where the answer is lost, a new one with this title and body is looked for first."""
        request = self._write("POST", "/issues", {"title": title, "body": body, "labels": list(labels)})
        known = self._newest()
        if isinstance(known, Problem):
            return known

        def made() -> Answer | Problem | None:
            now = self._newest()
            if isinstance(now, Problem):
                return now
            new = now.keys() - known.keys()
            numbers = [number for number in new if now[number].title == title and _alike(now[number].body, body)]
            return self._caller.call(self._reading(f"/issues/{min(numbers)}")) if numbers else None

        return read(reading.issue, self._send(request, made))

    def write_body(self, number: int, body: str, *, was: str) -> Issue | Problem:
        """Write an issue's body that was built from ``was``.

        Another try is only made while the issue still holds ``was``. ``Outdated`` where it no longer does and ours
        isn't there either: then nothing of ours was written, or someone has written since.
        """
        request = self._write("PATCH", f"/issues/{number}", {"body": body})

        def made() -> Answer | Problem | None:
            answer = self._caller.call(self._reading(f"/issues/{number}"))
            now = answer if isinstance(answer, Problem) else read(reading.issue, answer.data)
            if isinstance(now, Problem):
                return now
            if _alike(now.body, body):
                return answer
            if _alike(now.body, was):
                return None
            return Outdated("The issue was edited while it was written; nothing was overwritten.", now)

        return read(reading.issue, self._send(request, made, always=True))

    def close(self, number: int) -> Issue | Problem:
        """Close an issue."""
        return self._update(number, {"state": "closed", "state_reason": "not_planned"})

    def reopen(self, number: int) -> Issue | Problem:
        """Open an issue again."""
        return self._update(number, {"state": "open"})

    def retitle(self, number: int, title: str) -> Issue | Problem:
        """Give an issue another title."""
        return self._update(number, {"title": title})

    def add_labels(self, number: int, labels: Sequence[str]) -> tuple[str, ...] | Problem:
        """Give an issue labels beside those that it has; return all that it has then."""
        answer = self._send(self._write("POST", f"/issues/{number}/labels", {"labels": list(labels)}))
        return read(several(_name), answer)  # type: ignore[arg-type]  # a list is what GitHub answers here

    def ensure_label(self, name: str, *, color: str, description: str) -> Problem | None:
        """Make a label unless there is one of this name. ``color`` is six hexadecimal digits."""
        there = self._get(f"/labels/{quote(name, safe='')}")
        if not isinstance(there, NotFound):
            return there if isinstance(there, Problem) else None
        body = {"name": name, "color": color, "description": description[:100]}
        made = self._send(self._write("POST", "/labels", body))
        if isinstance(made, Invalid):  # someone else was quicker, or an answer was lost
            made = self._get(f"/labels/{quote(name, safe='')}")
        return made if isinstance(made, Problem) else None

    def pin(self, issue: Issue) -> Problem | None:
        """Pin an issue unless it is pinned. ``Invalid`` where as many are pinned as GitHub takes."""
        asked = self._caller.graphql(PINNED, {**self._variables(), "number": issue.number})
        pinned = read(lambda data: data["repository"]["issue"]["isPinned"] is True, asked)
        if isinstance(pinned, Problem) or pinned:
            return pinned if isinstance(pinned, Problem) else None
        answer = self._caller.graphql(PIN, {"issue": issue.node_id})
        return answer if isinstance(answer, Problem) else None

    def comment(self, number: int, body: str) -> Comment | Problem:
        """Comment. Where the answer is lost, an equal one of ours is looked for: let the body name the run."""
        request = self._write("POST", f"/issues/{number}/comments", {"body": body})
        known = self._own_comments(number, body)
        if isinstance(known, Problem):
            return known

        def made() -> Answer | Problem | None:
            now = self._own_comments(number, body)
            if isinstance(now, Problem):
                return now
            new = sorted(now - known)
            return self._caller.call(self._reading(f"/issues/comments/{new[-1]}")) if new else None

        return read(reading.comment, self._send(request, made))

    def comments(self, number: int) -> tuple[Comment, ...] | Problem:
        """Return the comments on an issue, oldest first."""
        return read(several(reading.comment), self._caller.pages(self._reading(f"/issues/{number}/comments")))

    def history(self, number: int, *, most: int = 50) -> History | Problem:
        """Return an issue's body and up to ``most`` of its edits, all read at one moment where 20 do."""
        found = self._history_page(number, most, None)
        while not isinstance(found, Problem):
            history, after = found
            if after is None or len(history.edits) >= most:
                return history
            found = self._history_page(number, most - len(history.edits), after)
            if not isinstance(found, Problem):
                found = _joined(history, *found)
        return found

    def _update(self, number: int, change: dict[str, Any]) -> Issue | Problem:
        return read(reading.issue, self._send(self._write("PATCH", f"/issues/{number}", change)))

    def _history_page(self, number: int, most: int, after: str | None) -> tuple[History, str | None] | Problem:
        variables = {**self._variables(), "number": number, "first": min(most, EDITS_A_PAGE), "after": after}
        return read(_history, self._caller.graphql(HISTORY, variables))

    def _newest(self) -> dict[int, Issue] | Problem:
        """Return the newest issues by their number."""
        order = {"state": "all", "sort": "created", "direction": "desc"}
        found = self._caller.pages(self._reading("/issues", order), most=LOOKED_THROUGH)
        return read(lambda items: {one.number: one for one in _without_pull_requests(items)}, found)

    def _own_comments(self, number: int, body: str) -> set[int] | Problem:
        """Return the ids of this token's comments with such a body, among the last."""
        variables = {**self._variables(), "number": number, "last": LOOKED_THROUGH}
        return read(lambda data: _own(data, body), self._caller.graphql(LAST_COMMENTS, variables))


def _own(data: Tree, body: str) -> set[int]:
    comments = data["repository"]["issue"]["comments"]["nodes"]
    return {int(one["fullDatabaseId"]) for one in comments if one["viewerDidAuthor"] and _alike(one["body"], body)}


def _history(data: Tree) -> tuple[History, str | None]:
    """Read one page of a history, and where the next one begins."""
    issue = data["repository"]["issue"]
    edits = issue["userContentEdits"]
    after = edits["pageInfo"]["endCursor"] if edits["pageInfo"]["hasNextPage"] else None
    found = several(reading.edit)(edits["nodes"])
    return History(issue["body"], reading.actor(issue["author"]), found, whole=after is None), after


def _joined(newer: History, older: History, after: str | None) -> tuple[History, str | None]:
    return replace(newer, edits=(*newer.edits, *older.edits), whole=older.whole), after


def _without_pull_requests(items: list[Tree]) -> list[Issue]:
    return [reading.issue(item) for item in items if "pull_request" not in item]


def _closed(issue: Issue) -> tuple[datetime, int]:
    return (issue.closed_at or issue.updated_at, issue.number)


def _name(label: Tree) -> str:
    return str(label["name"])


def _alike(one: str, other: str) -> bool:
    """Tell whether two bodies are the same but for the ends of their lines, which GitHub's pages change."""
    return one.replace("\r\n", "\n").rstrip() == other.replace("\r\n", "\n").rstrip()
