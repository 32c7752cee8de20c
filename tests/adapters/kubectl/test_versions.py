import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.kubectl import versions
from sluiceway.model.reasons import Reason
from sluiceway.processes import Command, Outcome, Running

CANARY = "c4n4ry-v4lue"


@dataclass
class Answering:
    """Answers every command alike, and keeps what it was asked."""

    outcome: Outcome
    asked: list[Command] = field(default_factory=list)

    def start(self, command: Command) -> Running:
        self.asked.append(command)
        return self

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()

    def wait(self) -> Outcome:
        return self.outcome


def check(outcome: Outcome) -> Reason | None:
    return versions.check(Answering(outcome), Path("/repo"))


def printed(version: Any) -> Outcome:
    return Outcome("exited", 0, json.dumps({"clientVersion": {"gitVersion": version}}).encode())


@pytest.mark.parametrize(
    "version",
    [
        "v1.34.0",
        "v1.34.7",
        "v1.37.1",
        "v1.100.0",
        "v2.0.0",
        "1.34.0",
        "v1.35.2-eks-1234567",
        "v1.34.0-gke.100",
        "v1.34.0+k3s1",
        "v1.35.0-alpha.1",
        "v1.34.1-rc.0",
    ],
)
def test_a_version_that_serves(version: str) -> None:
    assert check(printed(version)) is None


@pytest.mark.parametrize(
    "version", ["v1.33.99", "v1.9.0", "v0.99.0", "v1.33.5-eks-1", "v1.34.0-rc.1", "v1.34.0-alpha.3"]
)
def test_a_version_that_is_too_old_names_found_needed_and_the_fix(version: str) -> None:
    reason = check(printed(version))
    assert reason is not None
    assert reason.kind == "tool-too-old"
    assert reason.names == {"found": version, "needed": "v1.34.0"}
    assert f"kubectl {version} is too old: v1.34.0 or newer is needed" in reason.text
    assert reason.next_step


@pytest.mark.parametrize(
    "stdout",
    [
        b"",
        b"Client Version: v1.37.0\n",
        b"{}",
        b"[]",
        b'"v1.37.0"',
        b'{"clientVersion": "v1.37.0"}',
        b'{"clientVersion": {"gitVersion": 1}}',
        b'{"clientVersion": {"gitVersion": "v1.37"}}',
        b'{"clientVersion": {"gitVersion": "v1.37.x"}}',
        f'{{"clientVersion": {{"gitVersion": "{CANARY}"}}}}'.encode(),
        b'{"clientVersion": {"gitVersion": "v1.37.0\\n"}}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_tool_that_prints_no_version(stdout: bytes) -> None:
    reason = check(Outcome("exited", 1, stdout))
    assert reason is not None
    assert reason.kind == "unreadable-output"
    assert "clientVersion.gitVersion" in reason.text
    assert reason.names == {"needed": "v1.34.0"}
    assert CANARY not in f"{reason!r} {reason.text}"


def test_a_tool_that_cannot_be_started() -> None:
    reason = check(Outcome("not-started", None, b"", "kubectl: no such file"))
    assert reason is not None
    assert reason.kind == "tool-missing"
    assert "kubectl" in reason.text


def test_a_tool_that_does_not_answer_in_time() -> None:
    reason = check(Outcome("timed-out", -2, limit=1))
    assert reason is not None
    assert reason.kind == "timed-out"


def test_it_is_asked_once_and_reaches_no_cluster() -> None:
    runner = Answering(printed("v1.37.1"))
    versions.check(runner, Path("/repo"))
    assert [command.argv for command in runner.asked] == [("kubectl", "version", "--client", "--output=json")]
    assert runner.asked[0].cwd == Path("/repo")
