"""GraphQL: the extract of GitHub's schema, executed on the state."""

import json
from collections.abc import Callable
from typing import Any

from graphql import ExecutionResult, GraphQLError, graphql_sync

from tests.github.standin.conforming import graphql
from tests.github.standin.filling import Tree
from tests.github.standin.shapes import moment
from tests.github.standin.state import Account, Deployment, Issue, State, Status, Token, Version

MOST_PINNED = 3


class Refusal(Exception):
    """An error with a type, as GitHub gives it."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def execute(state: State, token: Token, body: Tree) -> Tree:
    """Execute a query or mutation and return GitHub's answer to it."""
    result = graphql_sync(
        graphql(), body["query"], root_value=_Root(state, token), variable_values=body.get("variables")
    )
    return _answer(result)


def _answer(result: ExecutionResult) -> Tree:
    if not result.errors:
        return {"data": result.data}
    return {"data": result.data, "errors": [_error(error) for error in result.errors]}


def _error(error: GraphQLError) -> Tree:
    given = error.formatted
    original = error.original_error
    if isinstance(original, Refusal):
        return {"type": original.kind, "path": given.get("path"), "message": str(original)}
    return {**given, "extensions": {"code": "undefinedField"}}


class _Root:
    """The fields of ``Query`` and ``Mutation``."""

    def __init__(self, state: State, token: Token) -> None:
        self._state = state
        self._token = token

    def viewer(self, _: Any) -> Tree:
        account = self._token.account
        return {"login": account.login + ("[bot]" if account.kind == "Bot" else "")}

    def repository(self, _: Any, owner: str, name: str) -> Tree:
        if f"{owner}/{name}".lower() != self._state.name.lower():
            raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {"issue": self._issue, "deployments": self._deployments}

    def pinIssue(self, _: Any, input: dict[str, str]) -> Tree:  # noqa: A002, N802  # GitHub's own words
        self._needs("issues", "write")
        issue = next((one for one in self._state.issues if f"I_{one.id}" == input["issueId"]), None)
        if issue is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{input['issueId']}'.")
        if sum(one.pinned for one in self._state.issues) >= MOST_PINNED:
            raise Refusal("UNPROCESSABLE", "Maximum 3 pinned issues per repository")
        issue.pinned = True
        return {"issue": self._shown(issue)}

    def _needs(self, scope: str, level: str) -> None:
        if not self._token.may(scope, level):
            raise Refusal("FORBIDDEN", "Resource not accessible by integration")

    def _issue(self, _: Any, number: int) -> Tree:
        self._needs("issues", "read")
        issue = self._state.issue(number)
        if issue is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to an Issue with the number of {number}.")
        return self._shown(issue)

    def _shown(self, issue: Issue) -> Tree:
        return {
            "number": issue.number,
            "body": issue.body,
            "isPinned": issue.pinned,
            "author": _actor(issue.author),
            "userContentEdits": lambda _, first, after=None: _connection(issue.edits, first, after, _edit),
            "comments": lambda _, last: {"nodes": [self._comment(one) for one in issue.comments[-last:]]},
        }

    def _comment(self, comment: Any) -> Tree:
        own = comment.author is self._token.account
        return {"fullDatabaseId": str(comment.id), "body": comment.body, "viewerDidAuthor": own}

    def _deployments(
        self, _: Any, first: int, after: str | None = None, environments: list[str] | None = None, **__: Any
    ) -> Tree:
        self._needs("deployments", "read")
        newest = reversed(self._state.deployments)
        found = [one for one in newest if environments is None or one.environment in environments]
        return _connection(found, first, after, lambda one: _deployment(self._state, one))


def _connection(items: list[Any], first: int, after: str | None, show: Callable[[Any], Tree]) -> Tree:
    """Return a page. A cursor says how many older items follow, so that newer ones don't move the next page."""
    begin = 0 if after is None else len(items) - int(after)
    page = items[begin : begin + first]
    left = len(items) - begin - len(page)
    info = {"hasNextPage": left > 0, "endCursor": str(left) if page else None}
    return {"nodes": [show(item) for item in page], "pageInfo": info}


def _actor(account: Account) -> Tree | None:
    return None if account.deleted else {"__typename": account.kind, "login": account.login}


def _edit(version: Version) -> Tree:
    return {"editedAt": moment(version.at), "diff": version.body, "editor": _actor(version.editor)}


def _deployment(state: State, one: Deployment) -> Tree:
    ref = one.ref if one.ref in state.branches else None
    return {
        "databaseId": one.id,
        "id": f"DE_{one.id}",
        "task": one.task,
        "environment": one.environment,
        "commitOid": one.sha,
        "payload": json.dumps(one.payload),
        "description": one.description,
        "createdAt": moment(one.at),
        "ref": None if ref is None else {"name": ref},
        "creator": _actor(one.creator) or {"__typename": "User", "login": "ghost"},
        "latestStatus": _status(one.statuses[-1]) if one.statuses else None,
    }


def _status(one: Status) -> Tree:
    return {
        "id": f"DES_{one.id}",
        "state": one.state.upper(),
        "description": one.description,
        "logUrl": one.log_url or None,
        "createdAt": moment(one.at),
        "creator": _actor(one.creator) or {"__typename": "User", "login": "ghost"},
    }
