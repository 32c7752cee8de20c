"""Reading a body, whatever people made of it: by its markers alone, line by line."""

import re

from sluiceway.dashboard.board import VERSION, Board, Recent, Root, newest_first
from sluiceway.dashboard.markers import OPENS, Marker, ending, within
from sluiceway.dashboard.rows import PLAIN, TICKED, UNTICKED, DashboardRow, is_sound
from sluiceway.dashboard.settings import stamped
from sluiceway.model.order import sorted_unique

_BOXES = {UNTICKED: False, TICKED: True, "- [X] ": True}
"""How a line with a box begins, as we and GitHub write it. Another bullet, or an indented one, is not ours."""
_OUTSIDE = re.compile(r"\S|\s\S")
"""How a line begins that is no part of a row: those are blank or stand two columns to the right."""


def plain_lines(body: str) -> list[str]:
    """Return the lines of a body, whichever line ends it has: a person's browser sends CRLF."""
    return body.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def same(one: str, other: str) -> bool:
    """Tell whether two bodies are the same but for their line ends and blank lines at their ends."""
    return "\n".join(plain_lines(one)).rstrip("\n") == "\n".join(plain_lines(other)).rstrip("\n")


def is_dashboard(body: str) -> bool:
    """Tell whether the first line is a root marker, of whatever version."""
    return _root_marker(plain_lines(body)[0]) is not None


def parse(body: str) -> Board:
    """Return what ``body`` holds. Never fails: what is damaged is left out, and named where its stack is known."""
    lines = plain_lines(body)
    marker = _root_marker(lines[0])
    version = marker.keys.get("v", "") if marker else None
    reader = _Reader()
    for line in lines[1:] if marker else lines:
        reader.read(line)
    reader.drop_open()
    return Board(
        root=_root(marker) if marker and version == VERSION else None,
        rows={stack: row for stack, row in reader.rows.items() if stack not in reader.damaged},
        rescan=reader.rescan,
        recent=newest_first(reader.recent),
        damaged=sorted_unique(reader.damaged),
        version=version,
    )


def _root_marker(line: str) -> Marker | None:
    found = ending(line)
    return found[1] if found and not found[0] and found[1].kind == "dashboard" else None


def _root(marker: Marker) -> Root:
    keys = marker.keys
    return Root(
        keys.get("scan-sha", ""),
        keys.get("scan-run", ""),
        stamped(keys.get("scan-at", "")),
        stamped(keys.get("full-scan-at", "")),
    )


class _Reader:
    """Reads one line after the other. A row is open from its line to the marker that closes it."""

    def __init__(self) -> None:
        self.rows: dict[str, DashboardRow] = {}
        self.damaged: set[str] = set()
        self.recent: list[Recent] = []
        self.rescan = False
        self._open: tuple[Marker, list[str]] | None = None

    def read(self, line: str) -> None:
        """Take in the next line."""
        found = ending(line)
        if found is None or OPENS in found[0]:
            self._no_marker(line)
        elif found[1].kind == "row":
            self._row(line.rstrip(" \t"), *found)
        elif found[1].kind == "end":
            self._end(line, *found)
        elif found[1].kind in {"dashboard", "rescan", "deployed"}:
            self.drop_open()
            self._listed(*found)
        else:
            self._more(line)

    def drop_open(self) -> None:
        """Give up the row that is open: it was never closed."""
        if self._open:
            self.damaged.add(self._open[0].keys["stack"])
        self._open = None

    def _no_marker(self, line: str) -> None:
        if OPENS not in line:
            return self._more(line)
        self.drop_open()
        self.damaged |= {marker.keys["stack"] for marker in within(line) if "stack" in marker.keys}
        return None

    def _more(self, line: str) -> None:
        if self._open and _OUTSIDE.match(line):
            self.drop_open()
        elif self._open:
            self._open[1].append(line)

    def _row(self, line: str, before: str, marker: Marker) -> None:
        self.drop_open()
        if not is_sound(marker.keys) or (before and not before.startswith(PLAIN)):
            self.damaged |= {marker.keys["stack"]} if "stack" in marker.keys else set()
        elif "lines" in marker.keys or marker.keys.get("short") == "line":
            self._keep(marker, [line])
        else:
            self._open = (marker, [line])

    def _end(self, line: str, before: str, marker: Marker) -> None:
        if self._open and (before != "  " or marker.keys.get("stack") != self._open[0].keys["stack"]):
            self.drop_open()
        elif self._open:
            self._keep(self._open[0], [*self._open[1], line.rstrip(" \t")])
            self._open = None

    def _keep(self, marker: Marker, lines: list[str]) -> None:
        stack = marker.keys["stack"]
        if stack in self.rows:
            self.damaged.add(stack)
        start = next((start for start in _BOXES if lines[0].startswith(start)), None)
        if start:
            lines[0] = UNTICKED + lines[0].removeprefix(start)
        facts = Marker("row", {key: value for key, value in marker.keys.items() if key not in {"lines", "short"}})
        text = "\n".join(lines)
        self.rows[stack] = DashboardRow(facts, (text,), _BOXES[start] if start else None, "short" in marker.keys)

    def _listed(self, before: str, marker: Marker) -> None:
        if marker.kind == "rescan":
            self.rescan = self.rescan or before.startswith((TICKED, "- [X] "))
        at = stamped(marker.keys.get("at", ""))
        if marker.kind == "deployed" and at and "stack" in marker.keys:
            keys = marker.keys
            self.recent.append(Recent(keys["stack"], at, keys.get("by", ""), keys.get("run", "")))
