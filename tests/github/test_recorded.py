"""The port on recorded HTTP: from the stand-in, or from GitHub itself (``tests/github/recording.py``)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sluiceway.github import (
    Comparison,
    Deployment,
    GitHub,
    History,
    Issue,
    Kind,
    Missing,
    NotFound,
    Permission,
    Problem,
    Repository,
    Role,
    State,
    connect,
)
from tests.github import recording
from tests.github.recording import Target

pytestmark = pytest.mark.vcr
LABEL = "sluiceway-test"
BODY = "<!-- root -->\n- [ ] **one** 3 to create <!-- row -->\n"
TICKED = BODY.replace("[ ]", "[x]")
UNKNOWN = "0" * 40


@pytest.fixture
def target(record_mode: str) -> Iterator[Target]:
    with recording.target(record_mode, os.environ) as target:
        yield target


@pytest.fixture
def vcr_config(target: Target) -> dict[str, object]:
    return recording.vcr_settings(target)


@pytest.fixture
def github(target: Target, record_mode: str, vcr_cassette_dir: str) -> GitHub:
    if record_mode != "none":
        recording.note(Path(vcr_cassette_dir), target)
    found = connect(target.environment, pacing=0.25 if target.what == recording.GITHUB else 0)
    assert not isinstance(found, Missing), found
    return found


def test_a_repository_tells_what_it_is_and_who_may_what(github: GitHub) -> None:
    viewer, repository = github.viewer(), github.repository()

    assert not isinstance(viewer, Problem)
    assert isinstance(repository, Repository)
    assert repository.full_name == github.repository_name
    user = github.user(viewer.login)
    assert user == viewer
    permission = github.permission(viewer.login)
    if viewer.kind is Kind.BOT:
        assert isinstance(permission, NotFound)
    else:
        assert isinstance(permission, Permission)
        assert permission.role >= Role.WRITE


def test_an_issue_lives(github: GitHub) -> None:
    assert github.ensure_label(LABEL, color="0e8a16", description="Made by a test") is None
    issue = github.create_issue(title="Sluiceway's test", body=BODY, labels=[LABEL])
    assert isinstance(issue, Issue)
    found = github.issues(creator=issue.author.login, label=LABEL, open=True)
    assert isinstance(found, tuple)
    assert issue.number in [one.number for one in found]

    written = github.write_body(issue.number, TICKED, was=BODY)
    assert isinstance(written, Issue)
    assert written.body == TICKED
    history = github.history(issue.number)
    assert isinstance(history, History)
    assert [(edit.editor, edit.body) for edit in history.edits] == [(issue.author, TICKED), (issue.author, BODY)]
    assert (history.body, history.author, history.whole) == (TICKED, issue.author, True)

    comment = github.comment(issue.number, "Words of run 1/1")
    assert github.comments(issue.number) == (comment,)
    assert github.pin(written) is None
    closed = github.close(issue.number)
    assert isinstance(closed, Issue)
    assert not closed.open
    ended = github.issues(creator=issue.author.login, label=LABEL, open=False, most=1)
    assert isinstance(ended, tuple)
    assert [one.number for one in ended] == [issue.number]


def test_a_record_lives(github: GitHub) -> None:
    repository = github.repository()
    assert isinstance(repository, Repository)
    sha = github.commit(repository.default_branch)
    assert isinstance(sha, str)
    payload = {"v": 1, "hash": "abc", "run": "1/1", "drift": False}
    record = github.create_deployment(
        sha=sha, task="sluiceway:test", environment="sluiceway-test", payload=payload, transient=True
    )
    assert isinstance(record, Deployment)
    assert (record.task, record.payload, record.sha) == ("sluiceway:test", payload, sha)

    for state in (State.QUEUED, State.IN_PROGRESS, State.FAILURE):
        status = github.create_status(record.id, state, description=f"It is {state}", log_url="https://example.com/1")
        assert not isinstance(status, Problem), status
        assert (status.state, status.log_url) == (state, "https://example.com/1")
    statuses = github.statuses(record.id)
    assert isinstance(statuses, tuple)
    assert [status.state for status in statuses] == [State.FAILURE, State.IN_PROGRESS, State.QUEUED]
    records = github.records(environment="sluiceway-test")
    assert isinstance(records, tuple)
    assert (records[0].deployment.id, records[0].deployment.payload) == (record.id, payload)
    assert records[0].newest == statuses[0]
    listed = github.deployments(task="sluiceway:test", most=1)
    assert listed == (record,)


def test_commits_are_compared_and_what_is_unknown_is_not_found(github: GitHub) -> None:
    repository = github.repository()
    assert isinstance(repository, Repository)
    sha = github.commit(repository.default_branch)
    assert isinstance(sha, str)

    assert github.compare(sha, sha) == Comparison(frozenset(), ahead=True)
    for unknown in (github.compare(UNKNOWN, sha), github.commit("no-such-branch"), github.run(1), github.issue(10**8)):
        assert isinstance(unknown, NotFound), unknown
