"""A job: everything a run is handed of the world, so that a run itself reaches none of it."""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from sluiceway.adapters.base import Adapter, Preview, Workplace
from sluiceway.model.reasons import Reason, internal_error
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Runner
from sluiceway.runs.readiness import Readiness


def _unobserved(_stack: Stack, _preview: Preview | Failure) -> None:
    """Look at nothing."""


def _unhindered(_stack: Stack) -> Failure | None:
    """Find nothing in the way."""
    return None


def _unreported(_stack: Stack, _error: Exception) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Job:
    """One start of Sluiceway, over any number of stacks.

    ``stacks`` are all that ``sluiceway.yaml`` declares, not only those at hand. ``open_runner`` gives a runner for one
    stack, a time limit in minutes (None: none) and a private directory. ``conceal`` takes values that must never be
    relayed. ``concurrency`` is how many stacks are previewed side by side, at least 1. ``observe`` sees each preview
    as the adapter returned it. ``interrupted`` tells whether someone asked the run to end. ``hindrance`` tells what
    keeps a stack from any command of its tool, asked once a stack. ``report_bug`` is told of an exception that an
    adapter let through, and ``explain`` gives the reason for it. All of these, and ``clock`` (seconds, monotonic), are
    called from several threads.
    """

    root: Path
    stacks: tuple[Stack, ...]
    find_adapter: Callable[[str], Adapter | None]
    repository: str
    shows: Callable[[str], bool]
    open_runner: Callable[[Stack, float | None, Path], AbstractContextManager[Runner]]
    open_private: Callable[[], AbstractContextManager[Path]]
    conceal: Callable[[Iterable[str]], None]
    concurrency: int = 1
    observe: Callable[[Stack, Preview | Failure], None] = _unobserved
    clock: Callable[[], float] = time.monotonic
    interrupted: Callable[[], bool] = lambda: False
    report_bug: Callable[[Stack, Exception], None] = _unreported
    hindrance: Callable[[Stack], Failure | None] = _unhindered
    explain: Callable[[Exception], Reason] = internal_error
    readiness: Readiness = field(default_factory=Readiness, repr=False, compare=False)

    def adapter(self, stack: Stack) -> Adapter:
        """Return the adapter of ``stack``, whose tool :class:`Readiness` found one for."""
        adapter = self.find_adapter(stack.tool)
        if adapter is None:
            raise LookupError(stack.tool)
        return adapter

    def broken(self, stack: Stack, error: Exception) -> Failure:
        """Report what an adapter let through while it worked on ``stack``, and return it as a failure."""
        self.report_bug(stack, error)
        return Failure(self.explain(error))

    def place(self, stack: Stack, runner: Runner, private: Path) -> Workplace:
        """Return what an adapter is handed to work on ``stack``."""
        return Workplace(
            stack=stack,
            root=self.root,
            runner=runner,
            private=private,
            repository=self.repository,
            shows=self.shows,
            neighbours=tuple(other for other in self.stacks if other.id != stack.id),
            conceal=self.conceal,
        )
