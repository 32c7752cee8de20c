"""Answers that are not as GitHub describes them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sluiceway.github import Deployment, GitHub, Permission, Problem, Record, Role, Unreachable
from sluiceway.github.caller import Caller
from sluiceway.github.exchange import Answer, NoAnswer, Request
from sluiceway.github.reading import actor, deployment, permission, read, record
from sluiceway.github.settings import Settings, Token
from sluiceway.github.values import GHOST, Actor, Kind
from tests.github.standin import StandInTime
from tests.github.standin.state import Clock

ACCOUNT = {"login": "ada", "type": "User"}
DEPLOYMENT = {
    "id": 5,
    "node_id": "DE_5",
    "task": "sluiceway:web",
    "environment": "prod",
    "sha": "a" * 40,
    "ref": "main",
    "payload": {"v": 1},
    "description": None,
    "creator": ACCOUNT,
    "created_at": "2026-03-02T08:00:00Z",
}
IN_GRAPHQL = {
    "databaseId": 5,
    "id": "DE_5",
    "task": "sluiceway:web",
    "environment": "prod",
    "commitOid": "a" * 40,
    "ref": {"name": "main"},
    "payload": '{"v": 1}',
    "description": None,
    "creator": {"__typename": "User", "login": "ada"},
    "createdAt": "2026-03-02T08:00:00Z",
    "latestStatus": None,
}


class Canned:
    """A transport that always answers the same."""

    def __init__(self, answer: Answer | NoAnswer) -> None:
        self.answer = answer
        self.sent = 0

    def send(self, _: Request) -> Answer | NoAnswer:
        self.sent += 1
        return self.answer

    def speaks_of_limit(self, message: str) -> bool:
        return "rate limit" in message


def port(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> tuple[GitHub, Canned]:
    transport = Canned(Answer(status, headers or {}, data))
    settings = Settings(Token("ghs_x"), "octo/shop")
    return GitHub(Caller(transport, StandInTime(Clock()), str), settings), transport


@pytest.mark.parametrize(
    "data", [None, [], {}, "words", {"number": "x"}, {"data": None}, {"data": {"repository": None}}]
)
def test_nonsense_is_no_answer_and_never_an_exception(data: Any) -> None:
    github, _ = port(data)

    for result in (
        github.repository(),
        github.viewer(),
        github.permission("ada"),
        github.issue(1),
        github.history(1),
        github.write_body(1, "new", was="old"),
        github.comment(1, "words"),
        github.create_deployment(sha="a", task="t", environment="e", payload={}),
        github.records(),
        github.compare("a", "b"),
        github.run(1),
    ):
        assert isinstance(result, Problem), result


@pytest.mark.parametrize("data", [None, {}, ["words"], [{"id": None}], {"jobs": [{}]}])
def test_a_page_of_nonsense_is_no_answer(data: Any) -> None:
    github, _ = port(data)

    assert isinstance(github.jobs(1, attempt=1), Unreachable)
    if data != {"jobs": [{}]}:
        assert isinstance(github.deployments(), Unreachable)


def test_pages_that_never_end_end() -> None:
    link = {"link": '<https://api.github.com/repositories/1/deployments?page=2>; rel="next"'}
    github, transport = port([DEPLOYMENT], headers=link)

    found = github.deployments()

    assert isinstance(found, tuple)
    assert [one.id for one in found] == [5]
    assert transport.sent == 2


@pytest.mark.parametrize("nodes", [None, {}, [None], [IN_GRAPHQL, None], [IN_GRAPHQL, {}]])
def test_a_list_that_lacks_something_is_unreadable_not_shorter(nodes: Any) -> None:
    page = {"nodes": nodes, "pageInfo": {"hasNextPage": False, "endCursor": None}}
    issue = {"body": "", "author": None, "userContentEdits": page}
    github, _ = port({"data": {"repository": {"deployments": page, "issue": issue}}})

    assert isinstance(github.records(), Unreachable)
    assert isinstance(github.history(1), Unreachable)


@pytest.mark.parametrize("missing", sorted(DEPLOYMENT))
def test_a_field_that_is_missing_makes_the_answer_unreadable(missing: str) -> None:
    tree = {name: value for name, value in DEPLOYMENT.items() if name != missing}

    assert isinstance(read(deployment, DEPLOYMENT), Deployment)
    assert isinstance(read(deployment, tree), Unreachable)


@pytest.mark.parametrize(
    "name", [name for name in DEPLOYMENT if name not in {"payload", "description", "creator", "id"}]
)
def test_a_field_of_another_kind_makes_the_answer_unreadable(name: str) -> None:
    assert isinstance(read(deployment, {**DEPLOYMENT, name: 7}), Unreachable)


@pytest.mark.parametrize("payload", ['{"v": 1}', json.dumps('{"v": 1}')])
def test_a_payload_of_graphql_is_text_once_or_twice(payload: str) -> None:
    found = read(record, {**IN_GRAPHQL, "payload": payload})

    assert isinstance(found, Record)
    assert found.deployment == read(deployment, DEPLOYMENT)


@pytest.mark.parametrize("payload", [None, "", "words", "[1]", 7, [1], '"words"'])
def test_a_payload_that_is_no_object_is_empty(payload: Any) -> None:
    found = read(deployment, {**DEPLOYMENT, "payload": payload})

    assert isinstance(found, Deployment)
    assert found.payload == {}


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (None, GHOST),
        ({"login": "ghost", "type": "User"}, GHOST),
        ({"login": "x[bot]", "type": "Bot"}, Actor("x[bot]", Kind.BOT)),
        ({"login": "x", "__typename": "Bot"}, Actor("x[bot]", Kind.BOT)),
        ({"login": "x", "__typename": "Mannequin"}, Actor("x", Kind.OTHER)),
        ({"login": "x", "type": "something new"}, Actor("x", Kind.OTHER)),
    ],
)
def test_who_is_no_person_is_never_read_as_one(tree: dict[str, str] | None, expected: Actor) -> None:
    assert actor(tree) == expected


@pytest.mark.parametrize(
    ("user", "name", "role"),
    [
        ({**ACCOUNT, "permissions": {"pull": True, "push": True, "admin": False}}, "deployer", Role.WRITE),
        ({**ACCOUNT, "permissions": {"pull": False, "push": False, "admin": False}}, "admin", Role.NONE),
        ({**ACCOUNT, "permissions": {"something new": True}}, "something new", Role.NONE),
        (ACCOUNT, "maintain", Role.MAINTAIN),
        (ACCOUNT, "deployer", Role.NONE),
        (None, "write", Role.WRITE),
    ],
)
def test_flags_say_more_than_a_name(user: dict[str, Any] | None, name: str, role: Role) -> None:
    found = read(permission, {"permission": "admin", "role_name": name, "user": user})

    assert isinstance(found, Permission)
    assert found.role is role


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([{"type": "NOT_FOUND", "message": "gone"}], "NotFound"),
        ([{"type": "FORBIDDEN", "message": "no"}], "Denied"),
        ([{"type": "INSUFFICIENT_SCOPES", "message": "no"}], "Denied"),
        ([{"type": "UNPROCESSABLE", "message": "no"}], "Invalid"),
        ([{"type": "SOMETHING_NEW", "message": "no"}], "Invalid"),
        ([{"message": "no such field", "extensions": {"code": "undefinedField"}}], "Invalid"),
        ([{"message": "Something went wrong while executing your query."}], "Unreachable"),
        ([{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}], "Unreachable"),
        ([{"message": "You have exceeded a secondary rate limit."}], "Unreachable"),
    ],
)
def test_the_errors_of_graphql_have_their_kinds_even_beside_data(errors: list[dict[str, Any]], kind: str) -> None:
    github, _ = port({"data": {"viewer": {"login": "ada"}}, "errors": errors})

    assert type(github.viewer()).__name__ == kind


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "Denied"), (403, "Denied"), (404, "NotFound"), (410, "NotFound"), (409, "Invalid")]
)
def test_a_refusal_is_asked_once(status: int, kind: str) -> None:
    github, transport = port({"message": "no\n::error::x"}, status)

    result = github.issue(1)

    assert type(result).__name__ == kind
    assert isinstance(result, Problem)
    assert "\n" not in result.note
    assert transport.sent == 1


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_says_that_the_repository_has_moved(status: int) -> None:
    github, transport = port({"message": "Moved"}, status)

    result = github.create_deployment(sha="a", task="t", environment="e", payload={})

    assert isinstance(result, Problem)
    assert "renamed or moved" in result.note
    assert transport.sent == 1
