import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from recorder.clusters.base import Cluster, ClusterError
from recorder.stage import Stage, minor_of
from recorder.take import TakeError
from recorder.tools import MissingToolError
from tests.recorder.repo import OTHER, VERSION, Repo
from tests.recorder.stand import SaidCluster, in_cache

KUBECONFIG = """\
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: a, user: {}}]
"""


class Clusters:
    """Makes clusters that are only said to be there, and keeps an account."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.account: list[str] = []
        self.both = threading.Barrier(2, timeout=10)
        self.together = False

    def open(self, kind: str, minor: str) -> AbstractContextManager[Cluster]:
        return self._opened(kind, minor)

    @contextmanager
    def _opened(self, kind: str, minor: str) -> Iterator[Cluster]:
        if self.together:
            self.both.wait()
        self.account.append(f"open {kind} {minor}")
        cluster = SaidCluster(minor, self.directory / minor)
        cluster.kubeconfig.write_text(KUBECONFIG)
        yield cluster
        self.account.append(f"close {kind} {minor}")


@pytest.fixture
def clusters(tmp_path: Path) -> Clusters:
    return Clusters(tmp_path)


@pytest.fixture
def stage(tmp_path: Path, clusters: Clusters) -> Iterator[Stage]:
    repo = Repo(tmp_path / "repo", tmp_path / "cache")
    repo.kubectl(VERSION)
    repo.kubectl(OTHER)
    with Stage(clusters.open, in_cache(repo.cache)) as made:
        yield made


def test_a_path_holds_the_tool_in_its_version_and_what_it_starts(stage: Stage, tmp_path: Path) -> None:
    path = stage.tools("kubectl", VERSION)
    assert sorted(entry.name for entry in path.iterdir()) == ["diff", "kubectl"]
    assert (path / "kubectl").resolve() == tmp_path / f"cache/sluiceway/assets/kubectl/{VERSION}/kubectl"
    assert stage.tools("kubectl", VERSION) == path
    assert stage.tools("kubectl", OTHER) != path


def test_a_version_that_is_not_there_is_an_error_that_says_where_it_was_looked_for(stage: Stage) -> None:
    with pytest.raises(MissingToolError, match=r"kubectl 1.35.0 was not found"):
        stage.tools("kubectl", "v1.35.0")


def test_a_folder_with_another_version_in_it_does_not_count(stage: Stage, tmp_path: Path) -> None:
    Repo(tmp_path / "repo", tmp_path / "cache").kubectl("v1.36.0", says="v1.36.9")
    with pytest.raises(MissingToolError):
        stage.tools("kubectl", "v1.36.0")


def test_a_machine_without_diff_is_told_so(tmp_path: Path, clusters: Clusters) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "cache")
    repo.kubectl()
    stage = Stage(clusters.open, in_cache(repo.cache), {"PATH": str(tmp_path)})
    with stage, pytest.raises(TakeError, match="diff is not on PATH"):
        stage.tools("kubectl", VERSION)


def test_a_cluster_is_made_once_for_a_minor_and_thrown_away_at_the_end(clusters: Clusters, stage: Stage) -> None:
    first = stage.standing("local", VERSION)
    assert stage.standing("local", VERSION) is first
    assert stage.standing("local", OTHER) is not first
    assert first.cluster.minor == "1.34"
    assert clusters.account == ["open local 1.34", "open local 1.37"]
    stage.__exit__(None, None, None)
    assert clusters.account[2:] == ["close local 1.37", "close local 1.34"]
    assert not stage.directory.exists()


def test_a_cluster_that_can_not_be_made_is_tried_once(clusters: Clusters, stage: Stage) -> None:
    def refuse(kind: str, minor: str) -> AbstractContextManager[Cluster]:
        clusters.account.append(f"refuse {kind} {minor}")
        raise ClusterError("no engine answers: use --cluster=local")

    stage.open_cluster = refuse
    for _ in range(2):
        with pytest.raises(ClusterError, match="use --cluster=local"):
            stage.standing("kind", VERSION)
    assert clusters.account == ["refuse kind 1.34"]


def test_two_minors_are_made_side_by_side(clusters: Clusters, stage: Stage) -> None:
    clusters.together = True
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda version: stage.standing("local", version), (VERSION, OTHER)))
    assert [standing.cluster.minor for standing in made] == ["1.34", "1.37"]


def test_the_private_directory_is_ours_alone(stage: Stage) -> None:
    assert stage.directory.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("version", "minor"), [("v1.34.0", "1.34"), ("1.37.1", "1.37"), ("v3.18.0", "3.18")])
def test_the_minor_of_a_version(version: str, minor: str) -> None:
    assert minor_of(version) == minor


def test_what_is_no_version_has_no_minor() -> None:
    with pytest.raises(TakeError, match="new is not a version"):
        minor_of("new")
