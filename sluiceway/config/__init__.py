"""``sluiceway.yaml``: what a person declares, checked as a whole before anything runs.

Source: ``spec/core.md``, ``sluiceway.yaml``. All problems of a file are told at once, in its order, each with its line.
"""

from pathlib import Path
from typing import Any

from sluiceway.adapters.registry import find_adapter
from sluiceway.config.reading import Find, read
from sluiceway.config.settings import Config, Dashboard, Entry, Ignored, Scan
from sluiceway.model.stacks import Problem

__all__ = ["Config", "Dashboard", "Entry", "Ignored", "Scan", "json_schema", "load_config"]


def load_config(root: Path, find: Find = find_adapter) -> Config | tuple[Problem, ...]:
    """Return the config in ``root``, or every problem of its file, in the order of the file.

    A repo without the file has an empty config. Reads that one file; never raises for what it holds. ``find`` gives
    the adapter of a tool.
    """
    reading = read(root, find)
    return reading.problems if reading.findings else reading.config


def json_schema() -> dict[str, Any]:
    """Return the strict JSON Schema of the file, with the options of each known tool."""
    from sluiceway.config import schema  # noqa: PLC0415 - pydantic's schema writer is of no use to any other command

    return schema.json_schema()
