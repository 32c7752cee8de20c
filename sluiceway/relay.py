"""The job log: what a tool wrote, with known values taken out and no way to command the job (``spec/core.md``).

What a runner relays goes through ``Concealed.clean`` and then to ``JobLog.tool_line``.
"""

import json
import os
import re
import threading
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Literal, Self, TextIO

from sluiceway.escapes import without_escapes, writable

Level = Literal["debug", "notice", "warning", "error"]

SHORTEST = 4
"""A value with fewer characters is not concealed: ``on``, ``web`` or ``80`` stand in too many places."""

_LINE_ENDS = re.compile(r"\r\n|\n|\r")
_GO_ESCAPES = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    "\\": r"\\",
    '"': r"\"",
}
_GO_JSON_ESCAPES = str.maketrans(
    {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026", "\u2028": r"\u2028", "\u2029": r"\u2029"}
)


class Concealed:
    """The values that must not be relayed, in the spellings in which a tool may print them. Safe between threads.

    A value is concealed whole and line by line, plain, in base64 (standard and for URLs, padded and not), and as JSON,
    Go's ``%q`` and YAML quote it. What is shorter than ``SHORTEST`` is not.
    """

    def __init__(self) -> None:
        self._forms: frozenset[str] = frozenset()
        self._adding = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        """Conceal ``values`` from now on."""
        forms = frozenset(form for value in values for form in _forms(value) if len(form) >= SHORTEST)
        with self._adding:
            self._forms |= forms

    def clean(self, text: str) -> str:
        """Return ``text`` with ``***`` in the place of every known value; values that overlap go together."""
        spans = sorted(span for form in self._forms if form in text for span in _spans(form, text))
        kept: list[str] = []
        done = 0
        for start, end in spans:
            if start >= done:
                kept += text[done:start], "***"
            done = max(done, end)
        return "".join(kept) + text[done:]


def _spans(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _forms(value: str) -> Iterator[str]:
    pieces = {piece for line in (value, *value.splitlines()) if len(piece := line.strip()) >= SHORTEST}
    if not pieces:
        return
    for whole in (value, value.strip()):
        yield from _encoded(whole)
    for piece in {*pieces, value}:
        yield from _spellings(piece)


def _encoded(value: str) -> Iterator[str]:
    content = value.encode("utf-8", "surrogatepass")
    for encode in (b64encode, urlsafe_b64encode):
        padded = encode(content).decode("ascii")
        yield padded
        yield padded.rstrip("=")


def _spellings(piece: str) -> Iterator[str]:
    yield piece
    yield without_escapes(piece)
    yield piece.replace("'", "''")
    plain_json = json.dumps(piece, ensure_ascii=False)[1:-1]
    go_json = plain_json.translate(_GO_JSON_ESCAPES)
    yield plain_json
    yield go_json
    yield json.dumps(piece)[1:-1]
    yield _go_quoted(piece)
    # An annotation that holds an applied object is JSON in JSON, or JSON in %q.
    yield json.dumps(plain_json, ensure_ascii=False)[1:-1]
    yield _go_quoted(go_json)


def _go_quoted(text: str) -> str:
    """Return ``text`` as Go's ``%q`` writes it, without the quotes."""
    if text.isprintable() and "\\" not in text and '"' not in text:
        return text
    return "".join(_GO_ESCAPES.get(character) or _go_character(character) for character in text)


def _go_character(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < ord(" ") or code == 0x7F:  # noqa: PLR2004  # DEL
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004  # what four digits hold


class JobLog:
    """The one writer of the job log. Lines of stacks side by side never mix; safe between threads.

    With ``github``, all but our own annotations stands in a region where GitHub Actions takes no workflow commands:
    ``::stop-commands::<token>`` until ``::<token>::``, with a fresh token for each region, so that one that was seen in
    the log is worth nothing. Everything a tool wrote must go to the job log on this one stream, and the log must be
    left (or closed) on every way out. Not for use in a signal handler.

    A reader that is gone (a closed pipe, a full disk) does not end the work: what can't be written is dropped.
    """

    def __init__(self, stream: TextIO, *, github: bool) -> None:
        self._stream = stream
        self._github = github
        self._token: str | None = None
        self._writing = threading.Lock()

    def tool_line(self, stack_id: str, text: str) -> None:
        """Write what a tool of the stack wrote, as ``<stack id> | <text>``. Conceal values before."""
        self._write_text([f"{stack_id} | {line}".rstrip() for line in _LINE_ENDS.split(text)])

    def say(self, text: str) -> None:
        """Write a line (or several) of our own."""
        self._write_text(_LINE_ENDS.split(text))

    def annotate(self, level: Level, text: str, file: str | None = None, line: int | None = None) -> None:
        """Say something that GitHub Actions shows beside the run, at a place in a file where one is given.

        Elsewhere it is a line like ``sluiceway.yaml:3: error: <text>``.
        """
        if not self._github:
            place = "".join(f"{part}:" for part in (file, line) if part)
            self.say(f"{place} {level}: {text}".lstrip())
            return
        with self._writing:
            self._leave_region()
            self._put([_command(level, text, file=file, line=line)])

    def close(self) -> None:
        """Let GitHub Actions take commands again. A closed log may still be written to, and closed again."""
        with self._writing:
            self._leave_region()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write_text(self, lines: list[str]) -> None:
        plain = [without_escapes(line) for line in lines]
        with self._writing:
            if not self._github or self._token is not None:
                self._put(plain)
                return
            token = os.urandom(16).hex()
            # Remembered last: cut short before, the next text asks again, which a region that is open takes for text.
            if self._put([f"::stop-commands::{token}", *plain]):
                self._token = token

    def _leave_region(self) -> None:
        # Forgotten first, for the same reason.
        token, self._token = self._token, None
        if token is not None:
            self._put([f"::{token}::"])

    def _put(self, lines: list[str]) -> bool:
        """Write whole lines at once, and tell whether that went well."""
        text = "".join(f"{line}\n" for line in lines)
        try:
            self._stream.write(writable(text, self._stream.encoding))
            self._stream.flush()
        except OSError:
            return False
        return True


def _command(level: Level, text: str, **places: str | int | None) -> str:
    """Return the workflow command that makes an annotation."""
    properties = ",".join(f"{name}={_property(str(place))}" for name, place in places.items() if place)
    shown = "\n".join(without_escapes(line) for line in _LINE_ENDS.split(text))
    return f"::{level} {properties}".rstrip() + f"::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
