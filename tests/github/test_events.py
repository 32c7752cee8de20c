"""The events of the stand-in are what GitHub would tell a job."""

import json
from pathlib import Path

import pytest

from tests.github.standin import GitHubServer


def test_an_edit_tells_who_edited_and_what_was_there(server: GitHubServer) -> None:
    issue = server.state.open_issue(server.state.bot, "Deploys", "- [ ] one\n", ["sluiceway"])
    ada = server.person("ada")
    ada.tick(1, "one")

    event = server.events.issue_edited(1, ada, "- [ ] one\n")

    assert (event["action"], event["sender"]["login"], event["sender"]["type"]) == ("edited", "ada", "User")
    assert (event["issue"]["number"], event["issue"]["body"]) == (1, issue.body)
    assert event["issue"]["user"]["login"] == "github-actions[bot]"
    assert [label["name"] for label in event["issue"]["labels"]] == ["sluiceway"]
    assert event["changes"] == {"body": {"from": "- [ ] one\n"}}
    assert event["repository"]["full_name"] == "octo/shop"


def test_a_push_tells_its_commits_and_files(server: GitHubServer) -> None:
    before = server.state.branches["main"]
    middle = server.state.push(["a"])
    after = server.state.push(["b"], renamed={"new": "old"})

    event = server.events.push(after, server.person("ada"), before=before)

    assert (event["before"], event["after"], event["ref"], event["forced"]) == (before, after, "refs/heads/main", False)
    assert [commit["id"] for commit in event["commits"]] == [middle, after]
    assert [commit["modified"] for commit in event["commits"]] == [["a"], ["b", "new"]]
    assert event["head_commit"]["removed"] == ["old"]


@pytest.mark.parametrize("fork", [True, False])
def test_a_pull_request_tells_where_it_comes_from(server: GitHubServer, fork: bool) -> None:
    event = server.events.pull_request(7, server.person("eve", "read"), fork=fork)

    assert event["pull_request"]["head"]["repo"]["full_name"] == ("someone/fork" if fork else "octo/shop")
    assert event["pull_request"]["base"]["repo"]["full_name"] == event["repository"]["full_name"] == "octo/shop"
    assert event["pull_request"]["head"]["repo"]["fork"] == fork


def test_a_job_finds_its_event_in_a_file(server: GitHubServer, tmp_path: Path) -> None:
    run = server.state.start_run("workflow_dispatch")
    event = server.events.dispatch(server.person("ada"), {"drift": "true"})

    environment = server.events.environment(tmp_path, "workflow_dispatch", event, run)

    assert json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8")) == event
    assert event["inputs"] == {"drift": "true"}
    assert (environment["GITHUB_RUN_ID"], environment["GITHUB_RUN_ATTEMPT"]) == (str(run.id), "1")
    assert (environment["GITHUB_SHA"], environment["GITHUB_ACTOR"]) == (server.state.branches["main"], "ada")


def test_what_is_not_described_is_no_event(server: GitHubServer) -> None:
    with pytest.raises(AssertionError, match="invented"):
        server.events._told("push", server.state.bot, invented=True)
    with pytest.raises(AssertionError, match="is not of type 'string'"):
        server.events._told("push", server.state.bot, after=7)
