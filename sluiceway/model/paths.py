"""Property paths in the one notation that every adapter writes (record 0046, ``spec/core.md``)."""

import re
from collections.abc import Sequence

__all__ = ["Path", "Segment", "write_path"]

Segment = str | int
"""A map key (``str``) or a list index (``int``)."""

Path = tuple[Segment, ...]
"""Where a property stands, from the outermost key on."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def write_path(path: Sequence[Segment]) -> str:
    r"""Write ``("spec", "containers", 0, "image")`` as ``spec.containers[0].image``.

    A key that is not a plain name is written ``["k.e-y"]``, with ``"`` as ``\"`` and a backslash as it is.
    """
    return "".join(_written(segment, first=not index) for index, segment in enumerate(path))


def _written(segment: Segment, *, first: bool) -> str:
    if isinstance(segment, int):
        return f"[{segment}]"
    if _PLAIN.match(segment):
        return segment if first else f".{segment}"
    return '["' + segment.replace('"', '\\"') + '"]'
