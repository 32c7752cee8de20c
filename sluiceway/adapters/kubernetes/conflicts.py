"""Conflicts of a server-side apply: which field managers hold which fields, as the API server says it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sluiceway.adapters.kubernetes.patterns import NAME, listed

_FIELD = re.compile(r"\.[A-Za-z0-9_.\[\]/=-]{1,200}\Z")
_CONFLICT = re.compile(
    rf'conflicts? with "(?:(?P<manager>{NAME})|[^"\n]{{0,300}})"(?: with subresource "[^"\n]{{1,300}}")?'
    r"(?: using [^\s:]{1,300})?:(?: (?P<field>\.\S{1,300}))?\Z"
)
_LISTED = re.compile(r"- (?P<field>\.[^\n]{1,300})\Z")
_SELECTOR = re.compile(r'\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]')


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The managers and the fields of some conflicts, each once, in the order in which they were told."""

    managers: tuple[str, ...]
    fields: tuple[str, ...]

    def names(self) -> Mapping[str, str]:
        """Return the names for a reason: at most five fields are listed."""
        names = {"manager": ", ".join(self.managers)} if self.managers else {}
        if self.fields:
            names["field"] = listed(self.fields)
        return names


def read(lines: Iterable[str], *, secret: bool) -> Conflicts:
    """Read the lines that tell of the conflicts of one object; the first other line ends them.

    ``secret`` says that the object is, or may be, a Secret: its fields stop at its data. A key inside a list
    (``[name="web"]``) can be a value, so it is cut to ``[]``.
    """
    managers: dict[str, None] = {}
    fields: dict[str, None] = {}
    for line in lines:
        manager, listed = _CONFLICT.match(line), _LISTED.match(line)
        if manager is None and listed is None:
            break
        if manager is not None and manager["manager"]:
            managers[manager["manager"]] = None
        for found in (manager, listed):
            field = plain_field(found["field"], secret=secret) if found is not None and found["field"] else None
            if field:
                fields[field] = None
    return Conflicts(tuple(managers), tuple(fields))


def tells(line: str) -> bool:
    """Tell whether a line tells of a conflict."""
    return bool(_CONFLICT.match(line) or _LISTED.match(line))


def joined(several: Iterable[Conflicts]) -> Conflicts:
    """Return the conflicts of several objects as one."""
    parts = list(several)
    return Conflicts(
        tuple(dict.fromkeys(manager for part in parts for manager in part.managers)),
        tuple(dict.fromkeys(field for part in parts for field in part.fields)),
    )


def plain_field(written: str, *, secret: bool) -> str | None:
    """Return a field path without its leading dot, or None for one that is not shown."""
    bare = _SELECTOR.sub("[]", written)
    if secret and bare.startswith((".data.", ".stringData.")):
        bare = "." + bare.split(".")[1]
    return bare[1:] if _FIELD.match(bare) else None
