"""GitHub's descriptions as judges: whether a request and an answer are as they say."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLSchema, build_schema, parse, validate
from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

FOLDER = Path(__file__).parents[1] / "descriptions"
HOST = "http://github.invalid"
_BASIC_ERRORS = range(400, 600)


@dataclass(frozen=True)
class Operation:
    """An operation of REST and the parameters in its path."""

    id: str
    method: str
    path: str
    parameters: Mapping[str, str]
    query: frozenset[str]


@dataclass(frozen=True)
class Sent:
    """A request of REST; the path is below the API's address."""

    method: str
    path: str
    query: Mapping[str, str]
    body: str | None

    @property
    def operation(self) -> Operation | None:
        """The operation that it asks for; None where the extract has none."""
        return operation_of(self.method, self.path)


@cache
def rest() -> dict[str, Any]:
    """Return the extract of the REST description."""
    found: dict[str, Any] = json.loads((FOLDER / "rest.json").read_text(encoding="utf-8"))
    return found


@cache
def events() -> dict[str, Any]:
    """Return the extract of the description of events."""
    found: dict[str, Any] = json.loads((FOLDER / "events.json").read_text(encoding="utf-8"))
    return found


@cache
def graphql() -> GraphQLSchema:
    """Return the extract of the GraphQL schema."""
    return build_schema((FOLDER / "schema.graphql").read_text(encoding="utf-8"))


@cache
def _described(*, closed: bool) -> OpenAPI:
    """Return the judge: requests may hold nothing that isn't described, and answers neither where ``closed``."""
    whole = {**deepcopy(rest()), "servers": [{"url": HOST}]}
    if closed:
        return OpenAPI.from_dict(_closed(whole))
    for methods in whole["paths"].values():
        for operation in methods.values():
            if "requestBody" in operation:
                operation["requestBody"] = _closed(operation["requestBody"])
    return OpenAPI.from_dict(whole)


def _closed(tree: Any) -> Any:
    """Return a description in which an object holds only what is described.

    Where a schema is one of a component and more (``allOf``), the component is taken: all that is more is optional.
    """
    if isinstance(tree, list):
        return [_closed(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if isinstance(tree.get("allOf"), list):
        return _closed(tree["allOf"][0])
    kept = {key: _closed(value) for key, value in tree.items()}
    if isinstance(kept.get("properties"), dict) and kept.get("type") == "object":
        kept.setdefault("additionalProperties", False)
    return kept


@cache
def _routes() -> list[tuple[str, str, re.Pattern[str], str, frozenset[str]]]:
    return [
        (
            method,
            path,
            re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))),
            operation["operationId"],
            frozenset(_query(operation)),
        )
        for path, methods in rest()["paths"].items()
        for method, operation in methods.items()
    ]


def _query(operation: Mapping[str, Any]) -> Iterator[str]:
    for given in operation.get("parameters", []):
        parameter = rest()["components"]["parameters"][given["$ref"].rpartition("/")[2]] if "$ref" in given else given
        if parameter["in"] == "query":
            yield parameter["name"]


def operation_of(method: str, path: str) -> Operation | None:
    """Return the operation of a request; None where the description extract has none."""
    for verb, pattern, route, name, query in _routes():
        if verb == method.lower() and (match := route.fullmatch(path)):
            return Operation(name, verb, pattern, match.groupdict(), query)
    return None


def request_problems(sent: Sent) -> list[str]:
    """Return what of a REST request is not as described."""
    operation = sent.operation
    if operation is None:
        return [f"{sent.method} {sent.path} is not in the description"]
    problems = [f"{operation.id}: parameter {name}" for name in sent.query if name not in operation.query]
    return problems + _judged(operation, sent, None, closed=True)


def answer_problems(sent: Sent, status: int, answer: str, *, closed: bool) -> list[str]:
    """Return what of the answer to a REST request is not as described; ``closed`` lets it hold nothing else."""
    operation = sent.operation
    if operation is None:
        return [f"{sent.method} {sent.path} is not in the description"]
    if str(status) not in rest()["paths"][operation.path][operation.method]["responses"]:
        return [] if _is_basic_error(status, answer) else [f"{operation.id}: {status} is not described"]
    response = MockResponse(answer.encode(), status_code=status, content_type="application/json")
    return _judged(operation, sent, response, closed=closed)


def graphql_problems(query: str) -> list[str]:
    """Return what of a GraphQL query is not of the schema."""
    return [error.message for error in validate(graphql(), parse(query))]


def _judged(operation: Operation, sent: Sent, response: MockResponse | None, *, closed: bool) -> list[str]:
    judge = _described(closed=closed)
    data, parameters = (sent.body or "").encode(), dict(operation.parameters)
    request = MockRequest(HOST, operation.method, sent.path, args=dict(sent.query), view_args=parameters, data=data)
    try:
        judge.validate_request(request) if response is None else judge.validate_response(request, response)
    except OpenAPIError as error:
        errors = getattr(error.__cause__, "schema_errors", None) or [error.__cause__ or error]
        return [f"{operation.id}: {_words(one)}" for one in errors]
    return []


def _words(error: Any) -> str:
    where = "/".join(map(str, getattr(error, "absolute_path", ())))
    return f"{where}: {getattr(error, 'message', error)}"[:300]


def _is_basic_error(status: int, answer: str) -> bool:
    """Any operation may be refused (401, 403, 429, 5xx): with a message."""
    return status in _BASIC_ERRORS and isinstance(json.loads(answer).get("message"), str)
