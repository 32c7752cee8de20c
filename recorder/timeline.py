"""When each step of a take began, so that a time in an output can stand for the step it was made in."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

SLACK = 0.02
"""How far past a full second a step starts, in seconds: past any doubt about which second it is."""


@dataclass(slots=True)
class Timeline:
    """The starts of a take's steps, in whole seconds since the epoch; step 0 is everything before the first.

    ``now`` gives seconds since the epoch, ``sleep`` waits for seconds.
    """

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.starts:
            self.starts.append(int(self.now()))

    def begin(self) -> int:
        """Wait until just after the next full second, and return the number of the step that begins there."""
        self.align()
        self.starts.append(int(self.now()))
        return len(self.starts) - 1

    def align(self) -> None:
        """Wait until just after the next full second: times have whole seconds, so a write lands in one of them."""
        now = self.now()
        self.sleep(int(now) + 1 + SLACK - now)

    def step_of(self, second: int) -> int | None:
        """Return the step that a time (seconds since the epoch) was made in; None for a time before the take."""
        return max((step for step, start in enumerate(self.starts) if start <= second), default=None)
