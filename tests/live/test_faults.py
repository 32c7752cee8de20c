"""What faults and others brought to light; ``benchmarks/faults.py`` goes through all of them."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.live.faults import FAULTS
from tests.live.proxy import Proxy
from tests.live.repo import Repo
from tests.live.stage import Stage
from tests.live.together import Meeting, deployed, handed_over

pytestmark = pytest.mark.live

HOLDERS, HOLDERS_AGAIN, LAST_LOOK = ("get 3", 1), ("get 6", 1), ("get 7", 1)
FIRST_WRITE, INVENTORY = ("apply 1", 1), ("apply 1", 5)


@pytest.fixture
def stage(repo: Repo) -> Iterator[Stage]:
    """A stack behind a proxy."""
    with Proxy(repo.cluster) as proxy:
        yield Stage(repo, proxy)


@pytest.mark.parametrize(
    ("fault", "step", "said"),
    [
        # What other stacks hold could not be read, and the objects were deleted all the same.
        ("kubectl: SIGKILL", HOLDERS, "nothing was deployed"),
        ("kubectl: SIGKILL", HOLDERS_AGAIN, "nothing was deleted"),
        ("429, for good", HOLDERS_AGAIN, "nothing was deleted"),
        ("409", INVENTORY, "this is half a deploy"),
        ("sluiceway: SIGKILL", FIRST_WRITE, ""),
    ],
)
def test_after_a_fault_all_holds(stage: Stage, fault: str, step: tuple[str, int], said: str) -> None:
    (struck,) = (each for each in FAULTS if each.name == fault)

    trial = stage.trial(struck, *step)

    assert "not reached" not in trial.step
    assert trial.wrong == {}
    assert trial.said == said


@pytest.mark.parametrize(
    ("comes", "step", "said"),
    [
        # The inventory of the one that came was written over, and nobody ever deleted what it had made.
        (deployed, FIRST_WRITE, "another deploy of the stack ran"),
        (deployed, INVENTORY, "another deploy of the stack ran"),
        (deployed, LAST_LOOK, "another deploy of the stack ran"),
        (handed_over, HOLDERS_AGAIN, "holds it"),
    ],
)
def test_nothing_goes_that_the_newer_one_holds(
    stage: Stage, comes: Callable[[Stage, tuple[str, int]], Meeting], step: tuple[str, int], said: str
) -> None:
    met = comes(stage, step)

    assert "not reached" not in met.step
    assert met.wrong == []
    assert met.outcome == "failed"
    assert said in met.said


def test_the_inventory_is_only_written_over_the_one_that_was_read(stage: Stage) -> None:
    (name,) = stage.repo.inventories()
    stage.turn()
    stage.proxy.begin()
    stage.repo.deploy(stage.hash())
    entries = stage.repo.live("ConfigMap", name)["metadata"]["managedFields"]

    # The version that stands in the set is asked for, not kept: nobody holds it as a field.
    assert "resourceVersion" not in json.dumps([entry["fieldsV1"] for entry in entries])
