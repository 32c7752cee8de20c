"""Recording on real servers: what is kept is what is recorded now, byte for byte."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder import shelf
from recorder.recording import Session, record
from recorder.scenario import Scenario
from recorder.stage import Stage
from recorder.versions import versions

HOME = Path(__file__).parents[2]

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as made:
        yield made


@pytest.mark.parametrize("version", versions(HOME / "scenarios", "kubectl"))
@pytest.mark.parametrize("name", ["drift-changed", "prune"])
def test_a_scenario_recorded_again_is_the_one_that_is_kept(stage: Stage, name: str, version: str) -> None:
    scenario = Scenario.load(HOME / "scenarios" / "kubectl" / f"{name}.yaml")
    finished = record(Session(scenario, version, stage, "local"))
    kept = shelf.read(shelf.place(scenario, version))
    assert sorted(path for path in {*kept, *finished.files} if kept.get(path) != finished.files.get(path)) == []
