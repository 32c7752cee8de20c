"""Issues through the port, on the stand-in."""

from datetime import timedelta

import pytest

from sluiceway.github import GHOST, Actor, Denied, GitHub, Invalid, Kind, NotFound, Outdated, Problem, Unreachable
from tests.github.conftest import connected
from tests.github.standin import Fault, GitHubServer, StandInTime

BOT = Actor("github-actions[bot]", Kind.BOT)
ADA = Actor("ada", Kind.PERSON)
BODY = "<!-- root -->\n- [ ] one <!-- row -->\n- [ ] two <!-- row -->\n"


@pytest.fixture
def dashboard(github: GitHub) -> int:
    issue = github.create_issue(title="Deploys", body=BODY, labels=["sluiceway"])
    assert not isinstance(issue, Problem), issue
    return issue.number


def test_an_issue_is_created_as_it_is_given(github: GitHub, dashboard: int) -> None:
    issue = github.issue(dashboard)

    assert not isinstance(issue, Problem)
    assert (issue.number, issue.title, issue.body, issue.author) == (1, "Deploys", BODY, BOT)
    assert (issue.open, issue.locked, issue.labels, issue.closed_at) == (True, False, ("sluiceway",), None)


def test_dashboards_are_found_by_author_and_label(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    ada = server.person("ada")
    server.state.open_issue(ada.account, "Another", BODY, ["sluiceway"])
    server.state.open_issue(server.state.bot, "No label", BODY)
    server.state.open_issue(server.state.bot, "A change", BODY, ["sluiceway"], is_pull_request=True)

    found = github.issues(creator=BOT.login, label="sluiceway", open=True)
    everything = github.issues(creator=BOT.login, label=None, open=True)

    assert [issue.number for issue in listed(found)] == [dashboard]
    assert [issue.number for issue in listed(everything)] == [1, 3]


def listed(found: object) -> tuple[object, ...]:
    assert isinstance(found, tuple), found
    return found


def test_the_open_ones_come_by_number_and_the_closed_ones_last_closed_first(
    server: GitHubServer, github: GitHub
) -> None:
    ada = server.person("ada")
    for number in (1, 2, 3, 4, 5):
        server.state.open_issue(server.state.bot, f"Issue {number}", "")
    for number in (2, 4, 1):
        ada.close(number)
    ada.edit(2, "touched last, closed first")

    opened = github.issues(creator=BOT.login, label=None, open=True)
    closed = github.issues(creator=BOT.login, label=None, open=False)

    assert [issue.number for issue in listed(opened)] == [3, 5]
    assert [issue.number for issue in listed(closed)] == [1, 4, 2]
    assert [issue.number for issue in listed(github.issues(creator=BOT.login, label=None, open=False, most=1))] == [1]


def test_more_than_a_page_is_read_whole(server: GitHubServer, github: GitHub) -> None:
    for number in range(1, 251):
        server.state.open_issue(server.state.bot, f"Issue {number}", "")

    found = github.issues(creator=BOT.login, label=None, open=True)

    assert [issue.number for issue in listed(found)] == list(range(1, 251))
    assert [exchange.operation for exchange in server.exchanges] == ["issues/list-for-repo"] * 3


def test_an_issue_that_moves_between_pages_is_given_once(server: GitHubServer, github: GitHub) -> None:
    for number in range(1, 151):
        server.state.open_issue(server.state.bot, f"Issue {number}", "")
        server.person("ada").close(number)

    def on_the_second_page() -> None:
        server.faults.before("issues/list-for-repo", lambda: server.person("ada").comment(150, "and") or touch())

    def touch() -> None:
        for number in (1, 2, 3):  # they were on the second page, and push three of the first onto it
            server.state.issues[number - 1].updated = server.state.clock.advance(seconds=1)

    server.faults.before("issues/list-for-repo", on_the_second_page)
    found = github.issues(creator=BOT.login, label=None, open=False)

    numbers = [issue.number for issue in listed(found)]
    assert len(numbers) == len(set(numbers)) == 147


def test_a_history_names_who_wrote_each_version_newest_first(
    server: GitHubServer, github: GitHub, dashboard: int
) -> None:
    assert edits_of(github, dashboard) == []
    server.person("ada").tick(dashboard, "one")
    server.person("eve", "read").edit(dashboard, "gone")
    ticked = BODY.replace("[ ] one", "[x] one")
    github.write_body(dashboard, BODY, was="gone")

    found = [(edit.editor.login, edit.body) for edit in edits_of(github, dashboard)]
    assert found == [(BOT.login, BODY), ("eve", "gone"), ("ada", ticked), (BOT.login, BODY)]


def edits_of(github: GitHub, number: int) -> list[object]:
    history = github.history(number)
    assert not isinstance(history, Problem), history
    assert history.author == BOT
    assert history.whole
    return list(history.edits)


def test_a_history_knows_deleted_accounts_bots_and_removed_versions(
    server: GitHubServer, github: GitHub, dashboard: int
) -> None:
    ada = server.person("ada")
    ada.tick(dashboard, "one")
    server.state.issue(dashboard).write(server.state.account("other-app", "Bot"), "by a bot", server.state.clock.at)
    server.state.issue(dashboard).write(server.state.account("octo"), "by an organization", server.state.clock.at)
    ada.remove_version(dashboard, 2)
    server.delete_account("ada")

    organization, bot, deleted, created = edits_of(github, dashboard)

    assert (organization.editor, bot.editor) == (Actor("octo", Kind.OTHER), Actor("other-app[bot]", Kind.BOT))
    assert (deleted.editor, deleted.body) == (GHOST, None)
    assert created.body == BODY


def test_a_long_history_is_read_as_far_as_it_is_asked_for(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    for number in range(60):
        server.person("ada").edit(dashboard, f"version {number}")

    some, whole = github.history(dashboard, most=45), github.history(dashboard, most=1000)

    assert not isinstance(some, Problem)
    assert not isinstance(whole, Problem)
    assert [edit.body for edit in some.edits] == [f"version {number}" for number in range(59, 14, -1)]
    assert (len(whole.edits), some.whole, whole.whole) == (61, False, True)
    assert some.body == "version 59"


def test_a_body_is_written(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    issue = github.write_body(dashboard, "new", was=BODY)

    assert not isinstance(issue, Problem)
    assert issue.body == server.state.issue(dashboard).body == "new"


@pytest.mark.parametrize("fault", [Fault.DROPPED, Fault.SERVER_ERROR, Fault.SECONDARY, Fault.PRIMARY, Fault.TIMEOUT])
def test_a_body_that_was_edited_since_is_not_written_at_a_later_try(
    server: GitHubServer, github: GitHub, dashboard: int, fault: Fault
) -> None:
    server.faults.plan(fault, "issues/update")
    server.faults.before("issues/get", lambda: server.person("ada").tick(dashboard, "one"))

    outdated = github.write_body(dashboard, "new", was=BODY)

    assert isinstance(outdated, Outdated)
    assert outdated.issue.body == server.state.issue(dashboard).body == BODY.replace("[ ] one", "[x] one")


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE_ERROR, Fault.NONSENSE])
def test_a_body_that_was_written_and_edited_since_is_not_written_again(
    server: GitHubServer, github: GitHub, dashboard: int, fault: Fault
) -> None:
    server.faults.plan(fault, "issues/update")
    server.faults.before("issues/get", lambda: server.person("ada").edit(dashboard, "after ours"))

    outdated = github.write_body(dashboard, "new", was=BODY)

    assert isinstance(outdated, Outdated)
    assert server.state.issue(dashboard).body == "after ours"
    assert [version.body for version in server.state.issue(dashboard).versions] == [BODY, "new", "after ours"]


def test_line_ends_that_the_form_changed_are_no_edit_for_a_later_try(
    server: GitHubServer, github: GitHub, dashboard: int
) -> None:
    server.faults.plan(Fault.DROPPED, "issues/update")
    server.faults.before("issues/get", lambda: server.person("ada").edit(dashboard, BODY, from_form=True))

    issue = github.write_body(dashboard, "new", was=BODY)

    assert not isinstance(issue, Problem)
    assert issue.body == "new"


def test_a_body_that_is_too_long_is_refused_in_words(github: GitHub, dashboard: int) -> None:
    refused = github.write_body(dashboard, "x" * 65537, was=BODY)

    assert isinstance(refused, Invalid)
    assert "body is too long (maximum is 65536 characters)" in refused.note


def test_an_issue_is_closed_opened_and_named_anew(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    closed = github.close(dashboard)
    assert not isinstance(closed, Problem)
    assert not closed.open
    assert closed.closed_at is not None
    assert abs(closed.closed_at - server.state.clock.at) < timedelta(seconds=2)
    opened = github.reopen(dashboard)
    assert not isinstance(opened, Problem)
    assert (opened.open, opened.closed_at) == (True, None)
    renamed = github.retitle(dashboard, "Other")
    assert not isinstance(renamed, Problem)
    assert renamed.title == "Other"


def test_a_label_is_made_once_and_given(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    for _ in range(2):
        assert github.ensure_label("deploys now", color="0e8a16", description="x" * 200) is None
    assert github.add_labels(dashboard, ["deploys now"]) == ("sluiceway", "deploys now")

    label = server.state.label("deploys now")
    assert (label.color, label.description) == ("0e8a16", "x" * 100)
    assert len(server.state.labels) == 2


def test_a_label_that_someone_else_makes_meanwhile_is_fine(server: GitHubServer, github: GitHub) -> None:
    server.faults.before("issues/create-label", lambda: server.state.make_label("mine"))

    assert github.ensure_label("mine", color="0e8a16", description="") is None
    assert len(server.state.labels) == 1


def test_an_issue_is_pinned_once(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    issue = github.issue(dashboard)
    for _ in range(2):
        assert github.pin(issue) is None

    assert server.state.issue(dashboard).pinned
    assert [one.operation for one in server.exchanges].count("graphql Pin") == 1


def test_a_fourth_pin_is_refused_in_words(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    for number in range(3):
        server.state.open_issue(server.state.bot, f"Pinned {number}", "").pinned = True

    refused = github.pin(github.issue(dashboard))

    assert isinstance(refused, Invalid)
    assert "Maximum 3 pinned issues" in refused.note


def test_comments_come_oldest_first_and_all(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    for number in range(120):
        server.person("ada").comment(dashboard, f"comment {number}")
    made = github.comment(dashboard, "the last")

    found = listed(github.comments(dashboard))

    assert [one.body for one in found] == [*(f"comment {number}" for number in range(120)), "the last"]
    assert (found[0].author, found[-1]) == (ADA, made)


def test_the_same_comment_twice_is_two(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    github.comment(dashboard, "again")
    server.faults.plan(Fault.DROPPED, "issues/create-comment")
    github.comment(dashboard, "again")

    assert [one.body for one in server.state.issue(dashboard).comments] == ["again", "again"]


def test_someone_elses_equal_comment_is_not_taken_for_ours(
    server: GitHubServer, github: GitHub, dashboard: int
) -> None:
    server.faults.plan(Fault.DROPPED, "issues/create-comment")
    server.faults.before("issues/create-comment", lambda: server.person("ada").comment(dashboard, "moved"))

    made = github.comment(dashboard, "moved")

    assert not isinstance(made, Problem)
    assert made.author == BOT
    assert len(server.state.issue(dashboard).comments) == 2


@pytest.mark.parametrize("fault", [Fault.DROPPED, Fault.LOST])
def test_an_older_issue_with_the_same_words_is_not_taken_for_the_new_one(
    server: GitHubServer, github: GitHub, dashboard: int, fault: Fault
) -> None:
    server.faults.plan(fault, "issues/create")

    issue = github.create_issue(title="Deploys", body=BODY, labels=["sluiceway"])

    assert not isinstance(issue, Problem)
    assert (dashboard, issue.number, len(server.state.issues)) == (1, 2, 2)


def test_what_is_not_there_is_not_found(server: GitHubServer, github: GitHub) -> None:
    assert isinstance(github.issue(7), NotFound)
    assert isinstance(github.history(7), NotFound)
    assert isinstance(github.write_body(7, "new", was=""), NotFound)
    server.state.has_issues = False
    disabled = github.issues(creator=BOT.login, label=None, open=True)
    assert isinstance(disabled, NotFound)
    assert "Issues has been disabled" in disabled.note


def test_a_token_that_may_not_is_denied(server: GitHubServer, waiting: StandInTime, dashboard: int) -> None:
    server.state.token("ghs_reader", server.state.bot, {"issues": "read"})
    reader = connected(server, waiting, INPUT_TOKEN="ghs_reader")  # noqa: S106  # it opens nothing

    assert not isinstance(reader.history(dashboard), Problem)
    for denied in (
        reader.write_body(dashboard, "new", was=BODY),
        reader.comment(dashboard, "words"),
        reader.pin(reader.issue(dashboard)),
        reader.records(),
        connected(server, waiting, INPUT_TOKEN="ghs_unknown").issue(dashboard),  # noqa: S106
    ):
        assert isinstance(denied, Denied), denied
    assert waiting.waits == []


def test_an_archived_repository_is_read_only(server: GitHubServer, github: GitHub, dashboard: int) -> None:
    server.state.archived = True

    assert not isinstance(github.issue(dashboard), Problem)
    denied = github.write_body(dashboard, "new", was=BODY)
    assert isinstance(denied, Denied)
    assert "archived" in denied.note


def test_a_lookup_that_fails_too_says_that_nothing_is_known(
    server: GitHubServer, github: GitHub, dashboard: int
) -> None:
    server.faults.plan(Fault.LOST, "issues/update")
    server.faults.plan(Fault.SERVER_ERROR, "issues/get", times=5)

    unknown = github.write_body(dashboard, "new", was=BODY)

    assert isinstance(unknown, Unreachable)
    assert unknown.note.endswith("Whether it was done all the same is not known.")
