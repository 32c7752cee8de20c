"""What the port does to deployment records and their statuses."""

from collections.abc import Mapping
from typing import Any

from sluiceway.github import reading
from sluiceway.github.exchange import Answer
from sluiceway.github.problems import Problem
from sluiceway.github.queries import RECORDS
from sluiceway.github.reading import Tree, read, several
from sluiceway.github.repository import Below
from sluiceway.github.values import Deployment, Record, State, Status

LONGEST_DESCRIPTION = 140
"""GitHub refuses a longer one of a status."""


class DeploymentsPort(Below):
    """The deployment records of a repository."""

    def create_deployment(  # noqa: PLR0913  # the fields of a record, each by its name
        self,
        *,
        sha: str,
        task: str,
        environment: str,
        payload: Mapping[str, Any],
        description: str = "",
        transient: bool = False,
        production: bool = False,
    ) -> Deployment | Problem:
        """Create a record: nothing is merged into it, and no check has to pass first.

        Where the answer is lost, one with this sha, task, environment and payload is looked for: let the payload
        name the run, so that it is the only one.
        """
        body = {
            "ref": sha,
            "task": task,
            "environment": environment,
            "payload": dict(payload),
            "description": description[:LONGEST_DESCRIPTION],
            "auto_merge": False,
            "required_contexts": [],
            "transient_environment": transient,
            "production_environment": production,
        }

        def made() -> Answer | Problem | None:
            found = self.deployments(task=task, environment=environment, sha=sha, most=100)
            if isinstance(found, Problem):
                return found
            ids = [one.id for one in found if one.payload == payload]
            return self._caller.call(self._reading(f"/deployments/{ids[0]}")) if ids else None

        return read(reading.deployment, self._send(self._write("POST", "/deployments", body), made))

    def deployment(self, id: int) -> Deployment | Problem:  # noqa: A002  # GitHub's own word
        """Return a record."""
        return read(reading.deployment, self._get(f"/deployments/{id}"))

    def deployments(
        self,
        *,
        task: str | None = None,
        environment: str | None = None,
        sha: str | None = None,
        most: int | None = None,
    ) -> tuple[Deployment, ...] | Problem:
        """Return records, newest first, that are of all that is given."""
        wanted = {"task": task, "environment": environment, "sha": sha}
        parameters = {name: value for name, value in wanted.items() if value is not None}
        found = self._caller.pages(self._reading("/deployments", parameters), most=most)
        return read(lambda items: _newest_first(several(reading.deployment)(items)), found)

    def records(self, *, environment: str | None = None, most: int = 100) -> tuple[Record, ...] | Problem:
        """Return records with their newest status, newest first, a hundred in one answer."""
        found: list[Record] = []
        after: str | None = None
        while True:
            environments = None if environment is None else [environment]
            variables = {"environments": environments, "first": min(most - len(found), 100), "after": after}
            page = read(_page, self._caller.graphql(RECORDS, {**self._variables(), **variables}))
            if isinstance(page, Problem):
                return page
            found.extend(page[0])
            after = page[1]
            if after is None or len(found) >= most:
                return tuple(found)

    def create_status(
        self, deployment: int, state: State, *, description: str = "", log_url: str = "", environment_url: str = ""
    ) -> Status | Problem:
        """Add a status to a record; the other records of the environment keep theirs.

        Where the answer is lost, an equal one is looked for among the record's last statuses: a newer one may have
        come after it, and this one must not come after that.
        """
        given = {"log_url": log_url, "environment_url": environment_url}
        body = {
            "state": state.value,
            "description": description[:LONGEST_DESCRIPTION],
            "auto_inactive": False,
            **{name: value for name, value in given.items() if value},
        }

        def made() -> Answer | Problem | None:
            answer = self._caller.call(self._reading(f"/deployments/{deployment}/statuses"))
            if isinstance(answer, Problem):
                return answer
            last = read(several(reading.status), answer.data)
            if isinstance(last, Problem):
                return last
            told = [(one.state, one.description, one.log_url) for one in last]
            wanted = (state, body["description"], log_url)
            return Answer(201, {}, answer.data[told.index(wanted)]) if wanted in told else None

        return read(reading.status, self._send(self._write("POST", f"/deployments/{deployment}/statuses", body), made))

    def statuses(self, deployment: int, *, most: int | None = None) -> tuple[Status, ...] | Problem:
        """Return the statuses of a record, newest first."""
        found = self._caller.pages(self._reading(f"/deployments/{deployment}/statuses"), most=most)
        return read(several(reading.status), found)


def _newest_first(found: tuple[Deployment, ...]) -> tuple[Deployment, ...]:
    return tuple(sorted(found, key=lambda one: one.id, reverse=True))


def _page(data: Tree) -> tuple[tuple[Record, ...], str | None]:
    """Read one page of records, and where the next one begins."""
    page = data["repository"]["deployments"]
    after = page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None
    return several(reading.record)(page["nodes"]), after
