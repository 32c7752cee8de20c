"""The one order in which anything is sorted: by UTF-16 code unit."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def code_units(text: str) -> bytes:
    """Return a sort key that orders text by UTF-16 code unit.

    Python orders ``str`` by code point, which differs for characters above U+FFFF.
    Lone surrogates are kept, so every ``str`` has a key.
    """
    return text.encode("utf-16-be", "surrogatepass")


def by_code_unit(items: Iterable[T], key: Callable[[T], str] = str) -> list[T]:
    """Return ``items`` sorted by the UTF-16 code units of ``key(item)``."""
    return sorted(items, key=lambda item: code_units(key(item)))


def sorted_unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Return ``texts`` without duplicates, sorted by code unit."""
    return tuple(sorted(set(texts), key=code_units))
