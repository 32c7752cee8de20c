"""Writing ``shapes.json`` from the models: ``python -m sluiceway.config.shaping``.

Whatever a model checks that a shape has no word for is refused here, loudly: a shape must never take more than its
model does.
"""

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sluiceway.adapters.options import Fitting, Matching
from sluiceway.adapters.registry import BUILT_IN, find_adapter
from sluiceway.config.keys import FileKeys
from sluiceway.config.shapes import FILE

if TYPE_CHECKING:
    from pydantic import BaseModel

_CHECKED = {"type", "enum", "pattern", "minimum", "maximum", "minItems", "rule", "fits", "default"}
_TOLD = {"title", "description", "examples", "required", "$defs"}
"""What checks nothing more: words for a person, what a missing ``default`` says too, and what is put in place."""

_FITTING = {"if", "then", "else"}
"""What says to an editor which keys fit together; the function behind ``fits`` says it here."""

_Validator = core_schema.BeforeValidatorFunctionSchema | core_schema.AfterValidatorFunctionSchema


class Unshapable(Exception):
    """A model checks what no shape can say."""


class _RuledSchema(GenerateJsonSchema):
    """A JSON Schema that names the functions its model calls, and keeps a default of None."""

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonSchemaValue:
        return self._ruled(schema)

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        return self._ruled(schema)

    def function_wrap_schema(self, schema: core_schema.WrapValidatorFunctionSchema) -> JsonSchemaValue:
        function = schema["function"]["function"]
        if not isinstance(function, Fitting):
            raise Unshapable(f"a validator around another: {function}")
        return {**self.generate_inner(schema["schema"]), "fits": _name_of(function.misfits)}

    def _ruled(self, schema: _Validator) -> JsonSchemaValue:
        inner, function = self.generate_inner(schema["schema"]), schema["function"]["function"]
        if isinstance(function, Matching):
            return inner  # its pattern is all there is to it
        if inner.get("type") not in {"string", "array"} or "rule" in inner or schema["function"]["type"] != "no-info":
            raise Unshapable(f"a second validator, or one of a mapping: {function}")
        return {**inner, "rule": _name_of(function)}


def _name_of(function: Any) -> str:
    name = getattr(function, "__name__", "")
    if getattr(import_module(function.__module__), name, None) is not function:
        raise Unshapable(f"a validator without a name of its own: {name}")
    return f"{function.__module__}:{name}"


def shapes_text() -> str:
    """Return the packaged shapes: of the file, and of the options of each tool that comes with Sluiceway."""
    options = {tool: adapter.options() for tool in BUILT_IN if (adapter := find_adapter(tool))}
    shapes = {"file": shape_of(FileKeys), "options": {tool: shape_of(model) for tool, model in options.items()}}
    return json.dumps(shapes, indent=1, ensure_ascii=False) + "\n"


def shape_of(model: "type[BaseModel]") -> dict[str, Any]:
    """Return the shape that takes what ``model`` takes, or less. Raises :class:`Unshapable`."""
    schema = model.model_json_schema(by_alias=True, schema_generator=_RuledSchema)
    return _shape(schema, schema.get("$defs", {}))


def _shape(part: dict[str, Any], models: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in part:
        part = {**models[part["$ref"].rpartition("/")[2]], **{key: part[key] for key in part.keys() - {"$ref"}}}
    shape = {key: value for key, value in part.items() if key in _CHECKED}
    if "rule" in shape:
        shape.pop("pattern", None)  # for editors: the rule itself is called
    for keyword, value in part.items():
        match keyword:
            case "properties":
                shape[keyword] = {key: _property(key, inner, part, models) for key, inner in value.items()}
            case "items":
                shape[keyword] = _shape(value, models)
            case "oneOf":
                shape[keyword] = _forms(value, models)
            case "additionalProperties" if value is ("properties" not in part):
                pass
            case _ if keyword in _FITTING and "fits" in part:
                pass
            case _ if keyword not in _CHECKED | _TOLD:
                raise Unshapable(f"no shape has the word {keyword}")
    return shape


def _property(key: str, part: dict[str, Any], owner: dict[str, Any], models: dict[str, Any]) -> dict[str, Any]:
    if ("default" in part) is (key in owner.get("required", ())):
        raise Unshapable(f"{key} is neither required nor has it a default")
    return _shape(part, models)


def _forms(parts: list[dict[str, Any]], models: dict[str, Any]) -> list[dict[str, Any]]:
    forms = [_shape(part, models) for part in parts]
    types = [form.get("type") for form in forms]
    if None in types or len(set(types)) < len(types):
        raise Unshapable("several forms of one type")
    return forms


if __name__ == "__main__":
    FILE.write_text(shapes_text(), encoding="utf-8")
