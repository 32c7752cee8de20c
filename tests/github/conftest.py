"""Fixtures: the stand-in, and the port on it."""

from collections.abc import Iterator

import pytest

from sluiceway.github import GitHub, Missing, connect
from tests.github.standin import GitHubServer, StandInTime


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on loopback is asked directly."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """A stand-in that has to have been asked, and to have answered, as GitHub's descriptions say."""
    with GitHubServer() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def waiting(server: GitHubServer) -> StandInTime:
    return StandInTime(server.state.clock)


@pytest.fixture
def github(server: GitHubServer, waiting: StandInTime) -> GitHub:
    return connected(server, waiting)


def connected(server: GitHubServer, waiting: StandInTime, **environment: str) -> GitHub:
    """Return the port on a stand-in, with an environment that may differ."""
    found = connect({**server.environment(), **environment}, pacing=0, time=waiting)
    assert not isinstance(found, Missing), found
    return found
