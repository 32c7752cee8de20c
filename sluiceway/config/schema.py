"""The JSON Schema of ``sluiceway.yaml``, from the models that check it (``spec/core.md``, ``sluiceway.yaml``)."""

import json
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from sluiceway.adapters.registry import find_adapter, known_tools
from sluiceway.config.keys import FileKeys

if TYPE_CHECKING:
    from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Schema(GenerateJsonSchema):
    """Leaves out a default of None: a key that is absent is not a key without a value."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def json_schema() -> dict[str, Any]:
    """Return a strict JSON Schema (draft 2020-12) of the file, with the options of each tool that is known here."""
    options = {tool: adapter.options() for tool in known_tools() if (adapter := find_adapter(tool))}
    models: list[type[BaseModel]] = [FileKeys, *options.values()]
    _, parts = models_json_schema([(model, "validation") for model in models], by_alias=True, schema_generator=_Schema)
    definitions = parts["$defs"]
    document = definitions.pop("FileKeys")
    _bind_options(
        definitions["StackKeys"],
        {tool: _then(definitions, model.__name__) for tool, model in options.items()},
    )
    return {"$schema": DIALECT, "title": "sluiceway.yaml", **_without(document, "title"), "$defs": definitions}


def schema_text() -> str:
    """Return the schema as it is committed and printed: indented JSON with a final newline."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _bind_options(stack: dict[str, Any], options: dict[str, Any]) -> None:
    """Make the schema of ``options`` follow the entry's ``tool``, and the tool one that is known."""
    stack["properties"]["tool"]["enum"] = list(options)
    # What may stand in it, the tool says: every known one has a strict schema below.
    del stack["properties"]["options"]["additionalProperties"]
    stack["allOf"] = [
        {"if": {"properties": {"tool": {"const": tool}}, "required": ["tool"]}, "then": then}
        for tool, then in options.items()
    ]


def _then(definitions: dict[str, Any], model: str) -> dict[str, Any]:
    """Return what holds for an entry of one tool; its options can be left out unless one of them is required."""
    then: dict[str, Any] = {"properties": {"options": {"$ref": f"#/$defs/{model}"}}}
    return {**then, "required": ["options"]} if definitions[model].get("required") else then


def _without(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}
