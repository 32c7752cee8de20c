"""What a Secret holds, in the spellings in which a tool may print it, so that it can be concealed."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

from sluiceway.model.trees import Float


def values_of_secret(tree: Mapping[str, Any]) -> Iterator[str]:
    """Yield every value of one Secret, plain and as written, also where the Secret has not the shape of one.

    A tool's error about such a Secret shows what stands in the place of a text, down to the last list.
    """
    for part in ("stringData", "data"):
        for value in _scalars(tree.get(part)):
            yield str(value)
            decoded = from_base64(str(value)) if part == "data" else None
            if decoded is not None:
                yield decoded.decode("utf-8", "replace")
            yield from as_go_prints(value)


def as_go_prints(value: Any) -> Iterator[str]:
    """Yield a number with an exponent, as Go shows one that is not whole, or too large to be exact."""
    if isinstance(value, Float | int | float):
        with suppress(ValueError, OverflowError):
            number = float(value)
            digits = Decimal(repr(number)).normalize().as_tuple().digits
            yield f"{number:.{len(digits) - 1}e}"


def from_base64(value: Any) -> bytes | None:
    """Decode as the API server does: line ends are passed over, and what is no text is no base64."""
    if type(value) is not str:
        return None
    try:
        return b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError:
        return None


def _scalars(node: Any) -> Iterator[str | int | float]:
    if isinstance(node, dict | list):
        for below in node.values() if isinstance(node, dict) else node:
            yield from _scalars(below)
    elif isinstance(node, str | int | float) and not isinstance(node, bool):
        yield node
