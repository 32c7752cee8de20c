"""What an outcome means: an answer, a refusal in words, or another try and when (record 0105)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from sluiceway.github.exchange import Answer, NoAnswer, Request
from sluiceway.github.problems import Denied, Invalid, NotFound, Problem
from sluiceway.github.waiting import Time

SECONDARY = 60.0
"""Seconds to wait after a secondary rate limit that doesn't say how long (GitHub's own advice), doubled each time."""
LONGEST_MESSAGE = 200
_A_YEAR = 3.2e7

_GRAPHQL_PROBLEMS = {
    "NOT_FOUND": NotFound,
    "FORBIDDEN": Denied,
    "INSUFFICIENT_SCOPES": Denied,
    "UNPROCESSABLE": Invalid,
}


@dataclass(frozen=True, slots=True)
class Again:
    """Why a request is to be sent again, and after how long; ``unsure`` where a write may have been made."""

    why: str
    wait: float
    unsure: bool


class Judge:
    """Judges what came of a request."""

    def __init__(self, time: Time, speaks_of_limit: Callable[[str], bool], conceal: Callable[[str], str]) -> None:
        self._time = time
        self._speaks_of_limit = speaks_of_limit
        self._conceal = conceal

    def judge(self, request: Request, outcome: Answer | NoAnswer, number: int) -> Answer | Problem | Again:
        """Say what the outcome of a request is: an answer, a refusal, or to send it again. ``number`` counts from 0."""
        pause = self._time.spread(2.0**number)
        if isinstance(outcome, NoAnswer):
            return Again(outcome.why, pause, unsure=outcome.sent)
        if (wait := self._limit(outcome, number)) is not None:
            until = datetime.fromtimestamp(self._time.now() + min(wait, _A_YEAR), UTC)
            return Again(f"its rate limit lasts until {until:%H:%M} UTC", wait, unsure=False)
        if outcome.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return Again(f"it answers {outcome.status}", pause, unsure=True)
        if outcome.status < HTTPStatus.MULTIPLE_CHOICES:
            return self._graphql_judged(request, outcome, pause) if request.path is None else outcome
        return self._refused(request, outcome)

    def _limit(self, answer: Answer, number: int) -> float | None:
        """Return how long a rate limit asks to wait; None where there is none."""
        headers = answer.headers
        asked = _number(headers.get("retry-after"))
        spent = headers.get("x-ratelimit-remaining") == "0"
        if not self._is_limit(answer, told=spent or asked is not None):
            return None
        if asked is not None:
            return self._time.spread(asked)
        reset = _number(headers.get("x-ratelimit-reset"))
        if spent and reset is not None:
            return max(0.0, reset - self._server_time(headers)) + self._time.spread(1)
        return self._time.spread(SECONDARY * 2**number)

    def _is_limit(self, answer: Answer, *, told: bool) -> bool:
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            return True
        if answer.status == HTTPStatus.FORBIDDEN:
            return told or self._speaks_of_limit(_message(answer.data))
        errors = _errors(answer)
        return any(error.get("type") == "RATE_LIMITED" or self._speaks_of_limit(_message(error)) for error in errors)

    def _server_time(self, headers: Mapping[str, str]) -> float:
        """Return GitHub's time: ours may be wrong, and a reset is told in GitHub's."""
        try:
            return parsedate_to_datetime(headers["date"]).timestamp()
        except (KeyError, ValueError):
            return self._time.now()

    def _graphql_judged(self, request: Request, answer: Answer, pause: float) -> Answer | Problem | Again:
        """GraphQL answers 200 with errors; one without a kind is GitHub's own trouble and passes."""
        errors = _errors(answer)
        if not errors and isinstance(answer.data, dict) and isinstance(answer.data.get("data"), dict):
            return answer
        kind = str(errors[0].get("type", "")) if errors else ""
        if kind in _GRAPHQL_PROBLEMS:
            return _GRAPHQL_PROBLEMS[kind](f"GitHub refuses: {self._said(errors[0])} ({request.name}).")
        if kind or any("extensions" in error for error in errors):
            return Invalid(f"GitHub refuses: {self._said(errors[0])} ({request.name}).")
        return Again("GraphQL answers with an error of its own", pause, unsure=True)

    def _refused(self, request: Request, answer: Answer) -> Problem:
        said = self._said(answer.data)
        if answer.status in {404, 410}:
            return NotFound(f"GitHub has no such thing, or the token may not see it: {said} ({request.name}).")
        if answer.status in {401, 403}:
            return Denied(f"GitHub doesn't let this token do it: {said} ({request.name}).")
        if answer.status < HTTPStatus.BAD_REQUEST:
            return Invalid(f"GitHub redirects, so the repository was renamed or moved ({request.name}).")
        return Invalid(f"GitHub refuses with {answer.status}: {said} ({request.name}).")

    def _said(self, data: Any) -> str:
        """Return GitHub's message on one line, cut, without the token."""
        words = " ".join(_message(data).split())
        return self._conceal(words)[:LONGEST_MESSAGE].rstrip(".") or "without a word"


def _message(data: Any) -> str:
    return str(data.get("message") or "") if isinstance(data, dict) else ""


def _errors(answer: Answer) -> list[dict[str, Any]]:
    errors = answer.data.get("errors") if isinstance(answer.data, dict) else None
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def _number(text: str | None) -> float | None:
    return float(text[:12]) if text is not None and text.isdecimal() else None
