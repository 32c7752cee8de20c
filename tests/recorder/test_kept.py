"""What the repository keeps of real tools: whole, stable, and with no value where none may stand."""

import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from recorder import shelf, tools, volatile
from recorder.replaying import Replayed, replay
from recorder.scenario import Scenario
from recorder.versions import server_minor, versions
from sluiceway.model.rows import Row
from sluiceway.recordings import Recording
from sluiceway.reports.document import rows_document, written
from sluiceway.reports.lines import as_text
from sluiceway.reports.markdown import rows_markdown
from sluiceway.reports.text import closing_lines, row_lines

HOME = Path(__file__).parents[2]
TOOLS = sorted(path for path in (HOME / "scenarios").iterdir() if path.is_dir())
SCENARIOS = sorted(path for tool in TOOLS for path in tool.glob("*.yaml"))
PLAYED = [(file, version) for file in SCENARIOS for version in versions(HOME / "scenarios", file.parent.name)]

# CANARY in base64, at each of the three places where it can start.
CANARY = re.compile("CANARY|Q0FOQVJZ|NBTkFSW|DQU5BUl")
IN_SECRETS = re.compile("CANARY-(?:credentials|mail)|Q0FOQVJZ|NBTkFSW|DQU5BUl")

each_played = pytest.mark.parametrize(
    ("file", "version"), PLAYED, ids=[f"{file.stem}-{version}" for file, version in PLAYED]
)


@pytest.fixture(autouse=True)
def nothing_but_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is played here is played with no tool on PATH, no process and no network."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a replay reached for the world")

    monkeypatch.setenv("PATH", "")
    for owner, name in ((subprocess, "Popen"), (os, "posix_spawn"), (os, "fork"), (socket, "socket")):
        monkeypatch.setattr(owner, name, refuse)


@cache
def played(file: Path, version: str) -> tuple[Scenario, Path, Replayed]:
    scenario = Scenario.load(file)
    directory = shelf.place(scenario, version)
    return scenario, directory, replay(scenario, directory)


def surfaces(rows: list[Row]) -> Iterator[tuple[str, str]]:
    """Yield everything that Sluiceway makes of ``rows``, by name."""
    yield "repr", repr(rows)
    yield "JSON", written(rows_document(rows))
    yield "Markdown", rows_markdown(rows)
    yield "text", as_text([line for row in rows for line in row_lines(row)])
    yield "text seen", as_text([line for row in rows for line in row_lines(row, seen=True)])
    yield "closing", as_text(closing_lines(rows))


OF_THE_RECORD = {
    "kubectl": {
        "version", "new-stack", "no-changes", "update", "kustomize-update", "changed-secret", "mixed",
        "removed-object", "immutable-field", "conflict", "invalid-manifest", "kustomize-error", "missing-namespace",
        "same-diff-twice", "deploy", "deploy-failed", "log-diff-changed-secret", "prune-first", "prune",
        "drift-deleted", "drift-changed", "drift-conflict", "recursive",
    },
    "helm": {
        "version", "new-stack", "no-changes", "update", "create", "delete", "mixed", "changed-secret",
        "same-diff-twice", "program-error", "deploy", "deploy-failed", "unstable-render", "log-diff", "dependencies",
        "dependencies-failed", "dependencies-nested", "drift", "drift-and-change", "drift-hooks", "drift-repaired",
        "create-namespace",
    },
}  # fmt: skip


@pytest.mark.parametrize("tool", OF_THE_RECORD)
def test_every_scenario_of_the_record_is_there(tool: str) -> None:
    assert OF_THE_RECORD[tool] <= {file.stem for file in SCENARIOS if file.parent.name == tool}


def test_there_is_no_recording_and_no_snapshot_without_a_scenario() -> None:
    expected = {(file.parent.name, version, file.stem) for file, version in PLAYED}
    recorded = {path.parts[-3:] for path in HOME.glob("recordings/*/*/*")}
    assert recorded == expected
    shown = {(path.parts[-4], path.stem, path.parent.name) for path in HOME.glob("scenarios/*/snapshots/*/*.json")}
    assert shown == expected


@each_played
def test_a_recording_holds_exactly_the_files_that_it_names(file: Path, version: str) -> None:
    scenario, directory, _ = played(file, version)
    recording = Recording.load(directory)
    named = {"recording.yaml"} | {
        name
        for step in recording.steps
        for command in step.commands
        for name in (command.stdout, command.stderr)
        if name
    }
    assert {path for path in shelf.read(directory) if not path.startswith("files/")} == named
    assert {path.name for path in (directory / "files").iterdir()} == {ask.name for ask in scenario.recorded}


@each_played
def test_a_recording_says_which_cluster_and_versions_made_it(file: Path, version: str) -> None:
    scenario, directory, _ = played(file, version)
    recording = Recording.load(directory)
    assert recording.cluster in (("kind", "local") if scenario.needs_cluster else ("none",))
    assert recording.versions[scenario.tool] == version
    if scenario.needs_cluster:
        minor = server_minor(HOME / "scenarios", scenario.tool, version)
        assert recording.versions["server"].startswith(f"v{minor}.")
    if scenario.tool == "helm":
        assert tools.satisfies(recording.versions[tools.PLUGIN].removeprefix("v"), tools.PLUGIN_WANTED)
    names = {scenario.tool, "server", *([tools.PLUGIN] if scenario.tool == "helm" else [])}
    assert recording.versions.keys() == (names if scenario.needs_cluster else names - {"server"})
    assert recording.description == scenario.description


@each_played
def test_nothing_in_a_recording_is_of_one_run_or_one_machine(file: Path, version: str) -> None:
    _, directory, _ = played(file, version)
    files = {path: data.decode("utf-8", "replace") for path, data in shelf.read(directory).items()}
    stated = "\n".join(text for path, text in files.items() if path.startswith("files/"))
    here = [str(Path.home()), socket.gethostname(), str(HOME)]
    for path, text in files.items():
        if not path.startswith("files/"):
            assert list(volatile.find(text, stated=stated)) == [], path
            assert not any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in here), path


@each_played
def test_no_canary_reaches_a_row_a_report_or_what_is_seen(file: Path, version: str) -> None:
    _, _, replayed = played(file, version)
    for name, text in [*surfaces(replayed.rows), ("seen", json.dumps(replayed.seen))]:
        assert not CANARY.search(text), name


@each_played
def test_no_canary_of_a_secret_reaches_the_job_log(file: Path, version: str) -> None:
    scenario, _, replayed = played(file, version)
    # The tool's own diff is for a person to see, and masks a Secret itself.
    assert not IN_SECRETS.search("\n".join(replayed.relayed)), scenario.name


def test_no_canary_and_nothing_volatile_is_in_a_snapshot() -> None:
    for path in HOME.glob("scenarios/*/snapshots/*/*.json"):
        text = path.read_text("utf-8")
        assert not CANARY.search(text), path
        assert list(volatile.find(text)) == [], path
        assert '"seconds"' not in text, path


PRINTED = {
    "kubectl": [
        "CANARY-settings-greeting", "CANARY-web-banner", "CANARY-service-note", "CANARY-clock-banner",
        "Q0FOQVJZLWNyZWRlbnRpYWxzLXRva2Vu",
    ],
    "helm": [
        "CANARY-settings-greeting", "CANARY-settings-page", "CANARY-web-banner", "CANARY-service-note",
        "CANARY-worker-banner", "CANARY-queue-address", "CANARY-base-owner", "CANARY-by-hand",
        "Q0FOQVJZLWNyZWRlbnRpYWxzLXRva2Vu",
    ],
}  # fmt: skip


@pytest.mark.parametrize("tool", PRINTED)
def test_the_canaries_are_where_they_should_be_missed(tool: str) -> None:
    """Without this the tests above could pass on nothing: the values do stand in what the tools print."""
    printed = "".join(
        text.read_text("utf-8", "replace")
        for file, version in PLAYED
        if file.parent.name == tool
        for text in shelf.place(Scenario.load(file), version).glob("*/*.std*")
    )
    assert [canary for canary in PRINTED[tool] if canary not in printed] == []


def test_a_canary_that_a_tool_says_itself_is_relayed() -> None:
    relayed = "".join(line for file, version in PLAYED for line in played(file, version)[2].relayed)
    assert "CANARY-migrate-target" in relayed
