"""Text from outside in Markdown: held in a code span or escaped, so that it is text and nothing else on GitHub."""

import re

from sluiceway.model.words import visible

_MARKUP = re.compile(r"[\\`*_\[\]<>&|~#@!$]")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_LINKING = re.compile(r"[@#]|:(?=//)|GH-|www(?=\.)", re.IGNORECASE)


def code(text: str) -> str:
    """Return ``text`` as a code span, in which nothing is a mention, a link, HTML or Markdown."""
    plain = visible(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    # A span that starts or ends with a backtick or is only spaces needs a space of its own, which is not shown.
    space = " " if not plain.strip() or "`" in (plain[0], plain[-1]) or (plain[0] == plain[-1] == " ") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def escaped(text: str) -> str:
    """Return a sentence that may hold names from outside, so that none of them does anything.

    Backslashes keep Markdown and HTML from being read; GitHub makes mentions, issue and web links out of the finished
    text, so a zero-width space breaks those. It stands before the ``//`` and the dot: behind them it would be read as
    the first letter of a host.
    """
    broken = _LINKING.sub("\\g<0>\u200b", visible(text))
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), broken)
