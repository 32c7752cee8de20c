"""The stand-in's clock as the port's: waiting moves it, and takes no time."""

from tests.github.standin.state import Clock


class StandInTime:
    """A :class:`sluiceway.github.waiting.Time` that keeps what was waited."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.waits: list[float] = []

    def now(self) -> float:
        """Return the seconds since 1970."""
        return self._clock.at.timestamp()

    def sleep(self, seconds: float) -> None:
        """Move the clock."""
        self.waits.append(seconds)
        self._clock.advance(seconds=seconds)

    def spread(self, seconds: float) -> float:
        """Return the wait as it is."""
        return seconds
