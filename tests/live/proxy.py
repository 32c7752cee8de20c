"""A proxy between kubectl and the API server that can hold, change or lose any one request (issue 5, faults).

kubectl says with each request which command it is (``Kubectl-Command``) and which run of it (``Kubectl-Session``); of
helm, which does not, each run has a path of its own (:attr:`Proxy.url`). So a request is known by the run, counted per
command, and its number within the run: ``apply 1``, number 3. Helm's reads are not always as many, so its writes are
counted apart: ``upgrade write 1``.
"""

import contextlib
import http.client
import json
import re
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from recorder.clusters.local import LocalCluster

SECONDS = 60.0
"""How long one request may be held or wait for the API server."""

_OF_THE_KINDS = re.compile(r"/(?:version|openapi/.*|apis?|apis/[^/]+(?:/[^/]+)?|api/v1)?(?:\?.*)?")
"""Requests for what the server serves: kubectl keeps the answers on disk, so they are no step of a deploy."""

_OF_A_RUN = re.compile(r"/run/(?P<command>[a-z]+)/(?P<process>\d+)(?=/)")
"""The path of one run: its command and its process."""

_BY_THE_WAY = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive", "host", "accept-encoding"})


@dataclass(frozen=True)
class Asked:
    """One request. ``client`` is the tool's end of it, ``process`` the tool's where its path tells."""

    command: str
    run: int
    number: int
    method: str
    path: str
    client: socket.socket = field(repr=False, compare=False)
    process: int = 0

    @property
    def step(self) -> str:
        """Which run of which command it is: ``get 3``."""
        return f"{self.command} {self.run}"

    @property
    def thing(self) -> str:
        """What it is about, without the namespace: ``configmaps/web``."""
        return re.sub(r".*/namespaces/[^/]+/", "", self.path.partition("?")[0])

    def hold(self, seconds: float = SECONDS) -> bool:
        """Wait until the tool gave up or the time is over; tell whether it gave up."""
        readable, _, _ = select.select([self.client], [], [], seconds)
        with contextlib.suppress(OSError):
            return bool(readable) and self.client.recv(1, socket.MSG_PEEK) == b""
        return True


@dataclass(frozen=True)
class Answer:
    """What the tool gets in place of the server's answer; ``None`` as status: the connection is closed."""

    status: int | None = None
    reason: str = ""
    message: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def body(self) -> bytes:
        """The Status object of the API."""
        said: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "code": self.status,
        }
        return json.dumps({**said, "reason": self.reason, "message": self.message}).encode()


Meddler = Callable[[Asked], Answer | None]


def _leave(_asked: Asked) -> Answer | None:
    return None


class Proxy:
    """Stands in front of ``cluster``. ``before`` is asked before a request is passed on, ``after`` when it is answered.

    ``seen`` lists the requests since :meth:`begin`, in order of arrival.
    """

    def __init__(self, cluster: LocalCluster) -> None:
        self.cluster = cluster
        self.before: Meddler = _leave
        self.after: Meddler = _leave
        self.seen: list[Asked] = []
        self._runs: dict[str, dict[str, int]] = {}
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context(cafile=str(cluster.api.ca_file))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"reply": self._reply}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def begin(self, before: Meddler = _leave, after: Meddler = _leave) -> None:
        """Count from here, and ask these about each request."""
        self.before, self.after, self.seen, self._runs = before, after, [], {}

    @property
    def url(self) -> str:
        """Where it listens. A run may add ``/run/<command>/<process>``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def kubeconfig(self, file: Path) -> Path:
        """Write a kubeconfig that leads here; the proxy has the rights, the tool needs none."""
        name = self.cluster.context
        server = {"server": self.url}
        made = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": server}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "users": [{"name": name, "user": {}}],
        }
        file.write_text(json.dumps(made), encoding="utf-8")
        return file

    def _note(self, handler: BaseHTTPRequestHandler) -> Asked | None:
        found = _OF_A_RUN.match(handler.path)
        handler.path = handler.path[found.end() :] if found else handler.path
        if _OF_THE_KINDS.fullmatch(handler.path):
            return None
        command = _helms(found, handler.command) if found else handler.headers.get("Kubectl-Command", "?")
        command = command.removeprefix("kubectl ")
        session = found["process"] if found else handler.headers.get("Kubectl-Session", "?")
        with self._lock:
            runs = self._runs.setdefault(command, {})
            run = runs.setdefault(session, len(runs) + 1)
            number = sum((each.command, each.run) == (command, run) for each in self.seen) + 1
            process = int(session) if found else 0
            asked = Asked(command, run, number, handler.command, handler.path, handler.connection, process)
            self.seen.append(asked)
        return asked

    @contextlib.contextmanager
    def _passed_on(self, handler: BaseHTTPRequestHandler, body: bytes) -> Iterator[http.client.HTTPResponse]:
        api = self.cluster.api
        upstream = http.client.HTTPSConnection("127.0.0.1", api.port, timeout=SECONDS, context=self._tls)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in _BY_THE_WAY}
        with contextlib.closing(upstream):
            upstream.request(handler.command, handler.path, body, {**headers, "Authorization": f"Bearer {api._token}"})
            with upstream.getresponse() as response:
                yield response

    def _reply(self, handler: "_Handler", body: bytes) -> None:
        asked = self._note(handler)
        if asked is not None and (instead := self.before(asked)) is not None:
            handler.give_instead(instead)
            return
        with self._passed_on(handler, body) as response:
            late = self.after(asked) if asked else None
            if late is None:
                handler.give(response.status, response.getheaders(), _pieces(response))
            else:
                handler.give_instead(late)


def _helms(found: re.Match[str], method: str) -> str:
    return found["command"] if method == "GET" else f"{found['command']} write"


class _Handler(BaseHTTPRequestHandler):
    """One request. Subclassed for its proxy, because the server makes it."""

    protocol_version = "HTTP/1.1"
    reply: Callable[["_Handler", bytes], None]

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.close_connection = True
        with contextlib.suppress(OSError, http.client.HTTPException):
            type(self).reply(self, body)

    def give_instead(self, answer: Answer) -> None:
        if answer.status is not None:
            headers = [("Content-Type", "application/json"), *answer.headers]
            self.give(answer.status, headers, iter([answer.body]))

    def give(self, status: int, headers: Iterable[tuple[str, str]], pieces: Iterable[bytes]) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _BY_THE_WAY:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = handle_any  # noqa: N815 - the names the base calls

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while piece := response.read1(1 << 16):
        yield piece
