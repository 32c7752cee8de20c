"""A world for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.dashboard.world import Cluster, World
from tests.github.standin import GitHubServer, Person


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    """A stand-in that has to have been asked as GitHub's descriptions say."""
    with GitHubServer() as server:
        yield server
    assert server.violations == []


@pytest.fixture
def world(server: GitHubServer, tmp_path: Path) -> World:
    """A repo of three stacks."""
    return World(tmp_path / "repo", server, Cluster(["db", "net", "web"]))


@pytest.fixture
def ada(server: GitHubServer) -> Person:
    """Who may deploy."""
    return server.person("ada", "write")
