"""Finding the adapter of a tool, without loading any other.

Source: ``design.md`` ("An adapter is found through an entry point, so a tool can be added by another package").
"""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from sluiceway.model.order import sorted_unique

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sluiceway.adapters.base import Adapter

GROUP = "sluiceway.adapters"

# Reading the installed packages' entry points takes about 45 ms, so the tools that come with the package are listed.
BUILT_IN = {"helm": "sluiceway.adapters.helm:adapter", "kubectl": "sluiceway.adapters.kubectl:adapter"}


def find_adapter(tool: str) -> "Adapter | None":
    """Return the adapter of ``tool``, or None when no installed package has one.

    A tool that comes with Sluiceway can't be replaced by another package. An adapter that can't be imported raises
    what its import raises: that is a broken installation, not a bad ``sluiceway.yaml``.
    """
    if tool in BUILT_IN:
        module, _, name = BUILT_IN[tool].partition(":")
        return cast("Adapter", getattr(import_module(module), name))
    for point in _entry_points():
        if point.name == tool:
            return cast("Adapter", point.load())
    return None


def known_tools() -> tuple[str, ...]:
    """Return the names of all tools that have an adapter, sorted; loads none of them."""
    return sorted_unique([*BUILT_IN, *(point.name for point in _entry_points())])


def _entry_points() -> "list[EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415 - heavy, and only needed for tools of other packages

    return list(entry_points(group=GROUP))
