"""Requests to an API server, against a server of the test's own on loopback."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from recorder import kube as kube_module
from recorder.kube import AdminError, Kube


class Server(BaseHTTPRequestHandler):
    """Answers by path, and keeps an account."""

    protocol_version = "HTTP/1.1"
    account: list[tuple[str, str, str, str]]
    connections: set[tuple[str, int]]

    def do_GET(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def _answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.account.append((self.command, self.path, self.headers.get("Authorization", ""), content))
        self.connections.add(self.client_address)
        status = int(self.path.strip("/")) if self.path.strip("/").isdigit() else 200
        body = b"CANARY" if self.path == "/rubbish" else json.dumps({"path": self.path}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path == "/once"

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    Server.account, Server.connections = [], set()
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as made:
        made.daemon_threads = True
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join(10)


def kubeconfig(directory: Path, address: str, user: dict[str, str] | None = None) -> Path:
    path = directory / "kubeconfig"
    content = {
        "current-context": "mine",
        "contexts": [
            {"name": "other", "context": {"cluster": "other", "user": "other"}},
            {"name": "mine", "context": {"cluster": "mine", "user": "me"}},
        ],
        "clusters": [
            {"name": "other", "cluster": {"server": "http://192.0.2.1"}},
            {"name": "mine", "cluster": {"server": address, "certificate-authority-data": ""}},
        ],
        "users": [{"name": "other", "user": {}}, {"name": "me", "user": user or {}}],
    }
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def kube(server: ThreadingHTTPServer, tmp_path: Path) -> Iterator[Kube]:
    made = Kube(kubeconfig(tmp_path, f"http://127.0.0.1:{server.server_port}", {"token": "t0ken"}), tmp_path)
    yield made
    made.close()


def test_requests_go_to_the_current_context_as_its_user_over_one_connection(kube: Kube) -> None:
    assert kube.get("/api") == {"path": "/api"}
    assert kube.send("PATCH", "/api/a", {"a": 1}, form="application/merge-patch+json") == 200
    assert Server.account == [("GET", "/api", "Bearer t0ken", ""), ("PATCH", "/api/a", "Bearer t0ken", '{"a": 1}')]
    assert len(Server.connections) == 1


def test_a_connection_that_the_server_closed_is_opened_again(kube: Kube) -> None:
    kube.get("/once")
    assert kube.get("/again") == {"path": "/again"}
    assert len(Server.connections) == 2


def test_an_answer_that_is_no_success_names_the_request_only(kube: Kube) -> None:
    with pytest.raises(AdminError, match="the API server answered 404 to a GET of /404"):
        kube.get("/404")
    assert kube.send("PATCH", "/404") == 404
    with pytest.raises(AdminError, match="the API server answered 500 to a PATCH of /500"):
        kube.send("PATCH", "/500")


def test_an_answer_that_is_no_json_quotes_nothing(kube: Kube) -> None:
    with pytest.raises(AdminError) as error:
        kube.get("/rubbish")
    assert str(error.value) == "no answer to a GET of /rubbish (JSONDecodeError)"


def test_a_server_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    kube = Kube(kubeconfig(tmp_path, "http://127.0.0.1:1"), tmp_path)
    with pytest.raises(AdminError, match=r"no answer to a GET of /api \(ConnectionRefusedError\)"):
        kube.get("/api")


def test_a_server_that_does_not_answer_is_an_error_in_time(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kube_module, "REQUEST_SECONDS", 0.2)
    server.shutdown()
    kube = Kube(kubeconfig(tmp_path, f"http://127.0.0.1:{server.server_port}"), tmp_path)
    with pytest.raises(AdminError, match=r"no answer to a GET of /api \(TimeoutError\)"):
        kube.get("/api")


def test_a_client_certificate_of_a_kubeconfig_is_a_private_file(tmp_path: Path) -> None:
    data = base64.b64encode(b"a certificate").decode()
    written = Path(kube_module._file({"client-key-data": data}, "client-key", tmp_path))
    assert written.read_bytes() == b"a certificate"
    assert written.stat().st_mode & 0o777 == 0o600
    assert kube_module._file({"client-key": "/elsewhere"}, "client-key", tmp_path) == "/elsewhere"
