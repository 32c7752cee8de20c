"""A port on the stand-in without sockets, and jobs that die or are overtaken at one of their requests."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

import github

from sluiceway.github import GitHub, Missing
from sluiceway.github.caller import Caller
from sluiceway.github.exchange import Answer, NoAnswer, Request
from sluiceway.github.settings import read_settings
from tests.github.standin import TOKEN, Fault, GitHubServer, StandInTime


class Died(BaseException):
    """The job's machine is gone; nothing of ours runs any more."""


@dataclass
class Fates:
    """What happens at which of a job's requests, counted from 1: before it is sent, or after it was answered."""

    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    after: dict[int, Callable[[], None]] = field(default_factory=dict)
    count: int = 0


class Direct:
    """A :class:`sluiceway.github.exchange.Transport` that calls the stand-in."""

    def __init__(self, server: GitHubServer, fates: Fates) -> None:
        self._server = server
        self._fates = fates

    def send(self, request: Request) -> Answer | NoAnswer:
        self._fates.count += 1
        number = self._fates.count
        self._fates.before.pop(number, _nothing)()
        answer = self._sent(request)
        self._fates.after.pop(number, _nothing)()
        return answer

    def _sent(self, request: Request) -> Answer | NoAnswer:
        query = urlencode({name: str(value) for name, value in request.parameters.items()})
        target = "/graphql" if request.path is None else request.path + (f"?{query}" if query else "")
        body = None if request.body is None else json.dumps(dict(request.body))
        reply, fault = self._server.answer(request.verb, target, TOKEN, body)
        if reply is None:
            return NoAnswer("the connection failed", sent=True)
        if fault is Fault.NONSENSE:
            return NoAnswer("the answer is no JSON", sent=True)
        return Answer(reply.status, reply.headers, json.loads(reply.text))

    def speaks_of_limit(self, message: str) -> bool:
        return github.Requester.Requester.isRateLimitError(message)


def _nothing() -> None:
    """Let the job go on."""


def direct(server: GitHubServer, fates: Fates) -> GitHub:
    """Return a port that goes straight to the stand-in."""
    settings = read_settings(server.environment(), 0)
    assert not isinstance(settings, Missing)
    return GitHub(Caller(Direct(server, fates), StandInTime(server.state.clock), str), settings)
