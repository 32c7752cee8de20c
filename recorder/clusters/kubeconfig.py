"""Writing a kubeconfig. JSON is YAML, so that no YAML library is needed and nothing has to be quoted by hand."""

import json
from pathlib import Path

from recorder.clusters.files import write_private


def write(path: Path, *, context: str, server: str, ca_file: Path, token: str) -> None:
    """Write a kubeconfig of one cluster, one user and one context to ``path``, readable by the owner only.

    ``server`` is the API server's address, ``ca_file`` the certificate it is known by, ``token`` the user's.
    """
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
        "users": [{"name": context, "user": {"token": token}}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context, "namespace": "default"}}],
        "current-context": context,
    }
    write_private(path, json.dumps(content, indent=2) + "\n")
