"""What kubectl answers, read: objects as JSON."""

from typing import Any

from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import Reason, unreadable


def read_objects(output: bytes, place: str) -> list[LiveObject] | Reason:
    """Return the objects of ``kubectl get --output=json``: one object, a ``List``, or nothing."""
    content = output.decode("utf-8", "surrogateescape").strip()
    if not content:
        return []
    trees = _trees(content)
    if trees is None:
        return unreadable(place, "one JSON object or a List")
    objects = [LiveObject(tree) for tree in trees if isinstance(tree, dict)]
    if len(objects) != len(trees) or not all(item.is_object for item in objects):
        return unreadable(place, "objects with apiVersion, kind and name")
    return objects


def _trees(content: str) -> list[Any] | None:
    try:
        tree = JSON.decode(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    return tree["items"] if isinstance(tree.get("items"), list) else [tree]


def read_stream(output: bytes) -> list[LiveObject]:
    """Return the objects that ``kubectl apply --output=json`` printed one after the other, as far as it can be read."""
    content = output.decode("utf-8", "surrogateescape")
    objects: list[LiveObject] = []
    position = 0
    while position < len(content):
        if content[position].isspace():
            position += 1
            continue
        try:
            tree, position = JSON.raw_decode(content, position)
        except (ValueError, RecursionError):
            break
        found = tree["items"] if isinstance(tree, dict) and isinstance(tree.get("items"), list) else [tree]
        objects.extend(LiveObject(node) for node in found if isinstance(node, dict))
    return objects
