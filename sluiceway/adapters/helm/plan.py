"""The saved plan: what the render held, as digests in memory, and what the row said (record 0069, The deploy)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from sluiceway.model.changes import Change
from sluiceway.model.order import by_code_unit


@dataclass(frozen=True, slots=True)
class HelmPlan:
    """What the preview rendered. Nothing of it is on disk, and no value is in it.

    ``digest`` is the SHA-256 of all that was rendered, ``objects`` one for each object by its address (or the template
    that it comes from). They are digests over values, so they never leave the process.
    """

    digest: str = field(repr=False)
    objects: tuple[tuple[str, str], ...] = field(repr=False)
    changes: tuple[Change, ...]
    applied: tuple[str, ...] = ()
    """The addresses of all that a deploy puts out: the whole release, hooks included."""
    validated: bool = False
    """Whether the chart was rendered with ``--validate``, and has to be again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove nothing: the plan has nothing on disk."""

    def is_of(self, render: bytes) -> bool:
        """Tell whether ``render`` is, to the byte, what the preview rendered."""
        return hashlib.sha256(render).hexdigest() == self.digest

    def differing(self, objects: Mapping[str, str]) -> list[str]:
        """Return which objects of another render are not those of the preview, sorted: other, new or gone."""
        planned = dict(self.objects)
        return by_code_unit(
            label for label in planned.keys() | objects.keys() if planned.get(label) != objects.get(label)
        )
