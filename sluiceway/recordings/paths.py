"""Private paths and the placeholders that stand for them: ``<set>``, ``<prune>``, ``<root>``, ``<tmp>``."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = "<root>"
TMP = "<tmp>"


class Places:
    """The private paths of one command, both ways.

    ``named`` maps a command's own placeholders to paths (``{"<set>": "/…/manifests.yaml"}``); anything else under
    ``private`` is ``<tmp>/…``, under ``root`` ``<root>/…``. A link's target is known by the same placeholder.
    """

    def __init__(self, root: Path, private: Path, named: Mapping[str, str]) -> None:
        self.paths = {**named, ROOT: str(root), TMP: str(private)}
        self._placeholders = dict(_spellings(self.paths))
        longest_first = sorted(self._placeholders, key=len, reverse=True)
        # A path ends where a name can't go on: /tmp/a is not the start of /tmp/ab.
        self._private = re.compile("(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])")
        self._written = re.compile("|".join(map(re.escape, self.paths)))

    def hide(self, text: str) -> str:
        """Return ``text`` with a placeholder for each private path."""
        return self._private.sub(lambda found: self._placeholders[found[0]], text)

    def fill(self, text: str) -> str:
        """Return ``text`` with the private path for each placeholder."""
        return self._written.sub(lambda found: self.paths[found[0]], text)

    def holds_placeholder(self, text: str) -> bool:
        """Tell whether ``text`` holds a placeholder's own spelling, so that it could not be filled in again."""
        return self._written.search(text) is not None


def _spellings(paths: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for placeholder, path in paths.items():
        yield os.path.realpath(path), placeholder
        yield path, placeholder
