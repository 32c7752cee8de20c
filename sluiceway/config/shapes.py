"""The shape of a right ``sluiceway.yaml``: what its models check, as data that takes no library to read.

Building the models costs more than all else that a small preview does before it starts a tool. So ``shapes.json``
holds what they check, written from them by ``shaping.py``. What a shape takes, its model takes too, and reads it as
the same. What a shape refuses says nothing: the models then say what is wrong, or that nothing is.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

FILE = Path(__file__).with_name("shapes.json")

Shape = Mapping[str, Any]
"""What one value must be, in words of JSON Schema. ``rule`` names a function as ``module:name``: it returns the value
made plain or raises ``ValueError``. ``fits`` names one that gives the keys of a mapping that don't fit the others.
``default`` is what stands for a key that is left out."""

_TYPES = {"array": list, "boolean": bool, "integer": int, "object": dict, "string": str}


def taken_file(data: Any) -> dict[str, Any] | None:
    """Return the whole file with texts made plain and defaults filled in, or None when its shape refuses it."""
    return _taken(_shapes()["file"], data)


def taken_options(tool: str, options: Any) -> dict[str, Any] | None:
    """Return the options of a tool that comes with Sluiceway, defaults left out, or None when its shape refuses them.

    There is no shape for any other tool.
    """
    shape = _shapes()["options"].get(tool)
    taken = _taken(shape, options) if shape else None
    return None if taken is None else _without_defaults(shape, taken)


def _taken(shape: Shape, data: Any) -> dict[str, Any] | None:
    try:
        return cast("dict[str, Any]", _take(shape, data))
    except ValueError:
        return None


@cache
def _shapes() -> dict[str, Any]:
    shapes: dict[str, Any] = json.loads(FILE.read_bytes())
    return shapes


def _take(shape: Shape, value: Any) -> Any:
    """Return ``value`` as its model reads it, defaults filled in, or raise ``ValueError``."""
    shape = _form(shape, value)
    match value:
        case dict():
            return _take_mapping(shape, value)
        case list():
            if len(value) < shape.get("minItems", 0):
                raise ValueError("too few")
            value = [_take(shape["items"], item) for item in value]
        case str() if not re.fullmatch(shape.get("pattern", "(?s:.*)"), value):
            raise ValueError("another form")
        case int() if not shape.get("minimum", value) <= value <= shape.get("maximum", value):
            raise ValueError("out of range")
    if value not in shape.get("enum", [value]):
        raise ValueError("another value")
    return _rule(shape["rule"])(value) if "rule" in shape else value


def _form(shape: Shape, value: Any) -> Shape:
    """Return the form of ``shape`` that is for values of this type; no two of its forms are for the same."""
    for form in shape.get("oneOf", [shape]):
        if type(value) is _TYPES[form["type"]]:
            return cast("Shape", form)
    raise ValueError("another type")


def _take_mapping(shape: Shape, value: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in shape:
        return value
    if not value.keys() <= shape["properties"].keys():
        raise ValueError("unknown key")
    result: dict[str, Any] = {}
    for key, inner in shape["properties"].items():
        if key in value:
            result[key] = _take(inner, value[key])
        elif "default" in inner:
            result[key] = inner["default"]
        else:
            raise ValueError("missing key")
    if "fits" in shape and any(True for _ in _rule(shape["fits"])(value)):
        raise ValueError("keys that don't fit together")
    return result


def _without_defaults(shape: Shape, value: Any) -> Any:
    if value is None:
        return None
    shape = _form(shape, value)
    if isinstance(value, list):
        return [_without_defaults(shape["items"], item) for item in value]
    if not isinstance(value, dict) or "properties" not in shape:
        return value
    return {
        key: _without_defaults(inner, value[key])
        for key, inner in shape["properties"].items()
        if "default" not in inner or value[key] != inner["default"]
    }


def _rule(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)
