"""HTTP that is recorded and replayed: where it comes from, and what of it is kept.

Under ``--record-mode`` the tests talk to the stand-in, or to GitHub itself with ``SLUICEWAY_TEST_TOKEN`` and
``SLUICEWAY_TEST_REPOSITORY`` (owner/name) in the environment. A cassette names neither: as whoever it was recorded, it
shows ``octo/shop`` on api.github.com.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from vcr.request import Request

from tests.github.descriptions.extract import PACKAGES
from tests.github.standin import GitHubServer

REPOSITORY = "octo/shop"
ADDRESS = "https://api.github.com"
STANDIN, GITHUB = "the stand-in of this repository", "github.com"
AGAINST = "recorded-against.yaml"
_KEPT_OF_REQUESTS = {"content-type", "x-github-api-version"}
_KEPT_OF_ANSWERS = {"content-type", "link"}
_SECRET = re.compile(r"\b(?:gh[a-z]_|github_pat_)\w{8,}")


@dataclass(frozen=True)
class Target:
    """What a recording is made against, or replayed as."""

    what: str
    environment: Mapping[str, str]

    @property
    def repository(self) -> str:
        """The repository's name there."""
        return self.environment["GITHUB_REPOSITORY"]


@contextmanager
def target(record_mode: str, environment: Mapping[str, str]) -> Iterator[Target]:
    """Give what to talk to; a replay talks to nobody."""
    if record_mode == "none":
        yield Target(STANDIN, {"INPUT_TOKEN": "ghs_replayed", "GITHUB_REPOSITORY": REPOSITORY})
    elif "SLUICEWAY_TEST_TOKEN" in environment:
        token, repository = environment["SLUICEWAY_TEST_TOKEN"], environment["SLUICEWAY_TEST_REPOSITORY"]
        address = {name: environment[name] for name in ("GITHUB_API_URL", "GITHUB_GRAPHQL_URL") if name in environment}
        yield Target(GITHUB, {**address, "INPUT_TOKEN": token, "GITHUB_REPOSITORY": repository})
    else:
        with GitHubServer() as server:
            yield Target(STANDIN, server.environment())
        assert server.violations == []


def vcr_settings(target: Target) -> dict[str, Any]:
    """Return how pytest-recording is to record and to match."""
    return {
        "decode_compressed_response": True,
        "match_on": ["method", "scheme", "host", "path", "query", "body"],
        "before_record_request": lambda request: kept_of_request(request, target),
        "before_record_response": lambda answer: kept_of_answer(answer, target),
    }


def kept_of_request(request: Request, target: Target) -> Request:
    """Return a request as it stands in a cassette: without who asked and where."""
    parts = urlsplit(request.uri)
    question = f"?{parts.query}" if parts.query else ""
    request.uri = _neutral(f"{ADDRESS}{parts.path}{question}", target)
    request.headers = {name: value for name, value in request.headers.items() if name.lower() in _KEPT_OF_REQUESTS}
    if request.body is not None:
        body = request.body.decode() if isinstance(request.body, bytes) else request.body
        request.body = _neutral(body, target).encode()
    return request


def kept_of_answer(answer: dict[str, Any], target: Target) -> dict[str, Any]:
    """Return an answer as it stands in a cassette: without ids of the request, cookies, limits and times."""
    headers = {
        name.lower(): [_neutral(value, target) for value in values]
        for name, values in answer["headers"].items()
        if name.lower() in _KEPT_OF_ANSWERS
    }
    body = {"string": _neutral(answer["body"]["string"].decode(), target).encode()}
    return {**answer, "headers": headers, "body": body}


def _neutral(text: str, target: Target) -> str:
    """Return a text without the token, and with the names of owner, repository and server as they are in a replay."""
    hidden = _SECRET.sub("ghs_scrubbed", text.replace(target.environment["INPUT_TOKEN"], "ghs_scrubbed"))
    neutral = hidden.replace(target.environment.get("GITHUB_API_URL", ADDRESS), ADDRESS)
    neutral = neutral.replace(target.repository, REPOSITORY)
    for name, replayed in zip(target.repository.split("/"), REPOSITORY.split("/"), strict=True):
        neutral = re.sub(rf'(?<=["/]){re.escape(name)}(?=["/])', replayed, neutral)
    return neutral


def note(folder: Path, target: Target) -> None:
    """Write down what a folder of cassettes was recorded against."""
    versions = {name: str(version) for name, version in PACKAGES.items()}
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump({"recorded against": target.what, "judged by": versions}, sort_keys=False)
    (folder / AGAINST).write_text(text, encoding="utf-8")
