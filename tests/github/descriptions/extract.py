"""Cut from GitHub's published descriptions what the port uses: ``python -m tests.github.descriptions.extract``.

The descriptions come as packages of npm, which must be on PATH. Names, types and limits stay; prose and examples go.
What is closed in the extract and open in the description is said in the README of this folder.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphql import build_client_schema, parse
from graphql.language import DocumentNode

from sluiceway.github.queries import ALL
from tests.github.descriptions.pruning import pruned

HERE = Path(__file__).parent
PACKAGES = {
    "@octokit/openapi": "23.0.2",
    "@octokit/graphql-schema": "15.26.1",
    "@octokit/openapi-webhooks": "12.1.0",
}
EVENTS = frozenset({"issues-edited", "pull-request-opened", "push", "workflow-dispatch"})
OPERATIONS = frozenset(
    {
        "actions/get-workflow-run",
        "actions/get-workflow-run-attempt",
        "actions/list-jobs-for-workflow-run-attempt",
        "issues/add-labels",
        "issues/create",
        "issues/create-comment",
        "issues/create-label",
        "issues/get",
        "issues/get-comment",
        "issues/get-label",
        "issues/list-comments",
        "issues/list-for-repo",
        "issues/update",
        "repos/compare-commits-with-basehead",
        "repos/create-deployment",
        "repos/create-deployment-status",
        "repos/get",
        "repos/get-collaborator-permission-level",
        "repos/get-commit",
        "repos/get-deployment",
        "repos/list-deployment-statuses",
        "repos/list-deployments",
        "users/get-by-username",
    }
)
_PROSE = frozenset(
    {"description", "summary", "example", "examples", "externalDocs", "tags", "deprecated", "discriminator"}
)
_NAMES = frozenset({"properties", "schemas", "parameters", "responses", "headers", "paths", "content"})
"""Below these, keys are names, not words of the description's own language."""


def extract_rest(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the operations, and all that they refer to."""
    paths: dict[str, Any] = {}
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            if operation.get("operationId") in OPERATIONS:
                paths.setdefault(path, {})[method] = _bare(operation)
    info = {"title": "What Sluiceway uses of GitHub's REST API", "version": PACKAGES["@octokit/openapi"]}
    components = _components(whole, _references(paths))
    return {"openapi": whole["openapi"], "info": info, "paths": paths, "components": components}


def extract_events(whole: dict[str, Any]) -> dict[str, Any]:
    """Return what the events' payloads refer to, and by which event each is found."""
    events = {}
    for name, event in whole["webhooks"].items():
        if name in EVENTS:
            schema = event["post"]["requestBody"]["content"]["application/json"]["schema"]
            events[name] = {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}
    info = {"title": "What Sluiceway reads of GitHub's events", "version": PACKAGES["@octokit/openapi-webhooks"]}
    components = _components(whole, _references(events))
    return {"openapi": whole["openapi"], "info": info, "webhooks": events, "components": components}


def _components(whole: dict[str, Any], references: Iterator[str]) -> dict[str, Any]:
    components: dict[str, Any] = {}
    waiting = sorted(set(references))
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in components.setdefault(kind, {}):
            bare = _bare(whole["components"][kind][name])
            components[kind][name] = _answer(bare) if kind == "responses" else bare
            waiting.extend(_references(components[kind][name]))
    return components


def _bare(tree: Any, *, names: bool = False) -> Any:
    """Return a part of the description without its prose."""
    if isinstance(tree, list):
        return [_bare(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    kept = {
        key: _bare(value, names=not names and key in _NAMES)
        for key, value in tree.items()
        if names or (key not in _PROSE and not key.startswith("x-"))
    }
    if not names and "application/json" in kept:
        kept = {"application/json": kept["application/json"]}
    if not names and kept.get("nullable") and "enum" in kept:
        kept["enum"] = [*(value for value in kept["enum"] if value is not None), None]  # as it is meant, and answered
    if not names and isinstance(kept.get("responses"), dict):
        kept["responses"] = {name: _answer(response) for name, response in kept["responses"].items()}
    return kept


def _answer(response: dict[str, Any]) -> dict[str, Any]:
    """Return a response with the one piece of prose that it must have."""
    return response if "$ref" in response else {**response, "description": ""}


def _references(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if isinstance(tree.get("$ref"), str):
            yield tree["$ref"]
        tree = list(tree.values())
    if isinstance(tree, list):
        for item in tree:
            yield from _references(item)


def extract_graphql(whole: dict[str, Any]) -> str:
    """Return the types and fields that the queries of the port name, as a schema of their own."""
    documents: list[DocumentNode] = [parse(query) for query in ALL]
    return pruned(build_client_schema(whole), documents)


def main() -> None:
    """Fetch the packages and write the extracts."""
    with tempfile.TemporaryDirectory() as directory:
        names = [f"{name}@{version}" for name, version in PACKAGES.items()]
        command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", directory, *names]
        subprocess.run(command, check=True, timeout=300, stdout=sys.stderr)
        modules = Path(directory, "node_modules", "@octokit")
        rest = _read(modules / "openapi/generated/api.github.com.json")
        events = _read(modules / "openapi-webhooks/generated/api.github.com.json")
        graphql = _read(modules / "graphql-schema/schema.json")
    _write("rest.json", extract_rest(rest))
    _write("events.json", extract_events(events))
    (HERE / "schema.graphql").write_text(extract_graphql(graphql.get("data", graphql)), encoding="utf-8")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(name: str, extract: dict[str, Any]) -> None:
    text = json.dumps(extract, indent=1, sort_keys=True)
    (HERE / name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
