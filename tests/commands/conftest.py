"""A repo of stacks whose tool is scripted, and the program as a person calls it."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pytest
from jsonschema import Draft202012Validator

from sluiceway.adapters import registry
from sluiceway.cli import run
from sluiceway.reports.schema import output_schema
from tests import fakes
from tests.fakes import FakeAdapter

VALIDATOR = Draft202012Validator(output_schema())


@dataclass(frozen=True)
class Ended:
    """What the program printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout, which keeps to the schema."""
        document = json.loads(self.out)
        VALIDATOR.validate(document)
        return document


@dataclass(frozen=True)
class Program:
    """The program in a repo at ``root``, the current directory, whose tool is the scripted ``adapter``."""

    root: Path
    adapter: FakeAdapter
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Ended:
        self.capsys.readouterr()
        code = run(arguments)
        captured = self.capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    def declare(self, *names: str, more: str = "", extra: str = "") -> None:
        """Write a sluiceway.yaml of stacks called ``names``; ``more`` goes on the first, ``extra`` below all."""
        entries = []
        for name in names:
            (self.root / name).mkdir(exist_ok=True)
            entries.append(f"  - {{path: {name}, tool: fake{more if name == names[0] else ''}}}\n")
        (self.root / "sluiceway.yaml").write_text("stacks:\n" + "".join(entries) + extra)


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    github = ("GITHUB_ACTIONS", "GITHUB_REPOSITORY", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE")
    for name in (*github, "NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    private = tmp_path / "tmp"
    private.mkdir()
    monkeypatch.setenv("TMPDIR", str(private))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    made = Program(tmp_path / "repo", FakeAdapter(), capsys)
    monkeypatch.setattr(fakes, "INSTALLED", made.adapter)
    monkeypatch.setitem(registry.BUILT_IN, "fake", "tests.fakes:INSTALLED")
    made.root.mkdir()
    monkeypatch.chdir(made.root)
    made.declare("web", "db")
    return made


@dataclass
class Terminal:
    """A terminal that the program believes to have: stdin is one end of a pty, stdout and stderr say they are one."""

    master: int
    stdin: TextIO
    patch: pytest.MonkeyPatch

    def types(self, text: str) -> None:
        # Here and not in the fixture: between the two, pytest puts its own stdin back.
        self.patch.setattr(sys, "stdin", self.stdin)
        for stream in (sys.stdout, sys.stderr):
            self.patch.setattr(stream, "isatty", lambda: True)
        os.write(self.master, text.encode())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("TERM", "dumb")  # no colours, no moving lines
    master, slave = os.openpty()
    with os.fdopen(slave, "r") as stdin:
        yield Terminal(master, stdin, monkeypatch)
    os.close(master)
