"""What is wrong, and where in the file it stands, before it becomes a problem that a person reads."""

from typing import NamedTuple

from sluiceway.model.paths import Path, write_path
from sluiceway.model.stacks import Problem

LONGEST = 200
_LONGEST_NAME = 40


class Position(NamedTuple):
    """A place in a file. Both are 1-based; line 0 stands for the file as a whole."""

    line: int
    column: int


WHOLE_FILE = Position(0, 0)


class Finding(NamedTuple):
    """One thing that is wrong at ``path``. ``file`` and ``line`` name another file than ``sluiceway.yaml``."""

    position: Position
    path: Path
    problem: str
    file: str | None = None
    line: int = 0


def problems_of(findings: list[Finding], file: str) -> tuple[Problem, ...]:
    """Return the findings of ``file`` as problems, in the order of the file."""
    return tuple(
        Problem(
            file=finding.file or file,
            line=finding.line if finding.file else finding.position.line,
            key=printable(write_path(finding.path)),
            problem=finding.problem,
        )
        for finding in sorted(findings, key=lambda finding: finding.position)
    )


def printable(text: str) -> str:
    """Return ``text`` fit for a line of ours: no control character, no line break, not longer than a screen."""
    plain = "".join(
        char if char == " " or char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - 1]}…"


def nearest(name: str, known: list[str]) -> str | None:
    """Return the one of ``known`` that ``name`` is most likely a slip of, or None."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a file with problems

    plain = {key.lower(): key for key in reversed(known)}
    matches = get_close_matches(name[:_LONGEST_NAME].lower().replace("_", "").replace("-", ""), plain, n=1)
    return plain[matches[0]] if matches else None
