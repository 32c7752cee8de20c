"""The directories of a repo, without those that hold no code of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

_NOT_OURS = {"node_modules", "vendor", "__pycache__", "testdata"}
MOST = 20_000
"""Directories that are looked at; a repo with more is too large to guess at."""


def directories(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each directory below ``root``, ``.`` first, with the names of its files, sorted; no link is followed."""
    for count, (at, folders, names) in enumerate(os.walk(root)):
        if count >= MOST:
            return
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_OURS)
        yield Path(at).relative_to(root).as_posix(), sorted(names)
