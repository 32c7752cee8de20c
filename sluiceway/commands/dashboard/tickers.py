"""Who may deploy: a person with write access, asked live, whom the stack's ``tickers`` let (``spec/dashboard.md``)."""

from dataclasses import dataclass, field

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.config.settings import Tickers
from sluiceway.dashboard import Edit
from sluiceway.github import Kind, NotFound, Permission, Role
from sluiceway.model.stacks import Stack

_ROLES = {"write": Role.WRITE, "maintain": Role.MAINTAIN, "admin": Role.ADMIN}


@dataclass
class Doorkeeper:
    """Asks GitHub about each person once a run."""

    desk: Desk
    _asked: dict[str, Permission | None] = field(default_factory=dict)

    def refusal(self, by: Edit, stack: Stack) -> str | None:
        """Return why the editor of ``by`` may not deploy ``stack``, or None. Raises ``Halt`` without an answer."""
        if by.editor is None:
            return "The account that ticked this is deleted."
        if by.bot:
            return "A bot ticked this; only a person can approve."
        permission = self._permission(by.editor)
        if permission is None:
            return f"There is no account {by.editor} any more."
        if permission.user.kind is not Kind.PERSON:
            return f"{by.editor} is no person; only a person can approve."
        if permission.role < Role.WRITE:
            return f"{by.editor} has no write access to this repository."
        return _rule(by.editor, permission.role, self._tickers(stack))

    def _tickers(self, stack: Stack) -> Tickers:
        entry = self.desk.config.entry(stack.id)
        return entry.tickers if entry else self.desk.config.tickers

    def _permission(self, login: str) -> Permission | None:
        if login not in self._asked:
            answer = self.desk.github.permission(login)
            self._asked[login] = None if isinstance(answer, NotFound) else sure(answer)
        return self._asked[login]


def _rule(login: str, role: Role, tickers: Tickers) -> str | None:
    if isinstance(tickers, str):
        return None if role >= _ROLES[tickers] else f"{login} lacks the right `{tickers}`, which `tickers` asks for."
    listed = login.lower() in {name.lower() for name in tickers}
    return None if listed else f"{login} is not among those whom `tickers` lets deploy this stack."
