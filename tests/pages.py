"""The Markdown that people follow: which files a page has them write, and what it has them type.

    python -m tests.pages

lists every console block of the pages, and who runs it. A page says so itself, in the line before a block:

- nothing: ``tests/live/test_pages.py`` types it, in a repo of its own, and what it prints stands below it,
- ``<!-- not run: REASON -->``: nobody does, for that reason,
- ``<!-- run by .ci/run -->``: it is a step of that script,
- between ``<!-- generated: ... -->`` and ``<!-- /generated -->``: ``docs/generate.py`` makes it of a recording.

A block below a line `` `FILE`: `` is that file; where it is a diff, its ``-`` lines become its ``+`` lines.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("index.md", "tutorial.md"))]
PAGES += sorted((ROOT / "docs" / "how-to").glob("*.md"))

_BLOCK = re.compile(
    r"(?:^<!-- (?P<marker>[^\n]*) -->\n\n?|^`(?P<title>[^`\n]+)`:\n\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_NOT_RUN = re.compile(r"not run: (\w.+)")
BY_CI = "run by .ci/run"


@dataclass(frozen=True)
class Block:
    """A fenced block: where its text starts in the page, and the comment or the name of a file in front of it."""

    start: int
    language: str
    title: str
    text: str
    marker: str

    @property
    def reason(self) -> str:
        """Why nobody runs the block; empty where that is not so."""
        found = _NOT_RUN.fullmatch(self.marker)
        return found[1] if found else ""

    @property
    def is_typed(self) -> bool:
        """Whether the live test types what stands here."""
        return self.language == "console" and not self.marker

    @property
    def runs(self) -> str:
        """Who runs a console block, for people."""
        if self.marker.startswith("generated: "):
            return "docs/generate.py"
        return "tests/live" if self.is_typed else f"nobody: {self.reason}" if self.reason else self.marker

    def steps(self) -> Iterator[tuple[str, str]]:
        """Give each command, and what it prints."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = f"{command}\n{more}"
            yield command, output


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [
        Block(found.start("text"), found["language"], found["title"] or "", found["text"], found["marker"] or "")
        for found in _BLOCK.finditer(text)
    ]


def is_known(block: Block) -> bool:
    """Tell whether the comment in front of a console block is one that says who runs it."""
    return not block.marker or bool(block.reason) or block.marker == BY_CI or block.marker.startswith("generated: ")


def main() -> None:
    """Print every console block of the pages, by its first command."""
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for block in (each for each in blocks(text) if each.language == "console"):
            line = text.count("\n", 0, block.start) + 1
            print(f"{path.relative_to(ROOT)}:{line}: {block.text.partition(chr(10))[0]}  [{block.runs}]")  # noqa: T201


if __name__ == "__main__":
    main()
