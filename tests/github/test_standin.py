"""The stand-in itself: what it must not let pass, and that it can be relied on."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from sluiceway.github import Denied, GitHub, Issue, Problem, connect
from tests.github.conftest import connected
from tests.github.everything import use_everything
from tests.github.standin import TOKEN, Fault, GitHubServer, StandInTime
from tests.github.standin.state import State

WORKFLOW = {"contents": "read", "issues": "write", "deployments": "write", "actions": "read"}
BODY = "- [ ] one\n- [x] two\n- [ ] two more\n"


def ask(server: GitHubServer, verb: str, path: str, body: object = None, token: str = TOKEN) -> tuple[int, object]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}{path}", data, headers, method=verb)  # noqa: S310  # loopback
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.fixture
def loose() -> GitHubServer:
    """A stand-in that may be asked for what isn't described."""
    server = GitHubServer()
    server.state.open_issue(server.state.bot, "Deploys", BODY)
    return server


@pytest.mark.parametrize(
    ("verb", "path", "body", "violation"),
    [
        ("GET", "/repos/octo/shop/branches", None, "is not in the description"),
        ("GET", "/repos/octo/shop/issues?author=ada", None, "parameter author"),
        ("PATCH", "/repos/octo/shop/issues/1", {"text": "x"}, "text"),
        ("POST", "/graphql", {"query": "query Q { viewer { password } }"}, "Cannot query field 'password'"),
    ],
)
def test_what_is_not_described_is_a_violation(
    loose: GitHubServer, verb: str, path: str, body: object, violation: str
) -> None:
    with loose:
        ask(loose, verb, path, body)

    assert violation in " ".join(loose.violations)


def test_an_answer_that_is_not_described_is_a_violation(loose: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with loose:
        monkeypatch.setattr(loose._rest.shapes, "issue", lambda issue: {"number": issue.number, "invented": True})
        ask(loose, "GET", "/repos/octo/shop/issues/1")

    assert "invented" in " ".join(loose.violations)


def test_a_stand_in_that_breaks_is_a_violation(loose: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with loose:
        monkeypatch.delattr(loose.state, "issues")
        with pytest.raises(OSError, match=r"closed|reset|aborted"):
            ask(loose, "GET", "/repos/octo/shop/issues/1")

    assert "AttributeError" in " ".join(loose.violations)


def test_the_permissions_of_a_workflow_are_enough_for_everything(server: GitHubServer, waiting: StandInTime) -> None:
    server.person("ada")
    server.state.token("ghs_workflow", server.state.bot, WORKFLOW)
    github = connected(server, waiting, INPUT_TOKEN="ghs_workflow")  # noqa: S106  # it opens nothing

    results = use_everything(github, server.state.branches["main"], server.state.start_run().id)

    assert {name: result for name, result in results.items() if isinstance(result, Problem)} == {}


NEEDS: dict[str, Callable[[GitHub], object]] = {
    "issues": lambda github: github.issue(1),
    "deployments": lambda github: github.deployments(),
    "contents": lambda github: github.compare("main", "main"),
    "actions": lambda github: github.run(1),
}


@pytest.mark.parametrize("scope", NEEDS)
def test_each_permission_is_needed(server: GitHubServer, waiting: StandInTime, scope: str) -> None:
    server.state.token("ghs_less", server.state.bot, {name: level for name, level in WORKFLOW.items() if name != scope})
    github = connected(server, waiting, INPUT_TOKEN="ghs_less")  # noqa: S106  # it opens nothing

    assert [name for name, use in NEEDS.items() if isinstance(use(github), Denied)] == [scope]


def test_people_tick_one_box_and_leave_all_else(server: GitHubServer) -> None:
    issue = server.state.open_issue(server.state.bot, "Deploys", BODY)
    ada = server.person("ada")

    ada.tick(1, "one")
    ada.untick(1, "two")

    assert issue.body == "- [x] one\n- [ ] two\n- [ ] two more\n"
    assert [version.editor.login for version in issue.edits] == ["ada", "ada", "github-actions"]
    with pytest.raises(AssertionError, match="2 lines"):
        ada.tick(1, "two")
    with pytest.raises(AssertionError, match="0 lines"):
        ada.untick(1, "three")


def test_the_same_body_is_no_edit_and_one_from_the_form_has_other_line_ends(server: GitHubServer) -> None:
    issue = server.state.open_issue(server.state.bot, "Deploys", BODY)
    ada = server.person("ada")

    ada.edit(1, BODY)
    assert issue.edits == []
    ada.edit(1, BODY, from_form=True)
    assert issue.body == BODY.replace("\n", "\r\n")


def test_a_renamed_label_stays_on_its_issues(server: GitHubServer, github: GitHub) -> None:
    server.state.open_issue(server.state.bot, "Deploys", BODY, ["sluiceway"])
    server.person("ada").rename_label("sluiceway", "deploys")

    issue = github.issue(1)
    assert isinstance(issue, Issue)
    assert issue.labels == ("deploys",)
    assert github.issues(creator="github-actions[bot]", label="sluiceway", open=True) == ()


def test_an_hours_budget_is_spent_and_comes_back(server: GitHubServer, github: GitHub) -> None:
    server.state.open_issue(server.state.bot, "Deploys", BODY)
    server.remaining = 2

    assert [isinstance(github.issue(1), Issue) for _ in range(3)] == [True, True, False]
    server.state.clock.advance(hours=1)
    assert isinstance(github.issue(1), Issue)


def test_faults_wait_their_turn_and_stop(server: GitHubServer, github: GitHub) -> None:
    server.state.open_issue(server.state.bot, "Deploys", BODY)
    server.faults.plan(Fault.SERVER_ERROR, "issues/get", after=1, times=2)
    for _ in range(3):
        github.issue(1)

    assert [exchange.status for exchange in server.exchanges] == [200, 502, 502, 200, 200]
    server.faults.by_chance(1, 1.0)
    server.faults.stop()
    assert isinstance(github.issue(1), Issue)


def test_the_same_requests_get_the_same_answers() -> None:
    def answers() -> list[object]:
        with GitHubServer(State("acme/web")) as server:
            server.person("ada")
            github = connect(server.environment(), pacing=0, time=StandInTime(server.state.clock))
            assert isinstance(github, GitHub)
            run = server.state.start_run()
            return [use_everything(github, server.state.branches["main"], run.id), server.exchanges]

    assert answers() == answers()
