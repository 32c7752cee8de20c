"""Finding the dashboard issue: by label, our bot as its author, and the root marker on its first line."""

from collections.abc import Callable
from dataclasses import dataclass

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.trouble import Halt, sure
from sluiceway.dashboard import is_dashboard, parse
from sluiceway.github import Issue, Problem

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Found:
    """The dashboard, or None. ``others`` are further open ones; ``closed`` the newest closed one, with none open."""

    issue: Issue | None = None
    others: tuple[Issue, ...] = ()
    closed: Issue | None = None


def find(desk: Desk) -> Found:
    """Return the open dashboards, the lowest number first; where there is none, the one closed last.

    One whose label was renamed or taken off is found by its author and marker, one whose first line was damaged by its
    history. Raises :class:`Halt` where GitHub gives no answer, or where a later version of Sluiceway wrote it.
    """
    label = desk.config.dashboard.label
    labelled = sure(desk.github.issues(creator=desk.bot.login, label=label, open=True))
    found = _ours(labelled, lambda issue: is_dashboard(issue.body) or _was(desk, issue))
    if not found:
        every = sure(desk.github.issues(creator=desk.bot.login, label=None, open=True))
        found = _ours(every, lambda issue: is_dashboard(issue.body) or (_MARKER in issue.body and _was(desk, issue)))
    if found:
        return Found(_readable(found[0]), found[1:])
    closed = sure(desk.github.issues(creator=desk.bot.login, label=label, open=False, most=_LOOKED_AT))
    newest = next((issue for issue in closed if is_dashboard(issue.body)), None)
    return Found(closed=newest and _readable(newest))


def without_label(desk: Desk, found: Issue) -> tuple[Issue, ...]:
    """Return the open dashboards beside ``found`` that lack its label: it was renamed or taken off. Raises ``Halt``."""
    label = desk.config.dashboard.label.lower()
    every = sure(desk.github.issues(creator=desk.bot.login, label=None, open=True))
    unlabelled = [one for one in every if label not in {name.lower() for name in one.labels}]
    return tuple(one for one in unlabelled if one.number != found.number and is_dashboard(one.body))


_LOOKED_AT = 20
_MARKER = "<!-- sluiceway:"
"""What is left of a dashboard without its label and first line: not every issue of a bot is looked up for that."""


def the_open(desk: Desk) -> Issue | None:
    """Return the dashboard that is open, or None after saying that there is none. Raises as :func:`find` does."""
    found = find(desk)
    if found.issue is not None:
        desk.result.url = found.issue.url
        return found.issue
    if found.closed is not None:
        desk.notice(f"The dashboard {found.closed.url} is closed: nothing is deployed from it. A scan opens it again.")
    else:
        desk.notice("There is no dashboard yet: the first scan makes it.")
    return None


def _ours(issues: tuple[Issue, ...], wanted: Callable[[Issue], bool]) -> tuple[Issue, ...]:
    return tuple(issue for issue in issues if wanted(issue))


def _was(desk: Desk, issue: Issue) -> bool:
    """Tell whether our bot once wrote a dashboard there: someone has damaged its first line."""
    history = desk.github.history(issue.number)
    if isinstance(history, Problem):
        raise Halt(history.note)
    return any(edit.editor == desk.bot and is_dashboard(edit.body or "") for edit in history.edits)


def _readable(issue: Issue) -> Issue:
    version = parse(issue.body).version
    if version not in (VERSION, None):
        raise Halt(
            f"The dashboard {issue.url} was written by a later version of Sluiceway: it is left alone. "
            "Use that version, or close the issue and take its label off."
        )
    return issue
