from tests.commands.conftest import Program


def test_text(program: Program) -> None:
    program.declare("web", "db", more=", options: {loud: true}")
    ended = program("stacks")
    assert ended.code == 0
    assert ended.out == "db\n  path: db\n  tool: fake\nweb\n  path: web\n  tool: fake\n  loud: true\n"
    assert program.adapter.asked == []


def test_json(program: Program) -> None:
    program.declare("web", more=", options: {loud: true}, name: eu")
    assert program("stacks", "--format", "json").json == {
        "version": 1,
        "stacks": [{"stack": "web:eu", "path": "web", "tool": "fake", "options": {"loud": True}}],
    }


def test_markdown(program: Program) -> None:
    assert program("stacks", "--format", "markdown").out == (
        "- `db`: tool `fake`, path `db`\n- `web`: tool `fake`, path `web`\n"
    )


def test_problems(program: Program) -> None:
    program.declare("web", more=", colour: red")
    ended = program("stacks")
    assert (ended.code, ended.out) == (2, "")
    assert "sluiceway.yaml:2: error: stacks[0].colour: unknown key" in ended.err


def test_all_ignored(program: Program) -> None:
    program.declare("web", extra="ignore: [web]\n")
    assert program("stacks").out == "No stacks in sluiceway.yaml: all that it declares are ignored.\n"
