import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recorder import building, cli, tools
from recorder.building import BuildError, Recipe
from recorder.tools import Found
from tests.recorder.programs import Machine, until, write_program

ROOT = Path(__file__).parents[2]

STAGING = {"Replace": [{"Old": {"Path": f"k8s.io/{name}"}} for name in ("api", "client-go")]}


@pytest.fixture
def calls(machine: Machine) -> Path:
    """A Go that notes its arguments and builds a program which says the version it was told to."""
    calls = machine.root / "calls"
    answers = {"download": {"GoMod": "/modules/go.mod"}, "edit": STAGING}
    for name, answer in answers.items():
        (machine.root / name).write_text(json.dumps(answer), encoding="utf-8")
    write_program(
        machine.bin / "go",
        f"""
echo "$GOWORK $@" >> {calls}
case "$1 $2 $3" in
  "mod download "*) cat {machine.root}/download;;
  "mod edit -json") cat {machine.root}/edit;;
  build*)
    while [ "$1" != -o ]; do shift; done
    cat {machine.root}/program > "$2"; chmod 755 "$2";;
esac""",
    )
    return calls


def program(machine: Machine, version: str) -> None:
    (machine.root / "program").write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")


def recipe(tool: str, wanted: str = "") -> Recipe:
    found = building.recipe_for(tool, wanted)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("tool", "wanted"), [each for each in tools.WANTED if each[0].startswith(("kube", "etcd", "kw", "crane"))]
)
def test_all_that_a_local_cluster_takes_can_be_built(tool: str, wanted: str) -> None:
    assert tools.satisfies(recipe(tool, wanted).version, wanted)


def test_what_has_no_recipe_is_not_built() -> None:
    assert building.recipe_for("docker", "") is None
    assert building.recipe_for("kubectl", "1.30") is None


def test_a_tool_is_built_in_a_module_of_its_own_and_found_afterwards(machine: Machine, calls: Path) -> None:
    program(machine, "v0.7.0")

    built = building.build(recipe("kwok"))

    target = machine.assets / "kwok" / "v0.7.0" / "kwok"
    assert built == tools.find("kwok") == Found("kwok", "v0.7.0", target, str(machine.assets / "kwok"))
    lines = calls.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["off mod init build.invalid/build", "off get sigs.k8s.io/kwok/cmd/kwok@v0.7.0"]
    assert lines[2].startswith("off build -trimpath -ldflags=-s -w -X sigs.k8s.io/kwok/pkg/consts.Version=v0.7.0 -o ")
    assert lines[2].endswith(" sigs.k8s.io/kwok/cmd/kwok")
    assert [path.name for path in target.parent.parent.iterdir()] == ["v0.7.0"]


def test_the_staging_modules_of_kubernetes_are_replaced_by_their_releases(machine: Machine, calls: Path) -> None:
    program(machine, "v1.34.4")

    building.build(recipe("kube-apiserver", "1.34"))

    lines = calls.read_text(encoding="utf-8").splitlines()
    assert lines[1:5] == [
        "off mod download -json k8s.io/kubernetes@v1.34.4",
        "off mod edit -json /modules/go.mod",
        "off mod edit -replace=k8s.io/api=k8s.io/api@v0.34.4 -replace=k8s.io/client-go=k8s.io/client-go@v0.34.4",
        "off get k8s.io/kubernetes/cmd/kube-apiserver@v1.34.4",
    ]


@pytest.mark.parametrize(("step", "words"), [("mod init", "go mod init"), ("get", "go get"), ("build", "go build")])
def test_a_step_that_fails_is_named_and_nothing_is_kept(machine: Machine, step: str, words: str) -> None:
    write_program(machine.bin / "go", f'case "$1 $2" in {step.replace(" ", "?")}*) exit 2;; esac')

    with pytest.raises(BuildError) as caught:
        building.build(recipe("etcd"))

    assert str(caught.value) == f"etcd v3.6.13 could not be built: {words} failed (exit code 2)"
    assert list((machine.assets / "etcd").iterdir()) == []


def test_a_step_that_takes_too_long_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "BUILD_SECONDS", 0.2)
    write_program(machine.bin / "go", "exec sleep 60")

    with pytest.raises(
        BuildError, match=r"etcd v3\.6\.13 could not be built: go mod init failed \(not within 0\.2 sec"
    ):
        building.build(recipe("etcd"))


@pytest.mark.usefixtures("calls")
def test_what_says_another_version_is_not_kept(machine: Machine) -> None:
    program(machine, "v0.0.0")

    with pytest.raises(BuildError, match=r"kwok v0\.7\.0 was built, but says it is 0\.0\.0"):
        building.build(recipe("kwok"))

    assert list((machine.assets / "kwok").iterdir()) == []


def test_a_missing_go_is_named(machine: Machine) -> None:
    assert not (machine.bin / "go").exists()

    with pytest.raises(
        BuildError, match=r"kwok can.t be built: go is not on PATH\. Get it from https://go\.dev/doc/inst"
    ):
        building.build(recipe("kwok"))


def test_the_command_builds_only_what_is_missing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    machine.says("etcd", "3.5.9")
    monkeypatch.setattr(tools, "WANTED", (("etcd", ">=3.5.0"), ("kwok", ">=0.7.0"), ("docker", "")))
    program(machine, "v0.7.0")

    result = CliRunner().invoke(cli.app, ["tools", "--build"])

    assert result.exit_code == 0
    assert [line.split()[:3] for line in result.stdout.splitlines()] == [
        ["etcd", ">=3.5.0", "v3.5.9"],
        ["kwok", ">=0.7.0", "v0.7.0"],
        ["docker", "any", "missing"],
    ]
    assert "etcd" not in calls.read_text(encoding="utf-8")


def test_a_build_that_is_broken_off_leaves_nothing(machine: Machine) -> None:
    write_program(machine.bin / "go", f"echo > {machine.root}/started; exec sleep 60")
    argv = [sys.executable, "-m", "recorder", "tools", "--build"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as command:
        until((machine.root / "started").exists)
        command.send_signal(signal.SIGTERM)
        said, _ = command.communicate(timeout=20)

    assert (command.returncode, said) == (128 + signal.SIGTERM, b"")
    assert list((machine.assets / "kubectl").iterdir()) == []


def test_the_command_says_what_could_not_be_built(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "WANTED", (("kwok", ">=0.7.0"),))
    write_program(machine.bin / "go", "exit 1")

    result = CliRunner().invoke(cli.app, ["tools", "--build"])

    assert result.exit_code == 1
    assert result.stderr == "recorder: kwok v0.7.0 could not be built: go mod init failed (exit code 1)\n"
