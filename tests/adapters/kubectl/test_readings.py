import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.kubectl import readings
from sluiceway.adapters.kubectl.readings import RETAKES, Readings, Taken
from sluiceway.adapters.kubectl.session import Session
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Running
from tests.adapters.kubectl.made import Answered, live, manifest
from tests.adapters.kubectl.test_diff_output import HEAD, hunk

CANARY = "c4n4ry-v4lue"


@dataclass
class Answers:
    """Answers each diff with the next outcome, the last one again, and each get with the live objects."""

    diffs: list[Outcome]
    live: Outcome
    asked: list[str] = field(default_factory=list)

    def start(self, command: Command) -> Running:
        self.asked.append(command.argv[1])
        if command.argv[1] == "get":
            return Answered(self.live)
        return Answered(self.diffs.pop(0) if len(self.diffs) > 1 else self.diffs[0])

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()


NOTHING = Outcome("exited", 0)


def config_map(version: str, value: str) -> str:
    return (
        f"apiVersion: v1\ndata:\n  k: {value}\nkind: ConfigMap\n"
        f"metadata:\n  name: a\n  namespace: t\n  resourceVersion: '{version}'\n"
    )


def changed(before: str = "1", after: str = "1", value: str = "w") -> Outcome:
    return Outcome("exited", 1, (HEAD + hunk(config_map(before, "v"), config_map(after, value))).encode())


def objects(*found: Any) -> Outcome:
    return Outcome("exited", 0, json.dumps({"kind": "List", "items": [dict(item.tree) for item in found]}).encode())


def take(answers: Answers, conceal: Any = lambda _values: None) -> Taken | Failure:
    place = Workplace(Stack("web", "web", "kubectl"), Path("/repo"), answers, Path("/private"), conceal=conceal)
    return readings.take(Session.at(place), (manifest(),))


def taken(answers: Answers) -> Taken:
    result = take(answers)
    assert isinstance(result, Taken)
    return result


# how kubectl diff ends


def read(outcome: Outcome) -> Any:
    return readings.read_diff_outcome(outcome, (manifest(),))


def test_exit_0_without_output_is_no_difference() -> None:
    assert read(NOTHING) == []


def test_exit_1_with_objects_is_differences() -> None:
    assert [found.either.address for found in read(changed())] == ["ConfigMap/t/a"]


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome("exited", 0, b"diff"), "unreadable-output"),
        (Outcome("exited", 1, b"\n"), "unreadable-output"),
        (Outcome("exited", 1, f"{CANARY}\n".encode()), "unreadable-output"),
        (Outcome("exited", 1, (HEAD + f"@@ -1 +1 @@\n-{CANARY}\n").encode()), "unreadable-output"),
        (Outcome("exited", 1), "tool-error"),
        (Outcome("exited", 1, b"", f"error: unknown flag: --{CANARY}"), "tool-error"),
        (Outcome("exited", 2, changed().stdout), "tool-error"),
        (Outcome("exited", 255), "tool-error"),
        (Outcome("exited", -9, changed().stdout), "tool-error"),
        (Outcome("timed-out", -2, changed().stdout, limit=10), "timed-out"),
        (Outcome("too-large", -9, changed().stdout), "output-too-large"),
        (Outcome("interrupted", -2, changed().stdout), "tool-error"),
        (Outcome("not-started"), "tool-missing"),
    ],
)
def test_anything_else_is_a_failure_and_never_in_sync(outcome: Outcome, kind: str) -> None:
    result = read(outcome)
    assert isinstance(result, Failure)
    assert result.reason.kind == kind
    assert CANARY not in f"{result!r} {result.reason.text}"


def test_a_namespace_that_the_set_itself_brings_needs_an_earlier_stack() -> None:
    missing = Outcome("exited", 2, b"", 'Error from server (NotFound): namespaces "shop" not found\n')
    alone, brought = (
        readings.read_diff_outcome(missing, manifests)
        for manifests in ((manifest(),), (manifest(), manifest("Namespace", "shop")))
    )
    assert isinstance(alone, Failure)
    assert isinstance(brought, Failure)
    assert (alone.reason.detail, brought.reason.detail) == ("namespace-missing", "needs-earlier-object")
    assert "the stack itself brings it" in brought.reason.text


# both readings


def test_the_diff_and_the_live_objects_are_read_side_by_side() -> None:
    answers = Answers([changed()], objects(live()))
    result = taken(answers)
    assert answers.asked == ["diff", "get"]
    assert [found.either.address for found in result.readings.diffs] == ["ConfigMap/t/a"]
    assert [found.address for found in result.readings.live] == ["ConfigMap/t/a"]
    assert result.notes == ()


@pytest.mark.parametrize("outcome", [Outcome("exited", 1), Outcome("exited", 0, b"{"), Outcome("timed-out", limit=1)])
def test_live_objects_that_cannot_be_read_are_a_failure(outcome: Outcome) -> None:
    assert isinstance(take(Answers([NOTHING], outcome)), Failure)


def test_what_failed_in_the_diff_is_the_reason() -> None:
    diff = Outcome("exited", 2, b"", 'error: context "a" does not exist')
    result = take(Answers([diff], Outcome("exited", 1, b"", "other")))
    assert isinstance(result, Failure)
    assert result.reason.names == {"context": "a"}


def test_what_live_secrets_hold_is_concealed() -> None:
    concealed: set[str] = set()

    def conceal(values: Iterable[str]) -> None:
        concealed.update(values)

    found = objects(live("Secret", data={"k": "Zmlyc3Q="}), live(data={"k": "open"}))
    assert isinstance(take(Answers([NOTHING], found), conceal), Taken)
    assert {"Zmlyc3Q=", "first"} <= concealed
    assert "open" not in concealed


# written in between


def test_a_raced_preview_is_taken_again_until_it_is_not() -> None:
    answers = Answers([changed("1", "2"), changed("2", "3"), changed("3", "3")], objects(live()))
    result = taken(answers)
    assert answers.asked.count("diff") == 3
    assert result.notes == ()


def test_it_is_taken_again_at_most_three_times_and_then_a_note_names_the_object() -> None:
    answers = Answers([changed("1", "2")], objects(live()))
    result = taken(answers)
    assert answers.asked.count("diff") == 1 + RETAKES == 4
    (note,) = result.notes
    assert note.startswith("ConfigMap/t/a was written by someone else while the preview ran")


def test_a_failure_while_it_is_taken_again_is_the_result() -> None:
    assert isinstance(take(Answers([changed("1", "2"), Outcome("exited", 2)], objects())), Failure)


def test_a_write_that_leaves_no_difference_is_no_race() -> None:
    answers = Answers([changed("1", "2", "v")], objects(live()))
    assert taken(answers).notes == ()
    assert answers.asked.count("diff") == 1


def test_nothing_that_differs_is_no_race() -> None:
    assert Readings().raced == ()
    assert taken(Answers([NOTHING], objects(live()))).readings.raced == ()
