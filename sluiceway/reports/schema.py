"""The JSON Schema of what is printed with ``--format json``, from the types of :mod:`sluiceway.reports.document`.

Committed as ``schema/output.schema.json``; ``sluiceway schema output`` prints it.
"""

from typing import Any

from sluiceway.reports.document import CheckDocument, RowsDocument, StacksDocument

_TITLE = "What sluiceway prints with --format json, version 1"
_FAILED: dict[str, Any] = {"properties": {"state": {"const": "preview-failed"}}}
_ROW_RULES: list[dict[str, Any]] = [
    {"if": _FAILED, "then": {"required": ["reason"], "properties": {"hash": False}}},
    {
        "if": {"properties": {"outcome": {"enum": ["deployed", "in-sync", "moved"]}}, "required": ["outcome"]},
        "then": {"required": ["hash"], "not": _FAILED},
    },
    {
        "if": {"required": ["driftReason"]},
        "then": {"properties": {"driftChecked": {"const": False}, "hash": False}},
    },
]
_TOGETHER = {"drift": ["driftChecked"], "driftChecked": ["drift"], "driftReason": ["drift"], "outcome": ["done"]}


def output_schema() -> dict[str, Any]:
    """Return the schema: draft 2020-12, strict (no key but those it names), one definition a document."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy, and needed only where a schema is made

    schema = TypeAdapter(RowsDocument | CheckDocument | StacksDocument).json_schema()
    definitions = {name.removesuffix("Document"): _strict(definition) for name, definition in schema["$defs"].items()}
    definitions["Row"].update(allOf=_ROW_RULES, dependentRequired={**_TOGETHER, "done": ["outcome"]})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _TITLE,
        "anyOf": [_renamed(part) for part in schema["anyOf"]],
        "$defs": {name: _renamed(definition) for name, definition in sorted(definitions.items())},
    }


def strict_schema(schema: dict[str, Any], title: str) -> dict[str, Any]:
    """Return pydantic's ``schema`` of one document in the house's form: strict, one definition a part."""
    definitions = schema.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_renamed(_strict(schema)),
        "title": title,
        "$defs": {
            name.removesuffix("Document"): _renamed(_strict(definition)) for name, definition in definitions.items()
        },
    }


def _strict(definition: dict[str, Any]) -> dict[str, Any]:
    named = {
        key: {part: value for part, value in field.items() if part != "title"}
        for key, field in definition["properties"].items()
    }
    return {
        **definition,
        "title": definition["title"].removesuffix("Document"),
        "properties": named,
        "additionalProperties": False,
    }


def _renamed(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: value.removesuffix("Document") if key == "$ref" else _renamed(value) for key, value in node.items()
        }
    return [_renamed(item) for item in node] if isinstance(node, list) else node
