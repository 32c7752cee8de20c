"""What can go wrong while a deploy runs (issue 5, point 1)."""

import signal

from tests.live.proxy import Answer, Asked
from tests.live.repo import HURRIED
from tests.live.stage import Blow, Fault, Strike

_CLOCK = (
    "import runpy, time, itertools; real, jump = time.time, itertools.cycle((86400.0, -86400.0));"
    "time.time = lambda: real() + next(jump);"
    "runpy.run_module('sluiceway', run_name='__main__', alter_sys=True)"
)
JUMPING = ("-c", _CLOCK)
"""The same program by a wall clock that jumps a day to and fro with each look at it."""


def _kill(strike: Strike) -> None:
    strike.kill_tool()


def _signal(number: int) -> Blow:
    def blow(strike: Strike) -> None:
        strike.process.send_signal(number)
        if strike.asked:
            strike.asked.hold(1.0)

    return blow


def _stop_server(strike: Strike) -> Answer:
    strike.stage.repo.cluster.stop_apiserver()
    return Answer()


def _hold(strike: Strike) -> Answer:
    if strike.asked:
        strike.asked.hold()
    return Answer()


def _fill(strike: Strike) -> None:
    strike.stage.fill()


def _writes(asked: Asked) -> bool:
    return asked.method in ("PATCH", "POST", "PUT", "DELETE")


def _secret(asked: Asked) -> bool:
    return "/secrets" in asked.path


def _refusal(status: int, reason: str, message: str, **headers: str) -> Blow:
    return lambda _strike: Answer(status, reason, message, tuple(headers.items()))


_CONFLICT = "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest"
_MANY = "too many requests, please try again later"
_WEBHOOK = 'admission webhook "guard.example.com" denied the request: not wanted here'
_FORBIDDEN = (
    'secrets "keys" is forbidden: User "robot" cannot patch resource "secrets" in API group "" in the namespace "x"'
)

FAULTS = (
    Fault("the tool: SIGKILL", _kill, version=True),
    Fault("the tool: SIGKILL, the server had answered", _kill, late=True),
    Fault("sluiceway: SIGTERM", _signal(signal.SIGTERM), version=True),
    Fault("sluiceway: SIGINT", _signal(signal.SIGINT), version=True),
    Fault("sluiceway: SIGKILL", _signal(signal.SIGKILL), version=True, silent=True),
    Fault("API server: stopped, then started", _stop_server, restore=lambda stage: stage.start_server()),
    Fault("answer lost", lambda _strike: Answer(), late=True),
    Fault("answer delayed past the limit", _hold, python=HURRIED),
    Fault("409", _refusal(409, "Conflict", _CONFLICT), only=_writes),
    Fault("429, to be tried again", _refusal(429, "TooManyRequests", _MANY, **{"Retry-After": "1"})),
    Fault("429, for good", _refusal(429, "TooManyRequests", _MANY), lasts=True),
    Fault("403 on Secrets", _refusal(403, "Forbidden", _FORBIDDEN), lasts=True, only=_secret),
    Fault("webhook refuses", _refusal(403, "Forbidden", _WEBHOOK), only=_writes),
    Fault("disk full", _fill, version=True, lasts=False, restore=lambda stage: stage.empty()),
    Fault("wall clock jumps", lambda _strike: None, python=JUMPING),
)
