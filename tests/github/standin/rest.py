"""REST: each operation of the description that the port uses, carried out on the state."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.github.standin.filling import Tree
from tests.github.standin.shapes import Shapes
from tests.github.standin.state import LONGEST_BODY, Comment, Deployment, Issue, State, Status, Token

Handler = Callable[["Rest", "Asked"], "Answered"]
LONGEST_DESCRIPTION = 140
HANDLERS: dict[str, tuple[Handler, str, str]] = {}


@dataclass(frozen=True)
class Asked:
    """A request of an operation."""

    operation: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Tree
    token: Token


@dataclass(frozen=True)
class Answered:
    """An answer; a page of a list, where there are more."""

    status: int
    data: Any
    pages: int = 1


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def operation(name: str, scope: str, level: str = "read") -> Callable[[Handler], Handler]:
    """Register what carries out an operation, and what its token must be granted."""

    def register(handler: Handler) -> Handler:
        HANDLERS[name] = (handler, scope, level)
        return handler

    return register


class Rest:
    """Carries out operations."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.shapes = Shapes(state)

    def carry_out(self, asked: Asked) -> Answered:
        """Carry out an operation if its token may."""
        handler, scope, level = HANDLERS[asked.operation]
        repository = (asked.path.get("owner", self.state.owner), asked.path.get("repo", self.state.short_name))
        if "/".join(repository).lower() != self.state.name.lower():
            raise Refused(404, "Not Found")
        if not asked.token.may(scope, level):
            raise Refused(403, "Resource not accessible by integration")
        if level == "write" and self.state.archived:
            raise Refused(403, "Repository was archived so is read-only.")
        return handler(self, asked)

    def issue(self, asked: Asked) -> Issue:
        """Return the issue that is asked about."""
        if not self.state.has_issues:
            raise Refused(410, "Issues has been disabled in this repository.")
        issue = self.state.issue(int(asked.path["issue_number"]))
        if issue is None:
            raise Refused(404, "Not Found")
        return issue

    def deployment(self, asked: Asked) -> Deployment:
        """Return the deployment that is asked about."""
        number = int(asked.path["deployment_id"])
        return _one(one for one in self.state.deployments if one.id == number)


def _one(found: Any) -> Any:
    one = next(iter(found), None)
    if one is None:
        raise Refused(404, "Not Found")
    return one


def _page(asked: Asked, items: list[Any], show: Callable[[Any], Tree], key: str | None = None) -> Answered:
    """Return the page of a list that is asked for."""
    size, number = int(asked.query.get("per_page", 30)), int(asked.query.get("page", 1))
    shown: Any = [show(item) for item in items[(number - 1) * size : number * size]]
    if key is not None:
        shown = {"total_count": len(items), key: shown}
    return Answered(200, shown, pages=-(-len(items) // size))


@operation("repos/get", "metadata")
def _repository(rest: Rest, _: Asked) -> Answered:
    return Answered(200, rest.shapes.repository())


@operation("users/get-by-username", "metadata")
def _user(rest: Rest, asked: Asked) -> Answered:
    account = rest.state.found(asked.path["username"])
    if account is None:
        raise Refused(404, "Not Found")
    return Answered(200, rest.shapes.account(account, "public-user"))


@operation("repos/get-collaborator-permission-level", "metadata")
def _permission(rest: Rest, asked: Asked) -> Answered:
    account = rest.state.found(asked.path["username"])
    if account is None or account.kind != "User":
        raise Refused(404, f"{asked.path['username']} is not a user")
    return Answered(200, rest.shapes.permission(account))


@operation("issues/list-for-repo", "issues")
def _issues(rest: Rest, asked: Asked) -> Answered:
    query, state = asked.query, asked.query.get("state", "open")
    if not rest.state.has_issues:
        raise Refused(410, "Issues has been disabled in this repository.")
    found = [one for one in rest.state.issues if state == "all" or (one.closed is None) == (state == "open")]
    if "creator" in query:
        creator = rest.state.found(query["creator"])
        found = [one for one in found if one.author is creator]
    if "labels" in query:
        wanted = {name.lower() for name in query["labels"].split(",")}
        found = [one for one in found if wanted <= {label.name.lower() for label in one.labels}]
    by_update = query.get("sort") == "updated"
    newest_first = query.get("direction", "desc") == "desc"
    found.sort(key=lambda one: (one.updated if by_update else one.created, one.number), reverse=newest_first)
    return _page(asked, found, rest.shapes.issue)


@operation("issues/get", "issues")
def _issue(rest: Rest, asked: Asked) -> Answered:
    return Answered(200, rest.shapes.issue(rest.issue(asked)))


@operation("issues/create", "issues", "write")
def _create_issue(rest: Rest, asked: Asked) -> Answered:
    if not rest.state.has_issues:
        raise Refused(410, "Issues has been disabled in this repository.")
    body = _checked_body(asked.body.get("body") or "")
    issue = rest.state.open_issue(asked.token.account, asked.body["title"], body, asked.body.get("labels", ()))
    return Answered(201, rest.shapes.issue(issue))


@operation("issues/update", "issues", "write")
def _update_issue(rest: Rest, asked: Asked) -> Answered:
    issue, at = rest.issue(asked), rest.state.clock.advance(seconds=1)
    if "body" in asked.body:
        issue.write(asked.token.account, _checked_body(asked.body["body"] or ""), at)
    if "title" in asked.body:
        issue.title, issue.updated = asked.body["title"], at
    if asked.body.get("state") in {"open", "closed"} and (asked.body["state"] == "closed") != bool(issue.closed):
        issue.closed, issue.updated = (at if asked.body["state"] == "closed" else None), at
    return Answered(200, rest.shapes.issue(issue))


def _checked_body(body: str) -> str:
    if len(body) > LONGEST_BODY:
        raise Refused(422, "Validation Failed: body is too long (maximum is 65536 characters)")
    return body


@operation("issues/list-comments", "issues")
def _comments(rest: Rest, asked: Asked) -> Answered:
    issue = rest.issue(asked)
    return _page(asked, issue.comments, lambda comment: rest.shapes.comment(comment, issue))


@operation("issues/create-comment", "issues", "write")
def _comment(rest: Rest, asked: Asked) -> Answered:
    issue, at = rest.issue(asked), rest.state.clock.advance(seconds=1)
    comment = Comment(rest.state.next_id(), asked.token.account, at, _checked_body(asked.body["body"]))
    issue.comments.append(comment)
    issue.updated = at
    return Answered(201, rest.shapes.comment(comment, issue))


@operation("issues/get-comment", "issues")
def _get_comment(rest: Rest, asked: Asked) -> Answered:
    number = int(asked.path["comment_id"])
    held = ((one, issue) for issue in rest.state.issues for one in issue.comments if one.id == number)
    comment, issue = _one(held)
    return Answered(200, rest.shapes.comment(comment, issue))


@operation("issues/add-labels", "issues", "write")
def _add_labels(rest: Rest, asked: Asked) -> Answered:
    issue = rest.issue(asked)
    for name in asked.body["labels"]:
        label = rest.state.label(name) or rest.state.make_label(name)
        if label not in issue.labels:
            issue.labels.append(label)
    return Answered(200, [rest.shapes.label(label) for label in issue.labels])


@operation("issues/get-label", "issues")
def _label(rest: Rest, asked: Asked) -> Answered:
    return Answered(200, rest.shapes.label(_one(filter(None, [rest.state.label(asked.path["name"])]))))


@operation("issues/create-label", "issues", "write")
def _create_label(rest: Rest, asked: Asked) -> Answered:
    if rest.state.label(asked.body["name"]):
        raise Refused(422, "Validation Failed")
    label = rest.state.make_label(asked.body["name"], asked.body["color"], asked.body["description"])
    return Answered(201, rest.shapes.label(label))


@operation("repos/list-deployments", "deployments")
def _deployments(rest: Rest, asked: Asked) -> Answered:
    wanted = [(name, asked.query[name]) for name in ("task", "environment", "sha", "ref") if name in asked.query]
    newest = reversed(rest.state.deployments)
    found = [one for one in newest if all(getattr(one, name) == value for name, value in wanted)]
    return _page(asked, found, rest.shapes.deployment)


@operation("repos/get-deployment", "deployments")
def _deployment(rest: Rest, asked: Asked) -> Answered:
    return Answered(200, rest.shapes.deployment(rest.deployment(asked)))


@operation("repos/create-deployment", "deployments", "write")
def _create_deployment(rest: Rest, asked: Asked) -> Answered:
    body, state = asked.body, rest.state
    commit = state.resolve(body["ref"])
    if commit is None:
        raise Refused(422, f"No ref found for: {body['ref']}")
    if body.get("auto_merge", True) and body["ref"] != state.branches["main"]:
        raise Refused(409, f"Conflict merging main into {body['ref']}.")
    if state.checks_fail and body.get("required_contexts") != []:
        raise Refused(409, f"Conflict: Commit status checks failed for {body['ref']}.")
    made = Deployment(
        id=state.next_id(),
        sha=commit.sha,
        ref=body["ref"],
        task=body.get("task", "deploy"),
        environment=body.get("environment", "production"),
        payload=body.get("payload", {}),
        description=body.get("description") or "",
        transient=body.get("transient_environment", False),
        production=body.get("production_environment", False),
        creator=asked.token.account,
        at=state.clock.advance(seconds=1),
    )
    state.deployments.append(made)
    return Answered(201, rest.shapes.deployment(made))


@operation("repos/list-deployment-statuses", "deployments")
def _statuses(rest: Rest, asked: Asked) -> Answered:
    return _page(asked, list(reversed(rest.deployment(asked).statuses)), rest.shapes.status)


@operation("repos/create-deployment-status", "deployments", "write")
def _create_status(rest: Rest, asked: Asked) -> Answered:
    body, deployment, state = asked.body, rest.deployment(asked), rest.state
    if len(body.get("description", "")) > LONGEST_DESCRIPTION:
        raise Refused(422, "Validation Failed")
    if body["state"] == "success" and body.get("auto_inactive", True):
        _inactivate(state, deployment, asked.token)
    texts = [body.get(name, "") for name in ("description", "log_url", "environment_url")]
    at = state.clock.advance(seconds=1)
    made = Status(state.next_id(), body["state"], *texts, creator=asked.token.account, at=at)
    deployment.statuses.append(made)
    return Answered(201, rest.shapes.status(made))


def _inactivate(state: State, deployment: Deployment, token: Token) -> None:
    """Do what GitHub does unless it is told not to: the environment's other deployments become inactive."""
    for other in state.deployments:
        same = other.environment == deployment.environment and other is not deployment
        if same and not other.transient and not other.production:
            other.statuses.append(Status(state.next_id(), "inactive", "", "", "", token.account, state.clock.at))


@operation("repos/compare-commits-with-basehead", "contents")
def _compare(rest: Rest, asked: Asked) -> Answered:
    base, _, head = asked.path["basehead"].partition("...")
    one, other = rest.state.resolve(base), rest.state.resolve(head)
    if one is None or other is None:
        raise Refused(404, "Not Found")
    return Answered(200, rest.shapes.comparison(one, other))


@operation("repos/get-commit", "contents")
def _commit(rest: Rest, asked: Asked) -> Answered:
    commit = rest.state.resolve(asked.path["ref"])
    if commit is None:
        raise Refused(422, f"No commit found for SHA: {asked.path['ref']}")
    return Answered(200, rest.shapes.commit(commit))


@operation("actions/get-workflow-run", "actions")
def _run(rest: Rest, asked: Asked) -> Answered:
    run = _one(one for one in rest.state.runs.values() if one.id == int(asked.path["run_id"]))
    return Answered(200, rest.shapes.run(run, run.attempt))


@operation("actions/get-workflow-run-attempt", "actions")
def _attempt(rest: Rest, asked: Asked) -> Answered:
    number = int(asked.path["attempt_number"])
    held = rest.state.runs.values()
    run = _one(one for one in held if one.id == int(asked.path["run_id"]) and 1 <= number <= one.attempt)
    return Answered(200, rest.shapes.run(run, number))


@operation("actions/list-jobs-for-workflow-run-attempt", "actions")
def _jobs(rest: Rest, asked: Asked) -> Answered:
    run = _one(one for one in rest.state.runs.values() if one.id == int(asked.path["run_id"]))
    return _page(asked, run.jobs, lambda job: rest.shapes.job(job, run), key="jobs")
