import json
from pathlib import Path

import pytest

from recorder.clusters import kind, standing
from recorder.clusters.base import ClusterError
from recorder.clusters.held import Held
from tests.recorder.programs import Machine


def commands(machine: Machine) -> list[str]:
    return [" ".join(call.split()[:2]) for call in machine.calls()]


def test_the_folder_is_where_the_person_wants_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")

    assert standing.folder({}) == Path("/home/somebody/.cache/sluiceway/clusters")
    assert standing.folder({"XDG_CACHE_HOME": "/caches"}) == Path("/caches/sluiceway/clusters")


def test_nothing_stands_at_first(machine: Machine) -> None:
    assert not machine.clusters.exists()
    assert standing.all_standing() == []


def test_a_kind_cluster_stands_until_it_is_ended(machine: Machine) -> None:
    machine.with_kind()

    made = standing.up("kind", ["1.34", "1.37"], nodes=0)

    assert [each.name for each in made] == ["kind-1.34", "kind-1.37"]
    assert standing.all_standing() == made
    assert made[0].server_version == "v1.34.11"
    assert made[0].kubeconfig == machine.clusters / "kind-1.34" / "kubeconfig"
    assert made[0].kubeconfig.exists()
    assert [standing.missing(each) for each in made] == [[], []]
    assert "delete cluster" not in commands(machine)

    standing.down(made[0])

    assert standing.all_standing() == made[1:]
    name = made[0].context.removeprefix("kind-")
    assert machine.calls()[-1].startswith(f"delete cluster --name={name} --kubeconfig={made[0].kubeconfig}")


def test_a_kind_cluster_that_somebody_deleted_is_told(machine: Machine) -> None:
    machine.with_kind()
    made = standing.up("kind", ["1.34"], nodes=0)

    (machine.root / "names").write_text("another\n", encoding="utf-8")

    assert standing.missing(made[0]) == [made[0].context]


def test_a_cluster_that_can_not_be_deleted_still_stands(machine: Machine) -> None:
    machine.with_kind(delete=1)
    made = standing.up("kind", ["1.34"], nodes=0)

    with pytest.raises(ClusterError, match=r"kind delete failed \(exit code 1\)"):
        standing.down(made[0])

    assert standing.all_standing() == made


def test_a_command_of_kind_that_hangs_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.with_kind()
    made = standing.up("kind", ["1.34"], nodes=0)
    machine.says("kind", "kind v0.33.0", script="exec sleep 60")
    monkeypatch.setattr(kind, "COMMAND_SECONDS", 0.3)

    with pytest.raises(ClusterError, match=r"kind get: not within 0\.3 seconds"):
        standing.missing(made[0])


def test_none_stands_when_one_can_not_be_made(machine: Machine) -> None:
    machine.with_kind()

    with pytest.raises(ClusterError, match=r"no node image is pinned for Kubernetes 1\.30"):
        standing.up("kind", ["1.34", "1.30"], nodes=0)

    assert standing.all_standing() == []
    assert commands(machine) == ["create cluster", "delete cluster"]


def test_one_stands_at_a_time(machine: Machine) -> None:
    machine.with_kind()
    made = standing.up("kind", ["1.34"], nodes=0)

    with pytest.raises(ClusterError, match=r"kind-1\.34 is there already: end that cluster first"):
        standing.up("kind", ["1.34"], nodes=0)

    assert standing.all_standing() == made


def test_what_was_never_finished_can_be_ended(machine: Machine) -> None:
    held = Held(machine.clusters / "local-1.34")
    held.start("etcd", ["/bin/sleep", "60"], {})
    processes = held.identities

    [unfinished] = standing.all_standing()
    assert (unfinished.name, unfinished.server_version) == ("local-1.34", "")
    assert standing.missing(unfinished) == []
    standing.down(unfinished)

    assert not any(process.alive for process in processes.values())
    assert standing.all_standing() == []
    held.close()


def test_a_process_that_is_gone_is_told_and_a_stranger_left_alone(machine: Machine) -> None:
    held = Held(machine.clusters / "local-1.34")
    held.start("etcd", ["/bin/sleep", "60"], {})
    file = machine.clusters / "local-1.34" / "processes.json"
    noted = json.loads(file.read_text(encoding="utf-8"))
    stranger = {**noted["etcd"], "started": "before the last boot"}
    file.write_text(json.dumps({"etcd": stranger}), encoding="utf-8")

    [found] = standing.all_standing()
    assert standing.missing(found) == ["etcd"]
    standing.down(found)

    assert held.identities["etcd"].alive
    held.close()
