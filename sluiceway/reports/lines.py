"""Lines of a text report: words, and what kind of words they are. A terminal may colour them, nothing depends on it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Style = Literal["plain", "head", "create", "update", "delete", "failed", "faint"]

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words of one kind."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its end."""

    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The line without any style."""
        return "".join(span.text for span in self.spans).rstrip()


def line(*parts: str | Span, depth: int = 0) -> Line:
    """Return a line of ``parts``, ``depth`` steps to the right."""
    spans = (part if isinstance(part, Span) else Span(part) for part in parts)
    return Line((Span(INDENT * depth), *spans) if depth else tuple(spans))


def as_text(lines: Iterable[Line]) -> str:
    """Return ``lines`` as plain text."""
    return "".join(f"{one.text}\n" for one in lines)
