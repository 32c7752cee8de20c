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
from tests.live import helm_repo
from tests.live.helm_repo import HelmRepo
from tests.live.repo import Repo
from tests.live.server import Server

CLIENTS = {"1.34": "1.34.0", "1.37": "1.37"}
"""The kubectl for each minor: the floor for the older one (record 0060)."""

HELMS = {"1.34": "3.18.0", "1.37": "4.3"}
"""The helm for each minor (``scenarios/versions.yaml``)."""


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


@pytest.fixture(scope="session", params=MINORS, ids=[f"helm-{HELMS[minor]}" for minor in MINORS])
def helm_cluster(request: pytest.FixtureRequest) -> Iterator[LocalCluster]:
    """A control plane with a node, that the tests of one helm share. Without the diff plugin they are skipped."""
    missing = helm_repo.missing()
    if missing:
        pytest.skip(missing)
    try:
        with LocalCluster(request.param, nodes=1) as cluster:
            yield cluster
    except (ClusterError, MissingToolError) as error:
        pytest.fail(f"live tests were asked for, and can't run: {error}", pytrace=False)


@pytest.fixture(scope="session")
def helm_home(helm_cluster: LocalCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home directory, shared so that helm asks a cluster for its kinds once."""
    return tmp_path_factory.mktemp(f"helm-home-{helm_cluster.minor}")


@pytest.fixture
def shop(helm_cluster: LocalCluster, helm_home: Path, tmp_path: Path, request: pytest.FixtureRequest) -> HelmRepo:
    """A repo whose releases go to a namespace that nobody else has."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.lower()).removeprefix("test-")[:40].strip("-")
    made = HelmRepo(
        helm_cluster,
        Server(helm_cluster),
        tools.need("kubectl", CLIENTS[helm_cluster.minor]).path,
        tmp_path / "repo",
        f"{name}-{secrets.token_hex(3)}",
        helm_home,
        helm=tools.need("helm", HELMS[helm_cluster.minor]).path,
        plugins=tools.need(tools.PLUGIN, tools.PLUGIN_WANTED).path.parent,
    )
    made.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": made.namespace}})
    return made
