"""A YAML document as plain data that remembers where each key and item stands.

Read from libyaml's events, in one pass and with limits, so that nothing hostile costs much. Scalars are read as
YAML 1.2 does, which is how an editor and most people read them: ``no``, ``on`` and dates are text.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from sluiceway.config.findings import Finding, Position, printable
from sluiceway.model.paths import Path, Segment

DEEPEST = 32
"""Nested mappings and lists, at most."""
MOST_NODES = 200_000
"""Keys, items and scalars with every alias written out, at most."""

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_MOST_DIGITS = 20

_EMPTY = "is empty: write at least `stacks: []`, or remove the file"
_HINTS = {
    "mapping values are not allowed in this context": (
        "a `: ` where no key can stand: check the indentation, and put text that holds `: ` in quotes"
    ),
    "found character that cannot start any token": (
        "a tab, `@`, `%` or backquote can't start a value: indent with spaces, and put such text in quotes"
    ),
    "could not find expected ':'": "a key without a `:`, or a line of text that is not indented enough",
    "did not find expected key": "a line that fits no key: check the indentation and the quotes",
    "did not find expected '-' indicator": "a line among list items that doesn't start with `- `",
    "found unexpected end of stream": "a quote that is never closed: close it",
    "exceeded maximum nesting depth": "it is nested too deep: nest it less",
    "did not find expected ',' or ']'": "a `[` without its `]`, or a missing comma",
    "did not find expected ',' or '}'": "a `{` without its `}`, or a missing comma",
}
# The parser notices these where the file goes on or ends; a person has to look where the thing was opened.
_OPENED_EARLIER = {
    "could not find expected ':'",
    "found unexpected end of stream",
    "did not find expected ',' or ']'",
    "did not find expected ',' or '}'",
}


@dataclass(slots=True)
class Node:
    """One mapping, list or scalar: its plain data, where it stands, and what stands below it.

    ``marks`` holds where the key or item of each child stands. ``written`` is a scalar as the file has it.
    ``size`` counts the nodes with aliases written out.
    """

    data: Any
    position: Position
    written: str = ""
    children: dict[Segment, "Node"] = field(default_factory=dict)
    marks: dict[Segment, Position] = field(default_factory=dict)
    size: int = 1

    @property
    def is_scalar(self) -> bool:
        """Whether this is neither a mapping nor a list."""
        return not isinstance(self.data, (dict, list))


class Unreadable(Exception):
    """The text can't be read any further; carries why. Never leaves this module."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.problem)
        self.finding = finding


def parse(text: str) -> tuple[Node | None, list[Finding]]:
    """Return the one document in ``text`` and all that is wrong with its YAML; None when it can't be read whole."""
    builder: _Builder | None = None
    try:
        builder = _Builder(text)
        return builder.document(), builder.findings
    except Unreadable as unreadable:
        fatal = unreadable.finding
    except yaml.YAMLError as error:
        fatal = _syntax(error)
    return None, [*(builder.findings if builder else []), fatal]


def position_of(root: Node, path: Path) -> Position:
    """Return where the key or item at ``path`` stands, or the nearest one above it that is there."""
    node, position = root, root.position
    for segment in path:
        if segment not in node.children:
            break
        position, node = node.marks[segment], node.children[segment]
    return position


def node_at(root: Node, path: Path) -> Node | None:
    """Return the node at ``path``, or None."""
    node: Node | None = root
    for segment in path:
        node = node.children.get(segment) if node else None
    return node


def scalar(written: str) -> Any:
    """Return the value of an unquoted scalar by YAML 1.2's core schema.

    A whole number of more digits than any limit here is returned as a float: it is a number, and no whole one.
    """
    if written in _NULL:
        return None
    if written in _BOOLEAN:
        return _BOOLEAN[written]
    if _WHOLE.fullmatch(written):
        return int(written) if len(written) <= _MOST_DIGITS else float(written)
    if _BASED.fullmatch(written):
        return int(written, 0) if len(written) <= _MOST_DIGITS else float("inf")
    if _FLOAT.fullmatch(written):
        return float(written.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return written


class _Builder:
    """Builds the nodes of one text from its events."""

    def __init__(self, text: str) -> None:
        self._loader = yaml.CSafeLoader(text)
        self._anchors: dict[str, Node | None] = {}
        self.findings: list[Finding] = []

    def document(self) -> Node:
        """Build the only document of the text."""
        self._next()
        if self._loader.check_event(yaml.StreamEndEvent):
            raise Unreadable(Finding(Position(1, 1), (), _EMPTY))
        self._next()
        root = self._node((), 0)
        if root.data is None:
            raise Unreadable(Finding(Position(1, 1), (), _EMPTY))
        self._next()
        if not self._loader.check_event(yaml.StreamEndEvent):
            self._wrong(_start(self._loader.get_event()), (), "holds a second document: keep one")
        return root

    def _next(self) -> Any:
        return self._loader.get_event()

    def _node(self, path: Path, depth: int) -> Node:
        event = self._next()
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path)
        if event.tag is not None:
            self._wrong(_start(event), path, f"has the tag `{printable(event.tag)}`: tags mean nothing here, remove it")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        node = self._built(event, path, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _built(self, event: Any, path: Path, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            unquoted = event.implicit[0] and event.tag is None
            return Node(scalar(event.value) if unquoted else event.value, _start(event), event.value)
        if depth == DEEPEST:
            raise Unreadable(Finding(_start(event), path, f"is nested more than {DEEPEST} deep: nest it less"))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(_start(event), path, depth + 1)
        return self._mapping(_start(event), path, depth + 1)

    def _alias(self, event: Any, path: Path) -> Node:
        node = self._anchors.get(event.anchor)
        if node is None:
            why = "stands inside its own anchor" if event.anchor in self._anchors else "has no anchor above it"
            raise Unreadable(
                Finding(_start(event), path, f"the alias `*{printable(event.anchor)}` {why}: write the value out")
            )
        return node

    def _list(self, start: Position, path: Path, depth: int) -> Node:
        node = Node([], start)
        while not self._loader.check_event(yaml.SequenceEndEvent):
            index = len(node.data)
            mark = _start(self._loader.peek_event())
            self._put(node, index, mark, self._node((*path, index), depth))
            node.data.append(node.children[index].data)
        self._next()
        return node

    def _mapping(self, start: Position, path: Path, depth: int) -> Node:
        node = Node({}, start)
        merged: list[Node] = []
        while not self._loader.check_event(yaml.MappingEndEvent):
            merging = _is_merge(self._loader.peek_event())
            mark = _start(self._loader.peek_event())
            key = self._node(path, depth)
            at = (*path, key.written)
            value = self._node(at, depth)
            if not key.is_scalar:
                self._wrong(mark, path, "has a key that is a list or a mapping, expected text")
            elif merging:
                merged += self._mergeable(mark, at, value)
            elif key.written in node.children:
                first = node.marks[key.written].line
                self._wrong(mark, at, f"stands twice, first on line {first}: keep one")
            else:
                self._put(node, key.written, mark, value)
        self._next()
        self._merge(node, merged)
        node.data = {name: child.data for name, child in node.children.items()}
        return node

    def _mergeable(self, mark: Position, path: Path, value: Node) -> list[Node]:
        sources = list(value.children.values()) if isinstance(value.data, list) else [value]
        if all(isinstance(source.data, dict) for source in sources):
            return sources
        self._wrong(mark, path, "expected a mapping, or a list of mappings, to merge")
        return []

    def _merge(self, node: Node, sources: list[Node]) -> None:
        for source in sources:
            self._grow(node, source)
            for name, child in source.children.items():
                if name not in node.children:
                    node.children[name], node.marks[name] = child, source.marks[name]

    def _put(self, node: Node, segment: Segment, mark: Position, child: Node) -> None:
        self._grow(node, child)
        node.children[segment], node.marks[segment] = child, mark

    def _grow(self, node: Node, child: Node) -> None:
        node.size += child.size
        if node.size > MOST_NODES:
            raise Unreadable(
                Finding(node.position, (), f"holds more than {MOST_NODES:,} values with its aliases: use fewer")
            )

    def _wrong(self, position: Position, path: Path, problem: str) -> None:
        self.findings.append(Finding(position, path, problem))


def _is_merge(event: Any) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.value == "<<" and bool(event.implicit[0]) and event.tag is None


def _start(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _syntax(error: yaml.YAMLError) -> Finding:
    """Say where and why the text is not YAML; the parser's fixed words, never the text itself."""
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "can't be read"
    marks = ("context_mark", "problem_mark") if said in _OPENED_EARLIER else ("problem_mark", "context_mark")
    mark = getattr(error, marks[0], None) or getattr(error, marks[1], None)
    position = Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)
    return Finding(position, (), f"is not YAML: {_HINTS.get(said, said)}")
