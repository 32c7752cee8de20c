import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recorder import cli, tools
from tests.recorder.programs import Machine

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, arguments)


def test_the_entry_loads_nothing_heavy() -> None:
    script = "import sys, recorder.__main__; print(*sys.modules)"

    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)

    heavy = {"typer", "rich", "pydantic", "yaml", "pytest", "asyncio", "concurrent.futures"}
    assert not heavy & set(result.stdout.split())


def test_help_names_the_commands() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "recorder", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert "tools" in result.stdout
    assert "cluster" in result.stdout


def test_tools_are_listed_with_version_and_place_or_with_where_they_were_looked_for(machine: Machine) -> None:
    path = machine.says("kubectl", "v1.34.0", folder="kubectl/v1.34.0")

    result = run("tools")

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) == len(tools.WANTED)
    assert lines[0].split() == ["kubectl", "1.34.0", "v1.34.0", str(path)]
    assert lines[1].split()[:3] == ["kubectl", "1.37", "missing"]
    assert lines[1].endswith(
        f"looked in {machine.assets}/kubectl (v1.34.0); KUBEBUILDER_ASSETS (none); PATH (none). "
        "Get it from https://kubernetes.io/releases/download/"
    )


def test_tools_are_listed_as_json(machine: Machine) -> None:
    path = machine.says("kubectl", "v1.34.0", folder="kubectl/v1.34.0")

    listed = json.loads(run("tools", "--format", "json").stdout)

    assert [(each["tool"], each["wanted"]) for each in listed] == list(tools.WANTED)
    assert listed[0] == {
        "tool": "kubectl",
        "wanted": "1.34.0",
        "found": True,
        "version": "v1.34.0",
        "path": str(path),
        "place": str(machine.assets / "kubectl"),
    }
    assert listed[1] == {
        "tool": "kubectl",
        "wanted": "1.37",
        "found": False,
        "looked": [f"{machine.assets}/kubectl (v1.34.0)", "KUBEBUILDER_ASSETS (none)", "PATH (none)"],
        "home": "https://kubernetes.io/releases/download/",
    }


def test_clusters_are_made_shown_and_ended(machine: Machine) -> None:
    machine.with_kind()
    kubeconfig = machine.clusters / "kind-1.34" / "kubeconfig"

    made = run("cluster", "up", "--cluster", "kind", "--minor", "1.34")
    shown = run("cluster", "status")
    ended = run("cluster", "down")

    first, second = made.stdout.splitlines()
    assert first.startswith("# kind-sluiceway-1-34-")
    assert first.endswith("(v1.34.11)")
    assert second == f"export KUBECONFIG={kubeconfig}"
    assert shown.stdout == f"kind-1.34  v1.34.11  running  {kubeconfig}\n"
    assert ended.stdout == "ended kind-1.34\n"
    assert run("cluster", "status").stdout == ""


def test_all_minors_are_made_by_default(machine: Machine) -> None:
    machine.with_kind()

    run("cluster", "up", "--cluster=kind")

    assert [line.split()[0] for line in run("cluster", "status").stdout.splitlines()] == ["kind-1.34", "kind-1.37"]
    run("cluster", "down")


def test_what_goes_wrong_is_one_line_and_exit_code_1(machine: Machine) -> None:
    machine.says("docker", "")

    result = run("cluster", "up", "--cluster=kind")

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        "recorder: kind needs Docker, and no Docker engine answers: start it, or use --cluster=local\n"
    )


def test_a_missing_tool_is_an_error_too(machine: Machine) -> None:
    result = run("cluster", "up")

    assert result.exit_code == 1
    assert result.stderr.startswith("recorder: a local cluster of 1.34 can't be made: etcd was not found")
    assert str(machine.assets / "etcd") in result.stderr


@pytest.mark.parametrize("arguments", [("--cluster", "minikube"), ("--nodes", "-1")])
def test_an_argument_that_is_not_offered_is_a_usage_error(arguments: tuple[str, str]) -> None:
    assert run("cluster", "up", *arguments).exit_code == 2
