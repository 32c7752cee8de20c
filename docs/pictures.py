"""Pictures of a terminal, as SVG: what commands print on recordings, drawn as rich draws it.

Each follows the reader's light or dark mode, names no font that has to be fetched, and holds its text for those who
don't see it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from io import StringIO

from rich.console import Console
from rich.terminal_theme import TerminalTheme

from sluiceway.commands.output import Output
from sluiceway.reports.colours import styled
from sluiceway.reports.folding import folded
from sluiceway.reports.lines import Line, Span, as_text, line

# The first eight of the sixteen colours, as terminals with a light and a dark background commonly draw them.
_LIGHT = TerminalTheme(
    (255, 255, 255), (31, 35, 40),
    [(31, 35, 40), (190, 30, 45), (26, 127, 55), (154, 103, 0), (9, 105, 218), (130, 80, 223), (27, 124, 131),
     (110, 119, 129)],
)  # fmt: skip
_DARK = TerminalTheme(
    (22, 27, 34), (230, 237, 243),
    [(72, 79, 88), (255, 123, 114), (63, 185, 80), (210, 153, 34), (88, 166, 255), (188, 140, 255), (57, 197, 207),
     (177, 186, 196)],
)  # fmt: skip
_FRAME = """<svg viewBox="0 0 {width} {height}" width="{width}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>@title@</title>
<desc>@text@</desc>
<style>
.{unique_id}-matrix {{ font: {char_height}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }}
.{unique_id}-title {{ font: 15px system-ui, sans-serif }}
{styles}
@media (prefers-color-scheme: dark) {{
@dark@
}}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True)
class Picture:
    """What is drawn: a step of a recording, the command that a person types, and how wide the terminal is.

    ``alt`` says what there is to see.
    """

    recording: str
    act: str
    stack: str
    alt: str
    columns: int = 80

    @property
    def typed(self) -> str:
        """The command."""
        return f"sluiceway {self.act} {self.stack}".strip()


PICTURES = {
    "mixed": Picture(
        "helm/v4.3.0/mixed:preview",
        "preview",
        "",
        "A terminal with the preview of two stacks. The first row begins with a DELETE in red, then come what is "
        "created and updated, field by field; below both stands one command that deploys exactly all this.",
    ),
    "drift": Picture(
        "kubectl/v1.37.1/drift-changed:drift",
        "drift",
        "app",
        "A terminal with a drift check. Below the three updates that a deploy would make stands who changed the same "
        "fields in the cluster by hand: kubectl-patch, kubectl scale and kubectl-set.",
    ),
    "failed": Picture(
        "kubectl/v1.37.1/conflict:preview",
        "preview",
        "app",
        "A terminal with a preview that failed. It says why, that another field manager holds a field, and what to do.",
    ),
    "narrow": Picture(
        "kubectl/v1.37.1/drift-changed:drift",
        "drift",
        "app",
        "The drift check in a terminal of 40 columns. Long names are folded after a dot and keep their indent.",
        columns=40,
    ),
}


class Lines(Output):
    """An output that keeps its lines, each as ``mended``."""

    def __init__(self, mended: Callable[[str], str]) -> None:
        super().__init__(StringIO())
        self.kept: list[Line] = []
        self._mended = mended

    def lines(self, lines: Iterable[Line]) -> None:
        """Keep ``lines``."""
        for one in lines:
            spans = tuple(Span(self._mended(span.text), span.style) for span in one.spans)
            self.kept.append(Line(spans, one.hang, one.whole))


def drawn(name: str, lines: Iterable[Line]) -> str:
    """Return picture ``name``, a terminal in which ``lines`` were printed."""
    picture = PICTURES[name]
    typed = line(Span(f"$ {picture.typed}", "head"))
    parts = [part for one in (typed, *lines) for part in _parts(one, picture.columns)]
    console = Console(record=True, width=picture.columns, file=StringIO(), force_terminal=True, color_system="standard")
    for part in parts:
        console.print(styled(part), no_wrap=True, crop=False, highlight=False, markup=False, emoji=False)
    svg, dark = (
        console.export_svg(
            title=f"{picture.columns} columns", theme=theme, clear=False, code_format=frame, unique_id=name
        )
        for theme, frame in ((_LIGHT, _FRAME), (_DARK, "{styles}"))
    )
    dark += f"\nsvg > rect {{ fill: {_DARK.background_color.hex} }}"
    dark += f"\n.{name}-title {{ fill: {_DARK.foreground_color.hex} }}"
    svg = svg.replace("@title@", escape(picture.typed)).replace("@text@", escape(as_text(parts)))
    svg = svg.replace("@dark@", dark).replace("rgba(255,255,255,0.35)", "#8b949e")
    svg = re.sub(r"\s*<g transform=\"translate\(26,22\)\">.*?</g>", "", svg, flags=re.DOTALL)  # a window's buttons
    return "".join(f"{text.rstrip()}\n" for text in svg.splitlines() if text.strip())


def _parts(one: Line, columns: int) -> list[Line]:
    """Fold ``one``; a line that is to be copied whole is cut by the terminal itself, at its edge."""
    text = one.text
    if not one.whole or len(text) <= columns:
        return folded(one, columns)
    style = one.spans[0].style
    return [line(Span(text[at : at + columns], style)) for at in range(0, len(text), columns)]
