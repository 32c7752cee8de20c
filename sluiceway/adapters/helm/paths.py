"""The diff plugin's ``path`` and ``field`` as a path of the model (``spec/helm.md``, Reading the structured output).

The plugin joins the keys of ``path`` with dots, writes one of digits alone as ``[n]``, be it a key or an index, and
leaves out an empty one; ``field`` is the last of them as it is. So a key with a dot, a key of digits and an empty key
can't be told from the text. They can be told from the object, on the side that has them.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from sluiceway.model.paths import Path, Segment
from sluiceway.model.trees import MISSING, same

STEPS_LIMIT = 20_000
"""How many keys of an object are tried for one path; then the path is read from its text alone."""

_DIGITS = re.compile(r"[0-9]+")
_INDEX = re.compile(r"\[([0-9]+)\]")
_MARK = re.compile(r"[.\[]")
_LONGEST_INDEX = 9
TEXT_MAPS = frozenset(
    {"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "stringData"}
)  # fmt: skip
"""Maps whose keys a person chooses: a field of digits is a key there, and an index in a list elsewhere."""


def resolve(path_text: str, field: str, before: Any, after: Any) -> Path:
    """Return the path that the plugin printed, of an object that is ``before`` on one side and ``after`` on the other.

    Of several it is the first whose nodes differ and are not both maps or lists: of such two the plugin prints what is
    below. Where the object is not known (an empty map), or has no such path, the text is split at its dots.
    """
    found = list(_Search(path_text, field).found(before, after))
    return min(found, key=_rank)[0] if found else _split(path_text, field)


def covers(printed: Collection[Path], path: Path) -> bool:
    """Tell whether ``path`` is one of the printed paths or lies below one: an added item is printed as one path.

    A set answers fastest.
    """
    return any(path[:length] in printed for length in range(len(path) + 1))


_Nodes = tuple[Any, Any]


class _Search:
    """The search of one printed path in an object. Each node is met at most once: its keys say how it is written."""

    def __init__(self, text: str, field: str) -> None:
        self._text = text
        self._field = field
        self._ends = [*(mark.start() for mark in _MARK.finditer(text)), len(text)]
        self._steps = STEPS_LIMIT

    def found(self, before: Any, after: Any) -> Iterator[tuple[Path, _Nodes]]:
        """Yield each path that is written like this, with its node on both sides."""
        return self._walk((before, after), 0, ())

    def _walk(self, nodes: _Nodes, at: int, path: Path) -> Iterator[tuple[Path, _Nodes]]:
        if at == len(self._text):
            for segment in self._last(nodes):
                yield (*path, segment), _below(nodes, segment)
        for segment, end in self._next(nodes, at):
            if self._steps > 0:
                yield from self._walk(_below(nodes, segment), end, (*path, segment))

    def _last(self, nodes: _Nodes) -> Iterator[Segment]:
        if _is_key(nodes, self._field):
            yield self._field
        if _is_index(nodes, self._field):
            yield int(self._field)

    def _next(self, nodes: _Nodes, at: int) -> Iterator[tuple[Segment, int]]:
        """Yield each segment that the text may go on with, and where the text goes on behind it."""
        self._steps -= 1
        if _is_key(nodes, ""):
            yield "", at
        index = _INDEX.match(self._text, at)
        if index is not None and _is_key(nodes, index[1]):
            yield index[1], index.end()
        if index is not None and _is_index(nodes, index[1]):
            yield int(index[1]), index.end()
        yield from self._keys(nodes, at)

    def _keys(self, nodes: _Nodes, at: int) -> Iterator[tuple[str, int]]:
        if at and self._text[at : at + 1] != ".":
            return
        start = at + 1 if at else 0
        for end in self._ends:
            if end <= start:
                continue
            self._steps -= 1
            if self._steps < 0:
                return
            key = self._text[start:end]
            if _is_key(nodes, key) and not _DIGITS.fullmatch(key):
                yield key, end


def _rank(found: tuple[Path, _Nodes]) -> tuple[bool, bool]:
    before, after = found[1]
    return same(before, after), type(before) is type(after) and isinstance(before, dict | list)


def _is_key(nodes: _Nodes, key: str) -> bool:
    return any(isinstance(node, dict) and key in node for node in nodes)


def _is_index(nodes: _Nodes, digits: str) -> bool:
    if len(digits) > _LONGEST_INDEX or not _DIGITS.fullmatch(digits) or str(int(digits)) != digits:
        return False
    return any(isinstance(node, list) and int(digits) < len(node) for node in nodes)


def _below(nodes: _Nodes, segment: Segment) -> _Nodes:
    return _child(nodes[0], segment), _child(nodes[1], segment)


def _child(node: Any, segment: Segment) -> Any:
    if isinstance(node, dict) and isinstance(segment, str):
        return node.get(segment, MISSING)
    if isinstance(node, list) and isinstance(segment, int) and segment < len(node):
        return node[segment]
    return MISSING


def _split(path_text: str, field: str) -> Path:
    """Read a path from its text alone."""
    path: list[Segment] = [segment for part in path_text.split(".") if part for segment in _indexed(part)]
    of_a_list = _is_short(field) and not (path and path[-1] in TEXT_MAPS)
    return (*path, int(field) if of_a_list else field)


def _indexed(part: str) -> Iterator[Segment]:
    """Yield ``a``, 0 and 1 of ``a[0][1]``."""
    end = len(part)
    while end and (opened := part.rfind("[", 0, end)) >= 0 and part[end - 1] == "]":
        if not _is_short(part[opened + 1 : end - 1]):
            break
        end = opened
    if end:
        yield part[:end]
    yield from (int(digits) for digits in _INDEX.findall(part, end))


def _is_short(digits: str) -> bool:
    return len(digits) <= _LONGEST_INDEX and _DIGITS.fullmatch(digits) is not None
