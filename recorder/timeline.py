"""When each step of a take began, so that a time in an output can stand for the step it was made in."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

SLACK = 0.02
"""How far past a full second a step starts, in seconds: past any doubt about which second it is."""


@dataclass(slots=True)
class Timeline:
    """The starts of a take's steps, in whole seconds since the epoch, each with the step's number.

    ``since`` is when the cluster was made: from there to the first step everything is step 0. ``now`` gives seconds
    since the epoch, ``sleep`` waits for seconds.
    """

    since: float
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    starts: list[tuple[int, int]] = field(default_factory=list)

    def begin(self, step: int) -> None:
        """Wait until just after the next full second, where step number ``step`` begins."""
        self.align()
        self.starts.append((int(self.now()), step))

    def align(self) -> None:
        """Wait until just after the next full second: times have whole seconds, so a write lands in one of them."""
        now = self.now()
        self.sleep(int(now) + 1 + SLACK - now)

    def step_of(self, second: float) -> int | None:
        """Return the step that a time (seconds since the epoch) was made in; None for a time before the cluster."""
        if second < int(self.since):
            return None
        return max((step for start, step in self.starts if start <= second), default=0)
