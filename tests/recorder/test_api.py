import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder.clusters.api import Api, wait_until
from recorder.clusters.base import ClusterError

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBejCCASGgAwIBAgIUGkClqDOHNx3FmWzJG/nRyKuKYgIwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHY2x1c3RlcjAgFw0yNjExMzAxNTUyNTJaGA8yMTI2MTEwNjE1
NTI1MlowEjEQMA4GA1UEAwwHY2x1c3RlcjBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABK+IB1PWRG5nLRvcXiWgdcxa9BI35bh6EfXXxMcZ0AFyBxaRuWq8u8httZca
7sT1ebk6CkGwuNB75hJUegcqWP6jUzBRMB0GA1UdDgQWBBS/SYc88rNiRX+nTyKC
hlnwEryDETAfBgNVHSMEGDAWgBS/SYc88rNiRX+nTyKChlnwEryDETAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBBstzDdSMpzDOELHwURPg3xD0ny
DcuBxfryhiGlQN1RAiAedfF2yBaeXMjh47FXXJjeYfXgGNr/UePSMh7ENisN3g==
-----END CERTIFICATE-----
"""
"""Somebody's: its key was thrown away."""


class Stranger:
    """A program that took the port: it answers everything, and remembers what it was told."""

    def __init__(self) -> None:
        self.heard = b""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        connection, _ = self._socket.accept()
        with connection:
            self.heard = connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def close(self) -> None:
        self._thread.join(10)
        self._socket.close()


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    made = Stranger()
    yield made
    made.close()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    path = tmp_path / "certificate"
    path.write_text(CERTIFICATE, encoding="utf-8")
    return path


def test_a_server_that_has_not_made_its_certificate_yet_is_not_there(tmp_path: Path) -> None:
    server = Api(1, tmp_path / "none", "secret")

    assert not server.exists("/readyz")
    with pytest.raises(ClusterError) as caught:
        server.get("/readyz")
    assert str(caught.value) == "the API server did not answer a GET of /readyz (FileNotFoundError)"


def test_a_server_that_does_not_listen_is_not_there(certificate: Path) -> None:
    with pytest.raises(ClusterError, match=r"did not answer a POST of /api/v1/nodes \(ConnectionRefusedError\)"):
        Api(1, certificate, "secret").post("/api/v1/nodes", {})


def test_a_stranger_that_took_the_port_is_not_told_the_token(stranger: Stranger, certificate: Path) -> None:
    assert not Api(stranger.port, certificate, "the-token").exists("/readyz")

    stranger.close()
    assert stranger.heard
    assert b"the-token" not in stranger.heard


def test_the_address_is_loopback(certificate: Path) -> None:
    assert Api(20001, certificate, "secret").address == "https://127.0.0.1:20001"


def test_waiting_ends_when_it_is_done() -> None:
    answers = iter([False, False, True])

    wait_until("it", lambda: next(answers), seconds=10)

    assert next(answers, None) is None


def test_waiting_has_a_limit_and_names_what_for() -> None:
    with pytest.raises(ClusterError, match=r"^it: not within 0\.1 seconds$"):
        wait_until("it", lambda: False, seconds=0.1)


def test_waiting_ends_at_once_when_there_is_no_hope() -> None:
    def check() -> None:
        raise ClusterError("it died")

    with pytest.raises(ClusterError, match="it died"):
        wait_until("it", lambda: False, seconds=10, check=check)
