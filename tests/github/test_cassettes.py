"""The cassettes: what they hold, and that they hold no more than they should."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import vcr
import yaml

from sluiceway.github import Deployment, GitHub, History, Issue, Missing, connect
from tests.github import recording
from tests.github.descriptions.extract import PACKAGES
from tests.github.recording import AGAINST, GITHUB, REPOSITORY, STANDIN, Target
from tests.github.standin import GitHubServer, StandInTime
from tests.github.standin.conforming import Sent, answer_problems, graphql_problems, request_problems
from tests.github.standin.state import Clock, State

FOLDER = Path(__file__).parent / "cassettes"
CASSETTES = sorted(path for path in FOLDER.glob("*/*.yaml") if path.name != AGAINST)
SECRETS = re.compile(
    r"\b(?:gh[a-z]_(?!scrubbed)|github_pat_|Bearer |token )|[Aa]uthorization|[Cc]ookie|x-github-request-id"
)


def interactions(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    recorded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [(one["request"], one["response"]) for one in recorded["interactions"]]


def told(body: Any) -> str | None:
    return body.decode() if isinstance(body, bytes) else body


@pytest.mark.parametrize("path", CASSETTES, ids=lambda path: path.stem)
def test_every_recorded_request_and_answer_is_as_github_describes_it(path: Path) -> None:
    closed = against(path.parent)["recorded against"] == STANDIN
    problems: list[str] = []
    for request, response in interactions(path):
        parts, body, answer = urlsplit(request["uri"]), told(request["body"]), told(response["body"]["string"]) or ""
        if parts.path == "/graphql":
            problems += graphql_problems(json.loads(body or "{}")["query"])
            continue
        sent = Sent(request["method"], parts.path, dict(parse_qsl(parts.query)), body)
        problems += request_problems(sent)
        problems += answer_problems(sent, response["status"]["code"], answer, closed=closed)

    assert interactions(path)
    assert problems == []


def against(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / AGAINST).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("folder", sorted({path.parent for path in CASSETTES}), ids=lambda folder: folder.name)
def test_every_folder_says_what_it_was_recorded_against(folder: Path) -> None:
    assert against(folder)["recorded against"] in {STANDIN, GITHUB}
    assert against(folder)["judged by"] == PACKAGES


@pytest.mark.parametrize("path", CASSETTES, ids=lambda path: path.stem)
def test_no_cassette_holds_a_token_or_a_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert SECRETS.findall(text) == []
    assert "127.0.0.1" not in text
    assert {urlsplit(request["uri"]).netloc for request, _ in interactions(path)} == {"api.github.com"}


TOKEN = "github_pat_11ABCDEFG0123456789"  # noqa: S105  # it opens nothing


def use(github: Any) -> tuple[object, ...]:
    assert isinstance(github, GitHub), github
    issue = github.create_issue(title="Deploys", body=f"see {github.repository_name}", labels=[])
    record = github.create_deployment(sha="main", task="t", environment="e", payload={"run": "1/1"})
    return issue, record, github.history(1), github.repository()


def test_what_is_recorded_elsewhere_names_neither_token_nor_repository_and_is_replayed(tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.yaml"
    with GitHubServer(State("acme/hush-hush")) as server:
        server.state.token(TOKEN, server.state.bot)
        elsewhere = {**server.environment(TOKEN), "SLUICEWAY_TEST_TOKEN": TOKEN}
        elsewhere["SLUICEWAY_TEST_REPOSITORY"] = "acme/hush-hush"
        with recording.target("rewrite", elsewhere) as target:
            assert (target.what, target.repository) == (GITHUB, "acme/hush-hush")
            with vcr.use_cassette(str(cassette), **recording.vcr_settings(target)):
                recorded = use(connect(target.environment, pacing=0))
    asked = len(server.exchanges)

    with (
        recording.target("none", elsewhere) as target,
        vcr.use_cassette(str(cassette), record_mode="none", **recording.vcr_settings(target)) as tape,
    ):
        replayed = use(connect(target.environment, pacing=0, time=StandInTime(Clock())))

    text = repr(interactions(cassette))
    assert [word for word in (TOKEN, "hush", "acme", "127.0.0.1", "uthorization") if word in text] == []
    assert (tape.play_count, len(server.exchanges)) == (asked, asked)
    assert [type(one) for one in recorded[:3]] == [Issue, Deployment, History]
    assert repr(recorded).replace("acme/hush-hush", REPOSITORY) == repr(replayed)


def test_without_a_token_recording_is_against_the_stand_in() -> None:
    with recording.target("all", {}) as target:
        assert (target.what, target.repository) == (STANDIN, REPOSITORY)
        assert not isinstance(connect(target.environment), Missing)


def test_a_recorded_token_is_scrubbed_wherever_it_stands() -> None:
    target = Target(STANDIN, {"INPUT_TOKEN": "plain-old-token", "GITHUB_REPOSITORY": REPOSITORY})
    answer = {
        "status": {"code": 200, "message": "OK"},
        "headers": {"Link": ["<x?token=plain-old-token>"], "Set-Cookie": ["a"], "X-GitHub-Request-Id": ["b"]},
        "body": {"string": b"plain-old-token ghs_0123456789abcdef github_pat_0123456789"},
    }

    kept = recording.kept_of_answer(answer, target)

    assert kept["headers"] == {"link": ["<x?token=ghs_scrubbed>"]}
    assert kept["body"]["string"] == b"ghs_scrubbed ghs_scrubbed ghs_scrubbed"
