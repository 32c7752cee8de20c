"""A request with its tries: what is sent again, when, and what a refusal means (record 0105).

A read is sent again whenever an answer may still come. A write is sent again by itself only where it surely was not
made: it never arrived, or a rate limit turned it away. Where its answer was lost, its ``made`` looks first.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from sluiceway.github.exchange import Answer, Request, Transport
from sluiceway.github.judging import Again, Judge
from sluiceway.github.problems import Problem, Unreachable
from sluiceway.github.reading import read
from sluiceway.github.waiting import Time

TRIES = 5
PATIENCE = 900.0
"""Seconds that one operation may wait in all; a rate limit that lasts longer ends it."""

Made = Callable[[], "Answer | Problem | None"]
"""Looks whether a write was made all the same: the answer, a problem, or None where it was not."""


class Caller:
    """Sends requests until there is an answer, a refusal, or no more patience."""

    def __init__(self, transport: Transport, time: Time, conceal: Callable[[str], str]) -> None:
        self._transport = transport
        self._time = time
        self._judge = Judge(time, transport.speaks_of_limit, conceal)

    def call(self, request: Request, made: Made | None = None, *, always: bool = False) -> Answer | Problem:
        """Send a request; return an answer below 400, or why there is none.

        ``made`` belongs to a write that must not be made twice. It is asked before another try whenever the one
        before may have been made, and with ``always`` before every other try.
        """
        waited, unsure = 0.0, always
        for number in range(TRIES):
            outcome = self._judge.judge(request, self._transport.send(request), number)
            if not isinstance(outcome, Again):
                return outcome
            waited += outcome.wait
            unsure |= outcome.unsure
            look = made if unsure else None
            if number == TRIES - 1 or waited > PATIENCE:
                return _given_up(request, outcome, look)
            self._time.sleep(outcome.wait)
            if look is not None and (found := look()) is not None:
                return _unknown(found.note) if isinstance(found, Unreachable) else found
        raise AssertionError("the last try returns")

    def graphql(self, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any] | Problem:
        """Ask GraphQL; return ``data``, or why there is none. Every query and mutation of ours may be sent again."""
        answer = self.call(Request("POST", None, body={"query": query, "variables": dict(variables)}))
        return answer if isinstance(answer, Problem) else answer.data["data"]

    def pages(self, request: Request, *, key: str | None = None, most: int | None = None) -> list[Any] | Problem:
        """Return the items of all pages, or the first ``most``; ``key`` names them where a page is an object.

        While pages are read, an item may move from one to the next: each is given once, by its ``id``.
        """
        found: dict[int, Any] = {}
        parameters: Mapping[str, str | int] = {**request.parameters, "per_page": min(most or 100, 100)}
        while True:
            answer = self.call(Request(request.verb, request.path, parameters))
            if isinstance(answer, Problem):
                return answer
            page = read(lambda data: _by_id(data, key), answer.data)
            if isinstance(page, Problem):
                return page
            new = page.keys() - found.keys()
            found = found | {one: page[one] for one in page if one in new}
            following = _next(answer.headers.get("link", ""))
            if following is None or not new or (most is not None and len(found) >= most):
                return list(found.values())[:most]
            parameters = following


def _given_up(request: Request, outcome: Again, look: Made | None) -> Answer | Problem:
    """Say why there is no answer; where a write may have been made, look one last time."""
    note = f"GitHub can't be reached: {outcome.why} ({request.name})."
    found = None if look is None else look()
    if found is None:
        return Unreachable(note)
    return _unknown(note) if isinstance(found, Unreachable) else found


def _unknown(note: str) -> Unreachable:
    return Unreachable(f"{note} Whether it was done all the same is not known.")


def _by_id(data: Any, key: str | None) -> dict[int, Any]:
    items = data if key is None else data[key]
    if not isinstance(items, list):
        raise TypeError
    return {int(item["id"]): item for item in items}


def _next(link: str) -> Mapping[str, str | int] | None:
    """Return the parameters of the next page from a ``Link`` header."""
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return dict(parse_qsl(urlsplit(address.strip(" <>")).query))
    return None
