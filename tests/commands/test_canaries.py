"""A value in an exception of an adapter reaches no surface, whatever the adapter was doing and however one looks."""

from pathlib import Path

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from tests.commands.conftest import Program
from tests.fakes import CANARY, UPDATE, FakeAdapter

HASH = diff_hash(Diff("web", (UPDATE,)))


class Spilling(Exception):
    """Holds a value in every place that an exception has."""

    def __init__(self) -> None:
        super().__init__(CANARY, {"password": CANARY})
        self.add_note(CANARY)
        self.__cause__ = KeyError(CANARY)
        self.__context__ = OSError(2, CANARY, CANARY)

    def __str__(self) -> str:
        return CANARY


def spilling(place: Workplace) -> None:
    password = CANARY  # a local variable, as a debugger or a rich traceback would show it
    (place.private / "manifests.yaml").write_text(password)
    raise Spilling


def unpreparable(_self: FakeAdapter, *_given: object) -> None:
    raise Spilling


PREVIEW, DIFF = ("preview",), ("diff", "web")
DRIFT = [("drift", f"--format={form}") for form in ("text", "json", "markdown", "html", "junit")]
DEPLOY = ("deploy", "web", f"--hash={HASH}")
REPAIR = (*DEPLOY, "--repair-drift", "--format=json")
REACHED: dict[str, list[tuple[str, ...]]] = {
    "version": [PREVIEW, *DRIFT, DEPLOY, REPAIR, DIFF],
    "prepare": [PREVIEW, *DRIFT, DEPLOY, REPAIR, DIFF],
    "previews": [PREVIEW, *DRIFT, DEPLOY, REPAIR],
    "drifts": [*DRIFT, REPAIR],
    "deploys": [DEPLOY, REPAIR],
    "diffs": [DIFF],
}


@pytest.mark.parametrize(("step", "command"), [(step, command) for step in REACHED for command in REACHED[step]])
def test_no_surface_shows_it(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    copies = ["--output=html=report.html", "--output=junit=report.xml"] if command[0] != "diff" else []
    program.adapter.previews = {"web": (UPDATE,)}
    if step == "version":
        program.adapter.version = Spilling()
    elif step == "prepare":
        monkeypatch.setattr(FakeAdapter, "prepare", unpreparable)
    else:
        setattr(program.adapter, step, {"web": spilling})
    for github in ("true", "false"):
        monkeypatch.setenv("GITHUB_ACTIONS", github)
        ended = program(*command, *copies, "--verbose")
        assert ended.code == 1
        assert "Spilling" in ended.out + ended.err
        assert CANARY not in ended.out + ended.err
        assert "Traceback" not in ended.err
    if copies:
        assert all("Spilling" in path.read_text() for path in (tmp_path / "summary", Path("report.html")))
    assert not any(CANARY in path.read_text() for path in tmp_path.rglob("*") if path.is_file())
