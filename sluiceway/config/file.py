"""Finding ``sluiceway.yaml`` and reading its text, whatever lies there (``spec/core.md``, ``sluiceway.yaml``)."""

import codecs
import re
import stat
from pathlib import Path
from typing import NamedTuple

from sluiceway.config.findings import WHOLE_FILE, Finding, Position

NAMES = ("sluiceway.yaml", "sluiceway.yml")
LARGEST = 4 * 1024 * 1024
"""The largest file that is read, in bytes: some 10,000 stacks."""

_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_BREAK = re.compile("\r\n|\r|\n")


class Source(NamedTuple):
    """The text of a config file, and its name."""

    file: str
    text: str


class Refused(NamedTuple):
    """Why a config file can't be read at all."""

    file: str
    finding: Finding


def read_source(root: Path) -> Source | Refused | None:
    """Return the config file's text, why there is none that can be read, or None when the repo has no such file."""
    try:
        present = [name for name in NAMES if _is_there(root / name)]
        if len(present) > 1:
            return _refused(NAMES[1], f"stands beside {NAMES[0]}: keep one of the two")
        if not present:
            return (
                None
                if root.is_dir()
                else _refused(NAMES[0], "the root directory is not there: see what `--root` names")
            )
        return _read(root, present[0])
    except OSError as error:
        return _refused(NAMES[0], f"can't be read ({error.strerror}): see who may read it")


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _read(root: Path, name: str) -> Source | Refused:
    path = root / name
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _refused(name, "is a directory, expected a file")
        if not stat.S_ISREG(mode):
            return _refused(name, "is not a regular file: put one there")
        if not path.resolve().is_relative_to(root.resolve()):
            return _refused(name, "is a link that leads out of the repo: put what it leads to there")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return _refused(name, "is a link that leads nowhere: mend it, or remove it")
    except OSError as error:
        return _refused(name, f"can't be read ({error.strerror}): see who may read it")
    text = decode(data)
    return Refused(name, text) if isinstance(text, Finding) else Source(name, text)


def decode(data: bytes) -> str | Finding:
    """Return the text of a YAML file, without a byte order mark, or why it is not UTF-8 text."""
    if len(data) > LARGEST:
        return _at(WHOLE_FILE.line, f"is larger than {LARGEST // 1024 // 1024} MiB: take out what is not needed")
    for mark, encoding in _OTHER_ENCODINGS:
        if data.startswith(mark):
            return _at(1, f"is saved as {encoding}: save it as UTF-8")
    if b"\0" in data:
        return _at(_line_of(data, data.index(b"\0")), "holds a NUL byte: is it saved as UTF-16? Save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts behind the byte order mark.
        start = error.start + len(data) - len(error.object)
        return _at(_line_of(data, start), "holds bytes that are not UTF-8: save it as UTF-8")
    if control := _NOT_YAML.search(text):
        line = _line_of(text[: control.start()].encode(), None)
        return _at(line, f"holds a character that YAML doesn't allow (U+{ord(control.group()):04X}): take it out")
    return text


def _line_of(data: bytes, end: int | None) -> int:
    return 1 + len(_LINE_BREAK.findall(data[:end].decode("utf-8", "replace")))


def _refused(name: str, problem: str) -> Refused:
    return Refused(name, _at(WHOLE_FILE.line, problem))


def _at(line: int, problem: str) -> Finding:
    return Finding(Position(line, 1), (), problem)
