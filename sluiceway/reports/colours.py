"""Lines in colour, for a terminal. Kept apart because rich is heavy.

Only bold and the terminal's own colours: they fit its background. What has to be read stands in the terminal's plain
colour or in bold red, which have contrast on light and dark; green and yellow, which do not, are for signs beside it.
"""

from typing import Final

from rich.console import Console
from rich.text import Text

from sluiceway.reports.lines import Line, Style

STYLES: Final[dict[Style, str]] = {
    "plain": "",
    "head": "bold",
    "create": "green",
    "update": "yellow",
    "delete": "bold red",
    "failed": "bold red",
}
"""How each kind of words looks, as rich spells it."""


class Painter:
    """Turns lines into text with ANSI colours, as many as the terminal has. No line is wrapped or cut."""

    def __init__(self) -> None:
        self._console = Console(force_terminal=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

    def painted(self, line: Line) -> str:
        """Return ``line`` and its end."""
        with self._console.capture() as capture:
            self._console.print(styled(line))
        return capture.get()


def styled(line: Line) -> Text:
    """Return ``line`` as rich takes it, without spaces at its end."""
    text = Text.assemble(*((span.text, STYLES[span.style]) for span in line.spans))
    text.rstrip()
    return text
