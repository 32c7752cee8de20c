"""A question to the person at the terminal."""

import os
import select
import sys
from collections.abc import Callable

_LOOK = 0.1
"""Seconds between two looks at whether the person has ended the run instead."""


def has_terminal() -> bool:
    """Tell whether someone can type an answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def agrees(question: str, say: Callable[[str], None], interrupted: Callable[[], bool]) -> bool:
    """Ask ``question`` by ``say`` and return whether the answer is yes. Anything else, the end of input too, is no.

    An interrupt is a no at once: a read that waits for a line would not notice a signal that is held back.
    """
    say(f"{question} [y/N] ")
    descriptor = sys.stdin.fileno()
    while not interrupted():
        if select.select([descriptor], [], [], _LOOK)[0]:
            answer = os.read(descriptor, 1024).decode("utf-8", "replace")
            return answer.strip().lower() in {"y", "yes"}
    say("\n")
    return False
