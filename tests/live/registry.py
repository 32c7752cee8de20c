"""Where charts are had, on loopback: a repository (an index and files) and an OCI registry, both over TLS.

The registry is crane's. In front of it stands a server of ours, because crane knows neither TLS, without which Helm 4
reads from no registry, nor a login. What lies below ``private`` wants one.
"""

import base64
import http.client
import ssl
import subprocess
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from recorder import tools
from recorder.clusters.held import Held
from tests.live.repo import CANARY

CRANE = "crane"
WANTED = ">=0.20.0"
SECONDS = 30.0

USER, PASSWORD = "robot", f"{CANARY}-p4ssw0rd"
OPEN, PRIVATE = "charts", "private"

_TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
data:
  version: CANARY-{{ .Chart.Version }}
""".replace("CANARY", CANARY)

_OF_THE_CONNECTION = frozenset({"connection", "host", "transfer-encoding"})


class Charts:
    """The charts that were published: in the registry at ``host``, and below ``address`` as files.

    ``certificate`` is what both are known by, its key beside it; ``helm`` publishes.
    """

    def __init__(self, directory: Path, certificate: Path, helm: Path) -> None:
        self.files = directory / "files"
        self._environment = {"HOME": str(directory), "SSL_CERT_FILE": str(certificate)}
        self._packages = directory / "packages"
        self._helm = helm
        self._held = Held()
        self.files.mkdir()
        try:
            port = self._start_crane()
            self._server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(self.files), crane=port))
        except BaseException:
            self._held.close()
            raise
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        # The thread of a connection shakes hands, not the one that takes them in.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.address = f"https://{self.host}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._held.close()

    def publish(self, version: str, name: str = "app", place: str = OPEN) -> str:
        """Publish a chart of one ConfigMap in both, and return its digest in the registry."""
        source = self._packages / name
        (source / "templates").mkdir(parents=True, exist_ok=True)
        (source / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: {version}\n", encoding="utf-8")
        (source / "templates" / "all.yaml").write_text(_TEMPLATE, encoding="utf-8")
        shelf = self.files / place
        self._run("package", str(source), f"--destination={shelf}")
        self.index(place)
        if place == PRIVATE:
            self._run("registry", "login", self.host, f"--username={USER}", f"--password={PASSWORD}")
        pushed = self._run("push", str(shelf / f"{name}-{version}.tgz"), f"oci://{self.host}/{place}")
        return pushed.partition("Digest: ")[2].split()[0]

    def index(self, place: str, *, into: str = "", url: str = "") -> None:
        """Write an index of the files in ``place``, ``into`` another place; ``url`` is where they are said to be."""
        target = self.files / (into or place)
        target.mkdir(exist_ok=True)
        self._run("repo", "index", str(self.files / place), f"--url={url or f'{self.address}/{place}'}")
        (self.files / place / "index.yaml").replace(target / "index.yaml")

    def _run(self, *arguments: str) -> str:
        argv = [str(self._helm), *arguments]
        answer = subprocess.run(
            argv, env=self._environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout + answer.stderr

    def _start_crane(self) -> int:
        """Start the registry, and return the port that it chose."""
        argv = [str(tools.need(CRANE, WANTED).path), "registry", "serve", "--address=127.0.0.1:0"]
        self._held.start(CRANE, argv, {})
        log = self._held.directory / f"{CRANE}.log"
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            said = log.read_text(encoding="utf-8") if log.exists() else ""
            if "serving on port " in said and said.endswith("\n"):
                return int(said.split("serving on port ")[1].split()[0])
            time.sleep(0.02)
        raise TimeoutError(f"{CRANE} did not say its port")


def missing() -> str:
    """Return where crane was looked for in vain; empty when it is there."""
    found = tools.find(CRANE, WANTED)
    return "" if isinstance(found, tools.Found) else f"an OCI registry: {found}"


class _Server(ThreadingHTTPServer):
    """A stranger to our certificate, and one who hangs up, are no trouble."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


class _Handler(SimpleHTTPRequestHandler):
    """Answers with files, and below ``/v2/`` with what crane answers."""

    timeout = SECONDS

    def __init__(self, *arguments: Any, directory: str, crane: int) -> None:
        self._crane = crane
        super().__init__(*arguments, directory=directory)

    def do_GET(self) -> None:
        if self._may() and not self._passed_on():
            super().do_GET()

    def do_HEAD(self) -> None:
        if self._may() and not self._passed_on():
            super().do_HEAD()

    def do_POST(self) -> None:
        if self._may():
            self._passed_on()

    do_PATCH = do_PUT = do_POST  # noqa: N815 - the names that a handler has

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
        """Log nothing."""

    def _may(self) -> bool:
        known = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"
        if f"/{PRIVATE}/" not in self.path or self.headers.get("Authorization") == known:
            return True
        self.send_response(http.HTTPStatus.UNAUTHORIZED)
        self.send_header("WWW-Authenticate", 'Basic realm="charts"')
        self.send_header("Content-Length", "0")
        self.end_headers()
        return False

    def _passed_on(self) -> bool:
        if not self.path.startswith("/v2/"):
            return False
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {key: value for key, value in self.headers.items() if key.lower() not in _OF_THE_CONNECTION}
        connection = http.client.HTTPConnection("127.0.0.1", self._crane, timeout=SECONDS)
        try:
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            self.send_response_only(answer.status)
            for key, value in answer.getheaders():
                if key.lower() not in _OF_THE_CONNECTION:
                    self.send_header(key, value)
            self.end_headers()
            self.wfile.write(answer.read())
        finally:
            connection.close()
        return True
