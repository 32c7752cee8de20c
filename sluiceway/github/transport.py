"""One request and what came of it, over PyGithub (record 0104). The only module that knows the library.

PyGithub keeps the connection, the headers, the pace and the addresses of GitHub Enterprise Server. Its retries are off:
it would send a write again whose answer was lost.
"""

import json
import logging
from urllib.parse import urlsplit

import github
import requests
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError, NewConnectionError

from sluiceway.github.exchange import Answer, NoAnswer, Request
from sluiceway.github.settings import Settings

SECONDS = 30
"""How long to wait for a connection, and then for each part of an answer."""

API_VERSION = "2022-11-28"

# The library may log what it sends; nothing of it belongs in a job's log.
logging.getLogger("github").setLevel(logging.CRITICAL)


class PyGithubTransport:
    """Sends requests through PyGithub."""

    def __init__(self, settings: Settings, user_agent: str) -> None:
        self._graphql_url = settings.graphql_url
        self._rest = _client(settings, settings.api_url, user_agent)
        same = _origin(settings.api_url) == _origin(settings.graphql_url)
        self._graphql = self._rest if same else _client(settings, _origin(settings.graphql_url), user_agent)

    def send(self, request: Request) -> Answer | NoAnswer:
        """Send a request once, whatever comes of it."""
        client, url = (self._rest, request.path) if request.path else (self._graphql, self._graphql_url)
        body = None if request.body is None else dict(request.body)
        try:
            status, headers, text = client.requester.requestJson(
                request.verb, url, dict(request.parameters), {"X-GitHub-Api-Version": API_VERSION}, body
            )
            return Answer(status, headers, json.loads(text) if text else None)
        except requests.exceptions.Timeout as error:
            return NoAnswer(f"no answer in {SECONDS} seconds", sent=_was_sent(error))
        except requests.exceptions.RequestException as error:
            return NoAnswer("the connection failed", sent=_was_sent(error))
        except RuntimeError:
            return NoAnswer("it redirects to another address", sent=False)
        except ValueError:
            return NoAnswer("the answer is no JSON", sent=True)

    def speaks_of_limit(self, message: str) -> bool:
        """Tell whether a message of GitHub's speaks of a rate limit, primary or secondary."""
        return github.Requester.Requester.isRateLimitError(message)


def _client(settings: Settings, url: str, user_agent: str) -> github.Github:
    return github.Github(
        auth=github.Auth.Token(settings.token.reveal()),
        base_url=url,
        timeout=SECONDS,
        user_agent=user_agent,
        retry=0,
        seconds_between_requests=settings.pacing,
        seconds_between_writes=settings.pacing * 4,
        lazy=True,
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _was_sent(error: requests.exceptions.RequestException) -> bool:
    """Tell whether the request may have arrived: not where there never was a connection."""
    cause = error.args[0] if error.args else None
    if isinstance(cause, MaxRetryError):
        cause = cause.reason
    return not isinstance(cause, (ConnectTimeoutError, NewConnectionError))
