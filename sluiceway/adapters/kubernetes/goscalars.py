"""What a YAML scalar means to kubectl: the tables of Go's yaml.v2, and how sigs.k8s.io/yaml hands them to JSON.

``y`` and ``on`` are booleans, ``08`` is a number, a date and ``12:30:45`` are text. Two different values never become
equal: integers are exact, floats keep a text of their own (:class:`~sluiceway.model.trees.Float`).
Source: ``spec/kubectl.md`` (Reading ``kubectl diff``), ``cases.md`` (Files and YAML).
"""

import json
import math
import re
import struct
from typing import NoReturn

from sluiceway.model.trees import Float

Resolved = str | int | bool | float | None
"""A scalar as Go's parser resolves it, before it has to be something that JSON can hold."""

_TRUE = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
WORDS = _TRUE | _FALSE | _NULL
"""Plain scalars that are no text although they start with a letter."""

LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
"""What a plain scalar starts with that is text, unless it is one of the words: no number does."""

_NOT_FINITE = {
    **{f"{sign}{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_NUMBER_START = frozenset("+-.0123456789")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_POINT_FIRST = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?\Z")
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,24})\Z")
_BASED = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+)\Z")
_SIGN_BEHIND_BASE = re.compile(r"0b([-+][01]+)\Z")
_INT64 = 2**63
_UINT64 = 2**64


def resolve(text: str) -> Resolved:
    """Return what an unquoted scalar is; its text where it is no word, no number and no boolean."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    return _number(text) if text[0] in _NUMBER_START else text


def _number(text: str) -> str | int | float:
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    if text[0] == ".":
        return _finite(text.replace("_", ""), text) if _POINT_FIRST.match(text) else text
    digits = text.replace("_", "")
    whole = _whole(digits)
    if whole is not None:
        return whole
    return _finite(digits, text) if _FLOAT.match(digits) else text


def _finite(digits: str, text: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else text


def _whole(digits: str) -> int | None:
    if _WHOLE.match(digits):
        value = int(digits)
    elif _BASED.match(digits):
        value = _based(digits)
    elif behind := _SIGN_BEHIND_BASE.match(digits):
        value = int(behind[1], 2)
    else:
        return None
    return value if -_INT64 <= value < _UINT64 else None


def _based(digits: str) -> int:
    bare = digits.lstrip("+-").lower()
    value = int(bare, 0) if bare.startswith(("0x", "0b", "0o")) else int(bare, 8)
    return -value if digits[0] == "-" else value


def json_value(resolved: Resolved) -> str | int | bool | Float | None:
    """Return a resolved scalar as JSON holds it. Raises ``ValueError`` for infinities and NaN."""
    if not isinstance(resolved, float):
        return resolved
    if not math.isfinite(resolved):
        raise ValueError
    if resolved.is_integer() and -_INT64 < resolved < _INT64:
        return _as_go_writes(resolved)
    return Float(repr(resolved))


def _as_go_writes(value: float) -> int:
    """Return a whole float as JSON holds it: the fewest digits that tell it from its neighbours, then zeros."""
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return int(value)
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction + "0" * (int(exponent) - len(fraction)))


def _number_from_json(digits: str) -> int | Float:
    whole = _whole(digits)
    value = json_value(float(digits) if whole is None else whole)
    assert isinstance(value, int | Float)  # noqa: S101 - a number gives one or the other
    return value


def _no_constant(_word: str) -> NoReturn:
    raise ValueError


JSON = json.JSONDecoder(parse_float=_number_from_json, parse_int=_number_from_json, parse_constant=_no_constant)
"""Reads JSON so that a number is the same value as in YAML. Refuses ``NaN`` and ``Infinity``, as Go does."""


def key_text(resolved: Resolved) -> str:
    """Return a resolved scalar as the key of a map. Raises ``ValueError`` for null and what is past a 64-bit integer.

    Keys are text always; a float is written as Go writes it with 32 bits, which is what kubectl does.
    """
    if resolved is None or (isinstance(resolved, int) and resolved >= _INT64):
        raise ValueError
    if isinstance(resolved, bool):
        return "true" if resolved else "false"
    return _float_key(resolved) if isinstance(resolved, float) else str(resolved)


def _float_key(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    single = _single(value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    places = next((places for places in range(9) if _single(float(f"{single:.{places}e}")) == single), 9)
    exponent = int(f"{single:.{places}e}".partition("e")[2])
    if -4 <= exponent < 6:  # noqa: PLR2004 - where Go's shortest format starts to write an exponent
        return f"{single:.{max(places - exponent, 0)}f}"
    return f"{single:.{places}e}"


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
