"""The dashboard from its first scan on: real tools and API servers, GitHub's stand-in, a process for each job."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sluiceway.dashboard import Board, DashboardRow, parse
from tests.github.standin import GitHubServer, Person
from tests.live.helm_repo import HelmRepo
from tests.live.repo import SECRET, Answer, Repo, config_map, deployment, documents, secret

pytestmark = pytest.mark.live

TOKEN = "ghs_c4n4ry-t0ken"  # noqa: S105 - it opens nothing but the stand-in
RIGHTS = {"contents": "read", "issues": "write", "deployments": "write", "actions": "read"}
"""What the shipped workflow gives the job, and nothing else."""


@dataclass
class Runner:
    """GitHub's runner: starts ``sluiceway`` in a checkout of ``repo`` with what a job has in its environment."""

    repo: Repo
    server: GitHubServer

    def job(self, event: str, *words: str, payload: Any = None, run: Any = None, **more: str) -> Answer:
        """Run a command, by default ``auto``, in a workflow run that ends with it."""
        run = run or self.server.state.start_run(event)
        here = self.repo.machine
        base = {"repository": {"fork": False, "default_branch": "main"}}
        (here / "event.json").write_text(json.dumps({**base, **(payload or {})}))
        answer = self.repo.run(
            *(words or ("auto",)),
            **self.server.environment(token=TOKEN),
            GITHUB_RUN_ID=str(run.id),
            GITHUB_RUN_ATTEMPT=str(run.attempt),
            GITHUB_SHA=self.server.state.branches["main"],
            GITHUB_REF="refs/heads/main",
            GITHUB_EVENT_NAME=event,
            GITHUB_EVENT_PATH=str(here / "event.json"),
            GITHUB_OUTPUT=str(here / "output"),
            GITHUB_STEP_SUMMARY=str(here / "summary.md"),
            **more,
        )
        assert TOKEN not in answer.out + answer.err
        self.server.state.end_run(run, "success" if answer.code == 0 else "failure")
        return answer

    def woken(self) -> Answer:
        """Run what an edit of the issue starts."""
        issue = {"number": 1, "body": self.body, "user": {"type": "Bot"}}
        edit = {"action": "edited", "changes": {"body": {}}, "issue": issue, "sender": {"type": "User"}}
        return self.job("issues", payload=edit)

    def push(self, *files: str) -> Answer:
        """Let files change, and the workflow run for it."""
        self.server.state.push(files)
        return self.job("push")

    @property
    def body(self) -> str:
        return self.server.state.issues[0].body

    @property
    def board(self) -> Board:
        return parse(self.body)

    @property
    def states(self) -> dict[str, str]:
        return {stack: row.state for stack, row in sorted(self.board.rows.items())}

    def row(self, stack: str) -> DashboardRow:
        return self.board.rows[stack]

    def records(self, stack: str) -> list[str]:
        """The results of a stack's records, the oldest first."""
        found = [one for one in self.server.state.deployments if one.task == f"sluiceway:{stack}"]
        return [one.statuses[-1].state for one in sorted(found, key=lambda one: one.id)]


@contextmanager
def github(repo: Repo) -> Iterator[Runner]:
    """GitHub, with the rights of the shipped workflow, and nothing that its descriptions don't have."""
    with GitHubServer() as server:
        server.state.token(TOKEN, server.state.bot, RIGHTS)
        yield Runner(repo, server)
    assert server.violations == []


@pytest.fixture
def runner(repo: Repo) -> Iterator[Runner]:
    with github(repo) as found:
        yield found


def write_repo(repo: Repo) -> None:
    """Two stacks: ``app`` prunes, checks for drift, and depends on ``net``."""
    repo.write("net/all.yaml", documents(config_map("net")))
    repo.write(
        "app/all.yaml", documents(config_map("c"), config_map("old"), secret("s", p=SECRET), deployment(replicas=1))
    )
    repo.configure(
        repo.stack("net"),
        repo.stack("app", {"dependsOn": ["net"], "drift": {"enabled": True}}, prune=True, forceConflicts=True),
        scan={"unrelated": ["**/*.md"]},
    )


@pytest.mark.parametrize("shared", ["1.37"], indirect=True)
def test_the_dashboard_from_its_first_scan_on(repo: Repo, runner: Runner) -> None:  # noqa: PLR0915 - one story
    write_repo(repo)
    ada, eve = runner.server.person("ada", "write"), runner.server.person("eve", "triage")
    # Every tool that is started tells whether it could have had a token.
    seen = repo.machine / "seen"
    repo.hook(f'env | grep -E "^INPUT_|^GITHUB_TOKEN|{TOKEN}" >> {seen}')

    # The first scan makes the issue.
    first = runner.job("workflow_dispatch")
    assert first.code == 0, first.err
    assert runner.states == {"app": "pending", "net": "pending"}
    assert repo.config_maps() == set()
    assert "dashboard-url=" in (repo.machine / "output").read_text()
    assert "app" in (repo.machine / "summary.md").read_text()

    # Somebody without write access ticks: nothing is deployed, and a comment says why.
    eve.tick(1, "**`net`**")
    assert runner.woken().code == 0
    assert (repo.config_maps(), runner.row("net").ticked) == (set(), False)
    assert "eve has no write access" in runner.server.state.issues[0].comments[-1].body

    # A stack that depends on another waits for it; ticked together, one goes out after the other.
    ada.tick(1, "**`app`**")
    assert runner.woken().code == 0
    assert (repo.config_maps(), runner.row("app").ticked) == (set(), True)
    ada.tick(1, "**`net`**")
    both = runner.woken()
    assert both.code == 0, both.err
    assert runner.states == {"app": "in-sync", "net": "in-sync"}
    assert repo.config_maps() == {"net", "c", "old"}
    assert [one.stack for one in runner.board.recent] == ["app", "net"]

    # A push is scanned as narrowly as it is; one of files that belong to no stack scans nothing.
    repo.write("net/all.yaml", documents(config_map("net", data={"k": "2"})))
    before = len(repo.calls())
    assert runner.push("net/all.yaml").code == 0
    assert runner.states == {"app": "in-sync", "net": "pending"}
    assert not any("app" in word for call in repo.calls()[before:] for word in call)
    before = len(repo.calls())
    assert runner.push("README.md").code == 0
    assert repo.calls()[before:] == ()

    # What moved after it was ticked is refused, and the row shows what a deploy would do now.
    ticked = runner.row("net").hash
    ada.tick(1, "**`net`**")
    repo.write("net/all.yaml", documents(config_map("net", data={"k": "2"}), config_map("more")))
    assert runner.woken().code == 1
    assert (runner.records("net")[-1], repo.config_maps()) == ("error", {"net", "c", "old"})
    assert runner.row("net").hash not in (None, ticked)
    assert "no longer what was ticked" in runner.server.state.issues[0].comments[-1].body

    ada.tick(1, "**`net`**")
    assert runner.woken().code == 0
    assert repo.config_maps() == {"net", "more", "c", "old"}

    # Drift shows with who holds the field, and a tick repairs it.
    repo.server.patch("apps/v1", "Deployment", repo.namespace, "web", {"spec": {"replicas": 5}}, manager="somebody")
    assert runner.job("schedule").code == 0
    assert (runner.row("app").drift, "somebody" in runner.row("app").text()) == (1, True)
    ada.tick(1, "**`app`**")
    repaired = runner.woken()
    assert repaired.code == 0, repaired.err
    assert repo.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1

    # A row that deletes says so in bold, and a tick deletes exactly that.
    repo.write("app/all.yaml", documents(config_map("c"), secret("s", p=SECRET), deployment(replicas=1)))
    assert runner.push("app/all.yaml").code == 0
    assert (runner.row("app").deletes, "**1 delete**" in runner.row("app").text()) == (1, True)
    ada.tick(1, "**`app`**")
    assert runner.woken().code == 0
    assert repo.config_maps() == {"net", "more", "c"}

    died_and_run_again(runner, ada)

    # No tool had a token, and nobody but kubectl was asked.
    assert seen.read_text() == ""
    assert not re.search(SECRET, runner.body)


def died_and_run_again(runner: Runner, ada: Person) -> None:
    """A run dies between its resolve and its deploy: the next one settles it, and its job run again deploys nothing."""
    repo = runner.repo
    repo.write("net/all.yaml", documents(config_map("net", data={"k": "3"})))
    assert runner.push("net/all.yaml").code == 0
    ada.tick(1, "**`net`**")
    run = runner.server.state.start_run("issues")
    assert runner.job("issues", "resolve", run=run).code == 0
    assert runner.states["net"] == "deploying"
    number = runner.row("net").deployment

    run.attempt, run.status = 2, "in_progress"
    again = runner.job("issues", "apply", "--deployment-id", str(number), run=run)
    assert (again.code, "belongs to another run" in again.err) == (1, True)
    assert runner.job("schedule").code == 0
    assert (runner.records("net")[-1], runner.states["net"]) == ("error", "pending")
    assert repo.live("ConfigMap", "net")["data"] == {"k": "2"}


def test_a_release_and_manifests_side_by_side(shop: HelmRepo) -> None:
    shop.chart(config_map("released"), path="site")
    shop.write("net/all.yaml", documents(config_map("net")))
    kubectl = {"path": "net", "tool": "kubectl", "options": {"namespace": shop.namespace}}
    shop.configure(kubectl, shop.stack("site", {"drift": {"enabled": True}}))
    shop.program("kubectl", f'exec {shop.kubectl} "$@"')
    with github(shop) as runner:
        bob = runner.server.person("bob", "admin")
        assert runner.job("workflow_dispatch").code == 0
        assert runner.states == {"net": "pending", "site": "pending"}
        bob.tick(1, "**`net`**")
        bob.tick(1, "**`site`**")
        done = runner.woken()
        assert done.code == 0, done.err
        assert runner.states == {"net": "in-sync", "site": "in-sync"}
        assert shop.config_maps() == {"net", "released"}

        # A chart's change moves the release's row alone; a tick upgrades it.
        shop.chart(config_map("released", data={"k": "2"}), path="site")
        assert runner.push("site/templates/all.yaml").code == 0
        assert runner.states == {"net": "in-sync", "site": "pending"}
        bob.tick(1, "**`site`**")
        assert runner.woken().code == 0
        assert (runner.states["site"], runner.records("site")) == ("in-sync", ["success", "success"])
        assert Path(shop.machine / "summary.md").exists()
