"""What faults and others brought to light; ``benchmarks/faults.py`` goes through all of them."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.live.faults import FAULTS
from tests.live.helm_repo import HelmRepo
from tests.live.helm_stage import HelmStage
from tests.live.kubectl_stage import KubectlStage
from tests.live.proxy import Proxy
from tests.live.repo import Repo
from tests.live.together import Meeting, deployed, first, handed_over, stated_again

pytestmark = pytest.mark.live

HOLDERS, LAST_LOOK, LOOK_AFTER = ("get 3", 1), ("get 6", 1), ("get 8", 1)
FIRST_WRITE, INVENTORY, DELETE = ("apply 1", 1), ("apply 1", 5), ("delete 1", 1)
FIRST_OF_HELM, OWN_SECRET = ("upgrade write 1", 2), ("upgrade write 1", 4)
DELETE_OF_HELM, LAST_OF_HELM = ("upgrade write 1", 7), ("upgrade write 1", 10)


@pytest.fixture
def stage(repo: Repo) -> Iterator[KubectlStage]:
    """A stack behind a proxy."""
    with Proxy(repo.cluster) as proxy:
        yield KubectlStage(repo, proxy)


@pytest.mark.parametrize(
    ("fault", "step", "said"),
    [
        # What other stacks hold could not be read, and the objects were deleted all the same.
        ("the tool: SIGKILL", HOLDERS, "nothing was deployed"),
        ("the tool: SIGKILL", LAST_LOOK, "nothing was deleted"),
        ("429, for good", LAST_LOOK, "nothing was deleted"),
        ("429, for good", LOOK_AFTER, "deployed"),
        ("409", INVENTORY, "this is half a deploy"),
        ("sluiceway: SIGKILL", FIRST_WRITE, ""),
    ],
)
def test_after_a_fault_all_holds(stage: KubectlStage, fault: str, step: tuple[str, int], said: str) -> None:
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
        # It changed nothing, and so left no trace.
        (stated_again, LAST_LOOK, "another deploy of the stack ran"),
        (handed_over, LAST_LOOK, "holds it"),
        # There was no inventory yet whose version could be asked for.
        (first, FIRST_WRITE, "another deploy of the stack ran"),
        (first, ("apply 1", 5), "another deploy of the stack ran"),
    ],
)
def test_nothing_goes_that_the_newer_one_holds(
    stage: KubectlStage, comes: Callable[[KubectlStage, tuple[str, int]], Meeting], step: tuple[str, int], said: str
) -> None:
    met = comes(stage, step)

    assert "not reached" not in met.step
    assert met.wrong == []
    assert met.outcome == "failed"
    assert said in met.said


@pytest.mark.parametrize(
    ("comes", "by"),
    [
        (deployed, "another deploy of this stack took it over"),
        (stated_again, "another deploy of this stack took it over"),
        (handed_over, "(stack lodger) took it over"),
    ],
)
def test_who_deletes_what_the_newer_one_holds_says_so(
    stage: KubectlStage, comes: Callable[[KubectlStage, tuple[str, int]], Meeting], by: str
) -> None:
    met = comes(stage, DELETE)

    assert len(met.lost) == 2
    assert met.wrong == []
    assert met.outcome == "failed"
    assert by in met.said


def test_who_takes_over_after_the_delete_lost_nothing(stage: KubectlStage) -> None:
    met = handed_over(stage, LOOK_AFTER)

    assert (met.outcome, met.lost, met.wrong) == ("deployed", [], [])


@pytest.mark.parametrize(
    ("fault", "step", "said", "recovers"),
    [
        ("the tool: SIGKILL", FIRST_OF_HELM, "how far the deploy came can't be told", True),
        # Helm 3 ends its rollback with an error here, and the release is free all the same.
        ("the tool: SIGKILL", OWN_SECRET, "how far the deploy came can't be told", True),
        # Helm 4 rolls back; Helm 3 fails at that too.
        ("webhook refuses", OWN_SECRET, "", False),
        ("sluiceway: SIGKILL", LAST_OF_HELM, "", False),
        # Helm's upgrade goes on beside its rollback, and what it says of itself is not so.
        ("sluiceway: SIGTERM", DELETE_OF_HELM, "", False),
    ],
)
def test_after_a_fault_a_release_is_as_the_message_says(
    shop: HelmRepo, fault: str, step: tuple[str, int], said: str, *, recovers: bool
) -> None:
    (struck,) = (each for each in FAULTS if each.name == fault)
    with Proxy(shop.cluster) as proxy:
        stage = HelmStage(shop, proxy)
        stage.fill_history()

        trial = stage.trial(struck, *step)

    assert "not reached" not in trial.step
    assert trial.wrong == {}
    assert trial.said.startswith(said)
    assert trial.recovered == recovers


def test_the_inventory_is_only_written_over_the_one_that_was_read(stage: KubectlStage) -> None:
    (name,) = stage.repo.inventories()
    stage.turn()
    stage.proxy.begin()
    stage.repo.deploy(stage.hash())
    entries = stage.repo.live("ConfigMap", name)["metadata"]["managedFields"]

    # The version that stands in the set is asked for, not kept: nobody holds it as a field.
    assert "resourceVersion" not in json.dumps([entry["fieldsV1"] for entry in entries])
