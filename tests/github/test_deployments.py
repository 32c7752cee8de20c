"""Deployment records through the port, on the stand-in."""

from copy import copy

import pytest

from sluiceway.github import Actor, Deployment, GitHub, Invalid, Kind, NotFound, Problem, State, Status
from tests.github.standin import Fault, GitHubServer
from tests.github.standin.state import Status as HeldStatus

PAYLOAD = {"v": 1, "hash": "abc", "ticker": "ada", "run": "17/1", "drift": False}


def made(github: GitHub, server: GitHubServer, task: str = "sluiceway:web", environment: str = "prod") -> Deployment:
    sha = server.state.branches["main"]
    found = github.create_deployment(
        sha=sha, task=task, environment=environment, payload=PAYLOAD, description="x" * 200
    )
    assert not isinstance(found, Problem), found
    return found


def test_a_record_is_made_of_what_is_given(server: GitHubServer, github: GitHub) -> None:
    record = made(github, server)

    assert (record.task, record.environment, record.payload) == ("sluiceway:web", "prod", PAYLOAD)
    assert (record.sha, record.description) == (server.state.branches["main"], "x" * 140)
    assert record.creator == Actor("github-actions[bot]", Kind.BOT)
    assert github.deployment(record.id) == record


def test_a_record_merges_nothing_and_waits_for_no_check(server: GitHubServer, github: GitHub) -> None:
    sha = server.state.branches["main"]
    server.state.push(["later"])
    server.state.checks_fail = True

    record = github.create_deployment(sha=sha, task="t", environment="e", payload=PAYLOAD, transient=True)

    assert not isinstance(record, Problem)
    assert (record.sha, server.state.deployments[0].transient) == (sha, True)


def test_a_record_of_no_commit_is_refused(github: GitHub) -> None:
    refused = github.create_deployment(sha="0" * 40, task="t", environment="e", payload=PAYLOAD)

    assert isinstance(refused, Invalid)
    assert "No ref found for" in refused.note


def test_records_are_listed_by_task_environment_and_commit_newest_first(server: GitHubServer, github: GitHub) -> None:
    one, other = made(github, server), made(github, server, environment="stage")
    two = made(github, server)
    server.state.push(["later"])
    three = made(github, server, task="sluiceway:db")

    assert github.deployments(task="sluiceway:web") == (two, other, one)
    assert github.deployments(task="sluiceway:web", environment="prod") == (two, one)
    assert github.deployments(sha=three.sha) == (three,)
    assert github.deployments(most=1) == (three,)


def test_more_than_a_page_of_records_is_read_whole(server: GitHubServer, github: GitHub) -> None:
    for _ in range(120):
        server.state.deployments.append(_copied(server, github))

    found = github.deployments(task="sluiceway:web")
    records = github.records(most=1000)

    assert isinstance(found, tuple)
    assert isinstance(records, tuple)
    assert len(found) == len(records) == 121
    assert [one.deployment.id for one in records] == [one.id for one in found]


def _copied(server: GitHubServer, github: GitHub) -> object:
    if not server.state.deployments:
        made(github, server)
    copied = copy(server.state.deployments[0])
    copied.id, copied.statuses = server.state.next_id(), []
    return copied


def test_a_status_leaves_other_records_as_they_are(server: GitHubServer, github: GitHub) -> None:
    first, second = made(github, server), made(github, server)
    github.create_status(first.id, State.SUCCESS)
    status = github.create_status(second.id, State.SUCCESS, description="y" * 200, log_url="https://a.invalid/1")

    assert isinstance(status, Status)
    assert (status.state, status.description, status.log_url) == (State.SUCCESS, "y" * 140, "https://a.invalid/1")
    assert states(github, first) == [State.SUCCESS]
    assert states(github, second) == [State.SUCCESS]


def states(github: GitHub, record: Deployment) -> list[State]:
    found = github.statuses(record.id)
    assert isinstance(found, tuple), found
    return [status.state for status in found]


def test_statuses_come_newest_first(server: GitHubServer, github: GitHub) -> None:
    record = made(github, server)
    for state in (State.QUEUED, State.IN_PROGRESS, State.FAILURE):
        github.create_status(record.id, state)

    assert states(github, record) == [State.FAILURE, State.IN_PROGRESS, State.QUEUED]


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE_ERROR])
def test_a_status_whose_answer_was_lost_does_not_come_after_a_newer_one(
    server: GitHubServer, github: GitHub, fault: Fault
) -> None:
    record, state = made(github, server), server.state
    newer = HeldStatus(state.next_id(), "in_progress", "", "", "", state.bot, state.clock.at)
    server.faults.plan(fault, "repos/create-deployment-status")
    server.faults.before("repos/list-deployment-statuses", lambda: state.deployments[0].statuses.append(newer))

    status = github.create_status(record.id, State.QUEUED, description="behind")

    assert isinstance(status, Status)
    assert (status.state, status.description) == (State.QUEUED, "behind")
    assert states(github, record) == [State.IN_PROGRESS, State.QUEUED]


def test_records_come_with_their_newest_status(server: GitHubServer, github: GitHub) -> None:
    bare, ended = made(github, server), made(github, server, environment="stage")
    github.create_status(ended.id, State.QUEUED)
    newest = github.create_status(ended.id, State.ERROR, description="moved", log_url="https://a.invalid/2")

    found = github.records()

    assert isinstance(found, tuple)
    assert [record.newest for record in found] == [newest, None]
    assert [record.deployment for record in found] == [ended, bare]
    only = github.records(environment="stage")
    assert isinstance(only, tuple)
    assert [record.deployment.id for record in only] == [ended.id]


@pytest.mark.parametrize("state", list(State))
def test_a_record_waits_for_its_result_until_there_is_one(state: State) -> None:
    ended = {State.SUCCESS, State.FAILURE, State.ERROR, State.INACTIVE}

    assert state.open == (state not in ended)


def test_a_record_that_is_not_there_is_not_found(github: GitHub) -> None:
    assert isinstance(github.deployment(5), NotFound)
    assert isinstance(github.statuses(5), NotFound)
    assert isinstance(github.create_status(5, State.QUEUED), NotFound)


def test_a_deleted_creator_is_nobody(server: GitHubServer, github: GitHub) -> None:
    record = made(github, server)
    server.state.deployments[0].creator = server.state.account("ada")
    server.delete_account("ada")

    again, (listed,) = github.deployment(record.id), github.records()

    assert isinstance(again, Deployment)
    assert again.creator == listed.deployment.creator == Actor("ghost", Kind.DELETED)
