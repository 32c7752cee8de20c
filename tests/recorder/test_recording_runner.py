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


def test_a_command_that_was_given_up_is_waited_for_at_the_end(tool: Tool) -> None:
    tape = Tape()
    runner = recording(tool, tape)
    runner.start(command("diff"))
    outcome = runner.run(command("template"))
    assert [taken.outcome for taken in tape.commands] == [None, outcome]
    tape.finish()
    assert [taken.outcome and taken.outcome.exit_code for taken in tape.commands] == [1, 2]
    assert tape.commands[1].outcome is outcome


@pytest.mark.parametrize("tape", [Tape(), None])
def test_only_a_command_that_writes_waits_for_the_second(tool: Tool, tape: Tape | None) -> None:
    runner = recording(tool, tape, lambda: tool.account.append("aligned"))
    runner.run(command("diff"))
    runner.run(command("apply", writes=True))
    assert tool.account == ["diff", "aligned", "apply"]


def test_an_arranged_step_keeps_nothing(tool: Tool) -> None:
    assert recording(tool, None).run(command("diff")).exit_code == 1
