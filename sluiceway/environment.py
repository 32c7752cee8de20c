r"""Env files: what ``stacks[].envFile`` adds to the environment of a stack's tools (``spec/core.md``).

What is understood, the common ground of the shell, Docker and the dotenv libraries:

- ``NAME=value``, each on a line of its own; white space around the name and the ``=`` is dropped, and so is a leading
  ``export``. A name is ASCII letters, digits and underscores, and starts with no digit. Of two lines with one name the
  last counts.
- A line that starts with ``#`` is a comment, and so is what follows white space and ``#`` after a value.
- A value in ``'single quotes'`` is taken as it stands. In ``"double quotes"``, ``\n``, ``\r``, ``\t``, ``\\``, ``\"``
  and ``\$`` are escapes, and every other backslash stands for itself. Both may go over several lines.
- A value without quotes goes to the end of its line and is taken as it stands, without white space at its ends.
- Nothing is interpolated: ``$HOME`` and ``${HOME}`` stay what they are, quoted or not.

Anything else is malformed, and then nothing of the file is used. A malformed line is named by its number only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LARGEST = 1 << 20
"""An env file with more bytes than this is refused: it is something else, and no process would start with it."""

_BLANK = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_NAME = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=")
_QUOTED = re.compile(
    r"""[ \t]*+(?:'(?P<single>[^'\0]*+)'|"(?P<double>(?:[^"\\\0]|\\[^\0])*+)")"""
    r"""[ \t]*+(?:(?<=[ \t])\#[^\n]*+)?(?:\n|\Z)"""
)
_BARE = re.compile(r"""(?![ \t]*+['"])(?P<bare>[^\n\0]*+)(?:\n|\Z)""")
_COMMENT = re.compile(r"[ \t]#")
_ESCAPE = re.compile(r"\\([nrt\\\"$])")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class Variables(dict[str, str]):
    """Names and their values. Only the names are in its ``repr``."""

    def __repr__(self) -> str:
        return f"Variables({', '.join(self)})"


@dataclass(frozen=True, slots=True)
class EnvFileProblem:
    """Why an env file can't be used, in words of ours; ``lines`` are the numbers of the malformed lines, from 1."""

    problem: str
    lines: tuple[int, ...] = ()


def read_env_file(path: Path) -> Variables | EnvFileProblem:
    """Return the variables of an env file. The caller conceals the values."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        return EnvFileProblem(f"can't be read: {error.strerror}")
    if len(content) > LARGEST:
        return EnvFileProblem("is larger than 1 MiB")
    return parse_env(content)


def parse_env(content: bytes) -> Variables | EnvFileProblem:
    """Return the variables that the content of an env file sets."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return _malformed([content.count(b"\n", 0, error.start) + 1], "UTF-8")
    found = list(_assignments(text))
    malformed = [line for line, assignment in found if assignment is None]
    if malformed:
        return _malformed(malformed, "NAME=value")
    return Variables(assignment for _, assignment in found if assignment is not None)


def _malformed(lines: list[int], expected: str) -> EnvFileProblem:
    named = ", ".join(map(str, lines))
    return EnvFileProblem(f"line{'s' if len(lines) > 1 else ''} {named}: expected {expected}", tuple(lines))


def _assignments(text: str) -> Iterator[tuple[int, tuple[str, str] | None]]:
    """Give each assignment with the number of its line; None in the place of a malformed one."""
    at, line = 0, 1
    while at < len(text):
        if (blank := _BLANK.match(text, at)) is not None:
            end = blank.end()
        else:
            assignment, end = _assignment(text, at)
            yield line, assignment
        line += text.count("\n", at, end)
        at = end


def _assignment(text: str, at: int) -> tuple[tuple[str, str] | None, int]:
    """Return what stands at a position and where the next line begins."""
    if (name := _NAME.match(text, at)) is not None:
        if (quoted := _QUOTED.match(text, name.end())) is not None:
            return (name[1], _unquoted(quoted)), quoted.end()
        if (bare := _BARE.match(text, name.end())) is not None:
            return (name[1], _COMMENT.split(bare["bare"], 1)[0].strip(" \t")), bare.end()
    return None, text.find("\n", at) + 1 or len(text)


def _unquoted(match: re.Match[str]) -> str:
    if (double := match["double"]) is None:
        return match["single"]
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), double)
