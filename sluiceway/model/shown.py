"""What may be shown of a value: only what ``dashboard.showValues`` names, and only one-line scalars (record 0052)."""

import re
from collections.abc import Iterable
from typing import Any

from sluiceway.model.changes import ShownValue
from sluiceway.model.trees import MISSING, Float

LONGEST = 40
"""Code points that are shown whole; past that the first 19, an ellipsis, the last 20."""


class ShowValues:
    """The globs of ``dashboard.showValues``: ``*`` stands for a run of characters inside one name."""

    def __init__(self, globs: Iterable[str] = ()) -> None:
        self._patterns = tuple(re.compile(_expression(glob)) for glob in globs)

    def __call__(self, path: str) -> bool:
        """Tell whether the value at a written property path may be shown."""
        return any(pattern.fullmatch(path) for pattern in self._patterns)


def _expression(glob: str) -> str:
    return r"[^.\[\]]*".join(re.escape(part) for part in glob.split("*"))


def shown_value(path: str, before: Any, after: Any) -> ShownValue | None:
    """Return how the two sides of a changed path are shown, or None when one of them may not be."""
    old, new = shown_scalar(before), shown_scalar(after)
    hidden = (before is not MISSING and old is None) or (after is not MISSING and new is None)
    return None if hidden or (old is None and new is None) else ShownValue(path, old, new)


def shown_scalar(value: Any) -> str | None:
    """Return a one-line text, number or boolean as it is shown, else None: never a tree, null or several lines."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Float):
        return shortened(str(value))
    if isinstance(value, str) and value.isprintable():
        return shortened(value)
    return None


def shortened(text: str) -> str:
    """Cut a text that is longer than :data:`LONGEST` code points in the middle."""
    return text if len(text) <= LONGEST else f"{text[:19]}…{text[-20:]}"
