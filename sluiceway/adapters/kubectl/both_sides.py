"""Both sides of one object read together: blocks that stand on both in the same words are not read at all.

``load_sides(live, merged)`` gives both trees without the blocks that are equal, so that what differs between them is
exactly what differs between the whole trees: the same paths, with the same values on both sides. ``metadata`` and who
the object is are always there, and a list that differs anywhere is there whole. Where the text is not the block style
that kubectl prints, both sides are read whole.
"""

import re
from typing import Any

from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.goscalars import WORDS, json_value, resolve

_KEY = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_./-]*):( |\Z)")
_WORD = re.compile(r" *[^:]+: ([A-Za-z0-9_][A-Za-z0-9_./-]*)\Z")
"""A line that gives a key a plain scalar which needs no parser to be told from YAML's marks."""

_BREAKS = "\r\x85\u2028\u2029"
"""What ends a line for YAML and not for ``diff``."""

_Block = list[str]
_Keep = dict[str, Any]
_KEPT: _Keep = {"apiVersion": {}, "kind": {}, "metadata": {"name": {}, "namespace": {}, "managedFields": {}}}
"""What is there even where it is equal: who the object is, and who holds its fields."""

_BELOW = frozenset({"  ", " ", ""})
"""What stands around a map's indentation on a line that belongs to the key above it: deeper, or an empty line."""


def load_sides(live: str, merged: str) -> tuple[Any, Any]:
    """Return both sides as trees, without the blocks that are equal. Raises ``UnreadableYAML``."""
    try:
        narrowed = _narrowed((_lines(live), _lines(merged)), 0, _KEPT) if _plain(live) and _plain(merged) else None
    except goyaml.UnreadableYAML:
        narrowed = None  # the block alone can't be read; the whole text says whether it can, and at which line not
    return narrowed if narrowed is not None else (load_whole(live), load_whole(merged))


def _plain(content: str) -> bool:
    return content.endswith("\n") and not any(mark in content for mark in _BREAKS)


def load_whole(content: str) -> Any:
    """Return one side as a tree, None where there is none. Raises ``UnreadableYAML``."""
    return goyaml.load(content, refuse_tags=True, alone=True)


def _lines(content: str) -> list[str]:
    return content.removesuffix("\n").split("\n")


def _narrowed(sides: tuple[_Block, _Block], indent: int, kept: _Keep) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return two maps without their equal blocks; None when the text is not plain blocks of this indentation."""
    old, new = _blocks(sides[0], indent), _blocks(sides[1], indent)
    if old is None or new is None:
        return None
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for key in [*old, *(key for key in new if key not in old)]:
        blocks = old.get(key), new.get(key)
        if blocks[0] == blocks[1] and key not in kept:
            continue
        read = _read(key, blocks, indent, kept.get(key, {}))
        for block, tree, value in zip(blocks, (before, after), read, strict=True):
            if block is not None:
                tree[key] = value
    return before, after


def _read(key: str, blocks: tuple[_Block | None, _Block | None], indent: int, kept: _Keep) -> tuple[Any, Any]:
    mine, theirs = blocks
    if mine and theirs and _is_map(mine, indent) and _is_map(theirs, indent):
        narrowed = _narrowed((mine[1:], theirs[1:]), indent + 2, kept)
        if narrowed is not None:
            return narrowed
    before = _loaded(key, mine, indent)
    return before, before if mine == theirs else _loaded(key, theirs, indent)


def _loaded(key: str, block: _Block | None, indent: int) -> Any:
    if block is None:
        return None
    word = _WORD.match(block[0]) if len(block) == 1 else None
    if word is not None:
        return json_value(resolve(word[1]))
    return load_whole("\n".join(line[indent:] for line in block) + "\n")[key]


def _is_map(block: _Block, indent: int) -> bool:
    if len(block) == 1 or not block[0].endswith(":"):
        return False
    found = _KEY.match(block[1])
    return found is not None and len(found[1]) == indent + 2


def _blocks(lines: list[str], indent: int) -> dict[str, _Block] | None:
    """Split the lines of a map into one block a key; None when a line is neither a key nor below one."""
    blocks: dict[str, _Block] = {}
    block: _Block = []
    for line in lines:
        edge = line[indent - 1 : indent + 1] if indent else f" {line[:1]}"
        if block and (edge in _BELOW or (edge == " -" and line[indent + 1 : indent + 2] in ("", " "))):
            block.append(line)
            continue
        found = _KEY.match(line)
        if found is None or len(found[1]) != indent or found[2] in blocks or found[2] in WORDS:
            return None
        block = blocks[found[2]] = [line]
    return blocks
