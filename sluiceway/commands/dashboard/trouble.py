"""How a command of the dashboard ends where it can't go on: red, with one sentence, and nothing deployed."""

from typing import TypeVar

from sluiceway.github import Problem

T = TypeVar("T")


class Halt(Exception):
    """The command can't go on; the text is a sentence for a person. Ends with ``Exit.FAILED``."""


def sure(answer: T | Problem) -> T:
    """Return what GitHub answered. Raises :class:`Halt` where it gave none: nothing is done on a guess."""
    if isinstance(answer, Problem):
        raise Halt(answer.note)
    return answer
