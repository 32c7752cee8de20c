"""Where GitHub is and who asks, from a job's environment."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from sluiceway.github.problems import Missing

API_URL = "https://api.github.com"
PACING = 0.25
"""Seconds between two requests; four times as many between two writes (GitHub asks for one)."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9_.-]+")
_PRINTABLE = re.compile(r"[!-~]+")


class Token:
    """A token. No text of it holds the value."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Token(…)"

    def __reduce__(self) -> str:
        raise TypeError("a token isn't pickled")

    def reveal(self) -> str:
        """Return the value, for the header of a request."""
        return self._value

    def conceal(self, text: str) -> str:
        """Return a text without the value."""
        return text.replace(self._value, "***")


@dataclass(frozen=True, slots=True)
class Settings:
    """What it takes to talk to GitHub."""

    token: Token
    repository: str
    api_url: str = API_URL
    graphql_url: str = f"{API_URL}/graphql"
    pacing: float = PACING


def read_settings(environment: Mapping[str, str], pacing: float = PACING) -> Settings | Missing:
    """Read ``INPUT_TOKEN`` (else ``GITHUB_TOKEN``), ``GITHUB_REPOSITORY`` and GitHub's two addresses."""
    token = (environment.get("INPUT_TOKEN") or environment.get("GITHUB_TOKEN") or "").strip()
    repository = environment.get("GITHUB_REPOSITORY", "")
    api_url = (environment.get("GITHUB_API_URL") or API_URL).rstrip("/")
    graphql_url = (environment.get("GITHUB_GRAPHQL_URL") or _graphql_of(api_url)).rstrip("/")
    if not token:
        return Missing("There is no token: give the action `token`, or set GITHUB_TOKEN.")
    if not _PRINTABLE.fullmatch(token):
        return Missing("The token holds characters that no token has: was more than the token pasted?")
    if not _REPOSITORY.fullmatch(repository):
        return Missing("GITHUB_REPOSITORY must be owner/name.")
    for name, url in (("GITHUB_API_URL", api_url), ("GITHUB_GRAPHQL_URL", graphql_url)):
        if not _is_address(url):
            return Missing(f"{name} must be an http or https address without user, query or fragment.")
    return Settings(Token(token), repository, api_url, graphql_url, pacing)


def _graphql_of(api_url: str) -> str:
    """Return where GraphQL is: beside REST's ``/api/v3`` on GitHub Enterprise Server, else below its address."""
    return f"{api_url.removesuffix('/v3')}/graphql"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and named and not (parts.username or parts.query or parts.fragment)
