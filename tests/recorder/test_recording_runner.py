from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recorder.recording_runner import RecordingRunner, Tape
from sluiceway.processes import Command, Outcome, Runner

SET = "/private/manifests.yaml"


@dataclass
class Done:
    outcome: Outcome

    def wait(self) -> Outcome:
        return self.outcome


@dataclass
class Tool:
    """A runner that answers each command with its number, and keeps an account of what was done in which order."""

    account: list[str] = field(default_factory=list)

    def start(self, command: Command) -> Done:
        self.account.append(command.argv[1])
        return Done(Outcome("exited", len(self.account), b"printed"))

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()


@pytest.fixture
def tool() -> Tool:
    return Tool()


def recording(tool: Tool, tape: Tape | None, align: Callable[[], None] = lambda: None) -> Runner:
    return RecordingRunner(tool, Path("/repo"), Path("/private"), tape, align)


def command(*words: str, writes: bool = False) -> Command:
    return Command(
        ("tool", *words), Path("/repo/app"), env={"TMPDIR": "/private"}, placeholders={"<set>": SET}, writes=writes
    )


def test_what_was_run_is_kept_with_placeholders_and_its_outcome(tool: Tool) -> None:
    tape = Tape()
    outcome = recording(tool, tape).run(command("diff", "-f", SET))
    (taken,) = tape.commands
    assert taken.outcome is outcome
    assert (taken.asked.argv, taken.asked.cwd, taken.asked.env) == (
        ("tool", "diff", "-f", "<set>"),
        "<root>/app",
        {"TMPDIR": "<tmp>"},
    )


def test_commands_are_kept_in_the_order_of_their_start_not_of_their_end(tool: Tool) -> None:
    tape = Tape()
    runner = recording(tool, tape)
    first, second = runner.start(command("first")), runner.start(command("second"))
    assert (second.wait().exit_code, first.wait().exit_code) == (2, 1)
    assert [(taken.asked.argv[1], taken.outcome and taken.outcome.exit_code) for taken in tape.commands] == [
        ("first", 1),
        ("second", 2),
    ]


def test_a_command_that_nobody_waited_for_has_no_outcome(tool: Tool) -> None:
    tape = Tape()
    recording(tool, tape).start(command("diff"))
    assert tape.commands[0].outcome is None


@pytest.mark.parametrize("tape", [Tape(), None])
def test_only_a_command_that_writes_waits_for_the_second(tool: Tool, tape: Tape | None) -> None:
    runner = recording(tool, tape, lambda: tool.account.append("aligned"))
    runner.run(command("diff"))
    runner.run(command("apply", writes=True))
    assert tool.account == ["diff", "aligned", "apply"]


def test_an_arranged_step_keeps_nothing(tool: Tool) -> None:
    assert recording(tool, None).run(command("diff")).exit_code == 1
