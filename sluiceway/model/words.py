"""The words of changes, which reports and the dashboard share.

All text from outside passes :func:`visible` before a person sees it.
"""

from collections.abc import Iterable

from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.order import by_code_unit
from sluiceway.model.rows import counts

LOUD = ("delete", "replace")
"""What takes something away: shown first, and not to be missed."""

_FIRST_SEEN = (*LOUD, "create", "update", "none")
_COUNTED = (*_FIRST_SEEN[:-1], "tracking")


def visible(text: str) -> str:
    """Return ``text`` on one line, with everything that a terminal acts on or that can't be seen written as an escape.

    Names come from outside: a control character, an ANSI sequence or a bidi mark in one must not redraw a report, and
    none may become a workflow command in a GitHub log: ``::`` where it starts a line, ``##[`` anywhere.
    """
    if not text.isprintable():
        text = "".join(char if char.isprintable() else _escape(char) for char in text)
    text = text.replace("##[", r"\x23#[")
    start = len(text) - len(text.lstrip())
    if text.startswith("::", start):
        return rf"{text[:start]}\x3a{text[start + 1 :]}"
    return text


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def number(count: int, noun: str) -> str:
    """Return ``count`` with ``noun``, in the plural where there isn't exactly one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def counted(changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    """Return (op, words) for each kind of change there is, deletes and replaces first: ``("delete", "2 deletes")``."""
    found = counts(changes)
    nouns = {"tracking": "tracking change"}
    return [(op, number(found[op], nouns.get(op, op))) for op in _COUNTED if found[op]]


def as_read(changes: Iterable[Change]) -> list[Change]:
    """Return ``changes`` in the order a person reads them: deletes first, then replaces; each kind by address."""
    ordered = by_code_unit(changes, key=lambda change: change.address)
    return sorted(ordered, key=lambda change: _FIRST_SEEN.index(change.op))


def does(change: Change) -> str:
    """Return what a change does, as verbs: ``update``, ``import``, ``update and move``."""
    return " and ".join(verb for verb in (change.op, change.tracking) if verb and verb != "none")


def value(shown: ShownValue) -> str:
    """Return what ``dashboard.showValues`` lets out at one path, as ``old → new``."""
    return " → ".join(visible(side) for side in (shown.old, shown.new) if side is not None)


def holder(held: Holder) -> str:
    """Return who holds a drifted field: manager, operation, subresource, time."""
    facts = [held.operation, f"subresource {held.subresource}" if held.subresource else "", held.time or ""]
    return visible(f"{held.manager} ({', '.join(fact for fact in facts if fact)})")
