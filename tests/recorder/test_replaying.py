"""Replays of a recording that was made with a fake kubectl, through the real adapter."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from recorder import recording, shelf
from recorder.recording import Session, record
from recorder.replaying import replay
from recorder.scenario import Scenario
from sluiceway.recordings import RecordingError
from tests.recorder.repo import VERSION, Repo
from tests.recorder.stand import Clock, SaidStage, in_cache

TEXT = """\
description: A stack in sync, before and after an edit.
example: small
repository: octo-org/small
steps:
  - preview: recorded
  - edit: app/settings.yaml
    old: CANARY
    new: CANARY again
  - preview: recorded
    name: after
"""


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo", tmp_path / "cache")
    made.set_up()
    made.kubectl(script="[ $1 = diff ] && echo a warning with CANARY >&2 || :")
    monkeypatch.setattr(recording, "Timeline", Clock().timeline)
    scenario = Scenario.load(made.scenario("a", TEXT))
    with SaidStage(need=in_cache(made.cache)) as stage:
        finished = record(Session(scenario, VERSION, stage, "local"))
    shelf.save(finished.files, made.recording("a"))
    return made


def load(repo: Repo) -> Scenario:
    return Scenario.load(repo.root / "scenarios/kubectl/a.yaml")


def test_a_replay_shows_what_was_seen_and_starts_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setenv("PATH", "")
    replayed = replay(load(repo), repo.recording("a"))
    assert [seen[0]["state"] for seen in replayed.seen.values()] == ["in-sync", "in-sync"]
    assert list(replayed.seen) == ["preview", "after"]
    assert [row.stack for row in replayed.rows] == ["app", "app"]
    assert replayed.relayed == ["a warning with CANARY", "a warning with CANARY"]
    assert "seconds" not in replayed.seen["preview"][0]


def test_a_recording_that_is_missing_says_how_to_record(repo: Repo) -> None:
    with pytest.raises(RecordingError, match="holds no recording"):
        replay(load(repo), repo.recording("b"))


def changed(repo: Repo, pattern: str, replacement: str) -> None:
    manifest = repo.recording("a") / "recording.yaml"
    manifest.write_text(re.sub(pattern, replacement, manifest.read_text(), count=1))


def test_a_command_that_is_recorded_otherwise_fails_the_test(repo: Repo) -> None:
    changed(repo, "    - --server-side\n", "")
    with pytest.raises(RecordingError) as error:
        replay(load(repo), repo.recording("a"))
    assert "step preview" in str(error.value)
    assert "argument 2: asked '--server-side', recorded '-f'" in str(error.value)


def test_a_command_that_is_left_over_fails_the_test(repo: Repo) -> None:
    manifest = repo.recording("a") / "recording.yaml"
    document = yaml.safe_load(manifest.read_text())
    document["steps"][0]["commands"].append({"argv": ["kubectl", "apply"], "cwd": "<root>/app", "exit": 0})
    manifest.write_text(yaml.safe_dump(document))
    with pytest.raises(
        RecordingError, match=r"Recorded and not asked for:\n  kubectl apply \(step preview, command \d\)"
    ):
        replay(load(repo), repo.recording("a"))


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [("name: after", "name: later"), ("does: preview", "does: drift"), ("octo-org/small", "octo-org/other")],
)
def test_a_recording_of_another_scenario_is_refused(repo: Repo, pattern: str, replacement: str) -> None:
    changed(repo, pattern, replacement)
    with pytest.raises(RecordingError, match=r"is of another a.yaml\n  record: "):
        replay(load(repo), repo.recording("a"))


def test_a_recording_of_an_example_that_changed_is_refused(repo: Repo) -> None:
    repo.write("examples/small/app/more.yaml", "{}\n")
    with pytest.raises(RecordingError, match=r"files/preview is not what a.yaml now makes of examples/small"):
        replay(load(repo), repo.recording("a"))


def test_an_edit_that_changed_is_noticed_too(repo: Repo) -> None:
    repo.scenario("a", TEXT.replace("CANARY again", "CANARY anew"))
    with pytest.raises(RecordingError, match=r"files/after is not what a.yaml now makes of examples/small"):
        replay(load(repo), repo.recording("a"))


def test_the_examples_readme_is_no_part_of_a_recording(repo: Repo) -> None:
    repo.write("examples/small/README.md", "Other words.\n")
    replay(load(repo), repo.recording("a"))
