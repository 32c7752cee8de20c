"""The diff hash: what a person approves (``spec/core.md``, The diff hash)."""

import hashlib
import json
from typing import Any

from sluiceway.model.changes import Change, Diff
from sluiceway.model.order import by_code_unit, code_units, sorted_unique


def diff_hash(diff: Diff) -> str:
    """Return the first 16 lower-case hex characters of the SHA-256 of the diff's canonical JSON.

    The order of the input never changes the hash; holders and notes are not part of it.
    """
    return hashlib.sha256(canonical_json(diff)).hexdigest()[:16]


def canonical_json(diff: Diff) -> bytes:
    """Return the bytes that are hashed: sorted keys, no white space, non-ASCII as it is, UTF-8."""
    document: dict[str, Any] = {"changes": _changes(diff.changes), "stackId": diff.stack_id}
    if diff.drift:
        document["drift"] = _changes(diff.drift)
    text = json.dumps(_ordered(document), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _changes(changes: tuple[Change, ...]) -> list[dict[str, Any]]:
    return [_change(change) for change in by_code_unit(changes, key=lambda change: change.address)]


def _change(change: Change) -> dict[str, Any]:
    document: dict[str, Any] = {
        "address": change.address,
        "changedKeys": list(sorted_unique(change.changed_keys)),
        "name": change.name,
        "op": change.op,
        "replaceKeys": list(sorted_unique(change.replace_keys)),
        "type": change.type,
    }
    if change.previous_address is not None:
        document["previousAddress"] = change.previous_address
    if change.tracking is not None:
        document["tracking"] = change.tracking
    if change.values:
        document["values"] = [
            {
                name: text
                for name, text in (("new", value.new), ("old", value.old), ("path", value.path))
                if text is not None
            }
            for value in by_code_unit(change.values, key=lambda value: value.path)
        ]
    return document


def _ordered(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _ordered(node[key]) for key in sorted(node, key=code_units)}
    if isinstance(node, list):
        return [_ordered(item) for item in node]
    return node
