"""A request, and what comes back: all that the port knows of HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """A request. ``path`` is below the API's address; None asks GraphQL."""

    verb: str
    path: str | None
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    body: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return f"{self.verb} {self.path or '/graphql'}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What GitHub answered. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    data: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """No answer that can be read. ``sent`` is False where the request surely never arrived."""

    why: str
    sent: bool


class Transport(Protocol):
    """Whatever sends one request."""

    def send(self, request: Request) -> Answer | NoAnswer:
        """Send it once."""

    def speaks_of_limit(self, message: str) -> bool:
        """Tell whether a message of GitHub's speaks of a rate limit, primary or secondary."""
