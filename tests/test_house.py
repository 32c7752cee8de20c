"""The project as a house: what holds for all its files, whoever wrote them."""

import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from sluiceway.adapters.registry import BUILT_IN, GROUP
from sluiceway.cli import app
from tests.test_docs import options_of

ROOT = Path(__file__).parents[1]
ROOMS = {
    ".ci",
    ".github",
    "benchmarks",
    "docs",
    "examples",
    "recorder",
    "recordings",
    "scenarios",
    "schema",
    "sluiceway",
    "tests",
}
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LONGEST = 500

# Written in pieces: this file is one of those that are searched.
HOMES = re.compile("(?<![\\w.>])/" + r"(?:root|Users|work/(?:main|shared|\.library)|tmp/(?:w|bash_jobs[^/]*))/")
HOSTS = re.compile(
    "pypi" + r"\.org|files\.python" + r"hosted|registry\.npm" + r"js|proxy\.go" + r"lang|static\.cra" + "tes"
)
CANARY = re.compile("CAN" + "ARY|Q0FOQV" + "JZ")


@cache
def files() -> tuple[Path, ...]:
    """Return every file of the project: none that a tool left there."""
    below = (path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file())
    above = (path for path in ROOT.iterdir() if path.is_file())
    return tuple(path for path in (*above, *below) if "__pycache__" not in path.parts)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def holding(pattern: re.Pattern[str], among: tuple[Path, ...]) -> list[str]:
    texts = ((path, path.read_text(encoding="utf-8", errors="surrogateescape")) for path in among)
    return [named(path) for path, text in texts if pattern.search(text)]


def test_the_rooms_are_all_there_is() -> None:
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    found = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.endswith(".egg-info")}

    assert found - ignored - {".git"} == ROOMS


def test_no_file_names_a_place_of_one_machine() -> None:
    assert HOMES.search("see /" + "root/x")
    assert holding(HOMES, files()) == []


def test_no_file_names_the_host_of_a_registry() -> None:
    assert holding(HOSTS, files()) == []


def test_no_canary_stands_where_people_read() -> None:
    shown = tuple(path for path in files() if "snapshot" in path.as_posix() or path.suffix == ".ambr")
    written = tuple(path for path in files() if path.is_relative_to(ROOT / "docs") or path.parent == ROOT)

    assert holding(CANARY, (*shown, *written)) == []
    assert holding(CANARY, tuple(path for path in files() if path.is_relative_to(ROOT / "examples")))


def test_no_module_is_too_long_to_be_read() -> None:
    modules = [path for path in files() if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests")]

    assert [named(path) for path in modules if len(path.read_text(encoding="utf-8").splitlines()) >= LONGEST] == []


@pytest.mark.parametrize("room", ["config", "dashboard", "github", "model.results", "processes", "recordings"])
def test_what_a_room_gives_out_is_there(room: str) -> None:
    module = import_module(f"sluiceway.{room}")

    assert module.__all__
    assert [name for name in module.__all__ if not hasattr(module, name)] == []


def examples(name: str) -> Iterator[str]:
    """Give the examples in the help of a command."""
    info = next(info for info in app.registered_commands if info.callback and info.callback.__name__ == name)
    _, found, lines = (info.help or "").partition("Examples:\n")
    yield from (line.strip() for line in lines.splitlines() if found)


@pytest.mark.parametrize("name", [info.callback.__name__ for info in app.registered_commands if info.callback])
def test_every_command_has_examples_that_it_takes(name: str) -> None:
    shown = list(examples(name))

    assert shown
    for example in shown:
        typed = re.split(r"\||>", example)[0]
        words = [word for word in shlex.split(typed) if not re.fullmatch(r"[A-Z_]+=.*", word)]
        assert words[:2] == ["sluiceway", name], example
        flags, _ = options_of(app, [name]) or ({}, 0)
        assert {word for word in words if word.startswith("-")} <= set(flags), example


def test_the_two_commands_of_the_readme_are_the_ones_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert "$ pip install . && sluiceway demo\n" in readme
    assert "$ pip install -e '.[dev]' && pytest\n" in readme
    for part in ("install --quiet .", 'sluiceway" demo', "install --quiet -e '.[dev]'", " pytest\n"):
        assert part in script
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_licence_is_whole_and_named() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert PYPROJECT["project"]["license"] == "Apache-2.0"
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert "9. Accepting Warranty or Additional Liability" in text


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "sluiceway" / "py.typed").is_file()


def test_the_tools_that_come_with_the_package_are_entry_points_too() -> None:
    assert PYPROJECT["project"]["entry-points"][GROUP] == BUILT_IN


def requirement(text: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", text)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_the_lock_holds_all_that_development_needs_and_its_hashes() -> None:
    extras = PYPROJECT["project"]["optional-dependencies"]
    needed = {
        requirement(text) for text in (*PYPROJECT["project"]["dependencies"], *extras["recorder"], *extras["dev"])
    }
    locked = re.findall(r"^([a-z0-9._-]+)==[^\s\\;]+(?: ; [^\\]+)? \\\n    --hash=sha256:", LOCK, re.MULTILINE)

    assert needed - {"sluiceway"} <= {requirement(name) for name in locked}
    assert len(locked) == len(re.findall(r"^\w", LOCK, re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_a_workflow_may_read_and_nothing_else(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))

    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 120
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert [step["with"]["persist-credentials"] for step in checkouts] == [False]


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_a_workflow_names_the_major_of_each_action_and_expands_no_input_in_a_script(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]

    assert [step["uses"] for step in steps if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1"))] == []
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


def test_replay_runs_on_every_python_that_is_named() -> None:
    tests = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    named_here = re.findall(r"Python :: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))

    assert tests["jobs"]["replay"]["strategy"]["matrix"]["python"] == named_here
    assert PYPROJECT["project"]["requires-python"] == f">={named_here[0]}"


def test_recording_on_kind_covers_every_version() -> None:
    record = yaml.safe_load((ROOT / ".github" / "workflows" / "record.yml").read_text(encoding="utf-8"))
    versions = yaml.safe_load((ROOT / "scenarios" / "versions.yaml").read_text(encoding="utf-8"))
    recorded = record["jobs"]["kind"]["strategy"]["matrix"]["include"]

    assert [entry["kubectl"] for entry in recorded] == versions["kubectl"]
    assert {entry["helm"]: entry["minor"] for entry in recorded} == versions["servers"]["helm"]
    assert all(entry["kubectl"].startswith(f"v{entry['minor']}.") for entry in recorded)
