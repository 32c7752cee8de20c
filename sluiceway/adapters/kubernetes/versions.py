"""Versions of tools, as they print them: ``v1.35.2-eks-1234567``, ``3.15.11``, ``v4.0.0-rc.1+g0123456``."""

import re
from dataclasses import dataclass

Floor = tuple[int, int, int]

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})([-+][0-9A-Za-z.+-]{1,100})?\Z")
_EARLY = re.compile(r"-(?:alpha|beta|rc)")


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a tool. ``early`` marks a pre-release; a provider's build is none and counts as its version."""

    written: str
    numbers: Floor
    early: bool

    @property
    def major(self) -> int:
        """The first number."""
        return self.numbers[0]

    def older_than(self, floor: Floor) -> bool:
        """Compare with a floor: a pre-release of the floor itself is older than it, one of a newer version is not."""
        return self.numbers < floor or (self.numbers == floor and self.early)


def read(written: str) -> Version | None:
    """Read a version, or None for what is none."""
    found = _VERSION.match(written)
    if found is None:
        return None
    return Version(written, (int(found[1]), int(found[2]), int(found[3])), _EARLY.match(found[4] or "") is not None)


def dotted(floor: Floor) -> str:
    """Write a floor as tools write versions, without a v."""
    return ".".join(map(str, floor))
