import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.live_set import MANY, LiveSet, Shares
from sluiceway.adapters.kubectl.session import Session
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Running
from tests.adapters.kubectl.made import Answered, live, manifest

NOTHING = Outcome("exited", 0)
DENIED = Outcome("exited", 1, b"", 'Error from server (Forbidden): configmaps is forbidden: User "ci" cannot list\n')


@dataclass
class Cluster:
    """Answers a list, a read of names and a read of the whole set each with its own outcome."""

    lists: Outcome = NOTHING
    alone: Outcome = NOTHING
    whole: Outcome = NOTHING
    asked: list[Command] = field(default_factory=list)
    named: list[str] = field(default_factory=list)

    def start(self, command: Command) -> Running:
        self.asked.append(command)
        file = Path(command.argv[-1])
        if file.name == "alone.yaml":
            self.named = [item["metadata"]["name"] for item in json.loads(file.read_text())["items"]]
            return Answered(self.alone)
        return Answered(self.whole if file.name == "manifests.yaml" else self.lists)

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()

    def lists_asked(self) -> list[tuple[str, ...]]:
        return [command.argv[2:4] for command in self.asked if command.tried]


def objects(*found: Any) -> Outcome:
    return Outcome("exited", 0, json.dumps({"kind": "List", "items": [dict(item.tree) for item in found]}).encode())


def many(kind: str = "ConfigMap", count: int = MANY, namespace: str | None = None, **more: Any) -> list[Manifest]:
    return [manifest(kind, f"n-{number}", namespace, **more) for number in range(count)]


def read(tmp_path: Path, cluster: Cluster, manifests: list[Manifest], namespace: str = "t") -> list[str] | Failure:
    stack = Stack("web", "web", "kubectl", {"namespace": namespace})
    place = Workplace(stack, tmp_path, cluster, tmp_path)
    found = LiveSet.start(Session.at(place), tuple(manifests)).wait()
    return found if isinstance(found, Failure) else [item.address for item in found]


def test_a_small_set_is_read_from_its_own_file_with_one_command(tmp_path: Path) -> None:
    cluster = Cluster(whole=objects(live(name="n-0")))
    assert read(tmp_path, cluster, many(count=MANY - 1)) == ["ConfigMap/t/n-0"]
    assert len(cluster.asked) == 1


def test_many_of_one_kind_are_listed_and_those_of_the_set_picked_out(tmp_path: Path) -> None:
    there = [live(name="n-0"), live(name="n-1"), live(name="stranger"), live("Deployment", "n-2", version="apps/v1")]
    cluster = Cluster(lists=objects(*there))
    assert read(tmp_path, cluster, many()) == ["ConfigMap/t/n-0", "ConfigMap/t/n-1"]
    assert cluster.lists_asked() == [("ConfigMap.v1.", "--namespace=t")]
    assert len(cluster.asked) == 1


def test_a_list_is_asked_for_in_the_namespace_that_is_written(tmp_path: Path) -> None:
    cluster = Cluster()
    read(tmp_path, cluster, [*many(namespace="u"), *many("Deployment", namespace="u", version="apps/v1"), *many()])
    assert cluster.lists_asked() == [
        ("ConfigMap.v1.,Deployment.v1.apps", "--namespace=u"),
        ("ConfigMap.v1.", "--namespace=t"),
    ]


def test_the_others_are_read_by_their_names(tmp_path: Path) -> None:
    cluster = Cluster(lists=objects(live(name="n-0")), alone=objects(live("Namespace", "t", None)))
    mixed = [*many(), manifest("Namespace", "t"), manifest("Namespace", "u", "v")]
    assert read(tmp_path, cluster, mixed) == ["ConfigMap/t/n-0", "Namespace/t"]
    assert cluster.named == ["t", "u"]


def test_secrets_are_never_listed(tmp_path: Path) -> None:
    cluster = Cluster()
    read(tmp_path, cluster, [*many("Secret"), *many()])
    assert cluster.lists_asked() == [("ConfigMap.v1.", "--namespace=t")]
    assert len(cluster.named) == MANY


def test_a_set_that_is_asked_about_side_by_side_is_listed_sooner() -> None:
    manifests = tuple(many(count=MANY // 8))
    assert Shares.of(manifests).listed == {}
    assert Shares.of(manifests, 8).alone == []
    assert Shares.of(manifests[:1], 64).listed == {}


def test_a_secret_of_another_group_is_any_kind() -> None:
    assert Shares.of(tuple(many("Secret", version="vault.example.com/v1"))).alone == []


@pytest.mark.parametrize("kind", ["--all", "a,b", "a b", "Pod/x", "K\n"])
def test_what_could_be_a_flag_or_another_kind_is_never_on_a_command_line(kind: str) -> None:
    assert Shares.of(tuple(many(kind))).listed == {}


@pytest.mark.parametrize("version", ["", "v1,pods", "e.com/v1,secrets", "E.com/v1", "v1/../v2", "e.com/v1\n"])
def test_nor_is_a_strange_version(version: str) -> None:
    assert Shares.of(tuple(many(version=version))).listed == {}


def test_a_set_with_an_object_that_has_no_name_is_read_from_its_own_file(tmp_path: Path) -> None:
    cluster = Cluster(whole=objects(live()))
    assert read(tmp_path, cluster, [*many(), manifest("ConfigMap", "")]) == ["ConfigMap/t/a"]
    assert cluster.lists_asked() == []


@pytest.mark.parametrize(
    "refused", [DENIED, Outcome("exited", 0, b"{"), Outcome("too-large", -9), Outcome("exited", 0, b'{"items": [1]}')]
)
def test_where_a_list_is_refused_the_whole_set_is_read(tmp_path: Path, refused: Outcome) -> None:
    cluster = Cluster(lists=refused, whole=objects(live(name="n-1"), live("Namespace", "t", None)))
    assert read(tmp_path, cluster, [*many(), manifest("Namespace", "t")]) == ["ConfigMap/t/n-1", "Namespace/t"]


def test_a_refused_list_is_no_failure_and_the_read_that_stands_in_may_be_one(tmp_path: Path) -> None:
    failure = read(
        tmp_path, Cluster(lists=DENIED, whole=Outcome("exited", 1, b"", 'error: context "a" does not exist')), many()
    )
    assert isinstance(failure, Failure)
    assert failure.reason.names == {"context": "a"}


def test_names_that_cannot_be_read_are_a_failure(tmp_path: Path) -> None:
    mixed = [*many(), manifest("Namespace", "t")]
    assert isinstance(read(tmp_path, Cluster(alone=Outcome("timed-out", limit=1)), mixed), Failure)
