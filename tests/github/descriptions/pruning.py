"""A GraphQL schema cut down to what some operations name."""

from collections.abc import Iterable
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    ObjectFieldNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_named_type,
    is_specified_scalar_type,
    visit,
)

Named = dict[str, set[str]]


class _Uses(Visitor):
    """Notes each field and argument by its type, and each type by its name."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self.types = types
        self.fields: Named = {}
        self.arguments: Named = {}
        self.inputs: Named = {}

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        parent = self.types.get_parent_type()
        if parent is not None and node.name.value != "__typename":
            self.fields.setdefault(parent.name, set()).add(node.name.value)

    def enter_argument(self, node: ArgumentNode, *_: Any) -> None:
        parent, field = self.types.get_parent_type(), self.types.get_field_def()
        name = next(name for name, one in parent.fields.items() if one is field)
        self.arguments.setdefault(f"{parent.name}.{name}", set()).add(node.name.value)

    def enter_object_field(self, node: ObjectFieldNode, *_: Any) -> None:
        parent = get_named_type(self.types.get_parent_input_type())
        self.inputs.setdefault(parent.name, set()).add(node.name.value)


def pruned(schema: GraphQLSchema, documents: Iterable[DocumentNode]) -> str:
    """Return the schema of all that the documents name, in the schema language, types by name."""
    types = TypeInfo(schema)
    uses = _Uses(types)
    for document in documents:
        visit(document, TypeInfoVisitor(types, uses))
    parts, met = [_with_fields(schema.type_map[name], uses) for name in uses.fields], set()
    waiting = _named_by(schema, uses)
    while waiting:
        name = waiting.pop()
        if name not in met and name not in uses.fields:
            met.add(name)
            parts.append(_other(schema, name, uses))
    return "\n\n".join(part for part in sorted(parts) if part) + "\n"


def _with_fields(kind: Any, uses: _Uses) -> str:
    word = "interface" if isinstance(kind, GraphQLInterfaceType) else "type"
    shared = [one.name for one in getattr(kind, "interfaces", ()) if one.name in uses.fields]
    implements = f" implements {' & '.join(shared)}" if shared else ""
    lines = []
    for name in sorted(uses.fields[kind.name]):
        arguments = _arguments(kind.fields[name], uses.arguments.get(f"{kind.name}.{name}", set()))
        lines.append(f"  {name}{arguments}: {kind.fields[name].type}")
    return f"{word} {kind.name}{implements} {{\n" + "\n".join(lines) + "\n}"


def _arguments(field: GraphQLField, named: set[str]) -> str:
    given = [f"{name}: {field.args[name].type}" for name in sorted(named)]
    return f"({', '.join(given)})" if given else ""


def _named_by(schema: GraphQLSchema, uses: _Uses) -> list[str]:
    """Return the names of the types that fields and arguments speak of, and of what may stand for an interface."""
    names: set[str] = set(uses.inputs)
    for kind, fields in uses.fields.items():
        held = schema.type_map[kind]
        for name in fields:
            names.add(get_named_type(held.fields[name].type).name)
            taken = uses.arguments.get(f"{kind}.{name}", set())
            names |= {get_named_type(held.fields[name].args[one].type).name for one in taken}
        if isinstance(held, GraphQLInterfaceType):
            names |= {one.name for one in schema.get_possible_types(held)}
    for kind, fields in uses.inputs.items():
        names |= {get_named_type(schema.type_map[kind].fields[name].type).name for name in fields}
    return sorted(names)


def _other(schema: GraphQLSchema, name: str, uses: _Uses) -> str:
    kind = schema.type_map[name]
    if isinstance(kind, GraphQLScalarType):
        return "" if is_specified_scalar_type(kind) else f"scalar {name}"
    if isinstance(kind, GraphQLEnumType):
        return f"enum {name} {{\n" + "\n".join(f"  {value}" for value in sorted(kind.values)) + "\n}"
    if isinstance(kind, GraphQLInputObjectType):
        lines = [f"  {one}: {kind.fields[one].type}" for one in sorted(uses.inputs.get(name, set()))]
        return f"input {name} {{\n" + "\n".join(lines) + "\n}"
    if isinstance(kind, GraphQLObjectType):
        return _possible(kind, uses)
    raise TypeError(name)


def _possible(kind: GraphQLObjectType, uses: _Uses) -> str:
    """Return a type that is only met in the place of an interface: with the interface's fields."""
    shared = sorted(one.name for one in kind.interfaces if one.name in uses.fields)
    fields = sorted({field for one in shared for field in uses.fields[one]})
    lines = [f"  {field}: {kind.fields[field].type}" for field in fields]
    return f"type {kind.name} implements {' & '.join(shared)} {{\n" + "\n".join(lines) + "\n}"
