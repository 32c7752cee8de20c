"""Objects that hold what a description requires: what is known, and something for all the rest."""

from functools import cache
from typing import Any

from tests.github.standin.conforming import events, rest

Tree = dict[str, Any]
WEB = "https://github.invalid"
API = "https://api.github.invalid"
_EMPTY = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": []}


def filled(component: str, known: Tree) -> Tree:
    """Return an object of a component of REST."""
    return {**_required_of(component), **known}


def filled_as(schema: Tree, known: Tree) -> Tree:
    """Return an object of a schema of an event."""
    schemas = events()["components"]["schemas"]
    resolved = _resolved(schema, schemas)
    unknown = known.keys() - resolved["properties"].keys()
    assert not unknown, f"not described: {sorted(unknown)}"
    return {**_required(resolved, schemas), **known}


def described(schema: Tree, *names: str) -> Tree:
    """Return the schema of a property of a property of an event's schema."""
    schemas = events()["components"]["schemas"]
    for name in names:
        schema = _resolved(schema, schemas)["properties"][name]
    return schema


@cache
def _required_of(component: str) -> Tree:
    schemas = rest()["components"]["schemas"]
    return _required(schemas[component], schemas)


def _required(schema: Tree, schemas: Tree) -> Tree:
    return {name: _default(schema["properties"][name], schemas) for name in schema.get("required", ())}


def _resolved(schema: Tree, schemas: Tree) -> Tree:
    """Return a schema without reference; of several that all hold (``allOf``), one that holds for all of them."""
    if "$ref" in schema:
        return _resolved(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "allOf" not in schema:
        return schema
    parts = [_resolved(part, schemas) for part in schema["allOf"]]
    properties = {name: value for part in parts for name, value in part.get("properties", {}).items()}
    required = sorted({name for part in parts for name in part.get("required", ())})
    return {"type": "object", "properties": properties, "required": required}


def _default(given: Tree, schemas: Tree) -> Any:
    schema = _resolved(given, schemas)
    if "oneOf" in schema or "anyOf" in schema:
        return _default((schema.get("oneOf") or schema["anyOf"])[0], schemas)
    kinds = schema.get("type", "")
    if schema.get("nullable") or "null" in kinds:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    return _value(schema, kinds if isinstance(kinds, str) else kinds[0], schemas)


def _value(schema: Tree, kind: str, schemas: Tree) -> Any:
    if kind == "object":
        return _required(schema, schemas)
    if schema.get("format") == "uri":
        return f"{API}/"
    if schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    return _EMPTY[kind]
