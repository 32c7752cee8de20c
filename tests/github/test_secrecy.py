"""No token in a log, an error or a result, whatever GitHub answers."""

import logging
import traceback

import pytest

from sluiceway.github import GitHub, Problem
from tests.github.conftest import connected
from tests.github.standin import Fault, GitHubServer, StandInTime

SECRET = "ghs_SeCrEt0123456789"  # noqa: S105  # it opens nothing


@pytest.fixture
def github(server: GitHubServer, waiting: StandInTime) -> GitHub:
    server.state.token(SECRET, server.state.bot, {"issues": "read", "deployments": "write"})
    server.state.open_issue(server.state.bot, "Deploys", "old")
    return connected(server, waiting, INPUT_TOKEN=SECRET)


@pytest.mark.parametrize("fault", [None, *Fault], ids=str)
def test_no_token_is_logged_or_told(
    github: GitHub,
    server: GitHubServer,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    fault: Fault,
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, logger="github")  # which the port turns off
    if fault is not None:
        server.faults.plan(fault, times=6)

    results = [github.issue(1), github.history(1), github.comment(1, "words"), github.issue(9), github.records()]

    captured = capfd.readouterr()
    told = " ".join(map(repr, results)) + caplog.text + captured.out + captured.err
    assert any(isinstance(result, Problem) for result in results)
    assert "github.Requester" in {record.name for record in caplog.records}
    assert SECRET not in told


def test_a_token_that_github_repeats_is_not_told(server: GitHubServer, github: GitHub) -> None:
    server.person("ada")
    denied = github.create_deployment(sha=SECRET, task="t", environment="e", payload={})

    assert isinstance(denied, Problem)
    assert "No ref found for: ***" in denied.note
    assert SECRET not in denied.note


def test_no_traceback_holds_the_token(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("sluiceway.github.judging.Judge.judge", broken)
    with pytest.raises(ZeroDivisionError) as raised:
        github.issue(1)

    shown = traceback.TracebackException.from_exception(raised.value, capture_locals=True).format()
    assert SECRET not in "".join(shown)
