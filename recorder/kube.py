"""The few requests that the recorder makes to its cluster beside what it records, over one connection.

A kubectl would do, but it starts anew for every look, and a recording looks often.
"""

import base64
import http.client
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

REQUEST_SECONDS = 30.0
"""How long one request may take, in seconds."""


class AdminError(Exception):
    """The cluster did not do what the recorder needs. Names requests and objects, never what a server answered."""


class Kube:
    """The API server that ``kubeconfig`` leads to, as its current user. For one thread at a time.

    ``scratch`` is a private directory: a client certificate has to be a file.
    """

    def __init__(self, kubeconfig: Path, scratch: Path) -> None:
        self._address, self._tls, self._headers = _access(kubeconfig, scratch)
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> Any:
        """Return the answer to a GET of ``path``; raise :class:`AdminError` when it is no success."""
        status, answer = self._asked("GET", path, None, "application/json")
        if status != http.client.OK:
            raise AdminError(f"the API server answered {status} to a GET of {path}")
        return answer

    def send(self, method: str, path: str, body: object = None, *, form: str = "application/json") -> int:
        """Make a request that writes, and return its status; raise :class:`AdminError` when the server fails."""
        status, _ = self._asked(method, path, body, form)
        if status >= http.client.INTERNAL_SERVER_ERROR:
            raise AdminError(f"the API server answered {status} to a {method} of {path}")
        return status

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _asked(self, method: str, path: str, body: object, form: str) -> tuple[int, Any]:
        content = None if body is None else json.dumps(body)
        headers = {**self._headers, "Accept": "application/json", "Content-Type": form}
        fresh = self._connection is None
        try:
            connection = self._connection = self._connection or self._connect()
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if fresh:
                raise AdminError(f"no answer to a {method} of {path} ({type(error).__name__})") from None
        # A server may close a connection that was idle.
        return self._asked(method, path, body, form)

    def _connect(self) -> http.client.HTTPConnection:
        address = urlsplit(self._address)
        host, port = address.hostname or "", address.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=REQUEST_SECONDS)
        return http.client.HTTPSConnection(host, port, timeout=REQUEST_SECONDS, context=self._tls)


def _access(kubeconfig: Path, scratch: Path) -> tuple[str, ssl.SSLContext | None, dict[str, str]]:
    content = yaml.safe_load(kubeconfig.read_text("utf-8"))
    context = _named(content["contexts"], content["current-context"])["context"]
    cluster = _named(content["clusters"], context["cluster"])["cluster"]
    user = _named(content["users"], context["user"])["user"]
    headers = {"Authorization": f"Bearer {user['token']}"} if "token" in user else {}
    if not cluster["server"].startswith("https:"):
        return cluster["server"], None, headers
    tls = ssl.create_default_context(cafile=_file(cluster, "certificate-authority", scratch))
    if "client-certificate" in user or "client-certificate-data" in user:
        tls.load_cert_chain(_file(user, "client-certificate", scratch), _file(user, "client-key", scratch))
    return cluster["server"], tls, headers


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)


def _file(entry: dict[str, Any], name: str, scratch: Path) -> str:
    """Return the file that ``entry`` names, or one made of the data it holds."""
    if name in entry:
        return str(entry[name])
    path = scratch / name
    path.touch(mode=0o600)
    path.write_bytes(base64.b64decode(entry[f"{name}-data"]))
    return str(path)
