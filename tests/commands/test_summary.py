"""What a run in a GitHub job leaves beside its log: the step's summary, and annotations."""

from pathlib import Path

import pytest

from sluiceway.commands import summary as module
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from tests.commands.conftest import Program
from tests.fakes import CONFLICT, DELETE, UPDATE


@pytest.fixture(autouse=True)
def summary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    return tmp_path / "summary"


def test_the_summary_is_the_markdown_report_and_is_added(program: Program, summary: Path) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    summary.write_text("before\n")
    ended = program("preview", "--format=markdown")
    assert summary.read_text().startswith(
        "before\n\n## sluiceway preview\n\n2 stacks: 1 in sync, 1 pending\n\n### `db`"
    )
    assert summary.read_text().endswith(ended.out)


@pytest.mark.parametrize("command", [("drift",), ("deploy", "web", f"--hash={diff_hash(Diff('web', (UPDATE,)))}")])
def test_drift_and_deploy_have_one_too(program: Program, summary: Path, command: tuple[str, ...]) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    assert program(*command).code == 0
    assert summary.read_text().startswith(f"## sluiceway {command[0]}\n")


def test_it_can_be_declined_and_is_none_elsewhere(
    program: Program, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("preview", "--no-summary")
    program("check")
    program("demo", "preview")
    monkeypatch.delenv("GITHUB_ACTIONS")
    program("preview")
    assert not summary.exists()


def test_it_is_kept_below_what_github_takes(program: Program, summary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 1200)
    errs = [program("preview").err for _ in range(20)]
    assert ["the summary of this step is full" in err for err in (errs[0], errs[-1])] == [False, True]
    assert summary.read_text().count("## sluiceway preview") > 1
    assert summary.stat().st_size <= 1200


def test_one_that_can_not_be_written_is_told_and_fails_nothing(program: Program, summary: Path) -> None:
    summary.mkdir()
    ended = program("preview", "--quiet")
    assert ended.code == 0
    assert "sluiceway: the summary of this step can't be written: Is a directory\n" in ended.err


def test_what_a_deploy_would_take_away_is_one_notice(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE, DELETE), "db": (DELETE,)}
    notice = "::notice::A deploy would delete or replace objects: db (1 delete), web (1 delete)\n"
    assert notice in program("preview").err
    assert notice in program("drift").err
    assert "::notice::" not in program("preview", "--quiet").err
    assert "::notice::" not in program("deploy", "web", f"--hash={diff_hash(Diff('web', (UPDATE, DELETE)))}").err


def test_many_stacks_are_counted_in_the_notice(program: Program) -> None:
    names = [f"stack-{index:02}" for index in range(12)]
    program.declare(*names)
    program.adapter.previews = dict.fromkeys(names, (DELETE,))
    assert "stack-09 (1 delete), 2 more stacks\n" in program("preview").err


def test_a_failure_is_an_annotation_and_stands_in_the_summary(program: Program, summary: Path) -> None:
    program.adapter.previews = {"web": CONFLICT}
    assert "::error::web: fake exited with an error (2). Its words are in the log.\n" in program("preview").err
    assert "### `web`: preview failed\n\nWhy: fake exited" in summary.read_text()


def test_a_failed_drift_check_is_an_annotation_too(program: Program) -> None:
    program.adapter.drifts = {"web": CONFLICT}
    assert "::error::web: fake exited with an error (2). Its words are in the log.\n" in program("drift").err


@pytest.mark.parametrize(
    ("workspace", "arguments", "file"),
    [
        (".", (), "repo/sluiceway.yaml"),
        ("repo", (), "sluiceway.yaml"),
        ("repo/infra", (), "sluiceway.yaml"),
        ("repo", ("--root", "infra"), "infra/sluiceway.yaml"),
        ("", (), "sluiceway.yaml"),
    ],
)
def test_a_problem_is_at_its_line_as_github_knows_the_file(
    program: Program, monkeypatch: pytest.MonkeyPatch, workspace: str, arguments: tuple[str, ...], file: str
) -> None:
    program.declare("web", more=", colour: red")
    (program.root / "infra").mkdir()
    (program.root / "infra" / "sluiceway.yaml").write_text((program.root / "sluiceway.yaml").read_text())
    monkeypatch.setenv("GITHUB_WORKSPACE", str(program.root.parent / workspace) if workspace else "")
    for command in ("check", "preview"):
        err = program(command, *arguments).err
        assert f"::error file={file},line=2::stacks[0].colour: unknown key" in err
