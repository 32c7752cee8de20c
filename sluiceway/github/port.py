"""The port: all that Sluiceway asks of GitHub and does there."""

from collections.abc import Mapping

import sluiceway
from sluiceway.github.caller import Caller
from sluiceway.github.deployments import DeploymentsPort
from sluiceway.github.issues import IssuesPort
from sluiceway.github.problems import Missing
from sluiceway.github.repository import RepositoryPort
from sluiceway.github.settings import PACING, Settings, read_settings
from sluiceway.github.waiting import SystemTime, Time

INSTALL = "What talks to GitHub needs more than was installed: pip install 'sluiceway[github]'."


class GitHub(IssuesPort, DeploymentsPort, RepositoryPort):
    """One repository on GitHub, as one token may see it.

    Every operation returns a value or a :class:`~sluiceway.github.problems.Problem`, and none raises for what GitHub
    answers. Each request has a time limit; which are sent again says record 0105.
    """

    def __init__(self, caller: Caller, settings: Settings) -> None:
        super().__init__(caller, settings.repository)
        self._url = settings.api_url

    def __repr__(self) -> str:
        return f"GitHub({self.repository_name!r}, {self._url!r})"


def connect(environment: Mapping[str, str], *, pacing: float = PACING, time: Time | None = None) -> GitHub | Missing:
    """Return the port for a job's environment; nothing is asked yet.

    ``pacing`` is how many seconds lie between two requests (four times as many between two writes).
    """
    settings = read_settings(environment, pacing)
    if isinstance(settings, Missing):
        return settings
    try:
        from sluiceway.github.transport import PyGithubTransport  # noqa: PLC0415  # heavy, and an extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"github", "requests", "urllib3"}:
            raise
        return Missing(INSTALL)
    transport = PyGithubTransport(settings, f"sluiceway/{sluiceway.__version__}")
    return GitHub(Caller(transport, time or SystemTime(), settings.token.conceal), settings)
