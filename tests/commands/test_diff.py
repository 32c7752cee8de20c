from pathlib import Path

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.model.results import Failure, ToolDiff
from sluiceway.processes import Command
from tests.commands.conftest import Program
from tests.fakes import CANARY, CONFLICT

DIFF = r"""printf -- '-old\n+\033[32mnew\033[0m\n+password: %s\n::set-env name=A::b\n' "$0"; echo noise >&2"""


def showing(place: Workplace) -> ToolDiff:
    place.conceal([CANARY])
    place.runner.run(Command(("sh", "-c", DIFF, CANARY), place.directory, shown=True))
    return ToolDiff(differs=True)


def test_the_tools_diff_is_shown_without_what_is_secret(program: Program) -> None:
    program.adapter.diffs = {"web": showing}
    ended = program("diff", "web")
    assert ended.code == 0
    assert ended.out == "-old\n+\x1b[32mnew\x1b[0m\n+password: ***\n::set-env name=A::b\n"
    assert ended.err == "web | noise\n"


def test_in_a_github_log_it_can_issue_no_command(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    program.adapter.diffs = {"web": showing}
    ended = program("diff", "web")
    first, *shown, last = ended.out.splitlines()
    token = first.removeprefix("::stop-commands::")
    assert last == f"::{token}::"
    assert sorted(shown) == ["+new", "+password: ***", "-old", "::set-env name=A::b", "web | noise"]
    assert ended.err == ""


def test_no_differences(program: Program) -> None:
    ended = program("diff", "web")
    assert (ended.code, ended.out, ended.err) == (0, "", "web: no differences\n")
    assert program("diff", "web", "--quiet").err == ""


def test_a_failure(program: Program) -> None:
    program.adapter.diffs = {"web": Failure(CONFLICT.reason, notes=("Mind this.",))}
    ended = program("diff", "web")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "sluiceway: web: fake exited with an error (2). Its words are in the log.\nsluiceway: web: Mind this.\n"
    )


@pytest.mark.parametrize("arguments", [[], ["web", "db"], ["wbe"], ["web", "--format", "json"]])
def test_usage_problems(program: Program, arguments: list[str]) -> None:
    assert program("diff", *arguments).code == 2
    assert program.adapter.asked == []


def test_a_bug_shows_its_type_only(program: Program, tmp_path: Path) -> None:
    program.adapter.diffs = {"web": RuntimeError(CANARY)}
    ended = program("diff", "web", "--verbose")
    assert ended.code == 1
    assert "RuntimeError" in ended.err
    assert CANARY not in ended.out + ended.err
    assert str(tmp_path) not in ended.err.replace(str(program.root), "").replace(" in .", "")
