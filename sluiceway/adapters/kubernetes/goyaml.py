"""YAML read as kubectl and helm read it: Go's sigs.k8s.io/yaml, then its conversion to JSON.

The parser is libyaml's, through PyYAML; what a scalar means is Go's (:mod:`~sluiceway.adapters.kubernetes.goscalars`),
and so is the order in which merged keys count. Source: ``spec/kubectl.md`` (Reading ``kubectl diff``), ``cases.md``
(Files and YAML). ``tests/live/test_yaml_as_kubectl.py`` holds it to the real kubectl.
"""

import re
from base64 import b64decode
from dataclasses import dataclass
from typing import Any

import yaml

from sluiceway.adapters.kubernetes import goscalars
from sluiceway.adapters.kubernetes.goscalars import LETTERS, WORDS, Resolved

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover - a PyYAML built without libyaml reads the same, ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

DEPTH_LIMIT = 200
"""Deeper nesting than this is refused: no object of Kubernetes comes near it, a hostile file does."""

NOTHING_MORE = "nothing behind the end of the document"
"""What was expected where a second document follows."""

_FEW_ALIASED, _FEW_NODES = 100, 1000
_MOST_ALIASED, _LEAST_ALIASED = 0.99, 0.10
_RANGE_LOW, _RANGE_HIGH = 400_000, 4_000_000
_PLAIN, _QUOTED, _COLLECTION = "plain", "quoted", "collection"
_STANDARD = "tag:yaml.org,2002:"
_ANCHOR = re.compile(r"(?:^|[\s\[{,?:\ufeff-])&[A-Za-z0-9_-]", re.MULTILINE)
_HAS_BARE_TAG = re.compile(r"(?:&[A-Za-z0-9_-]+\s+)?!\s")
"""How a node begins that has one, an anchor before it or not."""
_LOOK_AT_TAGS = re.compile(r"(?:^|[\s\[{,])!\s|![^\s,\[\]{}]*,", re.MULTILINE)
"""Where a text may hold a bare tag, or one right before a comma: what the parser says of these is not enough."""


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

    ``refuse_tags`` refuses anchors, aliases and tags: what kubectl prints has none, and a ``<<`` in it is a key like
    any other, which Go does not quote. Repeated keys are added to ``repeated``. ``alone`` refuses text in which a
    second document follows, which kubectl would not read.
    Raises :class:`UnreadableYAML`.
    """
    if refuse_tags and _anchors(text):
        _refuse_anchors(text)
    node = _composed(text, alone=alone)
    if node is None:
        return None
    return _Builder(text, refuse_tags=refuse_tags, repeated=repeated).build(node)


def _composed(text: str, *, alone: bool) -> yaml.Node | None:
    try:
        try:
            return _first_node(_Resolving(text), alone=alone)
        except yaml.composer.ComposerError:
            return _first_node(_Redefining(_Resolving(text)), alone=alone)
    except yaml.reader.ReaderError as error:
        raise UnreadableYAML(text.count("\n", 0, max(error.position, 0)) + 1, "printable characters") from None
    except yaml.MarkedYAMLError as error:
        raise UnreadableYAML(_line_of(error), "YAML") from None
    except yaml.YAMLError:
        raise UnreadableYAML(1, "YAML") from None
    except RecursionError:
        raise UnreadableYAML(1, f"at most {DEPTH_LIMIT} levels") from None


def _first_node(loader: Any, *, alone: bool) -> yaml.Node | None:
    node: yaml.Node | None = loader.get_node() if loader.check_node() else None
    if alone and node is not None:
        _refuse_more(loader)
    return node


def _refuse_more(loader: Any) -> None:
    try:
        more = loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError as error:
        raise UnreadableYAML(_line_of(error), NOTHING_MORE) from None
    if more is not None:
        raise UnreadableYAML(_line(more), NOTHING_MORE)


class _Resolving(_Loader):
    """A loader that only marks what is plain and what is quoted, so that :class:`_Builder` can read it as Go does."""

    def resolve(self, kind: type[yaml.Node], _value: str | None, implicit: Any) -> str:
        """Return the tag of a node that has none: PyYAML's composer asks for it."""
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return _COLLECTION


class _Redefining(yaml.composer.Composer):
    """Composes what the C composer refuses and kubectl reads: an anchor that stands twice, the later one from there."""

    def __init__(self, loader: _Resolving) -> None:
        super().__init__()
        self.check_event = loader.check_event
        self.peek_event = loader.peek_event
        self.get_event = loader.get_event
        self.resolve = loader.resolve

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Forget an anchor when it is set anew."""
        event = self.peek_event()
        if isinstance(event, yaml.NodeEvent) and not isinstance(event, yaml.AliasEvent):
            self.anchors.pop(event.anchor, None)
        return super().compose_node(parent, index)

    def descend_resolver(self, _parent: yaml.Node | None, _index: Any) -> None:
        """Do nothing: no tag depends on the place."""

    def ascend_resolver(self) -> None:
        """Do nothing: no tag depends on the place."""


def _anchors(text: str) -> bool:
    """Tell whether a text may hold an anchor; what is in none of them has no alias either."""
    return "&" in text and _ANCHOR.search(text) is not None


def _refuse_anchors(text: str) -> None:
    try:
        anchored = next((event for event in yaml.parse(text, _Resolving) if getattr(event, "anchor", None)), None)
    except yaml.YAMLError:
        return  # said by what reads the text next
    if anchored is not None:
        raise UnreadableYAML(_line(anchored), "no anchor")


class _Builder:
    def __init__(self, text: str, *, refuse_tags: bool, repeated: list[RepeatedKey] | None) -> None:
        self._refuse_tags = refuse_tags
        self._repeated = repeated
        self._open: set[int] = set()
        self._aliases = None if refuse_tags or not _anchors(text) else _Aliases()
        self.build = self._read if self._aliases is None else self._counted
        self._text = text.removeprefix("\ufeff") if "!" in text and _LOOK_AT_TAGS.search(text) else ""

    def _counted(self, node: yaml.Node, depth: int = 0) -> Any:
        assert self._aliases is not None  # noqa: S101 - chosen where there are some
        again = self._aliases.enter(node)
        try:
            return self._read(node, depth)
        finally:
            self._aliases.leave(again=again)

    def _read(self, node: yaml.Node, depth: int = 0) -> Any:
        if type(node) is yaml.ScalarNode:
            return self._scalar(node)
        self._check(node, depth)
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, depth)
            return [self.build(child, depth + 1) for child in node.value]
        finally:
            self._open.discard(id(node))

    def _check(self, node: yaml.Node, depth: int) -> None:
        if depth >= DEPTH_LIMIT:
            raise UnreadableYAML(_line(node), f"at most {DEPTH_LIMIT} levels")
        if id(node) in self._open:
            raise UnreadableYAML(_line(node), "no alias inside its own anchor")
        if self._refuse_tags and node.tag is not _COLLECTION:
            raise UnreadableYAML(_line(node), "no tag")

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        built: dict[str, Any] = {}
        merged: set[str] = set()
        kinds: dict[str, set[type]] = {}
        for key_node, value_node in node.value:
            if key_node.value == "<<" and not self._refuse_tags and _is_merge(key_node):
                added = self._merge(value_node, depth)
                self._note(key_node, [key for key in added if key in built and key not in merged])
                merged |= added.keys() - built.keys()
                built.update(added)
                continue
            key = self._key(key_node)
            if key in merged:
                merged.discard(key)
            elif key in built:
                kinds = kinds or self._kinds(node)
                self._meet_again(key_node, key, kinds[key])
            built[key] = self.build(value_node, depth + 1)
        if "-0" in built and "0" in built:
            self._refuse_zeros(node)
        return built

    def _refuse_zeros(self, mapping: yaml.MappingNode) -> None:
        """Refuse ``-0.0`` and ``0.0`` as keys of one map: they are one key for Go, which keeps the later value."""
        kinds = self._kinds(mapping)
        if float in kinds.get("-0", ()) and float in kinds.get("0", ()):
            raise UnreadableYAML(_line(mapping), "no key that is another one as a number: kubectl keeps the later one")

    def _kinds(self, mapping: yaml.MappingNode) -> dict[str, set[type]]:
        """Return, by key of a map, what types the scalars have that it is written as."""
        kinds: dict[str, set[type]] = {}
        for node, _ in mapping.value:
            if self._refuse_tags or not _is_merge(node):
                kinds.setdefault(self._key(node), set()).add(type(self._resolved(node)))
        return kinds

    def _meet_again(self, node: yaml.ScalarNode, key: str, kinds: set[type]) -> None:
        """Note a key that stands twice. Refuse two that are one text but not one value: Go keeps either, by chance."""
        if len(kinds) > 1:
            raise UnreadableYAML(_line(node), "no key that is another one as text: kubectl keeps one of them by chance")
        self._note(node, [key])

    def _note(self, node: yaml.Node, keys: list[str]) -> None:
        if self._repeated is not None:
            self._repeated.extend(RepeatedKey(_line(node), key) for key in keys)

    def _merge(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        """Return what ``<<`` adds. It is set where it stands, as Go does: a later merge counts more than a key."""
        merged: dict[str, Any] = {}
        for child in reversed(node.value) if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(child, yaml.MappingNode):
                raise UnreadableYAML(_line(child), "a map, or a list of maps, to merge")
            merged.update(self.build(child, depth + 1))
        return merged

    def _key(self, node: yaml.Node) -> str:
        if self._aliases is not None:
            self._aliases.leave(again=self._aliases.enter(node))
        written: str = node.value
        if node.tag is _PLAIN and written[:1] in LETTERS and written not in WORDS:
            return written
        if not isinstance(node, yaml.ScalarNode):
            raise UnreadableYAML(_line(node), "a text, number or boolean as a key")
        try:
            return goscalars.key_text(self._resolved(node))
        except ValueError:
            raise UnreadableYAML(_line(node), "a text, number or boolean as a key") from None

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text: str = node.value
        if node.tag is _PLAIN and text[:1] in LETTERS and text not in WORDS:
            return text
        try:
            return goscalars.json_value(self._resolved(node))
        except ValueError:
            raise UnreadableYAML(_line(node), "a number that JSON can hold") from None

    def _resolved(self, node: yaml.ScalarNode) -> Resolved:
        text: str = node.value
        if self._text and not text:
            self._refuse_comma(node)
        if node.tag is _QUOTED:
            return text
        bare = _HAS_BARE_TAG.match(self._text, node.start_mark.index) is not None if self._text else False
        if self._refuse_tags and (bare or node.tag is not _PLAIN):
            raise UnreadableYAML(_line(node), "no tag")
        if node.tag is not _PLAIN:
            return _tagged(node)
        return text if bare else goscalars.resolve(text)

    def _refuse_comma(self, node: yaml.ScalarNode) -> None:
        """Refuse a tag that a comma follows at once: kubectl reads the comma as a part of the tag."""
        assert node.start_mark is not None  # noqa: S101 - every node that was read has a place
        assert node.end_mark is not None  # noqa: S101 - the same
        written, behind = self._text[node.start_mark.index : node.end_mark.index], self._text[node.end_mark.index :][:1]
        if behind == "," and "!" in written:
            raise UnreadableYAML(_line(node), "a space between a tag and a comma")


class _Aliases:
    """Counts what comes out of aliases by Go's rule, so that an alias bomb is refused as early as kubectl refuses it.

    Of a small document 99 % may come out of aliases, of a large one 10 %.
    """

    def __init__(self) -> None:
        self._nodes = 1
        self._aliased = self._inside = 0
        self._met: set[int] = set()

    def enter(self, node: yaml.Node) -> bool:
        """Count a node that is about to be read, and return whether an alias led there; hand that to :meth:`leave`."""
        again = id(node) in self._met
        self._met.add(id(node))
        self._count(node)
        if again:
            self._inside += 1
            self._count(node)
        return again

    def leave(self, *, again: bool) -> None:
        """Say that a node was read."""
        self._inside -= again

    def _count(self, node: yaml.Node) -> None:
        self._nodes += 1
        self._aliased += self._inside > 0
        if self._aliased > _FEW_ALIASED and self._nodes > _FEW_NODES and self._aliased > self._allowed() * self._nodes:
            raise UnreadableYAML(_line(node), "fewer aliases: nearly all of the document would come out of them")

    def _allowed(self) -> float:
        beyond = (self._nodes - _RANGE_LOW) / (_RANGE_HIGH - _RANGE_LOW)
        return _MOST_ALIASED - (_MOST_ALIASED - _LEAST_ALIASED) * min(max(beyond, 0.0), 1.0)


_FITS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
    "timestamp": (str,),
}


def _tagged(node: yaml.ScalarNode) -> Resolved:
    short = node.tag.removeprefix(_STANDARD)
    if short == "binary":
        return _decoded(node)
    if short in _FITS:
        resolved = goscalars.resolve(node.value)
        if type(resolved) not in _FITS[short]:
            raise UnreadableYAML(_line(node), f"a scalar that fits its tag (!!{short})")
        return float(resolved) if short == "float" and isinstance(resolved, int) else resolved
    text: str = node.value
    return text


def _decoded(node: yaml.ScalarNode) -> str:
    try:
        data = b64decode(node.value.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        raise UnreadableYAML(_line(node), "base64 behind !!binary") from None
    return data.decode("utf-8", "replace")


def _is_merge(node: yaml.Node) -> bool:
    return node.value == "<<" and node.tag in (_PLAIN, f"{_STANDARD}merge")


def _line(node: yaml.Node | yaml.Event) -> int:
    assert node.start_mark is not None  # noqa: S101 - every node that was read has a place
    return node.start_mark.line + 1


def _line_of(error: yaml.MarkedYAMLError) -> int:
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else 1
