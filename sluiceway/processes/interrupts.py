"""The order to end every tool of this process, as a signal gives it.

One mark, set without a lock, so that a signal handler may set it at any moment. Whoever watches a tool looks at the
mark several times a second and ends its own; nothing is started while it stands.
"""


class _Mark:
    """``by`` is the signal that asked, 0 while none has; ``at_once`` forgoes the grace."""

    by = 0
    at_once = False


def interrupt_all(signal_number: int, *, at_once: bool = False) -> None:
    """End the process group of every tool that runs in any ``ProcessRunner``: SIGINT, the grace, SIGKILL.

    Returns at once; ``Running.wait`` then gives ``interrupted``. Commands started later end as ``interrupted`` without
    being started. ``at_once`` sends SIGKILL now, also to tools that were asked before. Safe in a signal handler.
    """
    _Mark.by = _Mark.by or signal_number
    _Mark.at_once = _Mark.at_once or at_once


def interrupted_by() -> int | None:
    """Return the number of the signal that :func:`interrupt_all` was first called for, or None."""
    return _Mark.by or None


def at_once() -> bool:
    """Tell whether tools are to be ended without their grace."""
    return _Mark.at_once


def forget_interrupt() -> None:
    """Let tools be started again: for a program that goes on after it was interrupted."""
    _Mark.by = 0
    _Mark.at_once = False
