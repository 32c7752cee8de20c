"""The real ``Runner``: starts the tools of one stack, within one environment and one time limit."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import Self

from sluiceway.processes.commands import Command, Outcome
from sluiceway.processes.supervision import Supervised, Terms

_NOTHING: Mapping[str, str] = MappingProxyType({})


class ProcessRunner:
    """Runs commands as processes; leaving it ends whatever it started that still runs.

    ``environment`` is the tools' whole environment (:func:`tool_environment`). ``limit`` is minutes for all commands
    of this runner together, counted from here. Each stderr line goes to ``relay`` while the tool runs, as text with no
    escapes, control characters or line end; each stdout line of a command with ``shown`` goes to ``shown``, colours
    kept. Both are called from threads of the runner, one line after another for each command. ``grace`` and
    ``write_grace`` are the seconds between SIGINT and SIGKILL for commands that read and that write.

    A command over the limit, over ``STDOUT_LIMIT_MIB``, interrupted, or still running when the runner is left, is
    ended with its whole process group. What a tool that ended by itself leaves behind in its group (a browser that a
    credential plugin opened) is left alone, and read from for a second at most.
    """

    def __init__(  # noqa: PLR0913  # six independent terms, all by name
        self,
        *,
        environment: Mapping[str, str],
        relay: Callable[[str], None],
        shown: Callable[[str], None],
        limit: float | None = None,
        grace: float = 5.0,
        write_grace: float = 120.0,
    ) -> None:
        self._terms = Terms(
            environment=dict(environment),
            relay=relay,
            shown=shown,
            limit=limit,
            deadline=None if limit is None else time.monotonic() + limit * 60,
            grace=grace,
            write_grace=write_grace,
            closing=threading.Event(),
        )
        self._running: list[Supervised] = []
        self._starting = threading.Lock()

    def start(self, command: Command) -> Supervised:
        """Start ``command`` and return once its process runs (or is known not to).

        ``not-started`` is an outcome like the others, with the cause in our words as its stderr.
        """
        environment = _changed(self._terms.environment, command)
        terms = replace(self._terms, environment=environment)
        supervised = Supervised(command, find_tool(command.argv[0], environment), terms)
        with self._starting:
            self._running = [running for running in self._running if not running.ended] + [supervised]
            supervised.launch()
        return supervised

    def run(self, command: Command) -> Outcome:
        """Start ``command`` and wait for it."""
        return self.start(command).wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._terms.closing.set()
        try:
            self._settle()
        except BaseException:  # a signal that came while waiting: the tools end before it goes on its way
            self._settle()
            raise

    def _settle(self) -> None:
        for running in self._running:
            running.settle()


def tool_environment(environ: Mapping[str, str], extra: Mapping[str, str] = _NOTHING) -> dict[str, str]:
    """Return the environment of a stack's tools: ``environ`` without ``INPUT_*``, and ``extra`` on top."""
    return {name: value for name, value in environ.items() if not name.startswith("INPUT_")} | dict(extra)


def find_tool(name: str, environment: Mapping[str, str]) -> str | None:
    """Return the absolute path of a program, looked up on the ``PATH`` of ``environment``, or None.

    Relative entries of ``PATH`` are passed over: they would start a program out of the stack's own directory.
    """
    if "/" in name:
        return name if name.startswith("/") else None
    for directory in environment.get("PATH", os.defpath).split(os.pathsep):
        candidate = f"{directory}/{name}"
        # Path.is_file raises where a directory on PATH may not be read; os.path takes it as no file.
        if candidate.startswith("/") and os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113
            return candidate
    return None


def _changed(environment: Mapping[str, str], command: Command) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if not _is_any(name, command.without)}
    return kept | dict(command.env)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(name == it or (it.endswith("*") and name.startswith(it[:-1])) for it in patterns)
