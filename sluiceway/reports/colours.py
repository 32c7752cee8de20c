"""Lines in colour, for a terminal. Kept apart because rich is heavy."""

from typing import Final

from rich.console import Console
from rich.text import Text

from sluiceway.reports.lines import Line, Style

_STYLES: Final[dict[Style, str]] = {
    "plain": "",
    "head": "bold",
    "create": "green",
    "update": "yellow",
    "delete": "bold red",
    "failed": "bold red",
    "faint": "dim",
}


class Painter:
    """Turns lines into text with ANSI colours, as many as the terminal has. No line is wrapped or cut."""

    def __init__(self) -> None:
        self._console = Console(force_terminal=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def painted(self, line: Line) -> str:
        """Return ``line`` and its end."""
        text = Text.assemble(*((span.text, _STYLES[span.style]) for span in line.spans))
        text.rstrip()
        with self._console.capture() as capture:
            self._console.print(text)
        return capture.get()
