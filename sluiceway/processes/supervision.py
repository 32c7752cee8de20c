"""One process under supervision: from its start to its last byte, with an end to every wait.

Each command has a thread of its own, which starts the process, reads what it writes, and ends it. No exception can be
thrown into that thread by a signal (Python gives those to the main thread), so a process is never left unattended.
"""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial

from sluiceway.processes import interrupts
from sluiceway.processes.commands import STDOUT_LIMIT_MIB, Command, End, Outcome
from sluiceway.processes.streams import MIB, Ends, Held, Kept, Lines

POLL = 0.05
"""Seconds between two looks at the clock, the interrupt mark and the process, while nothing is written."""

DRAIN = 1.0
"""Seconds that a pipe is still read once the process is gone, where another one holds it open."""

_SHORTEST_POLL = 0.0005
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Terms:
    """What a runner grants each of its commands. ``limit`` is minutes, ``deadline`` on the monotonic clock."""

    environment: Mapping[str, str] = field(repr=False)
    relay: Callable[[str], None]
    shown: Callable[[str], None]
    limit: float | None
    deadline: float | None
    grace: float
    write_grace: float
    closing: threading.Event

    def cause_to_end(self) -> End | None:
        """Return why no command of this runner may run now, or None."""
        if interrupts.interrupted_by() or self.closing.is_set():
            return "interrupted"
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return "timed-out"
        return None

    def limit_of(self, ended: End) -> float | None:
        """Return the time limit where it is why a command ended."""
        return self.limit if ended == "timed-out" else None


class Supervised:
    """A command that was started (``Running``)."""

    def __init__(self, command: Command, executable: str | None, terms: Terms) -> None:
        self._command = command
        self._executable = executable
        self._terms = terms
        self._started = threading.Event()
        self._ended = threading.Event()
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None
        self._held = Held(terms.relay, command)
        self._thread = threading.Thread(target=self._supervise, name=f"sluiceway {command.argv[0]}")

    def launch(self) -> None:
        """Start the process; return once it runs, or is known not to."""
        self._thread.start()
        self._started.wait()

    def wait(self) -> Outcome:
        """Wait until the command ended and return how. Raises only what a relay raised, or for a bug."""
        self._held.release()
        self._ended.wait()
        if self._error is not None:
            raise self._error
        assert self._outcome is not None  # noqa: S101  # one of the two is set before _ended is
        return self._outcome

    def settle(self) -> None:
        """Wait until nothing of the command runs any more."""
        if self._thread.is_alive():
            self._thread.join()

    @property
    def ended(self) -> bool:
        """Whether :meth:`wait` would return at once."""
        return self._ended.is_set()

    def _supervise(self) -> None:
        try:
            self._outcome = self._run()
        except BaseException as error:  # noqa: BLE001  # handed to whoever waits
            self._error = error
        finally:
            self._started.set()
            self._ended.set()

    def _run(self) -> Outcome:
        if (cause := self._terms.cause_to_end()) is not None:
            return Outcome(cause, limit=self._terms.limit_of(cause))
        started = _start(self._command, self._executable, self._terms.environment)
        self._started.set()
        if isinstance(started, str):
            return Outcome("not-started", stderr=started)
        return Watch(started, self._command, self._terms, self._held).until_over()


def _start(command: Command, executable: str | None, environment: Mapping[str, str]) -> "subprocess.Popen[bytes] | str":
    """Return the process in a session of its own, or in our words why there is none."""
    tool = command.argv[0]
    if executable is None:
        return f"{tool}: not found on PATH"
    if not os.path.isdir(command.cwd):  # noqa: PTH112  # Path.is_dir raises where a parent may not be read
        return f"{tool}: its working directory is missing"
    try:
        return subprocess.Popen(
            command.argv,
            executable=executable,
            cwd=command.cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as error:
        return f"{tool}: {error.strerror}"
    except ValueError:  # a NUL, or a surrogate
        return f"{tool}: its command line holds a character that no program can be given"


class Watch:
    """Reads a running process, and ends it when there is cause to."""

    def __init__(self, process: "subprocess.Popen[bytes]", command: Command, terms: Terms, relayed: Held) -> None:
        self._process = process
        self._command = command
        self._terms = terms
        self._kept = Kept()
        self._ends = Ends()
        self._lines = [Lines(partial(self._pass_on, relayed.take), bound=MIB)]
        self._cause: End | None = None
        self._gone: float | None = None
        self._kill_at = 0.0
        self._killed: float | None = None
        self._pace = _SHORTEST_POLL
        self._fault: Exception | None = None

    def until_over(self) -> Outcome:
        """Watch until the process and what it wrote have come to their end."""
        with ExitStack() as stack:
            selector = stack.enter_context(selectors.PollSelector())
            stack.callback(self._reap)
            self._listen(selector, stack)
            while not self._over(selector):
                self._read(selector)
                self._judge()
        for lines in self._lines:
            lines.close()
        if self._fault is not None:
            raise self._fault
        return self._outcome()

    def _outcome(self) -> Outcome:
        ended = self._cause or "exited"
        return Outcome(
            ended,
            exit_code=self._process.returncode,
            stdout=self._kept.content(),
            stderr=self._ends.text(),
            limit=self._terms.limit_of(ended),
        )

    def _listen(self, selector: selectors.BaseSelector, stack: ExitStack) -> None:
        relayed = self._lines[0]
        sinks = [[self._kept.feed], [self._ends.feed, relayed.feed]]
        if self._command.shown:
            shown = Lines(partial(self._pass_on, self._terms.shown), bound=STDOUT_LIMIT_MIB * MIB, keep_colour=True)
            self._lines.append(shown)
            sinks[0].append(shown.feed)
        for pipe, feeds in zip((self._process.stdout, self._process.stderr), sinks, strict=True):
            assert pipe is not None  # noqa: S101  # both were asked for
            stack.enter_context(pipe)
            selector.register(pipe, selectors.EVENT_READ, feeds)

    def _read(self, selector: selectors.BaseSelector) -> None:
        """Read what is there, or wait a moment; less than a moment when only the process's own end is missing."""
        self._pace = POLL if selector.get_map() else min(self._pace * 2, POLL)
        for key, _ in selector.select(self._pace):
            chunk = os.read(key.fd, _CHUNK)
            if not chunk:
                selector.unregister(key.fileobj)
                self._pace = _SHORTEST_POLL
            for feed in key.data:
                feed(chunk)

    def _judge(self) -> None:
        now = time.monotonic()
        if self._gone is None and self._has_exited():
            self._gone = now
        if self._cause is None and (cause := self._cause_to_end()) is not None:
            self._cause = cause
            self._kill_at = now + (self._terms.write_grace if self._command.writes else self._terms.grace)
            self._signal(signal.SIGINT)
        if self._cause is not None and self._killed is None and (now >= self._kill_at or interrupts.at_once()):
            self._killed = now
            self._signal(signal.SIGKILL)

    def _cause_to_end(self) -> End | None:
        if self._kept.too_large:
            return "too-large"
        return None if self._gone is not None else self._terms.cause_to_end()

    def _over(self, selector: selectors.BaseSelector) -> bool:
        now = time.monotonic()
        if self._gone is not None:
            return not selector.get_map() or now >= self._gone + DRAIN
        # A process that SIGKILL does not end (another user's, or one stuck in the kernel) is not waited for.
        return self._killed is not None and now >= self._killed + DRAIN

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            return self._process.poll() is not None
        try:
            # Seen, not reaped: while it is a zombie, its number can't become that of a group of someone else.
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            self._gone = time.monotonic()
            raise RuntimeError("the exit code is lost: SIGCHLD is ignored in this process") from None

    def _reap(self) -> None:
        """End what is left of a group that was to be ended, and take the exit code."""
        if self._cause is not None or self._gone is None:
            self._signal(signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(DRAIN)

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _pass_on(self, receive: Callable[[str], None], line: str) -> None:
        """Pass on one line. A receiver that fails gets no more, and the tool still comes to its end."""
        if self._fault is None:
            try:
                receive(line)
            except Exception as error:  # noqa: BLE001  # raised by until_over
                self._fault = error
