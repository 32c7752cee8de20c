"""The docs are true: what they take from the program is as it is now, and what they name exists."""

import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
import yaml
from jsonschema import Draft202012Validator
from typer.models import ArgumentInfo

from recorder.cli import app as recorder_app
from sluiceway.cli import app
from sluiceway.config import json_schema
from sluiceway.model.reasons import Detail, Kind

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RECORDS = sorted((DOCS / "decisions").glob("0*.md"))
FILES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
FIRST_RECORD = 71
PROGRAMS = {
    *("pip", "pytest", "python", "ruff", "mypy", "lint-imports", "mkdocs"),
    *("kubectl", "helm", "helm3", "kind", "jq", "less"),
    *("cat", "echo", "export", "mv", "rm", "xargs"),
}
"""What docs may show someone typing, beside what this package brings."""

_FENCED = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(path: Path) -> str:
    return _FENCED.sub("", path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def generate() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate.py"))


def test_every_generated_part_is_as_it_would_be_made_now(generate: dict[str, Any]) -> None:
    files: list[Path] = generate["files"]()
    texts = {named(path): path.read_text(encoding="utf-8") for path in files}

    stale = [name for name, text in texts.items() if generate["generated"](text) != text]

    assert sum(text.count("<!-- generated:") for text in texts.values()) > 20
    assert stale == [], "run python docs/generate.py"


def test_every_picture_is_as_it_would_be_made_now_and_shown_somewhere(generate: dict[str, Any]) -> None:
    pictures: dict[Path, str] = generate["pictures"]()

    assert set(pictures) == set((DOCS / "screens").iterdir())
    stale = [named(path) for path, svg in pictures.items() if path.read_text(encoding="utf-8") != svg]
    assert stale == [], "run python docs/generate.py"
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    shown = [link for text in texts for link in re.findall(r"!\[[^\]]{40,}\]\(([^)]+)\)", text)]
    assert {Path(link).name for link in shown} == {path.name for path in pictures}


def test_a_picture_holds_its_text_and_fetches_nothing(generate: dict[str, Any]) -> None:
    for svg in generate["pictures"]().values():
        assert "$ sluiceway" in svg.partition("<desc>")[2].partition("</desc>")[0]
        assert set(re.findall(r"https?://[^\"]+", svg)) == {"http://www.w3.org/2000/svg"}
        assert "@font-face" not in svg
        assert "prefers-color-scheme: dark" in svg


def test_every_command_has_its_part() -> None:
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    commands = [info.callback.__name__ for info in app.registered_commands if info.callback]

    assert commands
    assert [name for name in commands if f"<!-- generated: command {name} -->" not in text] == []


def test_every_mapping_of_the_file_has_its_table() -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    # What stands in one key of a stack is said beside it.
    models = {"FileKeys", *json_schema()["$defs"]} - {"StackDrift"}

    assert {name for name in models if f"<!-- generated: keys {name}" not in text} == set()


def test_every_kind_and_detail_of_a_reason_is_told() -> None:
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \|", text.partition("## Details")[0], re.MULTILINE)
    headings = {word for heading in _HEADING.findall(text) for word in re.findall("`([a-z-]+)`", heading)}

    assert set(rows) - {"kind"} == set(get_args(Kind))
    assert headings == set(get_args(Detail))


def typed_commands() -> Iterator[tuple[str, str]]:
    """Give each command that a console block shows someone typing, with the file it stands in."""
    for path in FILES:
        for language, block in _FENCED.findall(path.read_text(encoding="utf-8")):
            lines = block.replace("\\\n", "").splitlines() if language == "console" else ()
            yield from ((named(path), part) for line in lines if line.startswith("$ ") for part in parts(line[2:]))


def parts(line: str) -> list[str]:
    """Return the commands of a line of a shell."""
    words = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    words.whitespace_split, words.commenters = True, ""
    found: list[list[str]] = [[]]
    for word in words:
        if set(word) <= set("|&;"):
            found.append([])
        else:
            found[-1].append(word)
    return [shlex.join(command) for command in found if command]


def options_of(application: typer.Typer, words: list[str]) -> tuple[dict[str, bool], int] | None:
    """Return the flags of the command that ``words`` name (True where one takes a value) and how long its name is."""
    for group in application.registered_groups:
        if group.name == words[0] and group.typer_instance:
            found = options_of(group.typer_instance, words[1:])
            return (found[0], found[1] + 1) if found else None
    for info in application.registered_commands:
        name = info.name or (info.callback.__name__ if info.callback else "")
        if name == words[0] and info.callback:
            return dict(_flags(info.callback)), 1
    return None


def _flags(callback: Any) -> Iterator[tuple[str, bool]]:
    for name, annotation in callback.__annotations__.items():
        if name == "return":
            continue
        kind, info = get_args(annotation)[:2]
        if isinstance(info, ArgumentInfo):
            continue
        # typer takes the first name that is given for the default.
        written = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
        yield from ((flag, kind is not bool) for flag in written or [f"--{name.replace('_', '-')}"])


@pytest.mark.parametrize(("file", "command"), sorted(set(typed_commands())))
def test_every_command_that_is_shown_exists(file: str, command: str) -> None:
    words = [word for word in shlex.split(command) if not re.fullmatch(r"[A-Z_]+=.*", word)]
    starts = {("sluiceway",): app, ("sluiceway-recorder",): recorder_app}
    start = next((start for start in starts if tuple(words[: len(start)]) == start), None)
    if start is None:
        assert words[0] in PROGRAMS, file
        return
    rest = words[len(start) :]
    if rest in (["--install-completion"], ["--show-completion"]):  # typer's own
        return
    found = options_of(starts[start], rest)
    assert found, f"{file}: {command}"
    flags, length = found
    given = [word.partition("=")[0] for word in rest[length:] if word.startswith("-")]
    assert set(given) <= {*flags, "--help"}, f"{file}: {command}"


def test_commands_are_found_at_all() -> None:
    assert len([command for _file, command in typed_commands() if command.startswith("sluiceway ")]) > 10
    assert options_of(app, ["nonsense"]) is None
    assert "--nonsense" not in (options_of(app, ["preview"]) or ({}, 0))[0]


def configurations() -> Iterator[tuple[str, Any]]:
    """Give each ``sluiceway.yaml`` that the docs show, whole or in part, with the file it stands in."""
    for path in FILES:
        # What is generated is wrong on purpose, and the text below it says how.
        text = re.sub(
            r"<!-- generated: problems -->.*?<!-- /generated -->", "", path.read_text("utf-8"), flags=re.DOTALL
        )
        for language, block in _FENCED.findall(text):
            if language == "yaml" and re.match("(stacks|ignore|drift|scan|dashboard):", block):
                yield named(path), yaml.safe_load(block)


def test_every_configuration_that_is_shown_is_a_right_one() -> None:
    validator = Draft202012Validator(json_schema())
    shown = list(configurations())

    assert len(shown) > 10
    wrong = [(file, error) for file, tree in shown for error in validator.iter_errors(tree)]
    # Another package brings a tool of a name that the schema of this one does not know.
    assert [(file, error.message) for file, error in wrong if list(error.absolute_path)[-1:] != ["tool"]] == []


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a file."""
    plain = (re.sub(r"[`*]", "", heading).lower() for heading in _HEADING.findall(prose(path)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("path", FILES, ids=named)
def test_every_link_inside_leads_somewhere(path: Path) -> None:
    for link in _LINK.findall(prose(path)):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target), link


def test_the_records_are_numbered_on_and_listed() -> None:
    index = re.findall(r"\]\((0\d{3})-([\w-]+)\.md\)", (DOCS / "decisions" / "README.md").read_text(encoding="utf-8"))

    assert [path.name for path in RECORDS] == [f"{number}-{name}.md" for number, name in index]
    assert [int(path.name[:4]) for path in RECORDS] == list(range(FIRST_RECORD, FIRST_RECORD + len(RECORDS)))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_says_why_what_and_what_follows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert text.startswith(f"# {path.name[:4]} · ")
    parts = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [part for part in parts if part != "What was tried"] == ["Context", "Decision", "Consequences"]


def test_every_record_that_the_code_names_is_there() -> None:
    code = [*(ROOT / "sluiceway").rglob("*.py"), *(ROOT / "recorder").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    cited = {number for path in code for number in re.findall(r"decision (00\d\d)", path.read_text(encoding="utf-8"))}

    assert cited
    assert cited <= {path.name[:4] for path in RECORDS}
