"""Waiting: the clock that the port waits by, so that tests need not wait."""

import random
import time
from typing import Protocol


class Time(Protocol):
    """A clock, and waiting."""

    def now(self) -> float:
        """Return the seconds since 1970."""

    def sleep(self, seconds: float) -> None:
        """Wait."""

    def spread(self, seconds: float) -> float:
        """Return a wait of up to half as long again, so that jobs that were stopped together don't return together."""


class SystemTime:
    """The machine's own."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def spread(self, seconds: float) -> float:
        """Return a wait of up to half as long again."""
        return seconds * random.uniform(1, 1.5)  # noqa: S311  # no secret: it only spreads requests
