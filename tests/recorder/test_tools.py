import json
from pathlib import Path

import pytest

from recorder import tools
from recorder.tools import Found, Missing, MissingToolError
from tests.recorder.programs import Machine, write_program


def path_of(result: Found | Missing) -> Path:
    assert isinstance(result, Found), result
    return result.path


@pytest.mark.parametrize(
    ("version", "wanted", "expected"),
    [
        ("1.34.0", "", True),
        ("1.34.0", "1.34.0", True),
        ("1.34.11", "1.34", True),
        ("1.34.11", "1.34.1", False),
        ("1.34.0", "1.3", False),
        ("1.37.0", "1.34", False),
        ("3.15.11", ">=3.15.11", True),
        ("3.16.0", ">=3.15.11", True),
        ("3.15.9", ">=3.15.11", False),
        ("4.0.0", ">=3.15.11", True),
    ],
)
def test_a_version_is_whole_a_start_or_a_floor(version: str, wanted: str, *, expected: bool) -> None:
    assert tools.satisfies(version, wanted) is expected


@pytest.mark.parametrize(
    ("tool", "output", "version"),
    [
        ("kubectl", json.dumps({"clientVersion": {"gitVersion": "v1.34.0"}}, indent=2), "v1.34.0"),
        ("kubectl", '{"clientVersion": {"gitVersion": "v1.35.2-eks-1234567"}}', "v1.35.2"),
        ("helm", "v3.18.0+g3ed59f8", "v3.18.0"),
        ("kube-apiserver", "Kubernetes v1.37.2", "v1.37.2"),
        ("etcd", "etcd Version: 3.6.13\nGit SHA: 1\nGo Version: go1.26.8", "v3.6.13"),
        ("kwok", "kwok version v0.7.0 go1.26.8 (linux/amd64)", "v0.7.0"),
        ("kind", "kind v0.33.0 go1.26.8 linux/amd64", "v0.33.0"),
        ("docker", "29.0.1", "v29.0.1"),
    ],
)
def test_a_version_is_what_the_tool_says(machine: Machine, tool: str, output: str, version: str) -> None:
    path = machine.says(tool, output)

    assert tools.find(tool) == Found(tool, version, path, "PATH")


def test_a_tool_of_another_package_says_its_version_as_most_do(machine: Machine) -> None:
    path = machine.says("filesync", "filesync 1.2.0")

    assert tools.need("filesync", "1.2") == Found("filesync", "v1.2.0", path, "PATH")
    with pytest.raises(MissingToolError, match=r"filesync 1\.3 was not found: looked in .*PATH \(v1\.2\.0\)"):
        tools.need("filesync", "1.3")


def test_the_name_of_a_folder_is_not_believed(machine: Machine) -> None:
    machine.says("kubectl", "v1.37.1", folder="kubectl/v1.34.0")

    assert isinstance(tools.find("kubectl", "1.34"), Missing)
    assert tools.need("kubectl", "1.37").version == "v1.37.1"


def test_the_highest_version_of_the_cache_is_taken(machine: Machine) -> None:
    for version in ("v1.34.9", "v1.34.10", "v1.33.1"):
        machine.says("kube-apiserver", version, folder=f"kubernetes/{version}")

    assert tools.need("kube-apiserver", "1.34").version == "v1.34.10"
    assert tools.need("kube-apiserver").version == "v1.34.10"
    assert tools.need("kube-apiserver", "1.33").version == "v1.33.1"


def test_places_are_asked_in_order_until_one_has_the_version(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    envtest = tmp_path / "envtest"
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(envtest))
    on_path = machine.says("etcd", "3.5.0")
    assert path_of(tools.find("etcd")) == on_path
    in_envtest = write_program(envtest / "etcd", "echo 3.5.1")
    assert path_of(tools.find("etcd")) == in_envtest
    in_cache = machine.says("etcd", "3.6.0", folder="etcd/v3.6.0")

    assert path_of(tools.find("etcd")) == in_cache
    assert path_of(tools.find("etcd", "3.5.1")) == in_envtest
    assert path_of(tools.find("etcd", "3.5.0")) == on_path


def test_what_is_missing_is_named_with_where_it_was_looked_for_and_how_to_get_it(machine: Machine) -> None:
    machine.says("kubectl", "v1.37.1", folder="kubectl/v1.37.1")
    machine.says("kubectl", "v1.30.0")

    with pytest.raises(MissingToolError) as caught:
        tools.need("kubectl", "1.34.0")

    assert str(caught.value) == (
        f"kubectl 1.34.0 was not found: looked in {machine.assets}/kubectl (v1.37.1); KUBEBUILDER_ASSETS (none); "
        "PATH (v1.30.0). Get it from https://kubernetes.io/releases/download/"
    )


@pytest.mark.parametrize("script", ["echo v1.34.0; exit 1", "echo no version here", "exec sleep 5"])
def test_a_tool_that_gives_no_version_is_not_one(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(tools, "VERSION_SECONDS", 0.3)
    write_program(machine.bin / "kwok", script)

    result = tools.find("kwok")

    assert isinstance(result, Missing)
    assert result.looked[-1] == "PATH (one that does not answer)"


def test_a_file_that_can_not_be_run_is_not_a_tool(machine: Machine) -> None:
    file = machine.assets / "etcd" / "v3.6.0" / "etcd"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\x7fELF of another machine")
    file.chmod(0o755)

    assert isinstance(tools.find("etcd"), Missing)


def test_a_replaced_tool_is_asked_again(machine: Machine) -> None:
    machine.says("etcd", "3.5.0")
    assert tools.need("etcd").version == "v3.5.0"
    machine.says("etcd", "version 3.6.0")

    assert tools.need("etcd").version == "v3.6.0"


def test_a_docker_client_without_an_engine_is_not_docker(machine: Machine) -> None:
    engine = machine.root / "engine"
    write_program(machine.bin / "docker", f'[ "$1" = info ] && cat {engine} 2>/dev/null || exit 1')
    assert isinstance(tools.find("docker"), Missing)

    engine.write_text("29.0.1\n", encoding="utf-8")

    assert tools.need("docker").version == "v29.0.1"


def test_no_tool_is_handed_the_kubeconfig_of_the_person(machine: Machine) -> None:
    write_program(machine.bin / "kubectl", 'if [ -n "$KUBECONFIG" ]; then exit 1; fi; echo v1.34.0')

    assert tools.need("kubectl").version == "v1.34.0"


@pytest.mark.parametrize("name", ["diff", "helm-diff"])
def test_the_plugin_of_helm_is_a_directory_of_helm_plugins_or_of_the_cache(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert isinstance(tools.find("helm-diff"), Missing)
    cached = machine.assets / "helm-plugins" / "v3.15.12" / "diff"
    write_program(cached / "bin" / "diff", "echo 3.15.12")
    assert path_of(tools.find("helm-diff", ">=3.15.11")) == cached

    monkeypatch.setenv("HELM_PLUGINS", f"{tmp_path / 'none'}:{tmp_path / 'plugins'}")
    own = tmp_path / "plugins" / name
    write_program(own / "bin" / "diff", "echo 3.15.11")

    assert path_of(tools.find("helm-diff", ">=3.15.11")) == own
    assert path_of(tools.find("helm-diff", "3.15.12")) == cached


def test_a_version_of_the_cache_is_called_with_v_or_without(machine: Machine) -> None:
    for version in ("3.15.9", "v3.15.10", "3.15.11", ".build-3.16.0", "latest-3.17.0"):
        write_program(machine.assets / "helm-plugins" / version / "diff" / "bin" / "diff", f"echo {version[-7:]}")

    found = tools.need("helm-diff")

    assert (found.version, found.path) == ("v3.15.11", machine.assets / "helm-plugins" / "3.15.11" / "diff")
    assert tools.need("helm-diff", "3.15.10").path.parent.name == "v3.15.10"


def test_a_plugin_that_is_missing_is_told_with_where_it_was_looked_for(machine: Machine) -> None:
    write_program(machine.assets / "helm-plugins" / "3.15.10" / "diff" / "bin" / "diff", "echo 3.15.10")

    with pytest.raises(MissingToolError) as caught:
        tools.need("helm-diff", tools.PLUGIN_WANTED)

    assert str(caught.value) == (
        "helm-diff >=3.15.11 was not found: looked in HELM_PLUGINS (none); "
        f"{machine.assets}/helm-plugins (v3.15.10). Get it from https://github.com/databus23/helm-diff#install"
    )


def test_the_cache_is_where_the_person_wants_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")

    assert tools.cache_directory({}) == Path("/home/somebody/.cache/sluiceway/assets")
    assert tools.cache_directory({"XDG_CACHE_HOME": "/caches"}) == Path("/caches/sluiceway/assets")


def test_everything_that_is_wanted_is_a_known_tool() -> None:
    assert {name for name, _ in tools.WANTED} == set(tools.TOOLS)
