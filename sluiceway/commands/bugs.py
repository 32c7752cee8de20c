"""What is said of an exception that no code foresaw: its type and our own frames. Its text may hold values."""

import os
from pathlib import Path
from traceback import walk_tb

from sluiceway.model.reasons import Reason, internal_error

_OURS = Path(__file__).parents[1]


def frames(error: BaseException) -> list[str]:
    """Return the lines of ours that ``error`` passed through, the innermost last: ``sluiceway/cli.py:12 in run``."""
    found = []
    for frame, line in walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(_OURS):
            found.append(f"{file.relative_to(_OURS.parent).as_posix()}:{line} in {frame.f_code.co_name}")
    return found


def told(error: BaseException) -> str:
    """Return the type of ``error`` and of what led to it, each with our frames, one a line."""
    lines: list[str] = []
    seen: BaseException | None = error
    while seen is not None:
        lines += [type(seen).__name__, *(f"  {frame}" for frame in frames(seen))]
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return "\n".join(lines)


def explained(error: Exception) -> Reason:
    """Return the reason for ``error``: what the machine refused, else that Sluiceway itself failed."""
    if isinstance(error, OSError) and error.errno:
        return Reason(
            "preparation-failed",
            f"The machine refused a file or a process: {os.strerror(error.errno)}",
            "Run it again with --verbose to see where.",
            names={"error": type(error).__name__},
        )
    return internal_error(error)
