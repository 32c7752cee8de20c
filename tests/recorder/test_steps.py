"""Steps, as Sluiceway's own commands do them, with an adapter that was told what to answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recorder.scenario import Ask, Does, ScenarioError
from recorder.steps import Player, Seen
from sluiceway.adapters.base import Adapter, Preview, Workplace
from sluiceway.model.changes import Diff
from sluiceway.model.reasons import Reason
from sluiceway.model.results import DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner
from tests.fakes import CONFLICT, DRIFT, UPDATE, FakeAdapter, FakeRunner

CONFIG = """\
stacks:
  - {path: app, tool: fake}
  - {path: tools, tool: fake}
"""


class Shaped(FakeAdapter):
    """An adapter whose previews say what their plan holds."""

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        assert not keep
        return Preview(Diff(place.stack.id), shape=("v1 ConfigMap - settings",))


@dataclass
class Stage:
    """A root with two stacks, an adapter, and the runners that were opened."""

    root: Path
    adapter: FakeAdapter = field(default_factory=FakeAdapter)
    opened: list[tuple[str, float | None, Path]] = field(default_factory=list)

    @contextmanager
    def open_runner(self, stack: Stack, minutes: float | None, private: Path) -> Iterator[Runner]:
        self.opened.append((stack.id, minutes, private))
        assert private.is_dir()
        yield FakeRunner()

    def find(self, tool: str) -> Adapter | None:
        return self.adapter if tool == "fake" else None

    @property
    def player(self) -> Player:
        return Player(self.root, "octo-org/shop", self.open_runner, self.root, find=self.find)

    def play(self, does: Does, **terms: object) -> list[Seen]:
        return self.player.play(Ask(does, does, recorded=True, **terms))  # type: ignore[arg-type]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    (tmp_path / "sluiceway.yaml").write_text(CONFIG)
    for name in ("app", "tools"):
        (tmp_path / name).mkdir()
    return Stage(tmp_path)


def test_a_preview_is_asked_for_each_stack_in_turn(stage: Stage) -> None:
    stage.adapter.previews = {"app": [UPDATE]}
    app, tools = stage.play("preview")
    assert (app["stack"], app["state"], app["changes"][0]["address"]) == ("app", "pending", UPDATE.address)
    assert (tools["stack"], tools["state"]) == ("tools", "in-sync")
    assert "seconds" not in app


def test_a_step_may_be_for_one_stack(stage: Stage) -> None:
    (tools,) = stage.play("preview", stack="tools")
    assert tools["stack"] == "tools"
    with pytest.raises(ScenarioError, match=r"step preview: there is no stack 'absent' in sluiceway.yaml"):
        stage.play("preview", stack="absent")


def test_the_shape_of_what_would_be_deployed_is_seen(stage: Stage) -> None:
    stage.adapter = Shaped()
    assert stage.play("preview", stack="app")[0]["shape"] == ["v1 ConfigMap - settings"]


def test_a_failed_preview_has_a_reason_and_no_shape(stage: Stage) -> None:
    stage.adapter.previews = {"app": CONFLICT}
    (app,) = stage.play("preview", stack="app")
    assert (app["state"], app["reason"]["detail"]) == ("preview-failed", "conflict")
    assert "shape" not in app


def test_drift_stands_beside_the_preview(stage: Stage) -> None:
    stage.adapter.previews = {"app": [UPDATE]}
    stage.adapter.drifts = {"app": DriftFound((DRIFT,))}
    (app,) = stage.play("drift", stack="app")
    assert (app["driftChecked"], app["drift"][0]["address"]) == (True, DRIFT.address)


def test_a_deploy_approves_what_it_sees_or_what_was_approved_before(stage: Stage) -> None:
    stage.adapter.previews = {"app": [UPDATE]}
    (seen,) = stage.play("deploy", stack="app")
    (moved,) = stage.play("deploy", stack="app", hash="0123456789abcdef")
    (again,) = stage.play("deploy", stack="app", hash=seen["hash"])
    assert [row["outcome"] for row in (seen, moved, again)] == ["deployed", "moved", "deployed"]


def test_a_deploy_may_repair_drift(stage: Stage) -> None:
    stage.adapter.previews = {"app": [UPDATE]}
    stage.adapter.drifts = {"app": DriftFound((DRIFT,))}
    assert "drift" not in stage.play("deploy", stack="app")[0]
    assert stage.play("deploy", stack="app", repair_drift=True)[0]["drift"]


def test_the_version_is_asked_once_and_preparation_for_each(stage: Stage) -> None:
    stage.adapter.version = Reason("tool-too-old", "fake v1 is too old", names={"needed": "v2"})
    assert stage.play("check_version") == [
        {
            "stack": "app",
            "reason": {
                "kind": "tool-too-old",
                "detail": None,
                "names": {"needed": "v2"},
                "text": "fake v1 is too old.",
            },
        }
    ]
    stage.adapter.unprepared = {"tools": Failure(Reason("preparation-failed", "no chart"))}
    assert [each["reason"] and each["reason"]["text"] for each in stage.play("prepare")] == [None, "no chart."]


def test_the_tools_own_diff_is_asked_or_says_why_not(stage: Stage) -> None:
    stage.adapter.diffs = {"app": ToolDiff(differs=True), "tools": CONFLICT}
    app, tools = stage.play("diff")
    assert app == {"stack": "app", "differs": True}
    assert tools["reason"]["detail"] == "conflict"
    stage.adapter.version = Reason("tool-missing", "fake can't be started")
    assert stage.play("diff", stack="app")[0]["reason"]["kind"] == "tool-missing"


def test_a_bug_of_an_adapter_is_raised_and_no_row(stage: Stage) -> None:
    stage.adapter.previews = {"app": ZeroDivisionError("CANARY")}
    with pytest.raises(ZeroDivisionError):
        stage.play("preview")


def test_a_config_with_problems_is_an_error_that_names_them(stage: Stage) -> None:
    (stage.root / "sluiceway.yaml").write_text("stacks:\n  - {path: absent, tool: fake}\n")
    with pytest.raises(ScenarioError, match=r"sluiceway.yaml:2: stacks\[0\].path: there is no such directory"):
        stage.play("preview")


def test_private_directories_are_gone_afterwards(stage: Stage) -> None:
    player = stage.player
    player.play(Ask("preview", "preview", recorded=True))
    assert {stack for stack, _, _ in stage.opened} == {"app", "tools"}
    assert not any(private.exists() for _, _, private in stage.opened)
    assert [row.stack for row in player.rows] == ["app", "tools"]
