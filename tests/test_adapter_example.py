"""The example of an adapter from another package: found by its entry point, replayed, and recorded by our recorder."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "adapter"
METADATA = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """Give the environment of a machine where the example's package is installed: what pip writes, by hand."""
    project = METADATA["project"]
    name, version = project["name"], project["version"]
    information = tmp_path / "site" / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in of.items()) for group, of in groups.items()
    )
    (information / "entry_points.txt").write_text("\n".join(lines))
    program = tmp_path / "bin" / "filesync"
    program.parent.mkdir()
    module, _, function = project["scripts"]["filesync"].partition(":")
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(EXAMPLE)!r})\nsys.dont_write_bytecode = True\n"
        f"from {module} import {function}\n{function}()\n"
    )
    program.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    return {
        "HOME": str(tmp_path),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, [ROOT, EXAMPLE, information.parent])),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def run(environment: dict[str, str], directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def test_its_scenarios_are_replayed_without_the_tool(installed: dict[str, str]) -> None:
    environment = {**installed, "PATH": "/nowhere"}
    done = run(environment, EXAMPLE, "pytest", "-q", "-p", "no:cacheprovider")

    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_recording_it_anew_gives_the_same_bytes(installed: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__", "recordings", "snapshots"))
    mode = ("--record-mode=rewrite", "--snapshot-update")
    done = run(installed, copy, "pytest", "-q", "-p", "no:cacheprovider", *mode)

    assert done.returncode == 0, done.stdout
    for kept in ("recordings", "scenarios"):
        assert files(copy / kept) == files(EXAMPLE / kept)


def test_a_deploy_with_the_real_tool(installed: dict[str, str], tmp_path: Path) -> None:
    site = tmp_path / "site-repo"
    shutil.copytree(EXAMPLE / "examples" / "pages", site)
    previewed = run(installed, site, "sluiceway", "preview", "www")
    command = previewed.stdout.rstrip().rpartition("\n")[2].split()
    assert command[:4] == ["sluiceway", "deploy", "www", "--hash"], previewed.stderr

    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "late.html").write_text("someone else's")
    assert run(installed, site, *command).stdout.startswith("MOVED ")
    (tmp_path / "served" / "late.html").unlink()

    deployed = run(installed, site, *command)
    assert deployed.returncode == 0, deployed.stdout
    assert files(tmp_path / "served") == files(site / "www")


def test_what_is_wrong_with_its_options_is_said_like_that_of_any_other(
    installed: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "repo" / "www").mkdir(parents=True)
    entry = "stacks:\n- path: www\n  tool: filesync\n  options: {traget: x}\n"
    (tmp_path / "repo" / "sluiceway.yaml").write_text(entry)
    told = run(installed, tmp_path / "repo", "sluiceway", "check").stdout

    assert "sluiceway.yaml:4: error: stacks[0].options.target: is required" in told
    assert "stacks[0].options.traget: unknown key; did you mean `target`?" in told
    assert "www holds no file: put some into it" in told
