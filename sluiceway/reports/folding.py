"""Lines that are too wide for a terminal, folded where a person would: it cuts through names, and loses indents.

Kept apart because how wide a character is takes a table that only a terminal needs.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from rich.cells import cell_len

from sluiceway.reports.lines import Line, Span

NARROWEST: Final = 20
"""Columns. Below that nothing is folded: every part would be a syllable."""

# From the whole to its parts: what stands in brackets, words, the parts of a name or path, characters.
_LEVELS: Final = tuple(
    re.compile(expression)
    for expression in (r"\s*(?:\([^)]*\)|\S+)", r"\s*\S+", r"\s*(?:[^\s/.,:=_-]+[/.,:=_-]*|[/.,:=_-]+)", r"\s*\S")
)


def folded(line: Line, width: int) -> list[Line]:
    """Return ``line`` as lines of at most ``width`` columns, each after the first ``line.hang`` to the right.

    No character is lost but the space where it is folded.
    """
    text = line.text
    if line.whole or width < NARROWEST or cell_len(text) <= width:
        return [line]
    hang = min(line.hang, width // 2)
    starts = [0, *_Folding(width, hang).starts(text)]
    pieces = [_between(line, start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [pieces[0], *(replace(piece, spans=(Span(" " * hang), *piece.spans)) for piece in pieces[1:])]


class _Folding:
    """Finds where a text is to be folded: it fills line after line."""

    def __init__(self, width: int, hang: int) -> None:
        self._width, self._hang = width, hang
        self._used, self._empty = 0, True

    def starts(self, text: str, level: int = 0, offset: int = 0) -> Iterator[int]:
        """Yield the offset in ``text`` of each part but the first."""
        for found in _LEVELS[level].finditer(text):
            piece, word = found[0], found[0].lstrip()
            if self._used + cell_len(piece) <= self._width:
                self._take(cell_len(piece))
            elif level == len(_LEVELS) - 1 or (not self._empty and self._hang + cell_len(word) <= self._width):
                self._used = self._hang
                self._take(cell_len(word))
                yield offset + found.end() - len(word)
            else:
                yield from self.starts(piece, level + 1, offset + found.start())

    def _take(self, cells: int) -> None:
        self._used += cells
        self._empty = False


def _between(line: Line, start: int, end: int) -> Line:
    spans, at = [], 0
    for span in line.spans:
        text = span.text[max(0, start - at) : max(0, end - at)]
        at += len(span.text)
        if text:
            spans.append(replace(span, text=text))
    return replace(line, spans=tuple(spans))
