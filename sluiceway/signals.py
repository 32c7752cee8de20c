"""SIGINT, SIGTERM and SIGHUP: the tools end, private files go, and what was done is still said.

A command that starts tools is written so::

    with JobLog(...) as log, ending_on_signals() as ending:   # in the main thread, once
        stacks = discover(...)            # a signal raises Interrupted here, at once
        with ending.finishing():          # a signal ends the tools, and raises nothing
            results = deploy(stacks)      # ... each Running.wait() returns "interrupted", so results come back
            report(results)               # what was and was not deployed
    # Interrupted is raised on leaving, if a signal was held back

- The **first** signal always calls :func:`~sluiceway.processes.interrupt_all`: tools get SIGINT, their grace, SIGKILL,
  and none is started any more. Outside of ``finishing`` it then raises :class:`Interrupted` in the main thread.
- The **second** signal sends SIGKILL to the tools at once, and raises :class:`Interrupted` in ``finishing`` too.
- It is raised once and no more, so that no signal cuts the cleaning up short. Later ones only end tools.
- Whoever holds processes or private files cleans up by ``with`` on the way out, as for any exception.

``Interrupted`` is no ``Exception``: code that turns failures into results lets it pass. The outermost caller ends with
its ``exit_code``. A signal that was ignored when the program started (``nohup``, a shell's background job) stays
without effect on it; but tools do get the SIGINT that ends them, which they would inherit as ignored. ``SIGCHLD`` gets
its default back for the same reason: ignored, the exit code of a tool is lost.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from sluiceway.processes.interrupts import forget_interrupt, interrupt_all

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """The program is to end because of a signal; like ``KeyboardInterrupt``, for each of them."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"ended by {signal.Signals(signal_number).name}")
        self.signal_number = signal_number

    @property
    def exit_code(self) -> int:
        """The exit code that a shell gives for a program that this signal ended."""
        return 128 + self.signal_number


class Ending:
    """What the signals that came so far have done. ``signal_number`` is the first one's, None while none came."""

    def __init__(self) -> None:
        self.signal_number: int | None = None
        self.raised = False
        self._held = 0

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Hold the first signal's exception back, so that a run returns its results and they are reported."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def receive(self, signal_number: int, _frame: FrameType | None = None) -> None:
        """Do what a signal asks for: the handler."""
        first = self.signal_number is None
        if first:
            self.signal_number = signal_number
        interrupt_all(signal_number, at_once=not first)
        if not self.raised and not (first and self._held):
            self.raised = True
            raise Interrupted(signal_number)


@contextmanager
def ending_on_signals() -> Iterator[Ending]:
    """Let SIGINT, SIGTERM and SIGHUP end the tools and raise :class:`Interrupted`, as told above. Main thread only.

    On leaving, the handlers that were there are back, tools may be started again, and :class:`Interrupted` is raised
    for a signal that was held back (or whose exception was swallowed on the way).
    """
    ending = Ending()
    before = {number: signal.signal(number, _handler(number, ending)) for number in _ENDING}
    before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        forget_interrupt()
    if ending.signal_number is not None:
        raise Interrupted(ending.signal_number)


def _handler(number: int, ending: Ending) -> Callable[[int, FrameType | None], None] | signal.Handlers:
    if signal.getsignal(number) != signal.SIG_IGN:
        return ending.receive
    # A handler that does nothing ignores the signal as well, but no process that is started inherits it.
    return (lambda _number, _frame: None) if number == signal.SIGINT else signal.SIG_IGN
