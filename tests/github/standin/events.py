"""The events that start a workflow, as a job finds them: their payloads, held to GitHub's description."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.github.standin.conforming import events
from tests.github.standin.filling import WEB, Tree, described, filled_as
from tests.github.standin.people import Person
from tests.github.standin.shapes import moment
from tests.github.standin.state import Account, Commit, Run, State


class Events:
    """Tells what happened in a repository."""

    def __init__(self, state: State) -> None:
        self._state = state

    def issue_edited(self, number: int, sender: Person | Account, before: str) -> Tree:
        """Tell that the body of an issue was edited, from what it was before."""
        issue = self._state.issue(number)
        assert issue is not None, f"no issue {number}"
        properties = _schema("issues-edited")["properties"]
        known = {
            "number": number,
            "title": issue.title,
            "body": issue.body,
            "state": "open" if issue.closed is None else "closed",
            "user": filled_as(described(properties["issue"], "user"), _named(issue.author)),
            "labels": [self._label(label.name) for label in issue.labels],
            "html_url": f"{WEB}/{self._state.name}/issues/{number}",
        }
        changed = {"issue": filled_as(properties["issue"], known), "changes": {"body": {"from": before}}}
        return self._told("issues-edited", sender, action="edited", **changed)

    def push(self, after: str, sender: Person | Account, *, before: str | None = None, forced: bool = False) -> Tree:
        """Tell that commits were pushed to main."""
        head = self._state.commits[after]
        base = before or head.parent or "0" * 40
        new = [commit for commit in reversed(self._state.line(head)) if commit.sha not in self._known_at(base)]
        known = {
            "ref": "refs/heads/main",
            "before": base,
            "after": after,
            "forced": forced,
            "commits": [_commit(commit) for commit in new],
            "head_commit": _commit(head),
        }
        return self._told("push", sender, **known)

    def dispatch(self, sender: Person | Account, inputs: dict[str, str] | None = None) -> Tree:
        """Tell that someone started the workflow by hand."""
        return self._told("workflow-dispatch", sender, ref="refs/heads/main", inputs=inputs or {})

    def pull_request(self, number: int, sender: Person | Account, *, fork: bool) -> Tree:
        """Tell that a pull request was opened, from a fork or from a branch of the repository."""
        pull = _schema("pull-request-opened")["properties"]["pull_request"]
        found = filled_as(pull, {})
        for side, name in (("base", self._state.name), ("head", "someone/fork" if fork else self._state.name)):
            known = {"full_name": name, "fork": fork and side == "head"}
            found[side] = {**found[side], "repo": {**(found[side]["repo"] or {}), **known}}
        return self._told("pull-request-opened", sender, action="opened", number=number, pull_request=found)

    def environment(self, folder: Path, name: str, payload: Tree, run: Run) -> dict[str, str]:
        """Write a payload into a file and return what a job that an event started has in its environment."""
        path = folder / f"event-{run.id}.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        return {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_ACTOR": str(payload.get("sender", {}).get("login", "")),
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_SHA": run.sha,
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_RUN_ATTEMPT": str(run.attempt),
        }

    def _told(self, event: str, sender: Person | Account, **known: Any) -> Tree:
        properties = _schema(event)["properties"]
        account = sender.account if isinstance(sender, Person) else sender
        owner = _named(self._state.accounts[self._state.owner])
        repository = {
            "name": self._state.short_name,
            "full_name": self._state.name,
            "fork": self._state.fork,
            "owner": filled_as(described(properties["repository"], "owner"), owner),
        }
        shared = {
            "sender": filled_as(properties["sender"], _named(account)),
            "repository": filled_as(properties["repository"], repository),
        }
        payload = filled_as({"$ref": _reference(event)}, {**shared, **known})
        problems = [f"{error.json_path}: {error.message}" for error in _judge(event).iter_errors(payload)]
        assert problems == [], problems
        return payload

    def _label(self, name: str) -> Tree:
        return filled_as({"$ref": "#/components/schemas/webhooks_label"}, {"name": name})

    def _known_at(self, sha: str) -> set[str]:
        commit = self._state.commits.get(sha)
        return set() if commit is None else {one.sha for one in self._state.line(commit)}


def _named(account: Account) -> Tree:
    login = account.login + ("[bot]" if account.kind == "Bot" else "")
    return {"login": login, "id": account.id, "type": account.kind}


def _commit(commit: Commit) -> Tree:
    schema = _schema("push")["properties"]["commits"]["items"]
    removed = [old for old in commit.files.values() if old is not None]
    known = {"id": commit.sha, "modified": list(commit.files), "removed": removed, "timestamp": moment(commit.at)}
    return filled_as(schema, known)


def _reference(event: str) -> str:
    found = events()["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return str(found)


def _schema(event: str) -> Tree:
    found: Tree = events()["components"]["schemas"][_reference(event).rpartition("/")[2]]
    return found


@cache
def _judge(event: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": _reference(event), "components": events()["components"]})
