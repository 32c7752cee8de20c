import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from recorder.clusters.base import Cluster, ClusterError
from recorder.stage import Stage
from recorder.take import TakeError
from recorder.tools import MissingToolError
from tests.recorder.repo import HELM, OTHER, VERSION, Repo
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

    def open(self, kind: str, minor: str, *, nodes: int) -> AbstractContextManager[Cluster]:
        return self._opened(kind, f"{minor}, nodes: {nodes}" if nodes else minor)

    @contextmanager
    def _opened(self, kind: str, minor: str) -> Iterator[Cluster]:
        if self.together:
            self.both.wait()
        self.account.append(f"open {kind} {minor}")
        cluster = SaidCluster(minor, self.directory / minor.replace(", nodes: ", "-"))
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
    first = stage.standing("local", "1.34")
    assert stage.standing("local", "1.34") is first
    assert stage.standing("local", "1.37") is not first
    assert first.cluster.minor == "1.34"
    assert clusters.account == ["open local 1.34", "open local 1.37"]
    stage.__exit__(None, None, None)
    assert clusters.account[2:] == ["close local 1.37", "close local 1.34"]
    assert not stage.directory.exists()


def test_a_cluster_that_can_not_be_made_is_tried_once(clusters: Clusters, stage: Stage) -> None:
    def refuse(kind: str, minor: str, *, nodes: int) -> AbstractContextManager[Cluster]:
        assert nodes == 0
        clusters.account.append(f"refuse {kind} {minor}")
        raise ClusterError("no engine answers: use --cluster=local")

    stage.open_cluster = refuse
    for _ in range(2):
        with pytest.raises(ClusterError, match="use --cluster=local"):
            stage.standing("kind", "1.34")
    assert clusters.account == ["refuse kind 1.34"]


def test_two_minors_are_made_side_by_side(clusters: Clusters, stage: Stage) -> None:
    clusters.together = True
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda minor: stage.standing("local", minor), ("1.34", "1.37")))
    assert [standing.cluster.minor for standing in made] == ["1.34", "1.37"]


def test_the_private_directory_is_ours_alone(stage: Stage) -> None:
    assert stage.directory.stat().st_mode & 0o777 == 0o700


def test_a_cluster_with_nodes_is_another_one_but_kind_has_its_own(clusters: Clusters, stage: Stage) -> None:
    plain = stage.standing("local", "1.34")
    assert stage.standing("local", "1.34", nodes=1) is stage.standing("local", "1.34", nodes=1)
    assert stage.standing("local", "1.34", nodes=1) is not plain
    assert stage.standing("kind", "1.34", nodes=1) is stage.standing("kind", "1.34")
    assert clusters.account == ["open local 1.34", "open local 1.34, nodes: 1", "open kind 1.34"]


def test_helm_finds_its_diff_plugin_and_no_other_of_the_person(tmp_path: Path, clusters: Clusters) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "cache")
    repo.helm(HELM)
    plugin = repo.plugin()
    with Stage(clusters.open, in_cache(repo.cache)) as stage:
        variables = stage.variables("helm", HELM, tmp_path / "home", tmp_path / "tmp")
        plugins = Path(variables["HELM_PLUGINS"])
        assert [entry.name for entry in plugins.iterdir()] == ["diff"]
        assert (plugins / "diff/bin/diff").resolve() == plugin
        assert not plugins.is_relative_to(repo.cache)
        assert stage.variables("helm", HELM, tmp_path / "other", tmp_path / "tmp")["HELM_PLUGINS"] == str(plugins)
        assert stage.plugin().version == "v3.15.11"


@pytest.mark.parametrize("version", [None, "3.15.10"])
def test_a_plugin_that_is_missing_or_too_old_is_told_with_where_it_was_looked_for(
    tmp_path: Path, clusters: Clusters, version: str | None
) -> None:
    repo = Repo(tmp_path / "repo", tmp_path / "cache")
    repo.helm(HELM)
    if version:
        repo.plugin(version)
    with Stage(clusters.open, in_cache(repo.cache)) as stage, pytest.raises(MissingToolError) as error:
        stage.variables("helm", HELM, tmp_path, tmp_path)
    there = f"v{version}" if version else "none"
    assert f"helm-diff >=3.15.11 was not found: looked in HELM_PLUGINS (none); {tmp_path}/cache" in str(error.value)
    assert f"/helm-plugins ({there}). Get it from https://" in str(error.value)


def test_kubectl_is_given_no_plugin_of_helm(stage: Stage, tmp_path: Path) -> None:
    variables = stage.variables("kubectl", VERSION, tmp_path / "home", tmp_path / "tmp")
    assert variables.keys() == {"HOME", "LC_ALL", "PATH", "TMPDIR", "TZ"}
