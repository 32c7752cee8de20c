"""The tries of one request, outcome by outcome."""

from collections.abc import Iterable

import pytest

from sluiceway.github.caller import Caller
from sluiceway.github.exchange import Answer, NoAnswer, Request
from sluiceway.github.problems import Denied, NotFound, Problem, Unreachable
from tests.github.standin import StandInTime
from tests.github.standin.state import Clock

WRITE = Request("POST", "/repos/octo/shop/deployments", body={"ref": "main"})
DONE = Answer(201, {}, {"id": 1})
FOUND = Answer(200, {}, {"id": 1})
LOST = NoAnswer("the connection failed", sent=True)
NEVER_SENT = NoAnswer("the connection failed", sent=False)
LIMITED = Answer(403, {"retry-after": "7"}, {"message": "You have exceeded a secondary rate limit."})
BROKEN = Answer(502, {}, {"message": "Server Error"})


class Scripted:
    """A transport that answers as it was told, one by one."""

    def __init__(self, outcomes: Iterable[Answer | NoAnswer]) -> None:
        self.outcomes = list(outcomes)

    def send(self, _: Request) -> Answer | NoAnswer:
        return self.outcomes.pop(0)

    def speaks_of_limit(self, message: str) -> bool:
        return "rate limit" in message


def called(
    outcomes: list[Answer | NoAnswer], looks: list[Answer | Problem | None], *, always: bool = False
) -> tuple[Answer | Problem, int, int]:
    """Return what came of a write, and how many outcomes and looks were left over."""
    transport = Scripted(outcomes)
    caller = Caller(transport, StandInTime(Clock()), str)
    result = caller.call(WRITE, lambda: looks.pop(0), always=always)
    return result, len(transport.outcomes), len(looks)


@pytest.mark.parametrize("unsure", [LOST, BROKEN])
def test_a_write_that_shows_late_is_found_although_the_try_between_was_turned_away(
    unsure: Answer | NoAnswer,
) -> None:
    assert called([unsure, LIMITED], [None, FOUND]) == (FOUND, 0, 0)
    assert called([unsure, NEVER_SENT, DONE], [None, None]) == (DONE, 0, 0)


@pytest.mark.parametrize("sure", [NEVER_SENT, LIMITED])
def test_a_write_that_was_surely_not_made_is_not_looked_for(sure: Answer | NoAnswer) -> None:
    assert called([sure, DONE], []) == (DONE, 0, 0)
    assert called([sure, DONE], [None], always=True) == (DONE, 0, 0)


def test_a_refusal_of_a_later_try_stands() -> None:
    denied, *left = called([LOST, Answer(403, {}, {"message": "no"})], [None])

    assert isinstance(denied, Denied)
    assert left == [0, 0]


@pytest.mark.parametrize("found", [FOUND, NotFound("It is gone.")])
def test_after_the_last_try_it_is_looked_for_once_more(found: Answer | Problem) -> None:
    assert called([LOST] * 5, [None] * 4 + [found]) == (found, 0, 0)


@pytest.mark.parametrize(
    ("looks", "known"), [([Unreachable("x")], False), ([None] * 4 + [Unreachable("x")], False), ([None] * 5, True)]
)
def test_where_nothing_can_be_looked_at_nothing_is_known(looks: list[Answer | Problem | None], known: bool) -> None:
    result, _, left = called([LOST] * 5, looks)

    assert isinstance(result, Unreachable)
    assert result.note.endswith("Whether it was done all the same is not known.") == (not known)
    assert left == 0


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (403, {"retry-after": "9"}, [9]),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1772438520"}, [121]),
        (403, {"x-ratelimit-remaining": "0"}, [60]),
        (429, {}, [60]),
        (429, {"retry-after": "soon"}, [60]),
        (429, {"retry-after": "9" * 40}, []),
        (403, {"x-ratelimit-remaining": "17"}, []),
    ],
)
def test_a_limit_is_told_by_its_headers_whatever_the_words(
    status: int, headers: dict[str, str], waits: list[float]
) -> None:
    waiting = StandInTime(Clock())
    limited = Answer(status, headers, {"message": "Slow down"})

    result = Caller(Scripted([limited, DONE]), waiting, str).call(WRITE)

    assert waiting.waits == waits
    assert (result == DONE) == bool(waits)
