"""What a log must not hold, or its stream can't: terminal escapes, and characters of another encoding."""

import re

_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
_CSI = r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
_SINGLE = r"\x1b[ -/]*+[0-~]?"
_CONTROL = r"[\x00-\x08\x0a-\x1f\x7f-\x9f]"
_DIRECTION = r"[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"  # would show the rest of a line in another order

# Possessive, and no part reads past the start of a next one: a hostile line costs no more than its length.
_ALL = f"(?:{_STRING}|{_CSI}|{_SINGLE}|{_CONTROL}|{_DIRECTION})"
_ANY = re.compile(_ALL)
_PLAIN = {"→": "->", "…": "..."}
"""The signs of our own sentences that are not ASCII, and how they are written where they can't be."""
_ANY_BUT_COLOUR = re.compile(rf"(?!\x1b\[[0-9;:]*+m){_ALL}")


def without_escapes(text: str, *, keep_colour: bool = False) -> str:
    """Return one line of text without escape sequences, control characters (a tab stays) and marks of direction.

    ``keep_colour`` lets the sequences that colour text through, and nothing else.
    """
    if text.isascii() and text.isprintable():
        return text
    return (_ANY_BUT_COLOUR if keep_colour else _ANY).sub("", text)


def writable(text: str, encoding: str | None) -> str:
    """Return ``text`` with what ``encoding`` can't hold (None: UTF-8) in ASCII: our own signs as such, else escapes."""
    encoding = encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        signs = {ord(sign): plain for sign, plain in _PLAIN.items() if not _holds(encoding, sign)}
        return text.translate(signs).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _holds(encoding: str, sign: str) -> bool:
    try:
        sign.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
