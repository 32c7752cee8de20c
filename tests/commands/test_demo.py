from collections.abc import Callable
from pathlib import Path

import pytest

from sluiceway.commands import demo
from sluiceway.commands.conclusion import concluded
from sluiceway.commands.demo import Stop
from sluiceway.commands.settings import Act, Exit, Settings
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from sluiceway.model.results import Deployed, DriftFound, ToolDiff
from tests.commands.conftest import Ended, Program
from tests.commands.test_replay import record
from tests.fakes import CONFLICT, DRIFT, UPDATE

HASH = diff_hash(Diff("web", (UPDATE,)))
STOPS = (
    Stop(Act.PREVIEW, "one", "first", "A preview.", "web"),
    Stop(Act.DEPLOY, "one", "first", "A deploy.", "web"),
    Stop(Act.DRIFT, "one", "first", "A drift check.", "web"),
    Stop(Act.DIFF, "one", "shown", "A diff.", "web"),
)
Tour = Callable[..., Ended]


@pytest.fixture
def tour(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tour:
    record(tmp_path / "recordings" / "one")
    program.adapter.previews = {"web": (UPDATE,)}
    program.adapter.drifts = {"web": DriftFound((DRIFT,))}
    program.adapter.deploys = {"web": Deployed(("applied ConfigMap/shop/settings",))}
    program.adapter.diffs = {"web": ToolDiff(differs=True)}
    monkeypatch.setattr(demo, "TOUR", STOPS)
    settings = Settings(quiet=True)

    def shown(act: Act | None = None, recordings: Path = tmp_path / "recordings") -> Ended:
        program.capsys.readouterr()
        code = concluded(settings, lambda output: demo.run(settings, output, act, recordings))
        captured = program.capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return shown


def test_each_stop_shows_the_command_and_what_it_gives(tour: Tour) -> None:
    ended = tour()
    assert ended.code == 0
    typed = [line for line in ended.out.splitlines() if line.startswith(("# ", "$ "))]
    assert typed[:-2] == [
        "# A preview.",
        "$ sluiceway preview web",
        "# A deploy.",
        "$ sluiceway preview web",
        f"$ sluiceway deploy web --hash {HASH}",
        "# A drift check.",
        "$ sluiceway drift web",
        "# A diff.",
        "$ sluiceway diff web",
    ]
    assert f"  sluiceway deploy web --hash {HASH}\n" in ended.out
    assert "DEPLOYED  web  1 update" in ended.out
    assert "No tool ran, and nothing changed." in typed[-2]


@pytest.mark.parametrize("act", list(Act))
def test_one_command_of_it(tour: Tour, act: Act) -> None:
    ended = tour(act)
    assert ended.code == 0
    first, *_ = (stop for stop in STOPS if stop.act is act)
    assert ended.out.startswith(f"# {first.words}\n")
    assert sum(line.startswith("# ") for line in ended.out.splitlines()) == 3


def test_a_stop_that_does_not_end_as_it_should_fails_the_tour(program: Program, tour: Tour) -> None:
    program.adapter.drifts = {"web": CONFLICT}
    assert tour().code == 1
    assert tour(Act.PREVIEW).code == 0


def test_a_stop_may_show_a_failure(program: Program, tour: Tour, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "TOUR", (Stop(Act.PREVIEW, "one", "first", "It fails.", "web", Exit.FAILED),))
    program.adapter.previews = {"web": CONFLICT}
    assert tour().code == 0


def test_a_recording_that_is_not_there_is_named(tour: Tour, tmp_path: Path) -> None:
    ended = tour(recordings=tmp_path / "nowhere")
    assert ended.code == 2
    assert "holds no recording" in ended.err
