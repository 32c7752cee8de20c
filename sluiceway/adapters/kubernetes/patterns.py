"""Patterns over what a tool wrote to stderr, and the words made of the names that they cut out (``spec/core.md``).

A pattern is matched only where the tool's own error begins. Names are checked by the pattern itself: what stands
anywhere else in the text is never shown.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sluiceway.model.reasons import Detail

NAME = r"[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is said of an error. ``expression`` may hold the parts of its tool (``<name>``, ``<server>``, …).

    ``what`` holds names (``{object}``) that the expression's groups give; ``next_step`` may hold ``<tool>``.
    """

    detail: Detail | None
    expression: str
    what: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Match:
    """A pattern that matched, the names it cut out, and what stands behind it."""

    pattern: Pattern
    names: Mapping[str, str]
    rest: str


def first_match(patterns: Iterable[Pattern], parts: Mapping[str, str], said: str) -> Match | None:
    """Match each pattern at the start of ``said``; ``parts`` are put in in their order.

    Expressions are made when they are first needed: a preview that nothing goes wrong with needs none of them.
    """
    for pattern in patterns:
        expression = pattern.expression
        for part, meaning in parts.items():
            expression = expression.replace(part, meaning)
        found = re.match(expression, said, re.MULTILINE)
        if found:
            names = {key: value for key, value in found.groupdict().items() if value}
            return Match(pattern, names, said[found.end() :])
    return None


def listed(names: Sequence[str], most: int = 5) -> str:
    """Write names one after the other: at most ``most``, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class Words(dict[str, str]):
    """The names of a reason, for ``str.format_map``: one that is missing is said to be unknown."""

    def __missing__(self, key: str) -> str:
        return {"managers": self.get("manager", "unknown"), "fields": self._fields()}.get(key, "?")

    def _fields(self) -> str:
        return f"{self['field']} " if self.get("field") else "a field "
