"""The cases of ``losses``: what the real tools printed, and what their README says of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluiceway.adapters.kubernetes import goyaml

LOSSES = Path(__file__).parent / "losses"
VERSIONS = ("v3.18.0", "v4.3.0")

_ROW = re.compile(r"\| `([a-z0-9-]+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|")


@dataclass(frozen=True)
class Loss:
    """One case under one helm."""

    name: str
    version: str

    @property
    def namespace(self) -> str:
        return f"losses-{self.name}"

    @property
    def three_way(self) -> bool:
        return (self.directory / "three-way.json").exists()

    @property
    def directory(self) -> Path:
        return LOSSES / self.name / self.version

    def printed(self, name: str) -> bytes:
        return (self.directory / name).read_bytes()

    def structured(self) -> bytes:
        """Return the structured output that the README tells of."""
        return self.printed("three-way.json" if self.three_way else "structured.json")

    def diff(self) -> bytes:
        return self.printed("three-way.txt" if self.three_way else "diff.txt")

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


def losses() -> list[Loss]:
    names = sorted(path.name for path in LOSSES.iterdir() if path.is_dir())
    return [Loss(name, version) for name in names for version in VERSIONS]


def readme() -> dict[str, str]:
    """Return what the README says the plugin printed, a case each."""
    rows = map(_ROW.fullmatch, (LOSSES / "README.md").read_text(encoding="utf-8").splitlines())
    return {row[1]: row[2] for row in rows if row}


def objects(manifest: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a render or of a release's manifest, those of a list one by one."""
    for part in re.split(r"^---[^\n]*\n", manifest.decode(), flags=re.MULTILINE):
        tree = goyaml.load(part)
        if isinstance(tree, dict):
            yield from tree.get("items", [tree])
