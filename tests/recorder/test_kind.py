import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recorder.clusters import kind
from recorder.clusters.base import ClusterError, open_cluster
from recorder.clusters.kind import IMAGES, KindCluster
from tests.recorder.programs import Machine, until, write_program

ROOT = Path(__file__).parents[2]

HOLDER = """
import time
from recorder.clusters.kind import KindCluster
with KindCluster("1.34"):
    print("ready", flush=True)
    time.sleep(60)
"""


def commands(machine: Machine) -> list[str]:
    return [" ".join(call.split()[:2]) for call in machine.calls()]


def test_a_cluster_is_created_used_and_deleted(machine: Machine) -> None:
    machine.with_kind()

    with open_cluster("kind", "1.34") as cluster:
        assert isinstance(cluster, KindCluster)
        name = cluster.name
        assert (cluster.kind, cluster.minor, cluster.server_version) == ("kind", "1.34", "v1.34.11")
        assert cluster.context == f"kind-{name}"
        assert cluster.environment() == {"KUBECONFIG": str(cluster.kubeconfig)}
        assert cluster.kubeconfig.stat().st_mode & 0o777 == 0o600
        assert cluster.directory.stat().st_mode & 0o777 == 0o700
        cluster.check()

    kubeconfig = f"--kubeconfig={cluster.kubeconfig}"
    assert machine.calls() == [
        f"create cluster --name={name} --image={IMAGES['1.34']} {kubeconfig} --wait=120s KUBECONFIG=",
        f"delete cluster --name={name} {kubeconfig} KUBECONFIG=",
    ]
    assert machine.left_in_temporary() == []


def test_every_cluster_has_a_name_of_its_own() -> None:
    names = {KindCluster("1.34").name for _ in range(20)}

    assert len(names) == 20
    assert all(name.startswith("sluiceway-1-34-") for name in names)


@pytest.mark.parametrize("minor", ["1.34", "1.37"])
def test_node_images_are_pinned_by_a_digest(minor: str) -> None:
    tag, _, digest = IMAGES[minor].partition("@sha256:")

    assert tag.startswith(f"kindest/node:v{minor}.")
    assert len(bytes.fromhex(digest)) == 32


def test_the_variables_that_lead_kind_elsewhere_are_not_passed_on(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIND_CLUSTER_NAME", "production")
    monkeypatch.setenv("KIND_EXPERIMENTAL_PROVIDER", "podman")
    monkeypatch.setenv("DOCKER_HOST", "unix:///run/docker.sock")
    machine.with_kind()

    environment = kind._environment()

    assert "DOCKER_HOST" in environment
    assert not {"KUBECONFIG", "KIND_CLUSTER_NAME", "KIND_EXPERIMENTAL_PROVIDER"} & set(environment)


def test_half_a_cluster_is_deleted_too(machine: Machine) -> None:
    machine.with_kind(create=3)

    with pytest.raises(ClusterError, match=r"could not make .*\(exit code 3\); its log ends:\nmaking nodes"):
        KindCluster("1.34").__enter__()

    assert commands(machine) == ["create cluster", "delete cluster"]
    assert machine.left_in_temporary() == []


def test_a_cluster_is_deleted_when_its_use_fails(machine: Machine) -> None:
    machine.with_kind()

    with pytest.raises(RuntimeError, match="the use"), KindCluster("1.34"):
        raise RuntimeError("the use")

    assert commands(machine) == ["create cluster", "delete cluster"]
    assert machine.left_in_temporary() == []


def test_a_cluster_that_can_not_be_deleted_is_named(machine: Machine) -> None:
    machine.with_kind(delete=1)
    cluster = KindCluster("1.34")

    with pytest.raises(ClusterError) as caught, cluster:
        pass

    assert str(caught.value) == (
        f"what ends the cluster failed (exit code 1): delete it with 'kind delete cluster --name {cluster.name}'"
    )
    assert machine.left_in_temporary() == []


def test_an_installed_docker_client_is_not_docker(machine: Machine) -> None:
    machine.with_kind()
    write_program(machine.bin / "docker", 'echo "Cannot connect to the Docker daemon" >&2; exit 1')

    with pytest.raises(ClusterError) as caught:
        KindCluster("1.34").__enter__()

    assert str(caught.value) == "kind needs Docker, and no Docker engine answers: start it, or use --cluster=local"
    assert machine.calls() == []


def test_a_missing_kind_is_named_with_the_other_way(machine: Machine) -> None:
    machine.with_kind()
    (machine.bin / "kind").unlink()

    with pytest.raises(ClusterError, match=r"kind >=0.33.0 was not found: looked in .* Or use --cluster=local$"):
        KindCluster("1.34").__enter__()


def test_a_minor_without_a_pinned_image_is_refused(machine: Machine) -> None:
    machine.with_kind()

    with pytest.raises(ClusterError, match=r"no node image is pinned for Kubernetes 1\.30: choose one of 1\.34, 1\.37"):
        KindCluster("1.30").__enter__()

    assert machine.calls() == []


@pytest.mark.parametrize("context", ["production", "kind-production", "sluiceway-local-1.34"])
def test_a_context_that_was_not_made_here_is_refused_and_the_cluster_deleted(machine: Machine, context: str) -> None:
    machine.with_kind(context=context)

    with pytest.raises(ClusterError, match=r"^refused: the current context of kubeconfig is not kind-sluiceway-1-34-"):
        KindCluster("1.34").__enter__()

    assert commands(machine) == ["create cluster", "delete cluster"]
    assert machine.left_in_temporary() == []


def test_a_kubeconfig_that_was_led_elsewhere_is_refused(machine: Machine) -> None:
    machine.with_kind()

    with KindCluster("1.34") as cluster:
        content = cluster.kubeconfig.read_text(encoding="utf-8")
        cluster.kubeconfig.write_text(content.replace("127.0.0.1", "production.example"), encoding="utf-8")

        with pytest.raises(ClusterError, match=r"refused: kubeconfig leads kind-sluiceway-1-34-.* to a server"):
            cluster.check()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_cluster_is_deleted_when_its_holder_is_killed(machine: Machine, number: signal.Signals) -> None:
    machine.with_kind()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLDER,
        ],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(machine.temporary)},
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        holder.send_signal(number)
        assert holder.wait(10) == -number

    until(lambda: commands(machine) == ["create cluster", "delete cluster"])
    until(lambda: machine.left_in_temporary() == [])


def test_a_creation_that_is_broken_off_leaves_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.with_kind()
    script = (machine.bin / "kind").read_text(encoding="utf-8")
    (machine.bin / "kind").write_text(script.replace("    exit 0;;\nesac", "    sleep 60;;\nesac"), encoding="utf-8")
    monkeypatch.setattr(kind, "CREATE_SECONDS", 0.5)
    started = time.monotonic()

    with pytest.raises(ClusterError, match=r"the kind cluster sluiceway-1-34-.*: not within 0\.5 seconds"):
        KindCluster("1.34").__enter__()

    assert time.monotonic() - started < 20
    assert commands(machine) == ["create cluster", "delete cluster"]
    assert machine.left_in_temporary() == []
