"""Globs over stack ids and file paths (``ignore``, ``inputs``, ``scan.unrelated`` in ``sluiceway.yaml``).

``*`` stands for any run of characters inside one name, ``?`` for one of them, ``**`` for any number of whole names,
none too; all else is literal. ``envs/**`` matches everything below ``envs``, not ``envs`` itself.
"""

import re
from functools import lru_cache


def glob_matches(glob: str, text: str) -> bool:
    """Tell whether ``glob`` matches the whole of ``text``, names being what stands between slashes.

    Takes time in proportion to the product of both lengths at most, whatever they hold.
    """
    names = text.split("/")
    reached = {0}
    segments = glob.split("/")
    for index, segment in enumerate(segments):
        if segment == "**":
            last = index == len(segments) - 1
            reached = set(range(min(reached) + last, len(names) + 1)) if reached else reached
        else:
            name = _name(segment)
            reached = {at + 1 for at in reached if at < len(names) and name.fullmatch(names[at])}
    return len(names) in reached


@lru_cache(maxsize=8192)
def _name(segment: str) -> re.Pattern[str]:
    """Compile one segment. Atomic groups keep it from trying the same run of characters again."""
    first, *rest = ("".join("." if char == "?" else re.escape(char) for char in part) for part in segment.split("*"))
    if not rest:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)
