"""The commands ``record`` and ``compare``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recorder.cli import app
from recorder.compare import Difference, compare
from sluiceway.recordings import RecordingError
from tests.recorder.repo import OTHER, SCENARIO, VERSION, Repo

TOO_OLD = "v1.33.2"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo", tmp_path / "cache")
    made.set_up()
    made.versions(VERSION, OTHER)
    made.kubectl(VERSION)
    made.kubectl(OTHER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(made.cache))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return made


def run(repo: Repo, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--home", str(repo.root)])


def record(repo: Repo, *words: str) -> int:
    return run(repo, "record", *words, "--snapshots").exit_code


def says(repo: Repo, version: str, said: str) -> None:
    """Let the recorded kubectl of ``version`` say another one."""
    file = repo.recording(version=version) / "check_version/1-version.stdout"
    file.write_text(json.dumps({"clientVersion": {"gitVersion": said}}))


def recorded(repo: Repo) -> list[str]:
    return sorted(path.relative_to(repo.root / "recordings").as_posix() for path in repo.root.glob("recordings/*/*/*"))


def test_record_makes_every_recording_anew(repo: Repo) -> None:
    assert record(repo) == 0
    assert recorded(repo) == [f"kubectl/{VERSION}/version", f"kubectl/{OTHER}/version"]
    assert len(list(repo.root.rglob("snapshots/*/*.json"))) == 2


def test_record_takes_names_and_a_version(repo: Repo) -> None:
    repo.scenario("other", SCENARIO)
    assert record(repo, "kubectl/version", "--version", OTHER) == 0
    assert recorded(repo) == [f"kubectl/{OTHER}/version"]


def test_a_recording_that_fails_is_the_exit_code(repo: Repo) -> None:
    repo.kubectl(VERSION, says="v1.30.0")
    assert record(repo) == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("command", [["record"], ["compare", VERSION, OTHER]])
def test_a_name_that_is_no_scenario_is_told(repo: Repo, command: list[str]) -> None:
    result = run(repo, *command, "absent")
    assert (result.exit_code, result.stderr) == (2, "recorder: there is no scenario absent\n")


def test_a_directory_without_scenarios_is_told(tmp_path: Path) -> None:
    result = run(Repo(tmp_path, tmp_path), "record")
    assert (result.exit_code, result.stderr) == (2, f"recorder: there are no scenarios in {tmp_path}\n")


def test_compare_says_when_nothing_differs(repo: Repo) -> None:
    assert record(repo) == 0
    result = run(repo, "compare", VERSION, OTHER)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "0 differences in 1 scenarios\n")


def test_compare_shows_each_place_that_differs(repo: Repo) -> None:
    assert record(repo) == 0
    says(repo, OTHER, TOO_OLD)
    result = run(repo, "compare", VERSION, OTHER, "version")
    assert result.exit_code == 1
    assert 'version: check_version.app.reason.kind: nothing → "tool-too-old"\n' in result.stdout
    assert "version: check_version.app.reason: null → …\n" in result.stdout


def test_compare_tells_of_a_version_that_is_not_recorded(repo: Repo) -> None:
    result = run(repo, "compare", VERSION, "v1.99.0")
    assert result.exit_code == 2
    assert f"recordings/kubectl/{VERSION}/version holds no recording" in result.stderr
    with pytest.raises(RecordingError):
        list(compare([repo.root / "scenarios/kubectl/version.yaml"], VERSION, OTHER))


def test_a_difference_reads_as_a_sentence() -> None:
    assert str(Difference("update", "preview.app.state", '"pending"', None)) == (
        'update: preview.app.state: "pending" → nothing'
    )
