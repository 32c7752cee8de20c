"""A small repository with scenarios in it, for tests of the recorder."""

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path

VERSION = "v1.34.0"
OTHER = "v1.37.1"
HELM = "v3.18.0"
HELM_4 = "v4.3.0"
PLUGIN = "3.15.11"

SCENARIO = """\
description: kubectl says its version.
example: small
repository: octo-org/small
steps:
  - check_version: recorded
"""

CONFIG = """\
stacks:
  - path: app
    tool: kubectl
"""

MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  value: CANARY
"""


@dataclass
class Repo:
    """A repository in ``root``, and ``cache``, where the recorder finds the tools that a test writes."""

    root: Path
    cache: Path

    def set_up(self) -> None:
        """Write an example, the versions and one scenario that needs no cluster."""
        self.write("examples/small/sluiceway.yaml", CONFIG)
        self.write("examples/small/app/settings.yaml", MANIFEST)
        self.write("examples/small/README.md", "What this is.\n")
        self.versions(VERSION)
        self.scenario("version", SCENARIO)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def versions(self, *versions: str) -> None:
        self.write(
            "scenarios/versions.yaml",
            f"kubectl: [{', '.join(versions)}]\n"
            f"helm: [{HELM}, {HELM_4}]\nservers:\n  helm: {{{HELM}: '1.34', {HELM_4}: '1.37'}}\n",
        )

    def scenario(self, name: str, text: str, *, tool: str = "kubectl") -> Path:
        return self.write(f"scenarios/{tool}/{name}.yaml", textwrap.dedent(text))

    def recording(self, name: str = "version", version: str = VERSION) -> Path:
        return self.root / "recordings" / "kubectl" / version / name

    def kubectl(self, version: str = VERSION, *, says: str = "", script: str = "") -> Path:
        """Write a kubectl of ``version`` that ``says`` another one; or a shell ``script`` for all but its version."""
        answer = json.dumps({"clientVersion": {"gitVersion": says or version}})
        return self._tool(f"kubectl/{version}/kubectl", answer, script)

    def helm(self, version: str, *, script: str = "") -> Path:
        """Write a helm of ``version``; or a shell ``script`` for all but its version."""
        return self._tool(f"helm/{version}/helm", version, script)

    def plugin(self, version: str = PLUGIN) -> Path:
        """Write a diff plugin of ``version``, as it is unpacked."""
        return self._tool(f"helm-plugins/{version}/diff/bin/diff", version)

    def _tool(self, place: str, answer: str, script: str = "") -> Path:
        path = self.cache / "sluiceway" / "assets" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nif [ \"$1\" = version ]; then echo '{answer}'; exit 0; fi\n{script}\n")
        path.chmod(0o755)
        return path
