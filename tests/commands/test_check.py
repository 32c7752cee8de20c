import pytest

from tests.commands.conftest import Program


def test_no_problems(program: Program) -> None:
    ended = program("check")
    assert (ended.code, ended.out, ended.err) == (0, "No problems in 2 stacks.\n", "")
    assert program.adapter.asked == []


def test_every_problem_at_once_as_an_editor_links_them(program: Program) -> None:
    (program.root / "sluiceway.yaml").write_text(
        "stacks:\n  - {path: gone, tool: fake}\n  - {path: web, tool: fake, options: {louder: true}}\n"
    )
    ended = program("check")
    assert ended.code == 2
    assert ended.out.splitlines() == [
        "sluiceway.yaml:2: error: stacks[0].path: there is no such directory: mend the path, or make it",
        "sluiceway.yaml:3: error: stacks[1].options.louder: unknown key; did you mean `loud`? Known here: loud",
    ]


def test_json(program: Program) -> None:
    assert program("check", "--format", "json").json == {"version": 1, "problems": [], "stacks": ["db", "web"]}
    program.declare("web", more=", colour: red")
    ended = program("check", "--format", "json")
    assert ended.code == 2
    (problem,) = ended.json["problems"]
    assert (problem["file"], problem["line"], problem["key"]) == ("sluiceway.yaml", 2, "stacks[0].colour")
    assert ended.json["stacks"] == []


def test_markdown(program: Program) -> None:
    assert program("check", "--format", "markdown").out == "No problems in 2 stacks.\n"


def test_warnings_are_shown_and_stop_nothing(program: Program) -> None:
    program.declare("web", extra="ignore: [gone]\n")
    ended = program("check")
    assert ended.code == 0
    assert ended.out.startswith("sluiceway.yaml:3: warning: ignore[0]: matches no stack")


def test_no_config(program: Program) -> None:
    (program.root / "sluiceway.yaml").unlink()
    ended = program("check")
    assert (ended.code, ended.out) == (0, f"No stacks: there is no sluiceway.yaml in {program.root}.\n")


def test_a_root_that_is_not_there(program: Program) -> None:
    ended = program("check", "--root", "nowhere")
    assert ended.code == 2
    assert "the root directory is not there" in ended.out


def test_in_a_github_job_problems_are_annotations_too(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    program.declare("web", more=", colour: red")
    ended = program("check")
    assert ended.code == 2
    assert ended.err.startswith("::error file=sluiceway.yaml,line=2::stacks[0].colour: unknown key")


def test_a_problem_in_a_preview_is_an_annotation(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    program.declare("web", more=", colour: red")
    ended = program("preview")
    assert ended.err.startswith("::error file=sluiceway.yaml,line=2::stacks[0].colour: unknown key")
    assert ended.out == ""
