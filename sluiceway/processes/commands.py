"""The ``Runner`` protocol, and the command and outcome it speaks of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

End = Literal["exited", "not-started", "timed-out", "too-large", "interrupted"]

STDOUT_LIMIT_MIB = 128
"""At most this much of a tool's stdout is kept; more is a failure (``spec/core.md``, Running a tool)."""


@dataclass(frozen=True, slots=True)
class Command:
    """One tool command, as an adapter asks for it. There is no shell, and stdin is empty.

    ``env`` holds what the adapter adds to the environment, ``without`` the variables it takes out (a name, or a
    prefix that ends in ``*``). ``placeholders`` name private paths (``{"<set>": "/…/manifests.yaml"}``), so that a
    recording holds the placeholder instead. ``shown`` lets stdout go to the person, live, as well as to the outcome.
    ``writes`` marks a command that changes the cluster: it gets a longer grace when it has to be ended.
    ``answers`` are lines of stderr that answer what was asked (``not found``) and tell of no trouble: the outcome holds
    them, the job log does not. Behind one of ``cut`` a line of stderr may hold a value that nobody can know beforehand:
    the rest of the line is not relayed. Behind a line with one of ``cut_all`` nothing more is. ``tried`` says that
    another command stands in where this one fails: none of its stderr is relayed.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    placeholders: Mapping[str, str] = field(default_factory=dict)
    shown: bool = False
    writes: bool = False
    answers: frozenset[str] = frozenset()
    cut: tuple[str, ...] = ()
    cut_all: tuple[str, ...] = ()
    tried: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended. ``stdout`` and ``stderr`` may hold values: they stay in the adapter, out of every ``repr``.

    ``exit_code`` is None when the tool never started; a tool ended by a signal has minus its number.
    ``limit`` is the time limit in minutes that ran out, with ``timed-out`` only.
    """

    ended: End
    exit_code: int | None = None
    stdout: bytes = field(default=b"", repr=False)
    stderr: str = field(default="", repr=False)
    limit: float | None = None


class Running(Protocol):
    """A command that was started. What it writes to stderr is relayed from the first :meth:`wait` on.

    So whoever runs commands side by side can learn from one which values another must not print; of one that is given
    up, because another failed, nothing is relayed.
    """

    def wait(self) -> Outcome:
        """Wait until the command ended, within its runner's time limit, and return how."""
        ...


class Runner(Protocol):
    """Runs the commands of one stack, in its environment and within its time limit."""

    def start(self, command: Command) -> Running:
        """Start ``command`` and return at once; commands are started in the order of these calls."""
        ...

    def run(self, command: Command) -> Outcome:
        """Start ``command`` and wait for it."""
        ...
