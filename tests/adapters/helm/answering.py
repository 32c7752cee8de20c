"""A Runner that answers each command of helm with what it was told, and keeps account of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Workplace
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Running

OPTIONS = {"release": "web", "namespace": "shop", "chart": "./web"}


@dataclass(frozen=True)
class Answer:
    """A command that ended."""

    runner: "Answering"
    name: str
    outcome: Outcome

    def wait(self) -> Outcome:
        self.runner.waited.append(self.name)
        return self.outcome


@dataclass
class Answering:
    """Answers by the longest beginning of the command line that is known (``helm get metadata``)."""

    answers: Mapping[str, Outcome | list[Outcome]]
    asked: list[Command] = field(default_factory=list)
    waited: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The command lines, in order."""
        return [" ".join(command.argv) for command in self.asked]

    def start(self, command: Command) -> Running:
        self.asked.append(command)
        line = " ".join(command.argv)
        name = max((known for known in self.answers if line.startswith(known)), key=len)
        answer = self.answers[name]
        return Answer(self, name, answer.pop(0) if isinstance(answer, list) else answer)

    def run(self, command: Command) -> Outcome:
        return self.start(command).wait()


@dataclass
class World:
    """A stack with a local chart, its runner, and what was concealed: after how many commands each value."""

    place: Workplace
    runner: Answering
    concealed: dict[str, int]


def world(root: Path, answers: Mapping[str, Outcome | list[Outcome]], **options: Any) -> World:
    (root / "stack" / "web").mkdir(parents=True)
    (root / "stack" / "web" / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 0.1.0\n")
    runner, concealed = Answering(answers), dict[str, int]()

    def conceal(values: Iterable[str]) -> None:
        for value in values:
            concealed.setdefault(value, len(runner.asked))

    stack = Stack("shop/web", path="stack", tool="helm", options={**OPTIONS, **options})
    place = Workplace(stack, root, runner, root / "private", conceal=conceal)
    return World(place, runner, concealed)


def printed(stdout: bytes | str = b"", stderr: str = "") -> Outcome:
    return Outcome("exited", 0, stdout.encode() if isinstance(stdout, str) else stdout, stderr)


def exited(stderr: str = "", code: int = 1) -> Outcome:
    return Outcome("exited", code, b"", stderr)
