"""What someone took over while a deploy deleted it, from what the inventories list afterwards."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.kubectl.candidates import name_of
from sluiceway.adapters.kubectl.inventory import LEAVING_ANNOTATION, STACK_ANNOTATION, Listed, leaving, objects_text
from sluiceway.adapters.kubectl.plan import KubectlPlan
from sluiceway.adapters.kubectl.pruning import Candidate
from sluiceway.adapters.kubectl.session import Session
from sluiceway.adapters.kubectl.takeovers import Look, look_again
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Running
from tests.adapters.kubectl.made import live

A, B = (Listed("v1", "ConfigMap", None, name) for name in "ab")
GONE = tuple(Candidate(listed, live(name=listed.name)) for listed in (A, B))
GOING = leaving((A, B))
DENIED = 'Error from server (Forbidden): configmaps is forbidden: User "robot" cannot list resource "configmaps" in API group "" in the namespace "t"'  # noqa: E501 - as kubectl writes it


@dataclass
class Answers:
    """Answers the list of inventories, and then the read of the own one."""

    outcomes: list[Outcome]
    asked: list[str] = field(default_factory=list)

    def run(self, command: Command) -> Outcome:
        self.asked.append(command.argv[2])
        return self.outcomes.pop(0)

    def start(self, command: Command) -> Running:
        raise AssertionError(command)


def inventory(name: str, stack: str, listed: Iterable[Listed], mark: str = "") -> dict[str, Any]:
    annotations = {STACK_ANNOTATION: stack, **({LEAVING_ANNOTATION: mark} if mark else {})}
    return dict(live(name=name, metadata={"annotations": annotations}, data={"objects": objects_text(listed)}).tree)


def printed(*trees: Any) -> Outcome:
    return Outcome("exited", 0, json.dumps({"kind": "List", "items": trees}).encode())


def looked(*outcomes: Outcome, gone: tuple[Candidate, ...] = GONE, left: tuple[Candidate, ...] = GONE) -> Look:
    answers = Answers(list(outcomes))
    session = at(answers)
    result = look_again(session, KubectlPlan(session.commands, "", (), going=GOING), gone, lambda: left)
    assert answers.outcomes == []
    return result


def at(answers: Answers) -> Session:
    return Session.at(Workplace(Stack("web", "web", "kubectl"), Path("/repo"), answers, Path("/private")))


OWN = name_of(at(Answers([])))
MINE = inventory(OWN, "web", (A, B), GOING)


def test_where_nothing_went_nobody_looks() -> None:
    assert looked(gone=()) == Look()


def test_the_inventory_of_this_deploy_holds_nothing_back() -> None:
    assert looked(printed(MINE)) == Look()
    # Another deploy of the stack that deletes the same has the same mark.
    assert looked(printed(inventory(OWN, "web", (A, B, Listed("v1", "Secret", None, "new")), GOING))) == Look()


def test_another_stack_that_holds_one_now_makes_the_deploy_a_failed_one() -> None:
    look = looked(printed(MINE, inventory("sluiceway-other", "lodger", (A,))))

    assert look.reason is not None
    by = "the inventory sluiceway-other (stack lodger)"
    assert look.reason.what == f"ConfigMap/t/a was deleted, and {by} took it over in that moment"
    assert look.reason.names == {"objects": "ConfigMap/t/a", "holders": by}
    assert "deploy it again" in look.reason.next_step


def test_another_deploy_of_the_stack_that_states_them_again_leaves_another_mark() -> None:
    for mark in ("", leaving((A,))):
        look = looked(printed(inventory(OWN, "web", (A, B), mark)))
        assert look.reason is not None
        assert look.reason.names == {
            "objects": "ConfigMap/t/a, ConfigMap/t/b",
            "holders": "another deploy of this stack",
        }
    # One that came after the delete lists what is there, and lost nothing.
    assert looked(printed(inventory(OWN, "web", ()))) == Look()


def test_who_came_after_the_delete_made_it_anew_and_lost_nothing() -> None:
    look = looked(printed(MINE, inventory("sluiceway-other", "lodger", (A, B))), left=GONE[1:])

    assert look.reason is not None
    assert look.reason.names["objects"] == "ConfigMap/t/b"
    assert look.notes == ("ConfigMap/t/a was deleted, and someone made it anew since",)


def test_a_look_that_fails_is_a_note() -> None:
    look = looked(Outcome("exited", 1, b"", "Unable to connect to the server: EOF"))

    assert look.reason is None
    (note,) = look.notes
    assert note.startswith(
        "whether someone took over ConfigMap/t/a, ConfigMap/t/b meanwhile could not be looked at again"
    )
    assert "the cluster can't be reached" in note


def test_who_may_not_list_reads_the_own_inventory_alone() -> None:
    own = Outcome("exited", 0, json.dumps(inventory(OWN, "web", (A, B))).encode())
    look = looked(Outcome("exited", 1, b"", DENIED), own)

    assert look.reason is not None
    assert look.reason.names["holders"] == "another deploy of this stack"
