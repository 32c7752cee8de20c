"""Lines of a text report: words, and what kind of words they are. A terminal may colour them, nothing depends on it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Style = Literal["plain", "head", "create", "update", "delete", "failed"]

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words of one kind."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without its end.

    A narrow terminal folds it, and what comes below the first part stands ``hang`` columns to the right. A line that is
    ``whole`` is never folded: it is there to be copied.
    """

    spans: tuple[Span, ...]
    hang: int = 0
    whole: bool = False

    @property
    def text(self) -> str:
        """The line without any style."""
        return "".join(span.text for span in self.spans).rstrip()


def line(*parts: str | Span, depth: int = 0, hang: int | None = None, whole: bool = False) -> Line:
    """Return a line of ``parts``, ``depth`` steps to the right; ``hang`` is one step more if nothing else is said."""
    spans = tuple(part if isinstance(part, Span) else Span(part) for part in parts)
    indent = (Span(INDENT * depth),) if depth else ()
    return Line((*indent, *spans), len(INDENT) * (depth + 1) if hang is None else hang, whole)


def as_text(lines: Iterable[Line]) -> str:
    """Return ``lines`` as plain text."""
    return "".join(f"{one.text}\n" for one in lines)
