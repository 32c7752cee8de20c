"""What is sent again, and what never is (record 0105)."""

from collections.abc import Callable
from typing import Any

import pytest

from sluiceway.github import Denied, GitHub, Issue, Problem, State, Unreachable, transport
from sluiceway.github.caller import PATIENCE, TRIES
from tests.github.conftest import connected
from tests.github.standin import Fault, GitHubServer, StandInTime

PAYLOAD = {"run": "17/1"}
LIMITS = [Fault.PRIMARY, Fault.SECONDARY, Fault.SECONDARY_SILENT]


def issue_of(github: GitHub) -> Issue:
    found = github.issue(1)
    assert isinstance(found, Issue), found
    return found


def sha(server: GitHubServer) -> str:
    return server.state.branches["main"]


Write = tuple[str, Callable[[GitHub, GitHubServer], Any], Callable[[GitHubServer], Any], Any]

WRITES: dict[str, Write] = {
    "create issue": (
        "issues/create",
        lambda github, _: github.create_issue(title="New", body="words", labels=[]),
        lambda server: [issue.title for issue in server.state.issues],
        ["Deploys", "New"],
    ),
    "write body": (
        "issues/update",
        lambda github, _: github.write_body(1, "new", was="old"),
        lambda server: [version.body for version in server.state.issues[0].versions],
        ["old", "new"],
    ),
    "close": (
        "issues/update",
        lambda github, _: github.close(1),
        lambda server: server.state.issues[0].closed is not None,
        True,
    ),
    "comment": (
        "issues/create-comment",
        lambda github, _: github.comment(1, "words"),
        lambda server: [comment.body for comment in server.state.issues[0].comments],
        ["words"],
    ),
    "add labels": (
        "issues/add-labels",
        lambda github, _: github.add_labels(1, ["one"]),
        lambda server: [label.name for label in server.state.issues[0].labels],
        ["one"],
    ),
    "ensure label": (
        "issues/create-label",
        lambda github, _: github.ensure_label("one", color="0e8a16", description=""),
        lambda server: [label.name for label in server.state.labels],
        ["one"],
    ),
    "pin": (
        "graphql Pin",
        lambda github, _: github.pin(issue_of(github)),
        lambda server: [issue.number for issue in server.state.issues if issue.pinned],
        [1],
    ),
    "create deployment": (
        "repos/create-deployment",
        lambda github, server: github.create_deployment(sha=sha(server), task="t", environment="e", payload=PAYLOAD),
        lambda server: [one.payload for one in server.state.deployments[1:]],
        [PAYLOAD],
    ),
    "create status": (
        "repos/create-deployment-status",
        lambda github, server: github.create_status(server.state.deployments[0].id, State.QUEUED, description="d"),
        lambda server: [status.state for status in server.state.deployments[0].statuses],
        ["queued"],
    ),
}


@pytest.fixture(autouse=True)
def _filled(server: GitHubServer, github: GitHub) -> None:
    server.state.open_issue(server.state.bot, "Deploys", "old")
    github.create_deployment(sha=sha(server), task="t", environment="e", payload={"run": "16/1"})


@pytest.mark.parametrize("fault", list(Fault), ids=lambda fault: fault.name)
@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_made_exactly_once_whatever_goes_wrong_once(
    server: GitHubServer, github: GitHub, name: str, fault: Fault
) -> None:
    operation, write, made, expected = WRITES[name]
    server.faults.plan(fault, operation)

    result = write(github, server)

    assert not isinstance(result, Problem), result
    assert server.faults.happened == [(operation, fault)]
    assert made(server) == expected


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE_ERROR, Fault.NONSENSE, Fault.LATE], ids=lambda one: one.name)
@pytest.mark.parametrize("name", ["create issue", "write body", "comment", "create deployment", "create status"])
def test_a_write_that_was_made_is_never_sent_again(
    server: GitHubServer, github: GitHub, name: str, fault: Fault
) -> None:
    operation, write, made, expected = WRITES[name]
    server.faults.plan(fault, operation)

    write(github, server)

    sent = [one for one in server.exchanges[1:] if one.operation == operation]
    assert [one.fault for one in sent] == [fault]
    assert made(server) == expected


@pytest.mark.parametrize("name", ["create issue", "comment", "create deployment", "create status"])
def test_after_one_lost_answer_it_is_looked_for_before_every_other_try(
    server: GitHubServer, github: GitHub, name: str
) -> None:
    operation, write, made, expected = WRITES[name]
    server.faults.plan(Fault.DROPPED, operation)
    server.faults.plan(Fault.SECONDARY, operation)
    server.faults.plan(Fault.LATE_ERROR, operation)

    result = write(github, server)

    assert not isinstance(result, Problem), result
    assert made(server) == expected


READS: dict[str, Callable[[GitHub], Any]] = {
    "issues/get": lambda github: github.issue(1),
    "graphql History": lambda github: github.history(1),
    "repos/list-deployments": lambda github: github.deployments(),
}


@pytest.mark.parametrize("fault", list(Fault), ids=lambda fault: fault.name)
@pytest.mark.parametrize("operation", READS)
def test_a_read_goes_on_until_there_is_an_answer(
    server: GitHubServer, github: GitHub, operation: str, fault: Fault
) -> None:
    server.faults.plan(fault, operation, times=TRIES - 1)

    assert not isinstance(READS[operation](github), Problem)


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.DROPPED, Fault.NONSENSE], ids=lambda fault: fault.name)
@pytest.mark.parametrize("operation", READS)
def test_a_read_gives_up_in_words_and_in_time(
    server: GitHubServer, github: GitHub, waiting: StandInTime, operation: str, fault: Fault
) -> None:
    server.faults.plan(fault, operation, times=TRIES)

    result = READS[operation](github)

    assert isinstance(result, Unreachable)
    assert result.note.startswith("GitHub can't be reached: ")
    assert waiting.waits == [1, 2, 4, 8]


def test_a_server_that_is_not_there_is_unreachable(waiting: StandInTime) -> None:
    with GitHubServer() as gone:
        environment = gone.environment()
    github = connected(gone, waiting, **environment)

    result = github.create_deployment(sha="main", task="t", environment="e", payload=PAYLOAD)

    assert isinstance(result, Unreachable)
    assert result.note == "GitHub can't be reached: the connection failed (POST /repos/octo/shop/deployments)."
    assert waiting.waits == [1, 2, 4, 8]


@pytest.mark.parametrize(
    ("fault", "waits"), [(Fault.SECONDARY, [7, 7]), (Fault.SECONDARY_SILENT, [60, 120]), (Fault.PRIMARY, [121, 121])]
)
def test_a_rate_limit_is_waited_out_as_it_asks(
    server: GitHubServer, github: GitHub, waiting: StandInTime, fault: Fault, waits: list[int]
) -> None:
    server.faults.status = 429 if fault is Fault.SECONDARY else 403
    server.faults.plan(fault, "issues/get", times=2)

    assert isinstance(github.issue(1), Issue)
    assert [round(wait) for wait in waiting.waits] == waits


def test_a_reset_is_told_by_githubs_clock_not_by_ours(
    server: GitHubServer, github: GitHub, waiting: StandInTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "now", lambda: 0.0)
    server.faults.plan(Fault.PRIMARY, "issues/get")

    assert isinstance(github.issue(1), Issue)
    assert [round(wait) for wait in waiting.waits] == [121]


def test_a_limit_that_lasts_longer_than_our_patience_ends_at_once(
    server: GitHubServer, github: GitHub, waiting: StandInTime
) -> None:
    server.remaining = 0

    result = github.history(1)

    assert isinstance(result, Unreachable)
    assert "its rate limit lasts until 09:00 UTC" in result.note
    assert waiting.waits == []


def test_waits_for_limits_end_with_our_patience(server: GitHubServer, github: GitHub, waiting: StandInTime) -> None:
    server.faults.plan(Fault.SECONDARY_SILENT, "issues/get", times=TRIES)

    assert isinstance(github.issue(1), Unreachable)
    assert waiting.waits == [60, 120, 240, 480]
    assert sum(waiting.waits) <= PATIENCE


def test_a_refusal_is_not_a_rate_limit(server: GitHubServer, waiting: StandInTime) -> None:
    server.state.token("ghs_nothing", server.state.bot, {})
    github = connected(server, waiting, INPUT_TOKEN="ghs_nothing")  # noqa: S106  # it opens nothing

    assert isinstance(github.issue(1), Denied)
    assert waiting.waits == []


@pytest.mark.parametrize("fault", [Fault.TIMEOUT, Fault.LATE], ids=lambda fault: fault.name)
def test_every_request_has_a_time_limit(
    server: GitHubServer, waiting: StandInTime, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(transport, "SECONDS", 1)
    server.hold = 1.3
    server.faults.plan(fault, "issues/create-comment")
    github = connected(server, waiting)

    made = github.comment(1, "words")

    assert not isinstance(made, Problem)
    assert [comment.body for comment in server.state.issues[0].comments] == ["words"]


@pytest.mark.parametrize("seed", range(25))
def test_nothing_is_made_twice_and_nothing_is_claimed_that_is_not(
    server: GitHubServer, github: GitHub, seed: int
) -> None:
    server.faults.by_chance(seed, 0.35)

    results = {name: write(github, server) for name, (_, write, _, _) in WRITES.items()}
    server.faults.stop()

    for name, (_, _, made, expected) in WRITES.items():
        if not isinstance(results[name], Problem):
            assert made(server) == expected, name
    assert len(server.state.issues) <= 2
    assert len(server.state.issues[0].versions) <= 2
    assert len(server.state.issues[0].comments) <= 1
    assert len(server.state.deployments) <= 2
    assert len(server.state.deployments[0].statuses) <= 1


def test_the_same_seed_fails_alike() -> None:
    def happened() -> list[tuple[str, Fault]]:
        with GitHubServer() as server:
            server.state.open_issue(server.state.bot, "Deploys", "old")
            server.faults.by_chance(7, 0.5)
            github = connected(server, StandInTime(server.state.clock))
            for number in range(10):
                github.comment(1, f"comment {number}")
                github.issue(1)
            return server.faults.happened

    first = happened()
    assert len({fault for _, fault in first}) > 4
    assert first == happened()
