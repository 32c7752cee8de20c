"""The recorder's hands on its cluster, against a cluster that is a dictionary."""

import json
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recorder import admin as admin_module
from recorder.admin import Admin, AdminError

GIVEN: dict[str, dict[str, Any]] = {"ConfigMap/kube-root-ca.crt": {}, "ServiceAccount/default": {}}


@dataclass
class Tiny(Admin):
    """Namespaces by name, each with its objects: ``kind/name`` to metadata. ``ghosts`` come back once when deleted."""

    kubectl: Path = Path("kubectl")
    environment: dict[str, str] = field(default_factory=dict)
    namespaces: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    crds: list[str] = field(default_factory=list)
    ghosts: set[str] = field(default_factory=set)
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def run(self, *arguments: str, may_fail: bool = False) -> bytes:
        assert may_fail == (arguments[0] == "patch")
        self.asked.append(arguments)
        options = dict(
            word.removeprefix("--").split("=", 1) for word in arguments if word.startswith("--") and "=" in word
        )
        words = [word for word in arguments if not word.startswith("-")]
        answer = getattr(self, "do_" + words[0].replace("-", "_"))(words[1:], options.get("namespace", ""))
        return str(answer or "").encode()

    def do_api_resources(self, _words: list[str], _namespace: str) -> str:
        return "configmaps\nevents\ndeployments.apps\n" + ("widgets.example.com\n" if self.crds else "")

    def do_get(self, words: list[str], namespace: str) -> str:
        if words == ["namespaces"]:
            return "\n".join(f"namespace/{name}" for name in ["kube-system", "default", *self.namespaces])
        if words == ["customresourcedefinitions"]:
            return "\n".join(self.crds)
        assert "events" not in words[0]
        found = self.namespaces[namespace]
        return json.dumps({"items": [self._object(name, metadata) for name, metadata in found.items()]})

    def do_create(self, words: list[str], _namespace: str) -> None:
        self.namespaces[words[1]] = dict(GIVEN)

    def do_delete(self, words: list[str], namespace: str) -> None:
        for word in words:
            kind, name = word.split("/")
            if kind == "namespace":
                del self.namespaces[name]
            elif kind.startswith("customresource"):
                self.crds.remove(word)
            else:
                self._drop(namespace, f"{kind.split('.')[0]}/{name}")

    def do_patch(self, words: list[str], namespace: str) -> None:
        del self.namespaces[namespace][words[0]]

    def _drop(self, namespace: str, name: str) -> None:
        if self.namespaces[namespace][name].get("finalizers"):
            return
        if name in self.ghosts:
            self.ghosts.remove(name)
        else:
            del self.namespaces[namespace][name]

    @staticmethod
    def _object(name: str, metadata: dict[str, Any]) -> dict[str, Any]:
        kind, _, name = name.partition("/")
        version = "apps/v1" if kind == "Deployment" else "v1"
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "POLL_SECONDS", 0)


def test_a_namespace_is_emptied_and_keeps_what_it_is_given() -> None:
    tiny = Tiny(namespaces={"shop": {**GIVEN, "Deployment/web": {}, "ConfigMap/settings": {}}})
    tiny.reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}
    deletes = [arguments for arguments in tiny.asked if arguments[0] == "delete"]
    assert deletes[0][1:4] == ("Deployment.v1.apps/web", "ConfigMap/settings", "--namespace=shop")


def test_what_a_controller_puts_back_is_deleted_again() -> None:
    tiny = Tiny(namespaces={"shop": {**GIVEN, "Deployment/web": {}}}, ghosts={"Deployment/web"})
    tiny.reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}


def test_an_object_that_waits_for_a_finalizer_is_released() -> None:
    tiny = Tiny(namespaces={"shop": {**GIVEN, "ConfigMap/held": {"finalizers": ["example.com/hold"]}}})
    tiny.reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}


def test_missing_namespaces_are_made_and_others_go_with_every_crd() -> None:
    tiny = Tiny(namespaces={"extra": dict(GIVEN)}, crds=["customresourcedefinition.apiextensions.k8s.io/widgets"])
    tiny.reset(["shop", "other"])
    assert tiny.namespaces == {"shop": GIVEN, "other": GIVEN}
    assert tiny.crds == []


def test_the_systems_own_namespaces_are_never_touched() -> None:
    tiny = Tiny()
    tiny.reset(["shop"])
    assert not any("kube-system" in word or "default" in word for words in tiny.asked for word in words)


def test_an_object_in_a_namespace_that_will_not_go_is_an_error_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "EMPTY_SECONDS", 0)
    monkeypatch.setattr(Tiny, "do_delete", lambda *_: None)
    with pytest.raises(AdminError, match="namespace shop is empty: not within 0 seconds"):
        Tiny(namespaces={"shop": {"ConfigMap/a": {}}}).reset(["shop"])


def program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_kubectl_runs_in_the_given_environment_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/of/the/person")
    kubectl = program(tmp_path / "kubectl", 'echo "$KUBECONFIG $1"')
    assert Admin(kubectl, {"KUBECONFIG": "/ours"}).run("get") == b"/ours get\n"


def test_a_failure_names_the_verb_and_the_code_and_quotes_nothing(tmp_path: Path) -> None:
    kubectl = program(tmp_path / "kubectl", "echo CANARY >&2; exit 3")
    with pytest.raises(AdminError) as error:
        Admin(kubectl, {}).run("get", "CANARY")
    assert str(error.value) == "kubectl get ended with exit code 3"
    assert Admin(kubectl, {}).run("get", may_fail=True) == b""


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "COMMAND_SECONDS", 0.2)
    kubectl = program(tmp_path / "kubectl", "exec sleep 30")
    with pytest.raises(AdminError, match=r"kubectl get: not within 0.2 seconds"):
        Admin(kubectl, {"PATH": "/usr/bin:/bin"}).run("get")
