"""Copies of a report in files, from one run."""

import json
import os
import re
import stat
from pathlib import Path

import pytest
from junitparser import JUnitXml

from sluiceway.commands import copies as module
from tests.commands.conftest import Program
from tests.fakes import CONFLICT, DELETE, UPDATE


def files(program: Program) -> set[str]:
    return {path.name for path in program.root.iterdir() if path.is_file()} - {"sluiceway.yaml"}


def test_one_run_gives_every_form(program: Program) -> None:
    program.adapter.previews = {"web": (UPDATE, DELETE)}
    ended = program(
        "preview", *(f"--output={form}=report.{form}" for form in ("text", "json", "markdown", "html", "junit"))
    )
    assert ended.code == 0
    assert program.adapter.asked.count("preview web") == 1
    assert files(program) == {f"report.{form}" for form in ("text", "json", "markdown", "html", "junit")}
    assert (program.root / "report.text").read_text() == ended.out
    assert [row["stack"] for row in json.loads((program.root / "report.json").read_text())["stacks"]] == ["db", "web"]
    assert JUnitXml.fromfile(str(program.root / "report.junit")).tests == 2
    assert "<h1>Preview of 2 stacks</h1>" in (program.root / "report.html").read_text()
    assert "**1 delete**" in (program.root / "report.markdown").read_text()


@pytest.mark.parametrize("form", ["html", "junit"])
def test_stdout_takes_each_form(program: Program, form: str) -> None:
    ended = program("preview", "--format", form, f"--output={form}=copy")
    assert ended.code == 0

    def timeless(text: str) -> str:
        return re.sub(r"\d+\.\d+ s|time=\"[\d.]+\"", "", text)

    assert timeless((program.root / "copy").read_text()) == timeless(ended.out)


@pytest.mark.parametrize(("arguments", "failures"), [((), 0), (("--exit-code",), 1)])
def test_junit_fails_for_a_difference_where_the_exit_code_does(
    program: Program, arguments: tuple[str, ...], failures: int
) -> None:
    program.adapter.previews = {"web": (UPDATE,)}
    ended = program("preview", "--output=junit=report.xml", *arguments)
    assert (ended.code, JUnitXml.fromfile("report.xml").failures) == (3 if failures else 0, failures)


def test_check_and_stacks_write_copies_too(program: Program) -> None:
    assert program("check", "--output=json=c.json", "--output=text=c.txt").code == 0
    assert json.loads(Path("c.json").read_text())["problems"] == []
    assert Path("c.txt").read_text() == "No problems in 2 stacks.\n"
    assert program("stacks", "--output=html=s.html").code == 0
    assert "<h1>2 stacks</h1>" in Path("s.html").read_text()
    program.declare("web", more=", colour: red")
    assert program("check", "--output=junit=c.xml", "--format=html").code == 2
    assert JUnitXml.fromfile("c.xml").failures == 1


@pytest.mark.parametrize("arguments", [("--format", "junit"), ("--output", "junit=x.xml")])
def test_stacks_has_no_tests(program: Program, arguments: tuple[str, ...]) -> None:
    ended = program("stacks", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "sluiceway: stacks tests nothing, so it has no JUnit report; `sluiceway check` has one\n"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("report.html", "it takes FORMAT=FILE; the formats are text, json, markdown, html, junit"),
        ("pdf=report.pdf", "it takes FORMAT=FILE"),
        ("html=", "it takes FORMAT=FILE"),
        ("html=gone/report.html", "there is no directory gone"),
        ("html=web", "this is a directory"),
        ("html=-", "for stdout there is --format html"),
        ("html=sluiceway.yaml/report.html", "this can't be written: Not a directory; name another file"),
        (f"html={'x' * 300}", "this can't be written: File name too long; name another file"),
    ],
)
def test_a_copy_that_can_not_be_made_is_told_before_anything_runs(program: Program, typed: str, why: str) -> None:
    ended = program("preview", "--output", typed)
    assert (ended.code, ended.out, program.adapter.asked) == (2, "", [])
    assert why in ended.err


@pytest.mark.parametrize(
    ("typed", "asked", "rights"),
    [("html=report.html", ".", os.W_OK | os.X_OK), ("html=pipe", "pipe", os.W_OK)],
)
def test_a_place_where_one_may_not_write_is_told_before_anything_runs(
    program: Program, monkeypatch: pytest.MonkeyPatch, typed: str, asked: str, rights: int
) -> None:
    def refused(path: Path, mode: int) -> bool:
        return (path.resolve(), mode) != ((program.root / asked).resolve(), rights)

    os.mkfifo(program.root / "pipe")
    monkeypatch.setattr(os, "access", refused)  # root may write anywhere
    ended = program("preview", "--output", typed)
    assert (ended.code, ended.out, program.adapter.asked) == (2, "", [])
    assert ended.err == f"sluiceway: --output {typed}: this can't be written: Permission denied; name another file\n"


def test_a_place_that_can_not_be_looked_at_is_told_before_anything_runs(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "_mode", refused)
    ended = program("preview", "--output=html=closed/report.html")
    assert (ended.code, program.adapter.asked) == (2, [])
    assert "html=closed/report.html: this can't be written: Permission denied; name another file" in ended.err


def test_two_reports_for_one_file(program: Program) -> None:
    ended = program("preview", "--output=html=a", "--output=junit=./a")
    assert (ended.code, program.adapter.asked) == (2, [])
    assert ended.err == "sluiceway: --output: two reports for a: name another file\n"


@pytest.mark.parametrize(
    ("previews", "arguments", "code"),
    [({}, (), 1), ({"web": (UPDATE,)}, ("--exit-code",), 1), ({"web": CONFLICT}, (), 1)],
)
def test_what_could_not_be_written_is_told_and_fails(
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    previews: dict[str, object],
    arguments: tuple[str, ...],
    code: int,
) -> None:
    def full(_path: Path, _content: bytes) -> None:
        raise OSError(28, "No space left on device")

    program.adapter.previews = previews
    monkeypatch.setattr(module, "write_whole", full)
    ended = program("preview", "--quiet", "--output=html=report.html", *arguments)
    assert ended.code == code
    assert ended.err.endswith("sluiceway: report.html can't be written: No space left on device\n")
    assert "web" in ended.out


def test_a_failed_write_leaves_what_was_there_and_nothing_beside_it(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program.root / "report.html").write_text("before")

    def refused(_path: Path, _target: Path) -> Path:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "replace", refused)
    ended = program("preview", "--quiet", "--output=html=report.html")
    assert (ended.code, ended.err) == (1, "sluiceway: report.html can't be written: Operation not permitted\n")
    assert (program.root / "report.html").read_text() == "before"
    assert files(program) == {"report.html"}


def test_a_copy_has_the_rights_of_any_new_file(program: Program) -> None:
    before = os.umask(0o027)
    try:
        program("preview", "--output=html=report.html")
    finally:
        os.umask(before)
    assert stat.S_IMODE((program.root / "report.html").stat().st_mode) == 0o640


def test_a_link_keeps_leading_to_the_file_and_a_pipe_stays_a_pipe(program: Program) -> None:
    (program.root / "link").symlink_to("real")
    (program.root / "real").write_text("before")
    os.mkfifo(program.root / "pipe")
    reader = os.open(program.root / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert program("check", "--output=text=link", "--output=text=pipe").code == 0
        assert os.read(reader, 1000) == b"No problems in 2 stacks.\n"
    finally:
        os.close(reader)
    assert (program.root / "link").is_symlink()
    assert (program.root / "real").read_text() == "No problems in 2 stacks.\n"
    assert (program.root / "pipe").is_fifo()
