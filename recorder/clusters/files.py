"""Files that only their owner may read."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write ``text`` to a new file that nobody but the owner could ever read (mode 0600 from its first byte)."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def replace_private(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` in one step, so that nobody reads half of it; the same mode."""
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    write_private(aside, text)
    aside.replace(path)
