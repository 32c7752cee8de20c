"""What the stand-in holds, as REST shows it. What nothing here knows is filled in as the description says."""

from datetime import datetime

from tests.github.standin.filling import API, WEB, Tree, filled
from tests.github.standin.state import (
    LEGACY,
    ROLES,
    Account,
    Comment,
    Commit,
    Deployment,
    Issue,
    Job,
    Label,
    Run,
    State,
    Status,
)


def moment(at: datetime | None) -> str | None:
    """Return a time as GitHub writes it."""
    return None if at is None else at.strftime("%Y-%m-%dT%H:%M:%SZ")


class Shapes:
    """Shows what a state holds."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._api = f"{API}/repos/{state.name}"
        self._web = f"{WEB}/{state.name}"

    def account(self, account: Account, component: str = "simple-user") -> Tree | None:
        """Show an account; a deleted one is none."""
        if account.deleted:
            return None
        login = account.login + ("[bot]" if account.kind == "Bot" else "")
        known = {"login": login, "id": account.id, "node_id": f"U_{account.id}", "type": account.kind}
        return filled(component, known)

    def permission(self, account: Account) -> Tree:
        """Show what an account may do; a custom role has the name of its own and the flags of its base."""
        base, name = self._state.roles.get(account.login, ("none", "none"))
        flags = {flag: flag in ROLES[base] for flag in ("admin", "maintain", "push", "triage", "pull")}
        user = {**(self.account(account, "nullable-collaborator") or {}), "permissions": flags, "role_name": name}
        return {"permission": LEGACY.get(base, base), "role_name": name, "user": user}

    def repository(self) -> Tree:
        """Show the repository."""
        state = self._state
        known = {
            "id": 1,
            "name": state.short_name,
            "full_name": state.name,
            "owner": self.account(state.accounts[state.owner]),
            "fork": state.fork,
            "archived": state.archived,
            "has_issues": state.has_issues,
            "default_branch": "main",
            "html_url": self._web,
            "url": self._api,
        }
        return filled("full-repository", known)

    def label(self, label: Label) -> Tree:
        """Show a label."""
        known = {"id": label.id, "name": label.name, "color": label.color, "description": label.description}
        return filled("label", known)

    def issue(self, issue: Issue) -> Tree:
        """Show an issue."""
        known = {
            "id": issue.id,
            "node_id": f"I_{issue.id}",
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "state": "open" if issue.closed is None else "closed",
            "locked": issue.locked,
            "user": self.account(issue.author),
            "labels": [self.label(label) for label in issue.labels],
            "comments": len(issue.comments),
            "html_url": f"{self._web}/issues/{issue.number}",
            "url": f"{self._api}/issues/{issue.number}",
            "created_at": moment(issue.created),
            "updated_at": moment(issue.updated),
            "closed_at": moment(issue.closed),
        }
        if issue.is_pull_request:
            known["pull_request"] = {"url": None, "html_url": None, "diff_url": None, "patch_url": None}
        return filled("issue", known)

    def comment(self, comment: Comment, issue: Issue) -> Tree:
        """Show a comment."""
        known = {
            "id": comment.id,
            "node_id": f"IC_{comment.id}",
            "body": comment.body,
            "user": self.account(comment.author),
            "html_url": f"{self._web}/issues/{issue.number}#issuecomment-{comment.id}",
            "created_at": moment(comment.at),
            "updated_at": moment(comment.at),
        }
        return filled("issue-comment", known)

    def deployment(self, deployment: Deployment) -> Tree:
        """Show a deployment."""
        known = {
            "id": deployment.id,
            "node_id": f"DE_{deployment.id}",
            "sha": deployment.sha,
            "ref": deployment.ref,
            "task": deployment.task,
            "environment": deployment.environment,
            "original_environment": deployment.environment,
            "payload": deployment.payload,
            "description": deployment.description,
            "transient_environment": deployment.transient,
            "production_environment": deployment.production,
            "creator": self.account(deployment.creator),
            "created_at": moment(deployment.at),
            "updated_at": moment(deployment.statuses[-1].at if deployment.statuses else deployment.at),
        }
        return filled("deployment", known)

    def status(self, status: Status) -> Tree:
        """Show a deployment status."""
        known = {
            "id": status.id,
            "node_id": f"DES_{status.id}",
            "state": status.state,
            "description": status.description,
            "target_url": status.log_url,
            "log_url": status.log_url,
            "environment_url": status.environment_url,
            "creator": self.account(status.creator),
            "created_at": moment(status.at),
            "updated_at": moment(status.at),
        }
        return filled("deployment-status", known)

    def commit(self, commit: Commit) -> Tree:
        """Show a commit."""
        known = {"sha": commit.sha, "node_id": f"C_{commit.sha}", "author": {}, "committer": {}}
        return filled("commit", known)

    def comparison(self, base: Commit, head: Commit) -> Tree:
        """Compare two commits: what is touched from where their lines meet, 300 files at most."""
        before, after = self._state.line(base), self._state.line(head)
        meet = next(commit for commit in after if commit in before)
        ahead, behind = after[: after.index(meet)], before[: before.index(meet)]
        word = {(False, False): "identical", (True, False): "ahead", (False, True): "behind", (True, True): "diverged"}
        files: dict[str, str | None] = {}
        for commit in reversed(ahead):
            files |= commit.files
        known = {
            "status": word[bool(ahead), bool(behind)],
            "ahead_by": len(ahead),
            "behind_by": len(behind),
            "total_commits": len(ahead),
            "base_commit": self.commit(base),
            "merge_base_commit": self.commit(meet),
            "commits": [self.commit(commit) for commit in reversed(ahead)][:250],
            "files": [_file(name, old) for name, old in files.items()][:300],
        }
        return filled("commit-comparison", known)

    def run(self, run: Run, attempt: int) -> Tree:
        """Show an attempt of a run; those before the newest have ended."""
        old = attempt < run.attempt
        known = {
            "id": run.id,
            "run_attempt": attempt,
            "event": run.event,
            "head_sha": run.sha,
            "status": "completed" if old else run.status,
            "conclusion": "failure" if old else run.conclusion,
            "html_url": f"{self._web}/actions/runs/{run.id}",
            "created_at": moment(run.at),
            "updated_at": moment(run.at),
        }
        return filled("workflow-run", known)

    def job(self, job: Job, run: Run) -> Tree:
        """Show a job."""
        known = {
            "id": job.id,
            "run_id": run.id,
            "head_sha": run.sha,
            "name": job.name,
            "status": job.status,
            "conclusion": job.conclusion,
            "html_url": f"{self._web}/actions/runs/{run.id}/job/{job.id}",
        }
        return filled("job", known)


def _file(name: str, old: str | None) -> Tree:
    if old is None:
        return filled("diff-entry", {"filename": name, "status": "modified"})
    return filled("diff-entry", {"filename": name, "status": "renamed", "previous_filename": old})
