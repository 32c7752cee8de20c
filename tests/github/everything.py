"""All that the port can do, done once: what tests of the whole port share."""

from sluiceway.github import Deployment, GitHub, Issue, State, Status


def use_everything(github: GitHub, sha: str, run: int) -> dict[str, object]:
    """Call every operation of the port; return what each gave."""
    issue = github.create_issue(title="Deploys", body="old", labels=["sluiceway"])
    assert isinstance(issue, Issue), issue
    record = github.create_deployment(sha=sha, task="sluiceway:web", environment="e", payload={"run": "1/1"})
    assert isinstance(record, Deployment), record
    status = github.create_status(
        record.id, State.SUCCESS, log_url="https://a.invalid", environment_url="https://b.invalid"
    )
    assert isinstance(status, Status), status
    return {
        "create_issue": issue,
        "create_deployment": record,
        "create_status": status,
        "repository": github.repository(),
        "viewer": github.viewer(),
        "user": github.user("ada"),
        "permission": github.permission("ada"),
        "issue": github.issue(issue.number),
        "issues": github.issues(creator=issue.author.login, label="sluiceway", open=True),
        "write_body": github.write_body(issue.number, "new", was="old"),
        "history": github.history(issue.number),
        "pin": github.pin(issue),
        "retitle": github.retitle(issue.number, "Other"),
        "add_labels": github.add_labels(issue.number, ["other"]),
        "ensure_label": github.ensure_label("third", color="0e8a16", description=""),
        "comment": github.comment(issue.number, "words"),
        "comments": github.comments(issue.number),
        "close": github.close(issue.number),
        "reopen": github.reopen(issue.number),
        "deployment": github.deployment(record.id),
        "deployments": github.deployments(task="sluiceway:web", environment="e", sha=sha),
        "statuses": github.statuses(record.id),
        "records": github.records(),
        "compare": github.compare(sha, "main"),
        "commit": github.commit("main"),
        "run": github.run(run, attempt=1),
        "jobs": github.jobs(run, attempt=1),
    }
