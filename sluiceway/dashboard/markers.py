"""Markers: the HTML comments that hold what a machine reads of the body (``spec/dashboard.md``, The body)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

OPENS = "<!-- sluiceway:"
"""How every marker begins. No text that is shown holds it: :mod:`sluiceway.dashboard.names`."""

_WORD = "[a-z]+(?:-[a-z]+)*"
_KEY = rf'{_WORD}="[^"<>]*"'
_MARKER = re.compile(rf"{OPENS}(?P<kind>{_WORD})(?P<keys>(?: {_KEY})*) -->")
_AT_END = re.compile(rf"{_MARKER.pattern}[ \t]*\Z")
_NOT_PLAIN = re.compile(r'[%"<>\x00-\x20\x7f]|(?<=-)-')
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: its kind and its keys, decoded. A reader ignores the kinds and keys that it doesn't know."""

    kind: str
    keys: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the marker as it stands in a body."""
        keys = "".join(f' {key}="{encoded(value)}"' for key, value in self.keys.items())
        return f"{OPENS}{self.kind}{keys} -->"


def encoded(value: str) -> str:
    """Return ``value`` as it stands between the quotes: any text, on one line, unable to end the comment.

    Percent-encoded are ``%``, ``"``, ``<``, ``>``, all that can't be printed, and a second hyphen in a row, which
    GitHub's Markdown takes for the end of a comment within a line (record 0100).
    """
    if value.isprintable() and not _NOT_PLAIN.search(value):
        return value
    escaped = _NOT_PLAIN.sub(lambda found: _percent(found[0]), value)
    return "".join(char if char.isprintable() else _percent(char) for char in escaped)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def decoded(value: str) -> str | None:
    """Return the text that :func:`encoded` wrote, or None where it can't have: a damaged marker."""
    written = value.encode("utf-8", "surrogatepass")
    if b"%" in _ESCAPE.sub(b"", written):
        return None
    try:
        return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), written).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def ending(line: str) -> tuple[str, Marker] | None:
    """Return what stands before the marker at the end of ``line``, and the marker; None where no whole one ends it.

    Blanks after the marker don't count. What stands before may hold markers too: then the line is out of order.
    """
    found = _AT_END.search(line)
    marker = _marker(found) if found else None
    return (line[: found.start()], marker) if found and marker else None


def within(line: str) -> Iterator[Marker]:
    """Yield all whole markers of ``line``, wherever they stand."""
    for found in _MARKER.finditer(line):
        if marker := _marker(found):
            yield marker


def _marker(found: re.Match[str]) -> Marker | None:
    keys: dict[str, str] = {}
    for pair in re.findall(_KEY, found["keys"]):
        key, _, quoted = pair.partition("=")
        value = decoded(quoted[1:-1])
        if value is None or key in keys:
            return None
        keys[key] = value
    return Marker(found["kind"], keys)
