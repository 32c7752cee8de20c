"""What goes wrong on the way, on demand or by chance from a seed."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    """A way in which a request can fail."""

    PRIMARY = "primary rate limit"
    SECONDARY = "secondary rate limit"
    SECONDARY_SILENT = "secondary rate limit that doesn't say how long"
    SERVER_ERROR = "5xx, nothing done"
    LATE_ERROR = "5xx, and done all the same"
    DROPPED = "connection closed, nothing done"
    LOST = "connection closed after it was done"
    TIMEOUT = "no answer in time, nothing done"
    LATE = "no answer in time, and done all the same"
    NONSENSE = "an answer that is no JSON"

    @property
    def done(self) -> bool:
        """Tell whether the request is carried out all the same."""
        return self in {Fault.LATE_ERROR, Fault.LOST, Fault.LATE, Fault.NONSENSE}


@dataclass
class _Planned:
    operation: str | None
    fault: Fault
    left: int
    after: int


class Faults:
    """What is to go wrong, and when. An operation is named as in the description, or ``graphql <its name>``."""

    def __init__(self) -> None:
        self.status = 403
        """What a rate limit answers: 403 or 429."""
        self._planned: list[_Planned] = []
        self._before: list[tuple[str, Callable[[], None]]] = []
        self._chance: tuple[random.Random, float, Sequence[Fault]] | None = None
        self.happened: list[tuple[str, Fault]] = []

    def plan(self, fault: Fault, operation: str | None = None, *, times: int = 1, after: int = 0) -> None:
        """Let the next requests of an operation, or of any, fail; ``after`` that many went well."""
        self._planned.append(_Planned(operation, fault, times, after))

    def before(self, operation: str, action: Callable[[], None]) -> None:
        """Do something once, right before the next request of an operation is carried out.

        It may change the state, and must ask nothing of the server, which waits for it.
        """
        self._before.append((operation, action))

    def by_chance(self, seed: int, rate: float, faults: Sequence[Fault] = tuple(Fault)) -> None:
        """Let requests fail by chance, ``rate`` of them; the same seed and the same requests fail alike."""
        self._chance = (random.Random(seed), rate, faults)  # noqa: S311  # it is to be foretold

    def stop(self) -> None:
        """Let nothing go wrong any more."""
        self._planned, self._before, self._chance = [], [], None

    def act(self, operation: str) -> None:
        """Do what is to be done before an operation."""
        due = [action for name, action in self._before if name == operation]
        self._before = [(name, action) for name, action in self._before if name != operation]
        for action in due:
            action()

    def draw(self, operation: str) -> Fault | None:
        """Return how a request fails, or None."""
        fault = self._draw(operation)
        if fault is not None:
            self.happened.append((operation, fault))
        return fault

    def _draw(self, operation: str) -> Fault | None:
        for planned in self._planned:
            if planned.operation in {None, operation} and planned.left:
                if planned.after:
                    planned.after -= 1
                    continue
                planned.left -= 1
                return planned.fault
        if self._chance is not None:
            chance, rate, faults = self._chance
            if chance.random() < rate:
                return chance.choice(faults)
        return None
