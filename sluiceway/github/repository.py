"""What the port asks of a repository, its people, commits and runs."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from sluiceway.github import reading
from sluiceway.github.caller import Caller, Made
from sluiceway.github.exchange import Request
from sluiceway.github.problems import Invalid, NotFound, Problem
from sluiceway.github.queries import VIEWER
from sluiceway.github.reading import Tree, read, several
from sluiceway.github.values import Actor, Comparison, Job, Permission, Repository, Run


class Below:
    """One repository, below which all paths are."""

    def __init__(self, caller: Caller, name: str) -> None:
        self._caller = caller
        self.repository_name = name

    def _reading(self, path: str, parameters: Mapping[str, str | int] | None = None) -> Request:
        return Request("GET", f"/repos/{self.repository_name}{path}", parameters or {})

    def _write(self, verb: str, path: str, body: dict[str, Any]) -> Request:
        return Request(verb, f"/repos/{self.repository_name}{path}", body=body)

    def _get(self, path: str) -> Tree | Problem:
        return self._send(self._reading(path))

    def _send(self, request: Request, made: Made | None = None, *, always: bool = False) -> Tree | Problem:
        answer = self._caller.call(request, made, always=always)
        return answer if isinstance(answer, Problem) else answer.data

    def _variables(self) -> dict[str, str]:
        owner, _, name = self.repository_name.partition("/")
        return {"owner": owner, "name": name}


class RepositoryPort(Below):
    """The repository itself: who may what, what changed, what ran."""

    def repository(self) -> Repository | Problem:
        """Return the repository."""
        return read(reading.repository, self._get(""))

    def viewer(self) -> Actor | Problem:
        """Return who the token is: ``github-actions[bot]`` for a job's own, ``<slug>[bot]`` for an app's."""
        return read(reading.viewer, self._caller.graphql(VIEWER, {}))

    def user(self, login: str) -> Actor | Problem:
        """Return an account; ``NotFound`` where there is none (any more)."""
        return read(reading.actor, self._send(Request("GET", f"/users/{_part(login)}")))

    def permission(self, login: str) -> Permission | Problem:
        """Return what a user may do here, asked live; ``NotFound`` where there is no such account."""
        return read(reading.permission, self._get(f"/collaborators/{_part(login)}/permission"))

    def compare(self, base: str, head: str) -> Comparison | Problem:
        """Return what changed between two commits; ``NotFound`` where one is gone, as after a forced push."""
        return read(reading.comparison, self._get(f"/compare/{_part(base)}...{_part(head)}"))

    def commit(self, ref: str) -> str | Problem:
        """Return the sha that a branch, a tag or a sha stands for now; ``NotFound`` where there is none."""
        found = read(reading.commit, self._send(self._reading(f"/commits/{_part(ref)}", {"per_page": 1})))
        return NotFound(found.note) if isinstance(found, Invalid) else found

    def run(self, id: int, *, attempt: int | None = None) -> Run | Problem:  # noqa: A002  # GitHub's own word
        """Return an attempt of a workflow run, the newest by default."""
        return read(reading.run, self._get(f"/actions/runs/{id}" + (f"/attempts/{attempt}" if attempt else "")))

    def jobs(self, run: int, *, attempt: int) -> tuple[Job, ...] | Problem:
        """Return the jobs of an attempt of a workflow run."""
        request = self._reading(f"/actions/runs/{run}/attempts/{attempt}/jobs")
        return read(several(reading.job), self._caller.pages(request, key="jobs"))


def _part(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")
