"""Running tools: the ``Runner`` protocol, and the real one (``spec/core.md``, Running a tool).

``Command``, ``Outcome``, ``Running`` and ``Runner`` are all that an adapter knows; a recording answers the same
protocol. ``ProcessRunner`` starts real processes, ``tool_environment`` gives them their environment, and
``interrupt_all`` ends them. The real one is loaded when it is first asked for: a replay starts nothing, so it does not
pay for the means to.
"""

from typing import TYPE_CHECKING, Any

from sluiceway.processes.commands import STDOUT_LIMIT_MIB, Command, End, Outcome, Runner, Running
from sluiceway.processes.interrupts import interrupt_all, interrupted_by

if TYPE_CHECKING:
    from sluiceway.processes.runner import ProcessRunner, tool_environment

__all__ = [
    "STDOUT_LIMIT_MIB",
    "Command",
    "End",
    "Outcome",
    "ProcessRunner",
    "Runner",
    "Running",
    "interrupt_all",
    "interrupted_by",
    "tool_environment",
]


def __getattr__(name: str) -> Any:
    if name in {"ProcessRunner", "tool_environment"}:
        from sluiceway.processes import runner  # noqa: PLC0415  # loaded late on purpose, see above

        return getattr(runner, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
