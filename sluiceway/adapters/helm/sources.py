"""The YAML files of a stack that a person writes: read as helm reads them, and never from outside the repo."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluiceway.adapters.kubernetes import goyaml

LARGEST_MIB = 16
"""A larger file is not read."""

_NOTHING = re.compile(r"\s*#|---\s*\Z|%")
"""A line that holds no value."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a file can't be used. ``line`` is 1-based, 0 where none can be named. Never holds what the file does."""

    problem: str
    line: int = 0


def within(path: Path, root: Path) -> str | None:
    """Return ``path`` relative to ``root`` with every link followed, or None when it leads out of it."""
    try:
        real, real_root = Path(os.path.realpath(path)), Path(os.path.realpath(root))
    except ValueError:  # text that no file system takes
        return None
    return real.relative_to(real_root).as_posix() if real.is_relative_to(real_root) else None


def text_of(path: Path, root: Path) -> str | Unread:
    """Return the text of a file inside ``root``, or why it can't be had."""
    if within(path, root) is None:
        return Unread("leads out of the repo: name one in it")
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return Unread("is a directory, expected a file")
        if not stat.S_ISREG(found.st_mode):
            return Unread("is no regular file: put one there")
        if found.st_size > LARGEST_MIB * 1024 * 1024:
            return Unread(f"is larger than {LARGEST_MIB} MiB: take out what is not needed")
        data = path.read_bytes()
    except FileNotFoundError:
        return Unread(
            "is a link to nothing: mend it, or remove it"
            if path.is_symlink()
            else "there is no such file: mend the path, or write it"
        )
    except OSError as error:
        return Unread(f"can't be read ({error.strerror}): see who may read it")
    return _decoded(data)


def mapping_of(path: Path, root: Path) -> dict[str, Any] | Unread:
    """Return what the first document of a YAML file says; an empty one says nothing.

    Helm refuses anything but a mapping too.
    """
    text = text_of(path, root)
    if isinstance(text, Unread):
        return text
    try:
        tree = goyaml.load(text)
    except goyaml.UnreadableYAML as error:
        expected = "" if error.expected == "YAML" else f": expected {error.expected}"
        return Unread(f"can't be read as YAML{expected}", error.line)
    if tree is None:
        return {}
    return (
        tree if isinstance(tree, dict) else Unread("holds no mapping: write keys with their values", _first_line(text))
    )


def _decoded(data: bytes) -> str | Unread:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Unread("is not UTF-8 text: save it as UTF-8", error.object.count(b"\n", 0, error.start) + 1)


def _first_line(text: str) -> int:
    said = (number for number, line in enumerate(text.split("\n"), 1) if line.strip() and not _NOTHING.match(line))
    return next(said, 1)
