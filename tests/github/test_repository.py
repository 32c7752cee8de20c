"""The repository, its people, commits and runs through the port, on the stand-in."""

import pytest

from sluiceway.github import Actor, Comparison, GitHub, Kind, NotFound, Problem, Repository, Role, Run
from tests.github.conftest import connected
from tests.github.standin import GitHubServer, StandInTime
from tests.github.standin.state import State


def test_the_repository_says_what_it_is(github: GitHub) -> None:
    found = github.repository()

    assert isinstance(found, Repository)
    assert (found.full_name, found.default_branch, found.fork, found.archived) == ("octo/shop", "main", False, False)


def test_a_fork_says_so() -> None:
    with GitHubServer(State(fork=True)) as server:
        found = connected(server, StandInTime(server.state.clock)).repository()

    assert isinstance(found, Repository)
    assert found.fork
    assert server.violations == []


def test_the_token_says_who_it_is(server: GitHubServer, waiting: StandInTime, github: GitHub) -> None:
    server.state.token("ghp_ada", server.person("ada").account)

    assert github.viewer() == Actor("github-actions[bot]", Kind.BOT)
    person = connected(server, waiting, INPUT_TOKEN="ghp_ada")  # noqa: S106  # it opens nothing
    assert person.viewer() == Actor("ada", Kind.PERSON)


def test_accounts_are_told_apart(server: GitHubServer, github: GitHub) -> None:
    server.person("ada")
    server.person("gone")
    server.delete_account("gone")

    assert github.user("ada") == Actor("ada", Kind.PERSON)
    assert github.user("github-actions[bot]") == Actor("github-actions[bot]", Kind.BOT)
    assert github.user("octo") == Actor("octo", Kind.OTHER)
    assert isinstance(github.user("gone"), NotFound)
    assert isinstance(github.user("../../x"), NotFound)


@pytest.mark.parametrize("role", list(Role))
def test_a_role_is_told_from_what_a_person_may(server: GitHubServer, github: GitHub, role: Role) -> None:
    server.person("ada", role.name.lower())
    server.person("eve", role.name.lower(), custom="deployer")

    plain, custom = github.permission("ada"), github.permission("eve")

    assert not isinstance(plain, Problem)
    assert not isinstance(custom, Problem)
    assert (plain.role, plain.role_name) == (role, role.name.lower())
    assert (custom.role, custom.role_name) == (role, "deployer")


def test_who_is_no_person_has_no_permission(server: GitHubServer, github: GitHub) -> None:
    stranger = server.state.account("stranger")
    server.person("gone", "admin")
    server.delete_account("gone")

    found = github.permission(stranger.login)
    assert not isinstance(found, Problem)
    assert found.role is Role.NONE
    assert isinstance(github.permission("gone"), NotFound)
    assert isinstance(github.permission("github-actions[bot]"), NotFound)


def test_a_role_is_asked_live(server: GitHubServer, github: GitHub) -> None:
    server.person("ada", "admin")
    before = github.permission("ada")
    server.person("ada", "read")
    after = github.permission("ada")

    assert not isinstance(before, Problem)
    assert not isinstance(after, Problem)
    assert (before.role, after.role) == (Role.ADMIN, Role.READ)


def test_what_changed_between_two_commits_is_told(server: GitHubServer, github: GitHub) -> None:
    base = server.state.branches["main"]
    server.state.push(["apps/web/a.yaml"], renamed={"apps/new.yaml": "apps/old.yaml"})
    server.state.push(["apps/db/b.yaml"])

    files = {"apps/web/a.yaml", "apps/new.yaml", "apps/old.yaml", "apps/db/b.yaml"}
    assert github.compare(base, "main") == Comparison(frozenset(files), ahead=True)
    assert github.compare(base, base) == Comparison(frozenset(), ahead=True)


@pytest.mark.parametrize(("number", "known"), [(299, True), (300, False), (301, False)])
def test_of_many_files_it_is_not_known_whether_they_are_all(
    server: GitHubServer, github: GitHub, number: int, known: bool
) -> None:
    base = server.state.branches["main"]
    server.state.push([f"file-{one}" for one in range(number)])

    found = github.compare(base, "main")

    assert not isinstance(found, Problem)
    assert (found.files is not None, found.ahead) == (known, True)


def test_after_a_forced_push_any_file_may_have_changed(server: GitHubServer, github: GitHub) -> None:
    onto = server.state.branches["main"]
    old = server.state.push(["a"])
    new = server.state.force_push(onto, ["b"])

    assert github.compare(old, new) == Comparison(None, ahead=False)
    assert github.compare(old, onto) == Comparison(None, ahead=False)
    assert isinstance(github.compare("0" * 40, new), NotFound)


def test_a_ref_stands_for_a_commit(server: GitHubServer, github: GitHub) -> None:
    sha = server.state.push(["a"], branch="release/1.0")

    assert github.commit("release/1.0") == sha
    assert github.commit(sha) == sha
    assert isinstance(github.commit("none"), NotFound)


def test_a_run_and_its_jobs_tell_how_they_ended(server: GitHubServer, github: GitHub) -> None:
    run = server.state.start_run("schedule", jobs=[f"job {number}" for number in range(130)])
    going = github.run(run.id)
    server.state.end_run(run, "cancelled")
    ended, jobs = github.run(run.id, attempt=1), github.jobs(run.id, attempt=1)

    assert isinstance(going, Run)
    assert isinstance(ended, Run)
    assert isinstance(jobs, tuple)
    assert (going.over, going.event, going.attempt) == (False, "schedule", 1)
    assert (ended.over, ended.conclusion) == (True, "cancelled")
    assert [(job.name, job.over) for job in jobs] == [(f"job {number}", True) for number in range(130)]


def test_an_earlier_attempt_has_ended_while_the_next_one_runs(server: GitHubServer, github: GitHub) -> None:
    run = server.state.start_run()
    run.attempt = 2

    first, newest = github.run(run.id, attempt=1), github.run(run.id)

    assert isinstance(first, Run)
    assert isinstance(newest, Run)
    assert (first.over, first.attempt, newest.over, newest.attempt) == (True, 1, False, 2)
    assert isinstance(github.run(run.id, attempt=3), NotFound)
    assert isinstance(github.run(5), NotFound)
