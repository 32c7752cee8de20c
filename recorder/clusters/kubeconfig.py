"""Writing a kubeconfig. JSON is YAML, so that no YAML library is needed and nothing has to be quoted by hand."""

import json
import os
from pathlib import Path


def write(path: Path, *, context: str, server: str, ca_file: Path, token: str, namespace: str = "default") -> Path:
    """Write a kubeconfig of one cluster, one user and one context to ``path``, readable by the owner only.

    ``server`` is the API server's address, ``ca_file`` the certificate it is known by, ``token`` the user's.
    """
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
        "users": [{"name": context, "user": {"token": token}}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context, "namespace": namespace}}],
        "current-context": context,
    }
    write_private(path, json.dumps(content, indent=2) + "\n")
    return path


def write_private(path: Path, text: str) -> None:
    """Write ``text`` to a new file that nobody but the owner could ever read (mode 0600 from its first byte)."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
