"""Which versions of each tool every scenario is recorded with, and on which server: ``scenarios/versions.yaml``."""

import re
from pathlib import Path

from recorder.located import Located

FILE = "versions.yaml"

OWN_SERVER = "kubectl"
"""The tool that is recorded on a server of its own minor; for every other one the file says on which."""

_SERVERS = "servers"

_NO_SERVER = "none"
"""What the file says of a tool that reaches no cluster."""


def versions(scenarios: Path, tool: str) -> tuple[str, ...]:
    """Return the versions of ``tool``, oldest first, as ``scenarios/versions.yaml`` lists them."""
    document, found = _read(scenarios)
    if tool not in found:
        document.fail(f"the versions of {tool} are missing")
    return _versions(found[tool])


def all_versions(scenarios: Path) -> dict[str, tuple[str, ...]]:
    """Return the versions of each tool that is listed."""
    _, found = _read(scenarios)
    return {tool: _versions(listed) for tool, listed in found.items() if tool != _SERVERS}


def server_minor(scenarios: Path, tool: str, version: str) -> str | None:
    """Return the Kubernetes minor (``1.34``) of the server that ``version`` of ``tool`` is recorded on.

    None for a tool that reaches no cluster: the file says ``none`` in the place of its servers.
    """
    if tool == OWN_SERVER and (own := re.match(r"v(\d+\.\d+)\.", version)):
        return own[1]
    document, found = _read(scenarios)
    servers = found[_SERVERS].mapping(found[_SERVERS].keys()) if _SERVERS in found else {}
    if tool in servers and servers[tool].plain() == _NO_SERVER:
        return None
    of_the_tool = servers[tool].mapping(servers[tool].keys()) if tool in servers else {}
    if version not in of_the_tool:
        document.fail(f"the server that {tool} {version} is recorded on is missing: {_SERVERS}.{tool}.{version}")
    minor = of_the_tool[version].text()
    if not re.fullmatch(r"\d+\.\d+", minor):
        of_the_tool[version].fail("a minor of Kubernetes is expected (1.34)")
    return minor


def _read(scenarios: Path) -> tuple[Located, dict[str, Located]]:
    document = Located.load(scenarios / FILE)
    return document, document.mapping(document.keys())


def _versions(listed: Located) -> tuple[str, ...]:
    for item in listed.items():
        if not re.fullmatch(r"v\d+\.\d+\.\d+", item.text()):
            item.fail("a whole version is expected (v1.34.0)")
    return listed.texts()
