"""The stand-in as a server on loopback: authorization, limits, faults, and the judgement of every exchange."""

import json
import re
import socket
import threading
from dataclasses import dataclass
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from tests.github.standin import conforming, graph
from tests.github.standin.conforming import Sent
from tests.github.standin.events import Events
from tests.github.standin.faults import Fault, Faults
from tests.github.standin.people import Person
from tests.github.standin.rest import Answered, Asked, Refused, Rest
from tests.github.standin.state import State, Token

TOKEN = "ghs_standin"  # noqa: S105  # it opens nothing but the stand-in
HOUR = 3600
_SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


@dataclass(frozen=True)
class Exchange:
    """A request that came in, and what it was answered; 0: nothing."""

    operation: str
    login: str
    status: int
    fault: Fault | None = None


@dataclass
class _Reply:
    status: int
    data: Any
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return json.dumps(self.data)


class GitHubServer:
    """A GitHub with one repository. ``violations`` holds whatever was not as GitHub's descriptions say."""

    def __init__(self, state: State | None = None, *, enterprise: bool = False) -> None:
        self.state = state or State()
        self.faults = Faults()
        self.events = Events(self.state)
        self.exchanges: list[Exchange] = []
        self.violations: list[str] = []
        self.limit = self.remaining = 5000
        self.hold = 0.0
        """Seconds that a request without an answer is held before its connection is closed."""
        self._resets = self.state.clock.at.timestamp() + HOUR
        self._prefix, self._graphql = ("/api/v3", "/api/graphql") if enterprise else ("", "/graphql")
        self._rest = Rest(self.state)
        self._lock = threading.RLock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.standin = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.state.token(TOKEN, self.state.bot)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def environment(self, token: str = TOKEN) -> dict[str, str]:
        """Return what a job on it has in its environment."""
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": f"{self.url}{self._prefix}",
            "GITHUB_GRAPHQL_URL": f"{self.url}{self._graphql}",
            "GITHUB_SERVER_URL": self.url,
            "GITHUB_REPOSITORY": self.state.name,
            "INPUT_TOKEN": token,
            "NO_PROXY": "127.0.0.1",
        }

    def person(self, login: str, role: str = "write", *, custom: str | None = None) -> Person:
        """Return a person with a role; ``custom`` is the name of a custom role on top of it."""
        with self._lock:
            self.state.roles[login] = (role, custom or role)
            return Person(self.state, self.state.account(login))

    def delete_account(self, login: str) -> None:
        """Delete an account: all that it wrote stays, without a name."""
        self.state.accounts[login].deleted = True

    def answer(self, verb: str, target: str, token: str | None, body: str | None) -> tuple[_Reply | None, Fault | None]:
        """Answer a request; None closes the connection."""
        with self._lock:
            self.state.clock.advance(seconds=0.01)
            parts = urlsplit(target)
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            is_graphql = verb == "POST" and parts.path == self._graphql
            sent = None if is_graphql else Sent(verb, parts.path.removeprefix(self._prefix), query, body)
            name = _graphql_name(body) if sent is None else _rest_name(sent)
            self.faults.act(name)
            fault = self.faults.draw(name)
            reply = self._faulty(fault)
            if reply is None and (fault is None or fault.done):
                done = self._carry_out(self.state.tokens.get(token or ""), sent, body)
                reply = done if fault is None else self._faulty(fault, late=True)
            login = self.state.tokens[token].account.login if token in self.state.tokens else ""
            self.exchanges.append(Exchange(name, login, reply.status if reply else 0, fault))
            return reply, fault

    def _faulty(self, fault: Fault | None, *, late: bool = False) -> _Reply | None:
        """Return how a request fails; None where nothing is answered, or not yet."""
        if fault is Fault.PRIMARY:
            headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(self._now()) + 120)}
            return self._reply(self.faults.status, {"message": "API rate limit exceeded for installation."}, headers)
        if fault is Fault.SECONDARY:
            return self._reply(self.faults.status, {"message": _SECONDARY}, {"retry-after": "7"})
        if fault is Fault.SECONDARY_SILENT:
            return self._reply(self.faults.status, {"message": _SECONDARY}, {})
        if fault is Fault.SERVER_ERROR or (late and fault is Fault.LATE_ERROR):
            return self._reply(502, {"message": "Server Error"}, {})
        if late and fault is Fault.NONSENSE:
            return self._reply(200, None, {})
        return None

    def _carry_out(self, token: Token | None, sent: Sent | None, body: str | None) -> _Reply:
        if token is None:
            return self._reply(401, {"message": "Bad credentials"}, {})
        if (spent := self._spend()) is not None:
            return spent
        return self._ask_graphql(token, body or "{}") if sent is None else self._ask_rest(token, sent)

    def _spend(self) -> _Reply | None:
        """Spend one request of the hour, or refuse it."""
        if self._now() >= self._resets:
            self.remaining, self._resets = self.limit, self._now() + HOUR
        if self.remaining <= 0:
            return self._reply(403, {"message": "API rate limit exceeded for installation."}, {})
        self.remaining -= 1
        return None

    def _ask_graphql(self, token: Token, body: str) -> _Reply:
        given = json.loads(body)
        self.violations += [f"graphql: {problem}" for problem in conforming.graphql_problems(given["query"])]
        return self._reply(200, graph.execute(self.state, token, given), {})

    def _ask_rest(self, token: Token, sent: Sent) -> _Reply:
        self.violations += conforming.request_problems(sent)
        operation = sent.operation
        if operation is None:
            return self._reply(404, {"message": "Not Found"}, {})
        parameters = {name: unquote(value) for name, value in operation.parameters.items()}
        asked = Asked(operation.id, parameters, sent.query, json.loads(sent.body or "{}"), token)
        try:
            answered = self._rest.carry_out(asked)
        except Refused as error:
            told = {"message": error.message, "documentation_url": "https://docs.github.com/rest"}
            reply = self._reply(error.status, told, {})
        else:
            reply = self._reply(answered.status, answered.data, self._link(sent, answered))
        self.violations += conforming.answer_problems(sent, reply.status, reply.text, closed=True)
        return reply

    def _link(self, sent: Sent, answered: Answered) -> dict[str, str]:
        number = int(sent.query.get("page", 1))
        if number >= answered.pages:
            return {}
        following = urlencode({**sent.query, "page": str(number + 1)})
        return {"link": f'<{self.url}{self._prefix}{sent.path}?{following}>; rel="next"'}

    def _reply(self, status: int, data: Any, headers: dict[str, str]) -> _Reply:
        common = {
            "date": format_datetime(self.state.clock.at.replace(microsecond=0), usegmt=True),
            "x-github-request-id": f"STANDIN:{len(self.exchanges)}",
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.remaining),
            "x-ratelimit-reset": str(int(self._resets)),
        }
        return _Reply(status, data, {**common, **headers})

    def _now(self) -> float:
        return self.state.clock.at.timestamp()


def _graphql_name(body: str | None) -> str:
    query = str(json.loads(body or "{}").get("query", ""))
    found = re.search(r"(?:query|mutation)\s+(\w+)", query)
    return f"graphql {found[1] if found else '?'}"


def _rest_name(sent: Sent) -> str:
    return sent.operation.id if sent.operation else f"{sent.method} {sent.path}"


class _Server(ThreadingHTTPServer):
    standin: GitHubServer
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        """Keep quiet where a client went away."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:  # the library's name
        self._answer()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815  # the library's names

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode() if length else None
        token = (self.headers.get("authorization") or "").rpartition(" ")[2] or None
        standin = self.server.standin
        try:
            reply, fault = standin.answer(self.command, self.path, token, body)
        except Exception as error:  # whatever it is, the test is told
            standin.violations.append(f"{self.command} {self.path}: {type(error).__name__}: {error}")
            raise
        if fault in {Fault.TIMEOUT, Fault.LATE}:
            threading.Event().wait(standin.hold)
        if reply is None:
            self._hang_up()
        else:
            self._send(reply, nonsense=fault is Fault.NONSENSE)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, reply: _Reply, *, nonsense: bool) -> None:
        content = b"<html>Unicorn!</html>" if nonsense else reply.text.encode()
        self.send_response_only(reply.status)
        self.send_header("content-type", "text/html" if nonsense else "application/json; charset=utf-8")
        self.send_header("content-length", str(len(content)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
