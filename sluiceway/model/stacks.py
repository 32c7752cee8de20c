"""Stacks: the smallest thing that is previewed and deployed alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Problem", "Stack"]


@dataclass(frozen=True, slots=True)
class Stack:
    """One entry of ``sluiceway.yaml`` that discovery accepted.

    ``id`` is opaque: never split it back. ``path`` is relative to the root, with forward slashes, ``.`` for the root.
    ``options`` holds the tool's options as the records spell them, defaults left out. Time limits are whole minutes.
    """

    id: str
    path: str
    tool: str
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    inputs: tuple[str, ...] = ()
    preview_timeout: int = 10
    deploy_timeout: int | None = None
    depends_on: tuple[str, ...] = ()
    drift_enabled: bool = False
    env_file: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with ``sluiceway.yaml`` or with the files that a stack names.

    ``file`` is relative to the root; ``line`` is 1-based, 0 where no line can be named; ``key`` is the key path
    (``stacks[1].options.fieldManager``), empty for the file itself.
    """

    file: str
    line: int
    key: str
    problem: str
