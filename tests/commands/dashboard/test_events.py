from typing import Any

import pytest

from sluiceway.commands.dashboard import running
from sluiceway.commands.dashboard.events import NotHere, Nothing, asked
from sluiceway.commands.dashboard.facts import Facts, attempt_of, facts
from sluiceway.commands.settings import Settings, UsageProblem
from sluiceway.dashboard import Board, Built, build
from sluiceway.dashboard import Settings as BodySettings
from tests.commands.dashboard.world import World

MAIN = "refs/heads/main"
REPOSITORY = {"fork": False, "default_branch": "main"}


def body() -> str:
    built = build(Board(), BodySettings("https://github.example/octo/shop"))
    assert isinstance(built, Built)
    return built.body


def of(event: str, ref: str = MAIN, **payload: Any) -> Any:
    return asked(Facts("octo/shop", event=event, payload={"repository": REPOSITORY, **payload}), ref)


def edited(**more: Any) -> dict[str, Any]:
    issue = {"body": body(), "user": {"type": "Bot"}}
    return {"action": "edited", "changes": {"body": {}}, "issue": issue, "sender": {"type": "User"}, **more}


def test_each_event_has_its_work() -> None:
    assert of("push") == "scan"
    assert of("schedule") == of("workflow_dispatch") == "all"
    assert of("pull_request") == "check"
    assert of("issues", **edited()) == "ticks"


def test_pull_request_target_and_forks_are_refused_with_the_reason() -> None:
    assert "pull_request_target" in of("pull_request_target").why
    for event in ("push", "schedule", "issues"):
        found = of(event, repository={"fork": True, "default_branch": "main"})
        assert isinstance(found, NotHere)
        assert "fork" in found.why
    assert of("pull_request", repository={"fork": True}) == "check"


def test_the_default_branch_alone_is_shown() -> None:
    assert isinstance(of("push", "refs/heads/topic"), Nothing)
    assert isinstance(of("push", "refs/tags/v1"), Nothing)
    assert isinstance(of("workflow_dispatch", "refs/heads/topic"), NotHere)
    assert isinstance(of("push", deleted=True), Nothing)


@pytest.mark.parametrize(
    "more",
    [
        {"sender": {"type": "Bot"}},
        {"changes": {"title": {}}},
        {"action": "opened"},
        {"issue": {"body": "Hello", "user": {"type": "Bot"}}},
        {"issue": {"body": "", "user": {"type": "User"}}},
        {"issue": None, "sender": None, "changes": None},
    ],
)
def test_an_edit_that_ticks_nothing_starts_nothing(more: dict[str, Any]) -> None:
    assert isinstance(of("issues", **edited(**more)), Nothing)


@pytest.mark.parametrize("event", ["", "release", "watch"])
def test_another_event_is_a_notice(event: str) -> None:
    assert isinstance(of(event), Nothing)


def test_the_program_ends_as_the_event_asks(world: World) -> None:
    assert world.job("release").code == 0
    refused = world.job("pull_request_target")
    assert (refused.code, "::error::" in refused.log) == (1, True)
    assert world.server.exchanges == []


def test_a_pull_request_is_checked_without_a_token(world: World) -> None:
    good = world.job("pull_request", INPUT_TOKEN="", GITHUB_TOKEN="")
    assert (good.code, "No problems in 3 stacks" in good.out) == (0, True)
    world.declare("nonsense: 1\n")
    assert world.job("pull_request", INPUT_TOKEN="").code == 2
    assert world.server.exchanges == []


@pytest.mark.parametrize("lacking", ["INPUT_TOKEN", "GITHUB_REPOSITORY"])
def test_what_lacks_is_said(world: World, lacking: str) -> None:
    without = lambda settings, output, given, _place: running.run_resolve(settings, output, given)  # noqa: E731 - one use
    came = world.command(without, **{lacking: ""})
    assert (came.code, came.result["outcome"]) == (1, "failed")
    assert "::error::" in came.log
    assert world.server.exchanges == []


def test_outside_of_a_workflow_run_no_record_is_opened(world: World) -> None:
    came = world.job("schedule", GITHUB_RUN_ID="")
    assert (came.code, "GITHUB_RUN_ID" in came.log) == (2, True)


def test_a_page_of_an_attempt_is_read_back() -> None:
    found = facts(Settings(environ={"GITHUB_RUN_ID": "12", "GITHUB_RUN_ATTEMPT": "3", "GITHUB_REPOSITORY": "o/n"}))
    assert found.run_page == "https://github.com/o/n/actions/runs/12/attempts/3"
    assert attempt_of(found.run_page) == found.attempt
    assert attempt_of("https://github.com/o/n/actions/runs/12") is None


def test_an_event_that_can_not_be_read_is_said() -> None:
    with pytest.raises(UsageProblem, match="GITHUB_EVENT_PATH"):
        facts(Settings(environ={"GITHUB_EVENT_PATH": "/nowhere.json"}))
    with pytest.raises(UsageProblem, match="numbers"):
        facts(Settings(environ={"GITHUB_RUN_ID": "x"}))
