"""The few requests the recorder itself makes to its API server."""

import contextlib
import http.client
import json
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recorder.clusters.base import ClusterError

REQUEST_SECONDS = 30.0
"""How long one request may take, in seconds."""

POLL_SECONDS = 0.05
"""How long to wait between two looks, in seconds."""


class Api:
    """The API server on loopback at ``port``, known by the certificate in ``ca_file``, spoken to with ``token``.

    Every request raises ``ClusterError`` when there is no answer within ``REQUEST_SECONDS``.
    The certificate is checked although this is loopback: it is what tells our own server from a stranger's that
    took the port, and only our own may see the token.
    """

    def __init__(self, port: int, ca_file: Path, token: str) -> None:
        self.port = port
        self.ca_file = ca_file
        self._token = token

    @property
    def address(self) -> str:
        """The address as a kubeconfig gives it."""
        return f"https://127.0.0.1:{self.port}"

    def get(self, path: str) -> tuple[int, Any]:
        """Return the status of a GET and its JSON body, None for another body."""
        return self._request("GET", path, None)

    def post(self, path: str, body: object) -> Any:
        """Create ``body`` and return the answer; a ``ClusterError`` with the status for any that is no success."""
        status, answer = self._request("POST", path, body)
        if status not in (http.client.OK, http.client.CREATED):
            raise ClusterError(f"the API server answered {status} to a POST to {path}")
        return answer

    def exists(self, path: str) -> bool:
        """Return whether a GET of ``path`` succeeds; no for a server that can't be reached (yet)."""
        try:
            return self.get(path)[0] == http.client.OK
        except ClusterError:
            return False

    def _request(self, method: str, path: str, body: object) -> tuple[int, Any]:
        try:
            return self._answer(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise ClusterError(f"the API server did not answer a {method} of {path} ({type(error).__name__})") from None

    def _answer(self, method: str, path: str, body: object) -> tuple[int, Any]:
        context = ssl.create_default_context(cafile=str(self.ca_file))
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        # Straight to loopback: a proxy of the environment is not asked.
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS, context=context)
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, _json(response)


def _json(response: http.client.HTTPResponse) -> Any:
    content = response.read()
    return json.loads(content) if response.headers.get_content_type() == "application/json" else None


def wait_until(
    what: str,
    done: Callable[[], bool],
    *,
    seconds: float,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Wait until ``done``; after ``seconds`` a ``ClusterError`` that names ``what``. ``check`` may raise earlier."""
    deadline = time.monotonic() + seconds
    while not done():
        check()
        if time.monotonic() > deadline:
            raise ClusterError(f"{what}: not within {seconds:g} seconds")
        time.sleep(POLL_SECONDS)
