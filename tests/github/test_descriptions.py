"""The extracts of GitHub's descriptions, and all that the port asks against them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, parse, print_schema
from openapi_spec_validator import validate as validate_description

from sluiceway.github import GitHub, Problem, queries
from tests.github.conftest import connected
from tests.github.descriptions import extract
from tests.github.descriptions.pruning import pruned
from tests.github.everything import use_everything
from tests.github.standin import Fault, GitHubServer, StandInTime
from tests.github.standin.conforming import (
    Sent,
    answer_problems,
    events,
    graphql,
    graphql_problems,
    request_problems,
    rest,
)

FOLDER = Path(extract.__file__).parent
PATH = "/repos/octo/shop"


def test_everything_that_the_port_asks_is_described_and_nothing_else_is_kept(
    server: GitHubServer, github: GitHub
) -> None:
    server.person("ada")
    run = server.state.start_run()
    results = use_everything(github, server.state.branches["main"], run.id)
    github.run(run.id)
    server.faults.plan(Fault.LOST, "issues/create-comment")
    github.comment(1, "words once more")

    assert {name: result for name, result in results.items() if isinstance(result, Problem)} == {}
    assert results.keys() == {name for name in vars_of(GitHub) if name != "repository_name"}
    asked = {exchange.operation for exchange in server.exchanges}
    assert {name for name in asked if not name.startswith("graphql ")} == extract.OPERATIONS
    assert {name for name in asked if name.startswith("graphql ")} == {f"graphql {name}" for name in named()}


def vars_of(port: type) -> set[str]:
    return {name for kind in port.__mro__ for name in vars(kind) if not name.startswith("_")}


def named() -> set[str]:
    return {match[1] for query in queries.ALL if (match := re.search(r"(?:query|mutation) (\w+)", query))}


def test_the_same_holds_on_enterprise_server() -> None:
    with GitHubServer(enterprise=True) as server:
        server.person("ada")
        run = server.state.start_run()
        github = connected(server, StandInTime(server.state.clock), GITHUB_GRAPHQL_URL="")
        results = use_everything(github, server.state.branches["main"], run.id)

    assert "/api/v3" in server.environment()["GITHUB_API_URL"]
    assert {name: result for name, result in results.items() if isinstance(result, Problem)} == {}
    assert server.violations == []


def test_graphql_may_be_on_another_host(server: GitHubServer, waiting: StandInTime) -> None:
    github = connected(server, waiting, GITHUB_API_URL="http://127.0.0.1:1")

    assert not isinstance(github.viewer(), Problem)
    assert isinstance(github.repository(), Problem)


def test_every_query_is_of_the_schema() -> None:
    assert [graphql_problems(query) for query in queries.ALL] == [[]] * len(queries.ALL)
    assert graphql_problems("query { viewer { password } }") != []


def test_the_extracts_are_valid_and_say_what_they_were_cut_from() -> None:
    validate_description(rest())
    assert rest()["info"]["version"] == extract.PACKAGES["@octokit/openapi"]
    assert events()["info"]["version"] == extract.PACKAGES["@octokit/openapi-webhooks"]
    assert events()["webhooks"].keys() == extract.EVENTS
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name, version in extract.PACKAGES.items() if f"{name}@{version}" not in readme] == []


def test_the_extracts_hold_names_and_types_but_no_prose() -> None:
    text = (FOLDER / "rest.json").read_text(encoding="utf-8")
    schema = (FOLDER / "schema.graphql").read_text(encoding="utf-8")

    assert set(re.findall(r'"(?:description|summary)": (".*?")', text)) == {'""'}
    assert '"""' not in schema
    assert print_schema(build_schema(schema)).split() == print_schema(graphql()).split()


def test_the_extracts_are_as_the_script_writes_them() -> None:
    text = (FOLDER / "rest.json").read_text(encoding="utf-8")
    schema = (FOLDER / "schema.graphql").read_text(encoding="utf-8")

    assert f"{json.dumps(extract.extract_rest(rest()), indent=1, sort_keys=True)}\n" == text
    assert extract.extract_events(events()) == events()
    assert pruned(graphql(), [parse(query) for query in queries.ALL]) == schema


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (Sent("GET", "/repos/octo/shop/secrets", {}, None), "is not in the description"),
        (Sent("DELETE", PATH, {}, None), "is not in the description"),
        (Sent("GET", f"{PATH}/issues", {"author": "ada"}, None), "parameter author"),
        (Sent("GET", f"{PATH}/issues", {"state": "shut"}, None), "shut"),
        (Sent("POST", f"{PATH}/issues", {}, '{"body": "words"}'), "title"),
        (Sent("POST", f"{PATH}/issues", {}, '{"title": "T", "text": "words"}'), "text"),
        (Sent("POST", f"{PATH}/deployments/1/statuses", {}, '{"state": "done"}'), "done"),
        (Sent("POST", f"{PATH}/deployments", {}, '{"ref": "main", "payload": [1]}'), "payload"),
    ],
)
def test_a_request_that_is_not_described_is_found(sent: Sent, problem: str) -> None:
    found = request_problems(sent)

    assert problem in " ".join(found)


LABEL = {
    "id": 1,
    "node_id": "L",
    "url": "https://a.invalid",
    "name": "n",
    "description": None,
    "color": "f",
    "default": False,
}


@pytest.mark.parametrize(
    ("status", "answer", "closed", "problem"),
    [
        (200, LABEL, True, None),
        (200, {**LABEL, "more": 1}, True, "more"),
        (200, {**LABEL, "more": 1}, False, None),
        (200, {**LABEL, "id": "1"}, False, "id"),
        (200, {"id": 1}, False, "required"),
        (201, LABEL, False, "201 is not described"),
        (404, {"message": "Not Found"}, True, None),
        (503, {"message": "Busy"}, True, None),
        (503, {}, True, "503 is not described"),
    ],
)
def test_an_answer_that_is_not_described_is_found(status: int, answer: Any, closed: bool, problem: str | None) -> None:
    sent = Sent("GET", f"{PATH}/labels/n", {}, None)

    found = answer_problems(sent, status, json.dumps(answer), closed=closed)

    assert found == [] if problem is None else problem in " ".join(found)
