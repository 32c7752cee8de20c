from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from recorder.recording_runner import Taken, Tape
from recorder.scenario import Ask, Scenario
from recorder.take import Finished, Take, TakeError, TakenStep, UnsteadyError, finish
from recorder.timeline import Timeline
from sluiceway.processes import Outcome
from sluiceway.recordings import Asked, Places

START = datetime(2026, 11, 30, 12, 30, 0, tzinfo=UTC).timestamp()
UID = "2f1a7f0e-9d6c-4d1b-8a57-0c2a4f0e1b11"
PLACES = Places(Path("/own/root"), Path("/own/private-x1"), {"<set>": "/own/private-x1/manifests.yaml"})


def command(*words: str, outcome: Outcome | None = None) -> Taken:
    return Taken(Asked(("kubectl", *words), "<root>/app", {"KUBERC": "off"}), PLACES, outcome or Outcome("exited", 0))


def printed(stdout: str = "", stderr: str = "", code: int = 0) -> Outcome:
    return Outcome("exited", code, stdout.encode(), stderr)


def take(*commands: Taken, name: str = "preview", seen: list[dict[str, object]] | None = None) -> Take:
    return Take(
        Scenario(Path("/repo/scenarios/kubectl/update.yaml"), "What is shown.", "small", "octo-org/shop", (), (), ()),
        "local",
        {"kubectl": "v1.34.0", "server": "v1.34.4"},
        Timeline(START, starts=[(int(START), 1)]),
        Places(Path("/own/root"), Path("/own"), {}),
        [
            TakenStep(
                Ask(name, "preview", recorded=True), Tape(list(commands)), {"app/a.yaml": b"a: CANARY"}, seen or []
            )
        ],
    )


def manifest(finished: Finished) -> dict[str, object]:
    document = yaml.safe_load(finished.files["recording.yaml"])
    assert isinstance(document, dict)
    return document


def test_a_recording_says_what_it_is_and_holds_the_commands_in_order() -> None:
    finished = finish(take(command("version"), command("diff", "-f", "<set>", outcome=printed("a\n", "b\n", 1))))
    assert manifest(finished) == {
        "format": 1,
        "scenario": "update",
        "description": "What is shown.",
        "repository": "octo-org/shop",
        "cluster": "local",
        "versions": {"kubectl": "v1.34.0", "server": "v1.34.4"},
        "steps": [
            {
                "name": "preview",
                "does": "preview",
                "commands": [
                    {"argv": ["kubectl", "version"], "cwd": "<root>/app", "env": {"KUBERC": "off"}, "exit": 0},
                    {
                        "argv": ["kubectl", "diff", "-f", "<set>"],
                        "cwd": "<root>/app",
                        "env": {"KUBERC": "off"},
                        "exit": 1,
                        "stdout": "preview/2-diff.stdout",
                        "stderr": "preview/2-diff.stderr",
                    },
                ],
            }
        ],
    }


def test_each_stream_is_a_file_of_its_own_and_an_empty_one_is_none() -> None:
    finished = finish(take(command("version"), command("diff", outcome=printed("a\n", "b\n", 1))))
    del (files := dict(finished.files))["recording.yaml"]
    assert files == {
        "preview/2-diff.stdout": b"a\n",
        "preview/2-diff.stderr": b"b\n",
        "files/preview/app/a.yaml": b"a: CANARY",
    }


def test_private_paths_and_volatile_things_have_stand_ins_also_in_what_was_seen() -> None:
    text = f"/own/private-x1/manifests.yaml /own/tmp/LIVE-77/a\nuid: {UID}\n"
    seen: list[dict[str, object]] = [{"time": "2026-11-30T12:30:02Z", "owner": UID}]
    finished = finish(take(command("diff", outcome=printed(text)), seen=seen))
    assert finished.files["preview/1-diff.stdout"] == b"<set> <tmp>/tmp/LIVE-77/a\nuid: <uid-1>\n"
    assert finished.seen == {"preview": [{"time": "<time-step-1>", "owner": "<uid-1>"}]}


def test_output_that_is_no_text_is_kept_byte_for_byte() -> None:
    finished = finish(take(command("diff", outcome=Outcome("exited", 0, b"\xff\xfe\r\n"))))
    assert finished.files["preview/1-diff.stdout"] == b"\xff\xfe\r\n"


def test_a_tool_that_could_not_be_started_is_a_behaviour_too() -> None:
    finished = finish(take(command("version", outcome=Outcome("not-started", stderr="not found on PATH"))))
    assert b"exit: null" in finished.files["recording.yaml"]
    assert finished.files["preview/1-version.stderr"] == b"not found on PATH"


RACED = f'   name: a\n-  resourceVersion: "12"\n+  resourceVersion: "13"\n   uid: {UID}\n'


def test_an_object_that_was_written_while_it_was_read_is_a_race() -> None:
    with pytest.raises(UnsteadyError, match="step preview: kubectl diff: someone wrote an object while it was read"):
        finish(take(command("diff", outcome=printed(RACED))))


def test_the_same_version_on_both_sides_is_no_race() -> None:
    calm = '-  generation: 1\n+  generation: 2\n   resourceVersion: "12"\n+  resourceVersion: "1"\n'
    assert finish(take(command("diff", outcome=printed(calm)))).files


@pytest.mark.parametrize("ended", ["timed-out", "too-large", "interrupted"])
def test_how_the_recorder_ended_a_tool_is_no_behaviour_of_it(ended: str) -> None:
    with pytest.raises(TakeError, match=f"step preview: kubectl diff: ended as {ended}"):
        finish(take(command("diff", outcome=Outcome(ended))))  # type: ignore[arg-type]


def test_a_command_that_nobody_waited_for_is_refused() -> None:
    taken = command("diff")
    taken.outcome = None
    with pytest.raises(TakeError, match="nobody waited for it"):
        finish(take(taken))


def test_output_that_holds_a_placeholder_can_not_be_filled_in_again() -> None:
    with pytest.raises(TakeError, match="holds the text of a placeholder"):
        finish(take(command("diff", outcome=printed("<h1>see <root></h1>"))))


def test_a_volatile_thing_without_stand_in_is_refused_by_place_and_kind() -> None:
    with pytest.raises(TakeError) as error:
        finish(take(command("diff", outcome=printed("fine\nopen /home/canary/.kube/config\n"))))
    assert str(error.value) == "preview/1-diff.stdout, line 2: a path of a machine has no stand-in"


def test_what_the_manifests_state_is_no_volatile_thing() -> None:
    made = take(command("diff", outcome=printed("path: /home/app/\n")))
    made.steps[0].files = {"app/a.yaml": b"path: /home/app/\n"}
    assert finish(made).files["preview/1-diff.stdout"] == b"path: /home/app/\n"
