"""The recorder's clusters, really made: what recordings and the other live tests rely on."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder import tools
from recorder.clusters import identity
from recorder.clusters.api import Api
from recorder.clusters.base import MINORS, ClusterError, open_clusters
from recorder.clusters.held import PROCESSES
from recorder.clusters.kind import KindCluster, need_docker
from recorder.clusters.local import APISERVER, CONTROLLER_MANAGER, LocalCluster
from recorder.tools import MissingToolError
from tests.recorder.programs import until

pytestmark = pytest.mark.live

ROOT = Path(__file__).parents[2]

READY_WITHIN = 60.0
"""In seconds, for both minors side by side on a busy machine of two cores; a quiet one needs 4."""

Answer = subprocess.CompletedProcess[str]


def kubectl(minor: str, kubeconfig: Path, *arguments: str) -> Answer:
    return subprocess.run(
        [tools.need("kubectl", minor).path, *arguments],
        env={"KUBECONFIG": str(kubeconfig), "HOME": str(kubeconfig.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run(cluster: LocalCluster, *arguments: str) -> str:
    answer = kubectl(cluster.minor, cluster.kubeconfig, *arguments)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def check_for_ten_seconds(cluster: LocalCluster) -> None:
    for _ in range(200):
        cluster.check()
        time.sleep(0.05)


@pytest.fixture(scope="module")
def clusters() -> Iterator[dict[str, LocalCluster]]:
    """Both minors, side by side, with a node each."""
    started = time.monotonic()
    with open_clusters("local", MINORS, nodes=1) as made:
        assert time.monotonic() - started < READY_WITHIN
        yield {cluster.minor: cluster for cluster in made if isinstance(cluster, LocalCluster)}


@pytest.fixture(params=MINORS)
def cluster(request: pytest.FixtureRequest, clusters: dict[str, LocalCluster]) -> LocalCluster:
    made = clusters[request.param]
    made.check()
    return made


def test_both_minors_run_side_by_side(clusters: dict[str, LocalCluster]) -> None:
    versions = {minor: json.loads(run(each, "version", "--output=json")) for minor, each in clusters.items()}

    assert list(versions) == list(MINORS)
    for minor, version in versions.items():
        assert version["serverVersion"]["gitVersion"] == clusters[minor].server_version
        assert clusters[minor].server_version.startswith(f"v{minor}.")


def test_the_kubeconfig_is_private_and_leads_to_loopback(cluster: LocalCluster) -> None:
    server = run(cluster, "config", "view", "--minify", "--output=jsonpath={.clusters[0].cluster.server}")

    assert server == cluster.api.address
    assert server.startswith("https://127.0.0.1:")
    assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600
    assert cluster.directory.stat().st_mode & 0o777 == 0o700
    assert run(cluster, "config", "current-context").strip() == cluster.context


def test_nobody_gets_in_without_a_token(cluster: LocalCluster) -> None:
    stranger = Api(cluster.api.port, cluster.api.ca_file, "guessed")

    assert cluster.api.get("/api/v1/secrets")[0] == http.client.OK
    assert stranger.get("/api/v1/secrets")[0] == http.client.UNAUTHORIZED


def test_a_cluster_prints_what_kinds_prints(cluster: LocalCluster) -> None:
    service = run(cluster, "create", "service", "clusterip", "web", "--tcp=80", "--dry-run=server", "--output=json")
    classes = json.loads(run(cluster, "get", "storageclasses", "--output=json"))["items"]

    assert json.loads(service)["spec"]["clusterIP"] == "10.96.0.0"
    assert [(each["metadata"]["name"], each["provisioner"]) for each in classes] == [
        ("standard", "rancher.io/local-path")
    ]


def test_the_default_namespace_is_whole_from_the_start(cluster: LocalCluster) -> None:
    names = run(cluster, "get", "serviceaccounts,configmaps,services", "--namespace=default", "--output=name").split()

    assert names == ["serviceaccount/default", "configmap/kube-root-ca.crt", "service/kubernetes"]


def test_workloads_become_ready(cluster: LocalCluster) -> None:
    run(cluster, "create", "deployment", "web", "--image=nginx", "--replicas=2")

    run(cluster, "rollout", "status", "deployment/web", "--timeout=60s")

    assert run(cluster, "get", "deployment", "web", "--output=jsonpath={.status.readyReplicas}") == "2"
    run(cluster, "delete", "deployment", "web", "--wait=false")


def test_namespaces_can_be_deleted(cluster: LocalCluster) -> None:
    run(cluster, "create", "namespace", "shop")
    run(cluster, "create", "deployment", "web", "--image=nginx", "--namespace=shop")
    run(cluster, "rollout", "status", "deployment/web", "--namespace=shop", "--timeout=60s")

    run(cluster, "delete", "namespace", "shop", "--timeout=60s")

    assert run(cluster, "get", "namespace", "shop", "--ignore-not-found") == ""


def test_a_user_has_the_rights_it_was_given_and_no_others(cluster: LocalCluster) -> None:
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]
    kubeconfig = cluster.user_kubeconfig("reader", rules)

    read = kubectl(cluster.minor, kubeconfig, "get", "configmaps", "--output=name")
    refused = kubectl(cluster.minor, kubeconfig, "get", "secrets")

    assert read.stdout == "configmap/kube-root-ca.crt\n"
    assert refused.returncode == 1
    assert refused.stderr.startswith(
        'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:'
    )
    assert kubeconfig.stat().st_mode & 0o777 == 0o600


def test_the_server_comes_back_where_it_was_with_what_it_had(cluster: LocalCluster) -> None:
    run(cluster, "create", "configmap", "kept")
    before = cluster.api.address

    cluster.stop_apiserver()
    refused = kubectl(cluster.minor, cluster.kubeconfig, "get", "configmap", "kept")
    cluster.start_apiserver()

    assert refused.returncode == 1
    assert "refused" in refused.stderr
    assert cluster.api.address == before
    assert run(cluster, "get", "configmap", "kept", "--output=name") == "configmap/kept\n"
    run(cluster, "delete", "configmap", "kept")


def test_a_kubeconfig_that_was_led_elsewhere_is_refused(cluster: LocalCluster) -> None:
    content = cluster.kubeconfig.read_text(encoding="utf-8")
    try:
        run(cluster, "config", "set-cluster", cluster.context, "--server=https://127.0.0.1:1")
        with pytest.raises(ClusterError, match=f"refused: kubeconfig leads {cluster.context} to a server"):
            cluster.check()
    finally:
        cluster.kubeconfig.write_text(content, encoding="utf-8")


def test_a_cluster_has_no_nodes_by_default_and_leaves_nothing() -> None:
    with LocalCluster(MINORS[0]) as cluster:
        directory, processes = cluster.directory, cluster.processes
        assert run(cluster, "get", "nodes", "--output=name") == ""
        assert all(process.alive for process in processes.values())

        os.kill(processes[CONTROLLER_MANAGER].pid, signal.SIGKILL)
        with pytest.raises(ClusterError) as caught:
            check_for_ten_seconds(cluster)
        # What was sent to the cluster may stand in its logs by now.
        assert str(caught.value) == f"{CONTROLLER_MANAGER} of {cluster.context} ended by itself (exit code -9)"

    assert not any(process.alive for process in processes.values())
    assert not directory.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_killed_holder(tmp_path: Path, number: signal.Signals) -> None:
    directory = tmp_path / "cluster"
    script = (
        "import time\nfrom pathlib import Path\nfrom recorder.clusters.local import LocalCluster\n"
        f"with LocalCluster({MINORS[1]!r}, directory=Path({str(directory)!r})):\n"
        " print('ready', flush=True)\n time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        processes = identity.read(directory / PROCESSES)
        assert APISERVER in processes
        holder.send_signal(number)
        assert holder.wait(10) == -number

    until(lambda: not directory.exists())
    until(lambda: not any(process.alive for process in processes.values()))


def test_the_command_line_keeps_a_cluster_between_commands(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "sluiceway").mkdir(parents=True)
    (cache / "sluiceway" / "assets").symlink_to(tools.cache_directory())
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "KUBECONFIG": "/of/the/person"}

    def recorder(*arguments: str) -> str:
        argv = [sys.executable, "-m", "recorder", "cluster", *arguments]
        answer = subprocess.run(
            argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    place = cache / "sluiceway" / "clusters" / f"local-{MINORS[0]}"
    try:
        made = recorder("up", "--minor", MINORS[0])
        processes = identity.read(place / PROCESSES)
        kubeconfig = Path(made.splitlines()[1].removeprefix("export KUBECONFIG="))
        assert kubectl(MINORS[0], kubeconfig, "get", "namespaces").returncode == 0
        assert recorder("status").split()[2] == "running"
    finally:
        ended = recorder("down")

    assert ended == f"ended {place.name}\n"
    assert not any(process.alive for process in processes.values())
    assert not place.exists()


@pytest.mark.parametrize("minor", MINORS)
def test_a_kind_cluster_is_made_and_deleted(minor: str) -> None:
    try:
        need_docker()
        tools.need("kind")
    except (ClusterError, MissingToolError) as error:
        pytest.skip(str(error))

    with KindCluster(minor) as cluster:
        cluster.check()
        assert cluster.server_version.startswith(f"v{minor}.")
        assert kubectl(minor, cluster.kubeconfig, "get", "namespaces").returncode == 0

    assert not cluster.directory.exists()
