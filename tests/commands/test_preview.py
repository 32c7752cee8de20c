from pathlib import Path

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from sluiceway.model.results import CannotCheck, DriftFound
from sluiceway.processes import Command
from tests.commands.conftest import Program
from tests.fakes import CANARY, CONFLICT, DELETE, DRIFT, UPDATE

HASH = diff_hash(Diff("web", (UPDATE,)))


def test_text_goes_to_stdout_and_progress_to_stderr(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    ended = program("preview")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith("IN SYNC   db  (")
    assert lines[2].startswith("PENDING   web  1 update  (")
    assert lines[3:] == [
        "  ~   update  ConfigMap shop/settings",
        "              data.greeting",
        f"  Hash: {HASH}",
        "",
        "2 stacks: 1 in sync, 1 pending",
        "",
        "To deploy exactly this:",
        f"  sluiceway deploy web --hash {HASH}",
    ]
    assert "db: started\n" in ended.err
    assert "web: pending after " in ended.err


def test_quiet_says_nothing_on_stderr(program: Program) -> None:
    assert program("preview", "--quiet").err == ""


def test_only_the_stacks_that_are_named(program: Program) -> None:
    assert [row["stack"] for row in program("preview", "web", "web", "--format", "json").json["stacks"]] == ["web"]
    assert "preview db" not in program.adapter.asked


def test_json_stands_alone_on_stdout(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE, DELETE), "db": CONFLICT}
    ended = program("preview", "--format", "json")
    assert ended.code == 1
    db, web = ended.json["stacks"]
    assert (db["state"], db["reason"]["detail"], "hash" in db) == ("preview-failed", "conflict", False)
    assert (web["state"], web["counts"]["delete"], web["counts"]["update"]) == ("pending", 1, 1)
    assert "drift" not in web


def test_markdown(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    ended = program("preview", "web", "--format", "markdown")
    assert ended.out.startswith("### `web`: pending\n\n1 update\n\n- update `ConfigMap/shop/settings`\n")


@pytest.mark.parametrize(
    ("previews", "arguments", "code"),
    [
        ({}, (), 0),
        ({"web": (UPDATE,)}, (), 0),
        ({}, ("--exit-code",), 0),
        ({"web": (UPDATE,)}, ("--exit-code",), 3),
        ({"web": (UPDATE,), "db": CONFLICT}, ("--exit-code",), 1),
        ({"db": CONFLICT}, (), 1),
        ({"db": RuntimeError(CANARY)}, (), 1),
    ],
)
def test_exit_codes(program: Program, previews: dict[str, object], arguments: tuple[str, ...], code: int) -> None:
    program.adapter.previews = previews
    assert program("preview", *arguments).code == code


def test_drift_stands_beside_the_preview_and_one_hash_covers_both(program: Program) -> None:
    program.adapter.previews, program.adapter.drifts = {"web": (UPDATE,)}, {"web": DriftFound((DRIFT,))}
    ended = program("drift", "web", "--format", "json")
    (row,) = ended.json["stacks"]
    assert (row["state"], row["driftChecked"]) == ("pending", True)
    assert row["hash"] == diff_hash(Diff("web", (UPDATE,), (DRIFT,)))
    assert row["drift"][0]["holders"][0]["manager"] == "kubectl"
    assert f"--hash {row['hash']} --repair-drift" in program("drift", "web").out


@pytest.mark.parametrize(
    ("found", "arguments", "code"),
    [
        (DriftFound((DRIFT,)), (), 0),
        (DriftFound((DRIFT,)), ("--exit-code",), 3),
        (DriftFound(), ("--exit-code",), 0),
        (CannotCheck("No way to tell."), ("--exit-code",), 0),
        (CONFLICT, (), 1),
        (RuntimeError(CANARY), ("--exit-code",), 1),
    ],
)
def test_exit_codes_of_drift(program: Program, found: object, arguments: tuple[str, ...], code: int) -> None:
    program.adapter.drifts = {"web": found}
    assert program("drift", "web", *arguments).code == code


def test_a_problem_in_the_config_runs_nothing(program: Program) -> None:
    program.declare("web", more=", colour: red")
    ended = program("preview", "--format", "json")
    assert (ended.code, ended.out, program.adapter.asked) == (2, "", [])
    assert "sluiceway.yaml:2: error: stacks[0].colour: unknown key" in ended.err
    assert ended.err.endswith("sluiceway: 1 problem in what sluiceway.yaml says; nothing was run\n")


def test_without_a_config_there_are_no_stacks(program: Program) -> None:
    (program.root / "sluiceway.yaml").unlink()
    ended = program("preview", "--format", "json")
    assert (ended.code, ended.json) == (0, {"version": 1, "stacks": []})
    assert ended.err == f"No stacks: there is no sluiceway.yaml in {program.root}.\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wbe", "there is no stack wbe; did you mean web?"),
        ("nothing-like-it", "there is no stack nothing-like-it; there are: db, web"),
        ("a\x1b[2Jb", "there is no stack a\\x1b[2Jb; there are: db, web"),
        ("old", "stack old is left out by `ignore` in sluiceway.yaml: take it out of there first"),
    ],
)
def test_an_unknown_stack(program: Program, name: str, said: str) -> None:
    program.declare("web", "db", "old", extra="ignore: [old]\n")
    ended = program("preview", name)
    assert (ended.code, ended.out, ended.err) == (2, "", f"sluiceway: {said}\n")


def test_warnings_stop_nothing(program: Program) -> None:
    program.declare("web", extra="ignore: [gone]\n")
    ended = program("preview")
    assert ended.code == 0
    assert "sluiceway.yaml:3: warning: ignore[0]: matches no stack" in ended.err


def shouting(place: Workplace) -> tuple[()]:
    place.conceal(["s3cr3t-of-a-manifest"])
    script = "echo \"$TOKEN and s3cr3t-of-a-manifest\" >&2; printf 'half \\033[31mred' >&2; echo out"
    place.runner.run(Command(("sh", "-c", script), place.directory))
    return ()


def test_a_tools_stderr_is_relayed_by_stack_without_what_is_secret(program: Program) -> None:
    program.declare("web", more=", envFile: secrets.env")
    (program.root / "secrets.env").write_text(f"export TOKEN='{CANARY}'\n")
    program.adapter.previews = {"web": shouting}
    ended = program("preview")
    assert "web | *** and ***\nweb | half red\n" in ended.err
    assert CANARY not in ended.out + ended.err
    assert "out" not in ended.out.split()


def test_a_malformed_env_file_fails_its_stack_by_line_number_only(program: Program) -> None:
    program.declare("web", "db", more=", envFile: secrets.env")
    (program.root / "secrets.env").write_text(f"A=1\n{CANARY}\n")
    ended = program("preview")
    assert ended.code == 1
    assert "envFile secrets.env: line 2: expected NAME=value." in ended.out
    assert CANARY not in ended.out + ended.err
    assert "preview web" not in program.adapter.asked
    assert "preview db" in program.adapter.asked


def test_a_missing_env_file_fails_its_stack(program: Program) -> None:
    program.declare("web", more=", envFile: secrets.env")
    assert "envFile secrets.env: can't be read: No such file or directory." in program("preview").out


def test_the_tools_environment_has_no_inputs_of_the_action(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def asking(place: Workplace) -> tuple[()]:
        place.runner.run(Command(("sh", "-c", 'echo "token: $INPUT_TOKEN, own: $OWN" >&2'), place.root))
        return ()

    monkeypatch.setenv("INPUT_TOKEN", "abcdef")
    monkeypatch.setenv("OWN", "kept")
    program.adapter.previews = {"web": asking}
    assert "web | token: , own: kept\n" in program("preview").err


@pytest.mark.parametrize(
    ("given", "environ", "expected"), [(["--repository=a/b"], "c/d", "a/b"), ([], "c/d", "c/d"), ([], "", "")]
)
def test_the_repositorys_name(
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    given: list[str],
    environ: str,
    expected: str,
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", environ)
    program("preview", "web", *given)
    assert program.adapter.places[0].repository == expected


def test_another_root(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    program.adapter.previews = {"web": (UPDATE,)}
    ended = program("preview", "web", "--root", str(program.root))
    assert f"sluiceway deploy web --hash {HASH} --root {program.root}" in ended.out


def test_values_that_may_be_shown(program: Program) -> None:
    program.declare("web", extra="dashboard: {showValues: [spec.replicas]}\n")
    program("preview", "web")
    (place,) = program.adapter.places
    assert [place.shows(path) for path in ("spec.replicas", "spec.paused")] == [True, False]


def test_nothing_private_is_left(program: Program, tmp_path: Path) -> None:
    left = []

    def looking(place: Workplace) -> tuple[()]:
        (place.private / "manifests.yaml").write_text(CANARY)
        left.append(place.private)
        raise RuntimeError

    program.adapter.previews = {"web": looking}
    program("preview")
    assert left[0].is_relative_to(tmp_path / "tmp")
    assert [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()] == []


def test_no_safe_place_for_private_files_is_said_at_once(program: Program, tmp_path: Path) -> None:
    (tmp_path / "tmp").rmdir()
    (tmp_path / "tmp").write_text("")
    ended = program("preview", "--format", "json")
    assert (ended.code, ended.out) == (1, "")
    assert "set TMPDIR" in ended.err
    assert "preview web" not in program.adapter.asked


def test_in_a_github_job_a_failure_is_an_annotation(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    program.adapter.previews = {"web": CONFLICT}
    ended = program("preview", "--quiet")
    assert ended.err == "::error::web: fake exited with an error (2). Its words are in the log.\n"


def test_in_a_github_job_a_tool_can_issue_no_command(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    program.adapter.previews = {"web": shouting}
    first, *lines, last = program("preview", "web", "--quiet").err.splitlines()
    assert first == f"::stop-commands::{last.strip(':')}"
    assert lines == ["web |  and ***", "web | half red"]
