from pathlib import Path

import pytest
import yaml

from sluiceway.adapters.base import Workplace
from sluiceway.model.changes import Change
from sluiceway.model.results import ToolDiff
from sluiceway.processes import Command
from tests.commands.conftest import Program
from tests.fakes import CANARY

COMMAND = {"argv": ["tool", "diff", "<tmp>/set"], "cwd": "<root>/web", "exit": 1, "stdout": "one"}
RECORDED = {
    "format": 1,
    "scenario": "small",
    "description": "Two steps of a tool that is nowhere installed.",
    "repository": "acme/recorded",
    "cluster": "none",
    "versions": {"tool": "v1"},
    "steps": [
        {"name": "first", "does": "preview", "commands": [{**COMMAND, "stderr": "words"}]},
        {"name": "shown", "does": "diff", "commands": [COMMAND]},
    ],
}


def record(directory: Path) -> None:
    """Write the recording :data:`RECORDED` to ``directory``."""
    for step in ("first", "shown"):
        (directory / "files" / step / "web").mkdir(parents=True)
        (directory / "files" / step / "sluiceway.yaml").write_text(
            "stacks: [{path: web, tool: fake, envFile: gone.env}]\n"
        )
    (directory / "one").write_text("ConfigMap/shop/recorded\n")
    (directory / "words").write_text("a word on stderr\n")
    (directory / "recording.yaml").write_text(yaml.safe_dump(RECORDED))


@pytest.fixture
def recording(tmp_path: Path, program: Program) -> Path:
    record(tmp_path / "recording")
    program.adapter.previews = {"web": asking}
    program.adapter.diffs = {"web": lambda place: ToolDiff(differs=bool(asking(place, shown=True)))}
    return tmp_path / "recording"


def asking(place: Workplace, argument: str = "diff", *, shown: bool = False) -> tuple[Change, ...]:
    argv = ("tool", argument, str(place.private / "set"))
    outcome = place.runner.run(Command(argv, place.directory, shown=shown))
    name = outcome.stdout.decode().strip()
    return (Change(name, "ConfigMap", name, "create"),)


def test_a_preview_is_answered_from_a_recording_in_its_own_files(program: Program, recording: Path) -> None:
    (program.root / "sluiceway.yaml").unlink()
    ended = program("preview", "--replay", str(recording), "--format", "json")
    (row,) = ended.json["stacks"]
    assert row["changes"][0]["address"] == "ConfigMap/shop/recorded"
    assert "web | a word on stderr\n" in ended.err


def test_the_repository_is_the_recorded_one(program: Program, recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "another/one")
    program("preview", "--replay", f"{recording}:first")
    assert program.adapter.places[0].repository == "acme/recorded"


def test_each_command_finds_its_own_step(program: Program, recording: Path) -> None:
    ended = program("diff", "web", "--replay", str(recording))
    assert (ended.code, ended.out) == (0, "ConfigMap/shop/recorded\n")


@pytest.mark.parametrize("command", ["check", "stacks"])
def test_its_files_can_be_looked_at(program: Program, recording: Path, command: str) -> None:
    ended = program(command, "--replay", str(recording), "--format", "json")
    assert ended.code == 0
    assert len(ended.json["stacks"]) == 1


def test_a_command_that_was_not_recorded_is_named(program: Program, recording: Path) -> None:
    program.adapter.previews = {"web": lambda place: asking(place, "show")}
    ended = program("preview", "--replay", str(recording))
    assert ended.code == 1
    assert "The recording has no answer for a command of this stack." in ended.out
    assert "asked:    tool show <tmp>/set" in ended.err
    assert "argument 1: asked 'show', recorded 'diff'" in ended.err


def test_a_bug_in_a_replay_is_still_a_bug(program: Program, recording: Path) -> None:
    program.adapter.previews = {"web": RuntimeError(CANARY)}
    ended = program("preview", "--replay", str(recording))
    assert "Sluiceway itself failed (RuntimeError)" in ended.out
    assert CANARY not in ended.out + ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}:second", "no recorded step 'second'; it has: first, shown"), ("{}/files", "holds no recording")],
)
def test_what_can_not_be_opened(program: Program, recording: Path, text: str, said: str) -> None:
    ended = program("preview", "--replay", text.format(recording))
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.parametrize("option", ["--root=x", "--repository=a/b"])
def test_it_brings_its_own_files_and_name(program: Program, recording: Path, option: str) -> None:
    ended = program("preview", "--replay", str(recording), option)
    assert ended.code == 2
    assert "leave out --root and --repository" in ended.err
