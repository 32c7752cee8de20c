"""YAML read as kubectl reads it: Go's sigs.k8s.io/yaml, then its conversion to JSON.

The parser is libyaml's, through PyYAML; only what a plain scalar means is Go's: ``y`` and ``on`` are booleans, ``08``
is a number, a date and ``12:30:45`` are text, a key is text always. Two different values never become equal: floats
keep their text (:class:`~sluiceway.model.trees.Float`), integers are exact. Source: ``spec/kubectl.md`` (Reading
``kubectl diff``), ``cases.md`` (Files and YAML).
"""

import math
import re
from base64 import b64decode
from dataclasses import dataclass
from typing import Any

import yaml

from sluiceway.model.trees import Float

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover - a PyYAML built without libyaml reads the same, ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

DEPTH_LIMIT = 200
"""Deeper nesting than this is refused: no object of Kubernetes comes near it, a hostile file does."""

NODE_LIMIT = 5_000_000
"""More nodes than this after aliases are followed is an alias bomb (the API server takes 3 MB an object)."""

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_INFINITE = frozenset(f"{sign}{word}" for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")) | frozenset(
    {".nan", ".NaN", ".NAN"}
)
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_BASED = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)\Z")
_WORDS = _TRUE | _FALSE | _NULL
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""What a plain scalar starts with that is text, unless it is one of the words: no number does."""

_NUMBER_START = frozenset("+-.0123456789")
_PLAIN, _QUOTED, _COLLECTION = "plain", "quoted", "collection"
_STANDARD = "tag:yaml.org,2002:"
_UINT64 = 2**64
_INT64_MIN = -(2**63)


class UnreadableYAML(Exception):
    """Text that kubectl would not read either, or that is refused. Names the place (1-based line), never the text."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(f"line {line}: expected {expected}")
        self.line = line
        self.expected = expected


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A map key that stands twice: the last one counts, as for kubectl, which says nothing. ``line`` is 1-based."""

    line: int
    key: str


def load(
    text: str, *, refuse_tags: bool = False, repeated: list[RepeatedKey] | None = None, alone: bool = False
) -> Any:
    """Return the first document of ``text`` as Go would convert it to JSON; None for an empty one.

    ``refuse_tags`` refuses anchors, aliases and tags (a cluster's answer has none). Repeated keys are added to
    ``repeated``. ``alone`` refuses text in which a second document follows, which kubectl would not read.
    Raises :class:`UnreadableYAML`.
    """
    loader = _loader(text)
    try:
        node = _first_node(loader)
        if alone and node is not None and (second := _first_node(loader)) is not None:
            raise UnreadableYAML(_line(second), "nothing behind the end of the document")
    finally:
        loader.dispose()
    if node is None:
        return None
    return _Builder(refuse_tags=refuse_tags, repeated=repeated).build(node)


def _loader(text: str) -> Any:
    try:
        return _Resolving(text)
    except yaml.reader.ReaderError as error:
        raise UnreadableYAML(text.count("\n", 0, max(error.position, 0)) + 1, "printable characters") from None


def _first_node(loader: Any) -> yaml.Node | None:
    try:
        return loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableYAML(mark.line + 1 if mark else 1, "YAML") from None
    except yaml.YAMLError:
        raise UnreadableYAML(1, "YAML") from None
    except RecursionError:
        raise UnreadableYAML(1, f"at most {DEPTH_LIMIT} levels") from None


class _Resolving(_Loader):
    """A loader that only marks what is plain and what is quoted, so that :class:`_Builder` can read it as Go does."""

    def resolve(self, kind: type[yaml.Node], _value: str | None, implicit: Any) -> str:
        """Return the tag of a node that has none: PyYAML's composer asks for it."""
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return _COLLECTION


class _Builder:
    def __init__(self, *, refuse_tags: bool, repeated: list[RepeatedKey] | None) -> None:
        self._refuse_tags = refuse_tags
        self._repeated = repeated
        self._nodes = 0
        self._open: set[int] = set()
        self._met: set[int] = set()

    def build(self, node: yaml.Node, depth: int = 0) -> Any:
        self._nodes += 1
        if type(node) is yaml.ScalarNode:
            return self._scalar(node)
        self._check(node, depth)
        self._open.add(id(node))
        try:
            if type(node) is yaml.SequenceNode:
                return [self.build(child, depth + 1) for child in node.value]
            return self._mapping(node, depth)
        finally:
            self._open.discard(id(node))

    def _check(self, node: yaml.Node, depth: int) -> None:
        if self._nodes > NODE_LIMIT:
            raise UnreadableYAML(_line(node), f"at most {NODE_LIMIT} nodes after aliases are followed")
        if depth >= DEPTH_LIMIT:
            raise UnreadableYAML(_line(node), f"at most {DEPTH_LIMIT} levels")
        if id(node) in self._open:
            raise UnreadableYAML(_line(node), "no alias inside its own anchor")
        self._note_alias(node)

    def _note_alias(self, node: yaml.Node) -> None:
        if self._refuse_tags:
            if id(node) in self._met:
                raise UnreadableYAML(_line(node), "no alias")
            self._met.add(id(node))

    def _mapping(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if _is_merge(key_node):
                for name, value in self._merge(value_node, depth).items():
                    merged.setdefault(name, value)
                continue
            key = self._key(key_node)
            if key in own and self._repeated is not None:
                self._repeated.append(RepeatedKey(_line(key_node), key))
            own[key] = self.build(value_node, depth + 1)
        return {**merged, **own} if merged else own

    def _merge(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        if isinstance(node, yaml.MappingNode):
            return self.build(node, depth + 1)  # type: ignore[no-any-return]
        merged: dict[str, Any] = {}
        if not isinstance(node, yaml.SequenceNode):
            raise UnreadableYAML(_line(node), "a map, or a list of maps, to merge")
        for child in node.value:
            if not isinstance(child, yaml.MappingNode):
                raise UnreadableYAML(_line(child), "a map to merge")
            for name, value in self.build(child, depth + 1).items():
                merged.setdefault(name, value)
        return merged

    def _key(self, node: yaml.Node) -> str:
        written: str = node.value
        if node.tag is _PLAIN and written[:1] in _LETTERS and written not in _WORDS:
            return written
        if not isinstance(node, yaml.ScalarNode):
            raise UnreadableYAML(_line(node), "a text, number or boolean as a key")
        value = self._scalar(node)
        if isinstance(value, bool):
            return "true" if value else "false"
        if value is None:
            raise UnreadableYAML(_line(node), "a text, number or boolean as a key")
        return str(value)

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        if node.tag is _PLAIN:
            text = node.value
            return text if text[:1] in _LETTERS and text not in _WORDS else plain_scalar(text, _line(node))
        if node.tag is _QUOTED:
            return node.value
        if self._refuse_tags:
            raise UnreadableYAML(_line(node), "no tag")
        return _tagged(node)


def _tagged(node: yaml.ScalarNode) -> Any:
    short = node.tag.removeprefix(_STANDARD)
    if short == "binary":
        try:
            return b64decode(node.value, validate=False).decode("utf-8", "surrogateescape")
        except ValueError:
            raise UnreadableYAML(_line(node), "base64 behind !!binary") from None
    if short in ("int", "float", "bool", "null"):
        return _cast(short, plain_scalar(node.value, _line(node)), _line(node))
    return node.value


def _cast(tag: str, value: Any, line: int) -> Any:
    kinds = {"int": (int,), "float": (int, Float), "bool": (bool,), "null": (type(None),)}
    if type(value) not in kinds[tag]:
        raise UnreadableYAML(line, f"a scalar that fits its tag (!!{tag})")
    return value


def _is_merge(node: yaml.Node) -> bool:
    return node.tag == _PLAIN and node.value == "<<"


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def plain_scalar(text: str, line: int = 0) -> str | int | bool | Float | None:
    """Return what an unquoted scalar means to kubectl. Raises :class:`UnreadableYAML` for infinities and NaN."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text[0] in _NUMBER_START:
        if text in _INFINITE:
            raise UnreadableYAML(line, "a number that JSON can hold")
        return _number(text)
    return text


def _number(text: str) -> str | int | Float:
    digits = text if text[0] == "." else text.replace("_", "")
    whole = _whole(digits)
    if whole is not None:
        return whole
    if _DECIMAL.match(digits):
        return _float(digits)
    return text


def _whole(digits: str) -> int | None:
    if _BASED.match(digits):
        value = _based(digits)
    elif digits.lstrip("+-").isdecimal() and digits.isascii() and len(digits.lstrip("+-")) >= len(digits) - 1:
        if len(digits) > 25:  # noqa: PLR2004 - past any 64-bit integer: a float, and int() refuses 4,300 digits
            return None
        if digits.lstrip("+-").startswith("0") and len(digits.lstrip("+-")) > 1:
            return None
        value = int(digits)
    else:
        return None
    return value if _INT64_MIN <= value < _UINT64 else None


def _based(digits: str) -> int:
    sign = -1 if digits[0] == "-" else 1
    bare = digits.lstrip("+-").lower()
    if bare.startswith(("0x", "0b", "0o")):
        return sign * int(bare, 0)
    return sign * int(bare, 8)


def number_from_json(digits: str) -> int | Float:
    """Return a JSON number with a fraction or an exponent as :func:`load` returns the same number."""
    return _float(digits)


def _float(digits: str) -> int | Float:
    value = float(digits)
    if math.isfinite(value) and value.is_integer() and _INT64_MIN <= value < -_INT64_MIN:
        return int(value)
    return Float(repr(value))
