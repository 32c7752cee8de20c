"""The refusal: whatever a kubeconfig leads to that the recorder did not make (``spec/recordings.md``)."""

from pathlib import Path
from typing import Any

from recorder.clusters.base import ClusterError


def server_of(kubeconfig: Path, *, context: str) -> str:
    """Return the server of the current context of ``kubeconfig``; ``ClusterError`` unless that context is ``context``.

    The context's name is not enough for the caller to know the cluster as its own: a file can be changed.
    """
    content = _read(kubeconfig)
    current = content.get("current-context")
    if current != context:
        raise ClusterError(f"refused: the current context of {kubeconfig.name} is not {context}, which was made here")
    cluster = _named(content, "contexts", context).get("context", {}).get("cluster")
    server = _named(content, "clusters", cluster).get("cluster", {}).get("server")
    if not isinstance(server, str):
        raise ClusterError(f"refused: {kubeconfig.name} names no server for {context}")
    return server


def refuse_foreign(kubeconfig: Path, *, context: str, server: str) -> None:
    """Raise ``ClusterError`` unless ``kubeconfig`` leads to ``server`` by ``context``."""
    if server_of(kubeconfig, context=context) != server:
        raise ClusterError(f"refused: {kubeconfig.name} leads {context} to a server that was not made here")


def _read(kubeconfig: Path) -> dict[str, Any]:
    import yaml  # noqa: PLC0415  # heavy, and needed here only

    try:
        content = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        content = None
    return content if isinstance(content, dict) else {}


def _named(content: dict[str, Any], field: str, name: object) -> dict[str, Any]:
    entries = content.get(field)
    return next((entry for entry in entries or () if isinstance(entry, dict) and entry.get("name") == name), {})
