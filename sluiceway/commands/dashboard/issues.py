"""The dashboard issue itself: made, opened again, kept to one, labelled, titled, pinned. Only a scan does these."""

from sluiceway.commands.dashboard.board import Publishing
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.finding import Found, find, without_label
from sluiceway.commands.dashboard.trouble import Halt, sure
from sluiceway.commands.dashboard.writing import Written, counted, too_large, write
from sluiceway.dashboard import Board, TooLarge, build, parse
from sluiceway.github import Invalid, Issue, Problem

COLOR, ABOUT = "0e6ba8", "The dashboard of Sluiceway"


def publish(desk: Desk, publishing: Publishing) -> Written:
    """Write what a scan found into the dashboard, which is made where there is none. Raises ``Halt``."""
    found = find(desk)
    publishing.prepare()
    issue = found.issue or (sure(desk.github.reopen(found.closed.number)) if found.closed else None)
    if issue is None:
        return _made(desk, publishing)
    desk.result.url = issue.url
    _close_others(desk, issue, found)
    if issue.locked:
        desk.notice(
            f"The dashboard {issue.url} is locked: who has no write access can't tick anyway, comments may fail."
        )
    written = write(desk, issue.number, publishing, anew=True)
    _keep(desk, issue)
    return written


def _made(desk: Desk, publishing: Publishing) -> Written:
    config = desk.config.dashboard
    built = build(publishing(Board()), desk.settings)
    if isinstance(built, TooLarge):
        raise too_large(built)
    sure(desk.github.ensure_label(config.label, color=COLOR, description=ABOUT))
    made = sure(desk.github.create_issue(title=config.title, body=built.body, labels=[config.label]))
    # Another scan may have made one at the same time: the lower number stays, in both.
    found = find(desk)
    issue = found.issue or made
    _close_others(desk, issue, found)
    desk.result.url = issue.url
    _keep(desk, issue)
    if issue.number != made.number:
        return write(desk, issue.number, publishing, anew=True)
    board = parse(built.body)
    desk.result.counts = counted(board)
    desk.notice(f"The dashboard was made: {issue.url}")
    return Written(board, built.body)


def _close_others(desk: Desk, issue: Issue, found: Found) -> None:
    others = {other.number: other for other in (*found.others, *without_label(desk, issue))}
    for other in others.values():
        words = f"There are two dashboards: #{issue.number} stays, this one is closed (run {desk.facts.run})."
        sure(desk.github.comment(other.number, words))
        sure(desk.github.close(other.number))
        desk.notice(f"A second dashboard was closed: {other.url}")


def _keep(desk: Desk, issue: Issue) -> None:
    """Give the issue its label, title and pin where it lacks them."""
    config = desk.config.dashboard
    if config.label.lower() not in {label.lower() for label in issue.labels}:
        sure(desk.github.ensure_label(config.label, color=COLOR, description=ABOUT))
        sure(desk.github.add_labels(issue.number, [config.label]))
    if issue.title != config.title:
        sure(desk.github.retitle(issue.number, config.title))
    if config.pin:
        _pin(desk, issue)


def _pin(desk: Desk, issue: Issue) -> None:
    answer = desk.github.pin(issue)
    if isinstance(answer, Invalid):
        desk.notice(f"The dashboard can't be pinned: {answer.note}")
    elif isinstance(answer, Problem):
        raise Halt(answer.note)
