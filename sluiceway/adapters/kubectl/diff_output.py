"""What ``kubectl diff`` prints with the adapter's diff program, read back into whole objects (record 0060)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sluiceway.adapters.kubectl.both_sides import load_sides, load_whole
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_NEWLINE = "\\ "
"""How the line begins that says ``No newline at end of file``, in the language of the job."""


class UnreadableDiff(Exception):
    """Output that is not what the adapter's diff program prints. Names the place, never what was found there."""

    def __init__(self, place: str, expected: str) -> None:
        super().__init__(f"{place}: expected {expected}")
        self.place = place
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Hunk:
    """The two sides of one object as text, and how many objects came before it."""

    number: int
    live: str = field(repr=False)
    merged: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ObjectDiff:
    """One object on both sides; None for a side that has none.

    Where both are there, blocks that are equal on both are left out of the trees (see ``both_sides.py``).
    """

    live: LiveObject | None
    merged: LiveObject | None
    hunk: Hunk | None = field(default=None, repr=False)

    def whole(self) -> tuple[Any, Any]:
        """Return both trees whole, equal blocks included, which ``read_diff`` has not read.

        Raises :class:`UnreadableDiff`.
        """
        if self.hunk is None:
            return self.live.tree if self.live else None, self.merged.tree if self.merged else None
        try:
            return load_whole(self.hunk.live), load_whole(self.hunk.merged)
        except goyaml.UnreadableYAML as error:
            raise _unreadable(self.hunk, error) from None

    @property
    def either(self) -> LiveObject:
        """The side that says who the object is."""
        found = self.merged or self.live
        assert found is not None  # noqa: S101 - read_diff refuses an object with no side
        return found

    @property
    def raced(self) -> bool:
        """Whether someone wrote between kubectl's two reads (``spec/kubectl.md``, a raced preview)."""
        if self.live is None or self.merged is None:
            return False
        return self.live.resource_version != self.merged.resource_version


def read_diff(output: bytes) -> list[ObjectDiff]:
    """Return every object of the output. Raises :class:`UnreadableDiff`."""
    try:
        content = output.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableDiff("the diff", "UTF-8") from None
    return [_object(hunk) for hunk in read_hunks(content)]


def read_hunks(content: str) -> Iterator[Hunk]:
    """Yield one hunk an object. The hunk's line counts decide where it ends, never the look of a line."""
    lines = content.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    position = number = 0
    while position < len(lines):
        number += 1
        _expect_header(lines, position, number)
        position, hunk = _hunk(lines, position + 3, number)
        yield hunk


def _expect_header(lines: list[str], at: int, number: int) -> None:
    for offset, start in enumerate(("diff ", "--- ", "+++ ")):
        if at + offset >= len(lines) or not lines[at + offset].startswith(start):
            raise UnreadableDiff(_place(at + offset, number), f"a line that starts with {start.strip()!r}")


def _hunk(lines: list[str], at: int, number: int) -> tuple[int, Hunk]:
    header = _HUNK.match(lines[at]) if at < len(lines) else None
    if header is None:
        raise UnreadableDiff(_place(at, number), "the header of a hunk")
    old_start, old_left, new_start, new_left = (int(group) if group else 1 for group in header.groups())
    if old_start != (1 if old_left else 0) or new_start != (1 if new_left else 0):
        raise UnreadableDiff(_place(at, number), "a hunk that holds the whole object, from line 1")
    live: list[str] = []
    merged: list[str] = []
    at += 1
    while old_left or new_left:
        line = lines[at] if at < len(lines) else ""
        mark = line[:1]
        if mark == " " and old_left and new_left:
            live.append(line[1:])
            merged.append(line[1:])
            old_left, new_left = old_left - 1, new_left - 1
        elif mark == "-" and old_left:
            live.append(line[1:])
            old_left -= 1
        elif mark == "+" and new_left:
            merged.append(line[1:])
            new_left -= 1
        elif not line.startswith(_NO_NEWLINE):
            raise UnreadableDiff(_place(at, number), "a line of the object")
        at += 1
    while at < len(lines) and lines[at].startswith(_NO_NEWLINE):
        at += 1
    return at, Hunk(number, _joined(live), _joined(merged))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""


def _place(at: int, number: int) -> str:
    return f"object {number} of the diff, line {at + 1}"


def _object(hunk: Hunk) -> ObjectDiff:
    live, merged = _sides(hunk)
    if live is None and merged is None:
        raise UnreadableDiff(f"object {hunk.number} of the diff", "an object on one side at least")
    if live is not None and merged is not None and live.address != merged.address:
        raise UnreadableDiff(f"object {hunk.number} of the diff", "the same object on both sides")
    return ObjectDiff(live, merged, hunk)


def _sides(hunk: Hunk) -> tuple[LiveObject | None, LiveObject | None]:
    try:
        before, after = load_sides(hunk.live, hunk.merged)
    except goyaml.UnreadableYAML as error:
        raise _unreadable(hunk, error) from None
    return _side(before, hunk.number, "live"), _side(after, hunk.number, "merged")


def _unreadable(hunk: Hunk, error: goyaml.UnreadableYAML) -> UnreadableDiff:
    return UnreadableDiff(f"object {hunk.number} of the diff, line {error.line}", error.expected)


def _side(tree: Any, number: int, name: str) -> LiveObject | None:
    if tree is None:
        return None
    if not isinstance(tree, dict) or not LiveObject(tree).is_object:
        raise UnreadableDiff(f"object {number} of the diff, {name} side", "an object with apiVersion, kind and name")
    return LiveObject(tree)
