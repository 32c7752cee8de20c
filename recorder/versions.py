"""Which versions of each tool every scenario is recorded with: ``scenarios/versions.yaml``."""

import re
from pathlib import Path

from recorder.located import Located

FILE = "versions.yaml"


def versions(scenarios: Path, tool: str) -> tuple[str, ...]:
    """Return the versions of ``tool``, oldest first, as ``scenarios/versions.yaml`` lists them."""
    document = Located.load(scenarios / FILE)
    found = document.mapping(document.keys())
    if tool not in found:
        document.fail(f"the versions of {tool} are missing")
    for item in found[tool].items():
        if not re.fullmatch(r"v\d+\.\d+\.\d+", item.text()):
            item.fail("a whole version is expected (v1.34.0)")
    return found[tool].texts()
