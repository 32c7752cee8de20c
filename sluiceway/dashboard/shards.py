"""Shards: the rows of a scan that was spread over several jobs, written down by each and put together by one."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Repeated:
    """Stacks that stand in more than one shard: the shards are of different scans, or one was given twice."""

    stacks: tuple[str, ...]


def dump(rows: Sequence[Row]) -> str:
    """Return ``rows`` as JSON, which :func:`load` reads back whole."""
    return json.dumps({"version": _VERSION, "rows": [asdict(row) for row in rows]})


def load(text: str) -> tuple[Row, ...] | None:
    """Return the rows that :func:`dump` wrote, or None where ``text`` is no such document."""
    try:
        document = json.loads(text)
        if document["version"] != _VERSION:
            return None
        return tuple(_row(item) for item in document["rows"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def merged(parts: Iterable[Sequence[Row]]) -> tuple[Row, ...] | Repeated:
    """Return the rows of all shards by stack id, as one scan gives them."""
    rows = [row for part in parts for row in part]
    counted = Counter(row.stack for row in rows)
    if repeated := sorted_unique(stack for stack, count in counted.items() if count > 1):
        return Repeated(repeated)
    return tuple(by_code_unit(rows, key=lambda row: row.stack))


def _row(item: Mapping[str, Any]) -> Row:
    drift = item["drift"]
    return Row(
        **{
            **_texts(Row, item),
            "changes": _changes(item["changes"]),
            "drift": None if drift is None else _changes(drift),
            "drift_reason": _reason(item["drift_reason"]),
            "reason": _reason(item["reason"]),
        }
    )


def _changes(items: Sequence[Mapping[str, Any]]) -> tuple[Change, ...]:
    return tuple(
        Change(
            **{
                **_texts(Change, item),
                "values": tuple(ShownValue(**value) for value in item["values"]),
                "holders": tuple(Holder(**_texts(Holder, held)) for held in item["holders"]),
            }
        )
        for item in items
    )


def _reason(item: Mapping[str, Any] | None) -> Reason | None:
    return None if item is None else Reason(**item)


def _texts(kind: type, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON has them, its lists as tuples."""
    known = {found.name for found in fields(kind)}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in item.items() if key in known}
