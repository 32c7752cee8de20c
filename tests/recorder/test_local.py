import base64
import re
from pathlib import Path

import pytest

from recorder.clusters import control_plane, local
from recorder.clusters.base import ClusterError, open_cluster, open_clusters
from recorder.clusters.control_plane import Layout
from recorder.clusters.held import Held
from recorder.clusters.identity import Identity
from recorder.clusters.local import LocalCluster
from tests.recorder.programs import Machine

STAY = "exec sleep 60"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Identity]:
    """Who every process is that is started through a keeper, so that a test can tell that none is left."""
    identities: list[Identity] = []
    start = Held.start

    def noted(self: Held, name: str, argv: list[str], env: dict[str, str]) -> None:
        start(self, name, argv, env)
        identities.extend(self.identities.values())

    monkeypatch.setattr(Held, "start", noted)
    return identities


def install(machine: Machine, *, apiserver: str = STAY, etcd: str = STAY) -> None:
    kubernetes = "kubernetes/v1.34.4"
    machine.says("etcd", "etcd Version: 3.6.13", folder="etcd/v3.6.13", script=etcd)
    machine.says("kube-apiserver", "Kubernetes v1.34.4", folder=kubernetes, script=apiserver)
    machine.says("kube-controller-manager", "Kubernetes v1.34.4", folder=kubernetes, script=STAY)
    machine.says("kube-scheduler", "Kubernetes v1.34.4", folder=kubernetes, script=STAY)


def assert_nothing_left(machine: Machine, started: list[Identity]) -> None:
    assert started
    assert not any(process.alive for process in started)
    assert machine.left_in_temporary() == []


def test_a_missing_tool_is_named_with_its_version(machine: Machine) -> None:
    with pytest.raises(ClusterError) as caught:
        LocalCluster("1.34").__enter__()
    assert str(caught.value).startswith("a local cluster of 1.34 can't be made: etcd was not found: looked in ")

    install(machine)
    with pytest.raises(ClusterError, match=r"can't be made: kube-apiserver 1\.37 was not found: .*\(v1\.34\.4\)"):
        LocalCluster("1.37").__enter__()
    with pytest.raises(ClusterError, match="can't be made: kwok was not found"):
        LocalCluster("1.34", nodes=1).__enter__()
    assert machine.left_in_temporary() == []


def test_a_server_that_dies_is_named_with_the_end_of_its_log(machine: Machine, started: list[Identity]) -> None:
    install(machine, apiserver="seq 100; echo unknown flag >&2; exit 3")

    with pytest.raises(ClusterError) as caught:
        LocalCluster("1.34").__enter__()

    message = str(caught.value)
    assert message.startswith("kube-apiserver of sluiceway-local-1.34 ended by itself (exit code 3); its log ends:\n")
    assert message.endswith("\n99\n100\nunknown flag")
    assert len(message.splitlines()) == 1 + local.TAIL_LINES
    assert_nothing_left(machine, started)


def test_the_store_dying_is_told_too(machine: Machine, started: list[Identity]) -> None:
    install(machine, etcd="echo no space; exit 1")

    with pytest.raises(ClusterError, match=r"etcd of .* ended by itself \(exit code 1\); its log ends:\nno space"):
        LocalCluster("1.34").__enter__()

    assert_nothing_left(machine, started)


def test_a_server_that_never_gets_ready_is_given_up(
    machine: Machine, started: list[Identity], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "READY_SECONDS", 0.3)
    install(machine)

    with pytest.raises(ClusterError, match=r"kube-apiserver: not within 0\.3 seconds"):
        LocalCluster("1.34").__enter__()

    assert_nothing_left(machine, started)


def test_a_port_that_another_program_took_is_not_the_end(machine: Machine, started: list[Identity]) -> None:
    ports = machine.root / "ports"
    install(machine, apiserver=f'echo "$@" >> {ports}; echo "listen tcp: bind: address already in use"; exit 1')

    with pytest.raises(ClusterError, match="address already in use"):
        LocalCluster("1.34").__enter__()

    tried = re.findall(r"--secure-port=(\d+)", ports.read_text(encoding="utf-8"))
    assert len(tried) == local.PORT_TRIES
    assert {int(port) in local.PORTS for port in tried} == {True}
    assert_nothing_left(machine, started)


def test_an_interrupted_start_leaves_nothing(
    machine: Machine, started: list[Identity], monkeypatch: pytest.MonkeyPatch
) -> None:
    install(machine)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "wait_until", interrupted)

    with pytest.raises(KeyboardInterrupt):
        LocalCluster("1.34").__enter__()

    assert_nothing_left(machine, started)


def test_no_variable_of_the_person_reaches_the_control_plane(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = machine.root / "environment"
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    install(machine, etcd=f"env > {seen}; exit 1")

    with pytest.raises(ClusterError):
        LocalCluster("1.34").__enter__()

    names = {line.partition("=")[0] for line in seen.read_text(encoding="utf-8").splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"HOME", "PATH", "LC_ALL", "TZ"}


@pytest.mark.parametrize("name", ["directory", "kubeconfig", "api", "processes"])
def test_a_cluster_is_not_there_outside_its_block(name: str) -> None:
    with pytest.raises(ValueError, match="use it inside its with block"):
        getattr(LocalCluster("1.34"), name)


def test_a_kind_of_cluster_that_is_not_offered_is_refused() -> None:
    with pytest.raises(ClusterError, match="no cluster of kind 'minikube': choose one of kind, local"):
        open_cluster("minikube", "1.34")


def test_clusters_side_by_side_are_all_there_or_none(machine: Machine, started: list[Identity]) -> None:
    install(machine)

    with pytest.raises(ClusterError, match=r"kube-apiserver 1\.37 was not found"), open_clusters("local", ["1.37"]):
        pytest.fail("there is no 1.37")

    assert machine.left_in_temporary() == []
    assert started == []


def test_the_control_plane_listens_on_loopback_only_and_gives_kinds_addresses(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    binary = Path("/bin/tool")

    apiserver = control_plane.apiserver(binary, layout, port=20001)
    others = (
        *control_plane.etcd(binary),
        *control_plane.controller_manager(binary, layout),
        *control_plane.scheduler(binary, layout),
        *control_plane.kwok(binary, layout),
    )

    assert {"--bind-address=127.0.0.1", "--secure-port=20001"} <= set(apiserver)
    assert "--service-cluster-ip-range=10.96.0.0/16" in apiserver
    assert others.count("--secure-port=0") == 2
    assert all(value.startswith("unix://") for value in re.findall(r"--\S*urls=(\S+)", " ".join(others)))


def test_secrets_are_private_and_new_each_time(tmp_path: Path) -> None:
    layouts = [Layout(tmp_path / name) for name in ("one", "two")]
    for layout in layouts:
        layout.directory.mkdir()

    one, two = (control_plane.write_secrets(layout) for layout in layouts)

    assert one.keys() == two.keys()
    assert len({*one.values(), *two.values()}) == 2 * len(one)
    assert all(len(token) >= 43 for token in one.values())
    for layout in layouts:
        assert {file.stat().st_mode & 0o777 for file in layout.directory.iterdir()} == {0o600}
    keys = [layout.service_account_key.read_text(encoding="utf-8") for layout in layouts]
    assert keys[0] != keys[1]


def test_a_key_is_a_number_on_its_curve() -> None:
    lines = control_plane.elliptic_curve_key().splitlines()

    assert (lines[0], lines[-1]) == ("-----BEGIN EC PRIVATE KEY-----", "-----END EC PRIVATE KEY-----")
    der = base64.b64decode("".join(lines[1:-1]))
    assert der[1] == len(der) - 2
    number = int.from_bytes(der[7:39], "big")
    assert 0 < number < control_plane._P256_ORDER
