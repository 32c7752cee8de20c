"""What comes from outside, as it may stand in a row: names, sentences, links."""

import re

from sluiceway.model.markdown import code, escaped

_UNSAFE = re.compile(r"[^A-Za-z0-9:/?#@!$&'*+,;=._~%-]")
_CUT = 300
"""Characters of a sentence that goes into a marker."""


def named(name: str) -> str:
    """Return a name as a code span that holds nothing of a comment: markers are looked for as they are written."""
    return code(name.replace("<!--", r"\x3c!--"))


def said(sentence: str) -> str:
    """Return a sentence that may hold names from outside, escaped."""
    return escaped(sentence)


def link(words: str, url: str) -> str:
    """Return a link of ``words`` of ours, or the words alone where ``url`` is no web address."""
    if not url.startswith(("https://", "http://")):
        return words
    plain = _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace")), url)
    return f"[{words}]({plain})"


def cut(sentence: str) -> str:
    """Return a sentence short enough for a marker; what is cut off is said with an ellipsis."""
    return sentence if len(sentence) <= _CUT else f"{sentence[: _CUT - 1]}…"
