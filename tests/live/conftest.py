"""Clusters of both minors, each started once and shared, and for each test a repo with a namespace of its own."""

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder import tools
from recorder.clusters.base import MINORS, ClusterError
from recorder.clusters.local import LocalCluster
from recorder.tools import MissingToolError
from tests.live.repo import Repo
from tests.live.server import Server

CLIENTS = {"1.34": "1.34.0", "1.37": "1.37"}
"""The kubectl for each minor: the floor for the older one (record 0060)."""


@pytest.fixture(scope="session", params=MINORS)
def shared(request: pytest.FixtureRequest) -> Iterator[LocalCluster]:
    """A control plane that the tests of one minor share. A tool that is missing fails them: they were asked for."""
    try:
        with LocalCluster(request.param) as cluster:
            yield cluster
    except (ClusterError, MissingToolError) as error:
        pytest.fail(f"live tests were asked for, and can't run: {error}", pytrace=False)


@pytest.fixture(scope="session")
def client(shared: LocalCluster) -> Path:
    """The kubectl of the cluster's minor."""
    try:
        return tools.need("kubectl", CLIENTS[shared.minor]).path
    except MissingToolError as error:
        pytest.fail(f"live tests were asked for, and can't run: {error}", pytrace=False)


@pytest.fixture(scope="session")
def home(shared: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home directory, shared so that kubectl asks a cluster for its kinds once."""
    return tmp_path_factory.mktemp(f"home-{shared.minor}")


@pytest.fixture
def repo(shared: LocalCluster, client: Path, home: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Repo:
    """A repo whose stacks go to a namespace that nobody else has."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower()).removeprefix("test-")[:40].strip("-")
    made = Repo(shared, Server(shared), client, tmp_path / "repo", f"{name}-{secrets.token_hex(3)}", home)
    made.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": made.namespace}})
    return made
