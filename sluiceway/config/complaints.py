"""What pydantic refused, in words for the person who wrote the file. Kinds and names only, never a value's text."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from sluiceway.adapters.options import found
from sluiceway.config.document import Node, node_at, position_of
from sluiceway.config.findings import Finding, nearest
from sluiceway.config.keys import LIST, MAPPING, TEXT
from sluiceway.model.paths import Path, Segment

MOST = 1000
"""Problems of one mapping that are told one by one; a file with more of them is no config file."""

_LONGEST_QUOTED = 40


def findings_of(error: ValidationError, model: type[BaseModel], root: Node, at: Path = ()) -> list[Finding]:
    """Return a finding for each thing that ``model`` refused of the node at ``at``, with the place in the file."""
    told = [_finding(dict(refused), model, root, at) for refused in error.errors(include_url=False)[:MOST]]
    if (more := error.error_count() - MOST) > 0:
        told.append(told[-1]._replace(path=at, problem=f"and {more} problems more"))
    return told


def unknown(name: Segment, known: list[str]) -> str:
    """Say that ``name`` is no key here, what it may have meant, and all keys that are known here."""
    near = nearest(str(name), known)
    meant = f"; did you mean `{near}`?" if near else "."
    return f"unknown key{meant} Known here: {', '.join(known) or 'none'}"


def keys_of(model: type[BaseModel]) -> list[str]:
    """Return the keys of ``model`` as the file spells them, in their own order."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _finding(refused: dict[str, Any], model: type[BaseModel], root: Node, at: Path) -> Finding:
    below = _without_tags(refused["loc"], key=refused["type"] == "extra_forbidden")
    path = (*at, *below)
    return Finding(position_of(root, path), path, _words(refused, model, below, node_at(root, path)))


def _without_tags(loc: tuple[Segment, ...], *, key: bool) -> Path:
    """Return the path without the names of forms. Its last part may be a ``key`` of the file, whatever it is called."""
    last = loc[-1:] if key else ()
    return (*(part for part in loc[: len(loc) - len(last)] if part not in (TEXT, LIST, MAPPING)), *last)


def _words(refused: dict[str, Any], model: type[BaseModel], path: Path, node: Node | None) -> str:
    kind, value, facts = refused["type"], refused["input"], refused.get("ctx", {})
    if kind == "missing":
        return f"is required: {_lower(_description(model, path))}"
    if kind == "extra_forbidden":
        inside = _model_at(model, path[:-1])
        return unknown(path[-1], keys_of(inside) if inside else [])
    if kind == "value_error":
        return str(facts["error"])
    if kind in ("model_type", "dict_type"):
        return _mapping(value, path, _model_at(model, path))
    expected = _EXPECTED.get(kind)
    if expected is None:
        return _lower(str(refused["msg"]))
    return f"expected {expected}, found {found(value)}{_hint(kind, value, node)}"


_EXPECTED: Mapping[str, str] = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "list_type": "a list",
}


def _hint(kind: str, value: Any, node: Node | None) -> str:
    if kind == "string_type" and isinstance(value, (bool, int, float)):
        written = node.written if node else ""
        return f': write it in quotes, `"{written}"`' if 0 < len(written) <= _LONGEST_QUOTED else ": write it in quotes"
    if kind == "bool_type" and isinstance(value, str):
        return ": write true or false, without quotes"
    if kind == "list_type" and isinstance(value, (str, dict)):
        return ": put it behind `- ` on a line of its own"
    return ""


def _mapping(value: Any, path: Path, model: type[BaseModel] | None) -> str:
    keys = keys_of(model) if model else []
    if isinstance(value, bool) and path:
        form = f"enabled: {found(value)}" if "enabled" in keys else f"{next(iter(keys), '')}: …".lstrip(": ")
        return f"expected a mapping, found {found(value)}: write `{path[-1]}: {{{form}}}`"
    known = f". Known keys: {', '.join(keys)}" if keys else ""
    return f"expected a mapping, found {found(value)}{known}"


def _description(model: type[BaseModel], path: Path) -> str:
    inside = _model_at(model, path[:-1])
    field = _field(inside, path[-1]) if inside else None
    return (field.description if field else None) or "it has no default"


def _model_at(model: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """Return the model whose keys stand at ``path``, or None where there is none."""
    inside: type[BaseModel] | None = model
    for segment in path:
        if isinstance(segment, int):
            continue
        field = _field(inside, segment) if inside else None
        inside = next(_models_in(field.annotation), None) if field else None
    return inside


def _field(model: type[BaseModel], key: Segment) -> FieldInfo | None:
    return next((field for name, field in model.model_fields.items() if (field.alias or name) == key), None)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
