"""The comparison of two trees: every leaf path that differs (record 0060; ``spec/core.md``, Property paths).

A tree is made of ``dict`` (text keys), ``list`` and scalars: ``str``, ``int``, ``bool``, ``None``, ``float`` and
:class:`Float`. Two scalars are the same only when their types are the same too: ``1``, ``True`` and ``"1"`` differ.
"""

from collections.abc import Iterator
from typing import Any, Final

from sluiceway.model.paths import Path


class Float(str):
    """A float kept as it was written, so that no two texts become one number by rounding."""

    __slots__ = ()


class _Missing:
    """The side of a comparison that has no such node."""


MISSING: Final = _Missing()


def changed_paths(before: Any, after: Any, at: Path = ()) -> Iterator[Path]:
    """Yield the path of each leaf that differs between ``before`` and ``after``, each once.

    Leaves are scalars and null. A subtree that only one side has gives each of its leaves; lists are compared by
    index. An empty map or list is a leaf where the other side has nothing or another type there, and none where the
    other side has a filled one. A scalar against a map or list gives the node's path and the leaves below.
    """
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from changed_paths(before.get(key, MISSING), after.get(key, MISSING), (*at, key))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            yield from changed_paths(_item(before, index), _item(after, index), (*at, index))
    elif not same(before, after):
        seen: set[Path] = set()
        for path in (*leaves(before, at), *leaves(after, at)):
            if path not in seen:
                seen.add(path)
                yield path


def leaves(tree: Any, at: Path = ()) -> Iterator[Path]:
    """Yield the path of each leaf of ``tree``; an empty map or list is a leaf of its own."""
    if tree is MISSING:
        return
    if isinstance(tree, dict) and tree:
        for key, child in tree.items():
            yield from leaves(child, (*at, key))
    elif isinstance(tree, list) and tree:
        for index, child in enumerate(tree):
            yield from leaves(child, (*at, index))
    else:
        yield at


def same(before: Any, after: Any) -> bool:
    """Tell whether two trees are the same, types of scalars included."""
    if type(before) is not type(after):
        return False
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(same(child, after[key]) for key, child in before.items())
    if isinstance(before, list):
        return len(before) == len(after) and all(map(same, before, after))
    return bool(before == after)


def at_path(tree: Any, path: Path) -> Any:
    """Return the node at ``path``, or :data:`MISSING`."""
    for segment in path:
        if isinstance(tree, dict) and isinstance(segment, str):
            tree = tree.get(segment, MISSING)
        elif isinstance(tree, list) and isinstance(segment, int):
            tree = _item(tree, segment)
        else:
            return MISSING
    return tree


def _item(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else MISSING
