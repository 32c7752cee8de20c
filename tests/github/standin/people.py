"""What people do on GitHub's pages, between the requests of programs."""

from tests.github.standin.state import Account, Comment, Issue, State

TICKED, UNTICKED = "- [x] ", "- [ ] "


class Person:
    """Someone with an account and a role."""

    def __init__(self, state: State, account: Account) -> None:
        self._state = state
        self.account = account
        self.login = account.login

    def edit(self, number: int, body: str, *, from_form: bool = False) -> None:
        """Write a whole body; GitHub's form ends lines with CR LF, a box that is clicked leaves them."""
        text = body.replace("\r\n", "\n").replace("\n", "\r\n") if from_form else body
        self._issue(number).write(self.account, text, self._state.clock.advance(seconds=1))

    def tick(self, number: int, text: str) -> None:
        """Click the box of the line that holds a text."""
        self._swap(number, text, UNTICKED, TICKED)

    def untick(self, number: int, text: str) -> None:
        """Click the ticked box of the line that holds a text."""
        self._swap(number, text, TICKED, UNTICKED)

    def close(self, number: int) -> None:
        """Close an issue."""
        issue = self._issue(number)
        issue.closed = issue.updated = self._state.clock.advance(seconds=1)

    def reopen(self, number: int) -> None:
        """Open it again."""
        issue = self._issue(number)
        issue.closed, issue.updated = None, self._state.clock.advance(seconds=1)

    def comment(self, number: int, body: str) -> None:
        """Comment on an issue."""
        at = self._state.clock.advance(seconds=1)
        self._issue(number).comments.append(Comment(self._state.next_id(), self.account, at, body))

    def rename_label(self, old: str, new: str) -> None:
        """Give a label another name: the issues that have it keep it."""
        label = self._state.label(old)
        assert label is not None, f"no label {old}"
        label.name = new

    def remove_version(self, number: int, index: int) -> None:
        """Remove what a version of a body said; 0 is the newest."""
        edits = self._issue(number).edits
        assert index > 0, "the version that is shown can't be removed"
        edits[index].body = None

    def _swap(self, number: int, text: str, old: str, new: str) -> None:
        issue = self._issue(number)
        lines = issue.body.splitlines(keepends=True)
        places = [at for at, line in enumerate(lines) if text in line and line.startswith(old)]
        assert len(places) == 1, f"{len(places)} lines with {old!r} hold {text!r}"
        lines[places[0]] = new + lines[places[0]].removeprefix(old)
        issue.write(self.account, "".join(lines), self._state.clock.advance(seconds=1))

    def _issue(self, number: int) -> Issue:
        issue = self._state.issue(number)
        assert issue is not None, f"no issue {number}"
        return issue
