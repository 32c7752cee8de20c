"""Both sides of one object read together: what stands on both in the same words is read once.

The merged side is read whole; of the live side only the blocks that differ are. ``load_sides(a, b)`` always equals
loading each side alone: wherever the text is not the block style that kubectl prints, the side is read whole.
"""

import re
from typing import Any

from sluiceway.adapters.kubectl import goyaml

_KEY = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_./-]*):( |\Z)")
_Block = list[str]
_BELOW = frozenset({"  ", " ", ""})
"""What stands around a map's indentation on a line that belongs to the key above it: deeper, or an empty line."""


def load_sides(live: str, merged: str) -> tuple[Any, Any]:
    """Return both sides as trees; equal parts may be one and the same object. Raises ``UnreadableYAML``."""
    after = goyaml.load(merged, refuse_tags=True, alone=True)
    if isinstance(after, dict):
        before = _derived(_lines(live), _lines(merged), after, 0)
        if before is not None:
            return before, after
    return goyaml.load(live, refuse_tags=True, alone=True), after


def _lines(content: str) -> list[str]:
    return content.removesuffix("\n").split("\n")


def _derived(live: list[str], merged: list[str], tree: dict[str, Any], indent: int) -> dict[str, Any] | None:
    """Return the live map, given the merged one; None when its text is not plain blocks of this indentation."""
    old, new = _blocks(live, indent), _blocks(merged, indent)
    if old is None or new is None or new.keys() != tree.keys():
        return None
    return {key: tree[key] if block == new.get(key) else _value(key, block, new, tree, indent)
            for key, block in old.items()}  # fmt: skip


def _value(key: str, block: _Block, new: dict[str, _Block], tree: dict[str, Any], indent: int) -> Any:
    if key in new and _is_map(block, indent) and _is_map(new[key], indent) and isinstance(tree[key], dict):
        derived = _derived(block[1:], new[key][1:], tree[key], indent + 2)
        if derived is not None:
            return derived
    loaded = goyaml.load("\n".join(line[indent:] for line in block) + "\n", refuse_tags=True, alone=True)
    return loaded[key]


def _is_map(block: _Block, indent: int) -> bool:
    return len(block) > 1 and block[0].endswith(":") and _indented_key(block[1], indent + 2)


def _indented_key(line: str, indent: int) -> bool:
    found = _KEY.match(line)
    return found is not None and len(found[1]) == indent


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
        if found is None or len(found[1]) != indent or found[2] in blocks:
            return None
        block = blocks[found[2]] = [line]
    return blocks
