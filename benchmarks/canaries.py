"""Canaries: values of every shape, each with marks that give it away wherever it stands, and in what form."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

SHAPES = ("plain", "base64", "lines", "json", "unicode", "name", "number", "short")
_LETTERS = "bcdfghjklmnpqrstvwxz"


@dataclass(frozen=True)
class Canary:
    """A value of ``shape`` in a ``place`` of a stack. ``side`` (0 or 1) tells an old value from a new one."""

    place: str
    shape: str
    number: int
    side: int

    @property
    def token(self) -> str:
        """The text that stands in this canary and nowhere else."""
        if self.shape == "number":
            return f"739{self.side + 1}{self.number:05}"
        if self.shape == "short":
            return f"{'jq'[self.side]}{_LETTERS[self.number // 20]}{_LETTERS[self.number % 20]}Z"
        return f"zqx{self.number:03}{'vw'[self.side]}kj"

    @property
    def text(self) -> str:
        """The value."""
        token = self.token
        texts = {
            "base64": b64encode(f"{token}-pass".encode()).decode(),
            "lines": f"-----BEGIN {token}-one\n  {token}-two=\n{token}-three\n",
            "json": json.dumps({"user": f"{token}-user", "pass": f'{token}-"p<w>'}),
            "unicode": f"p\u00e4ss-{token}-\u00df\U0001f511\u202e\u00a0w\u00f6rd",
            "plain": f"{token}-pass word'\"\\",
        }
        return texts.get(self.shape, token)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What gives the canary away. A value that is a name may be seen as that name: only its base64 counts."""
        token = self.token
        if self.shape == "short":
            return (token, b64encode(token.encode()).decode().rstrip("="))
        if self.shape == "number":
            return (token, f"{token[0]}.{token[1:].rstrip('0')}", *_inside_base64(token))
        return (*(() if self.shape == "name" else (token,)), *_inside_base64(token))

    def is_in(self, text: str) -> bool:
        """Tell whether any mark stands in ``text``."""
        return any(mark in text for mark in self.marks)


def _inside_base64(token: str) -> tuple[str, ...]:
    """Return what base64 makes of ``token`` wherever it begins in what is encoded."""
    found = []
    for before in range(3):
        encoded = b64encode(b"\0" * before + token.encode()).decode()
        first, last = -(-before * 8 // 6), (before + len(token)) * 8 // 6
        found.append(encoded[first:last])
    return tuple(found)


class Flock:
    """All canaries of a scene, made as they are asked for."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, int], Canary] = {}

    def text(self, place: str, shape: str, side: int) -> str:
        """Return the value of a canary."""
        number = (
            self._made[place, shape, 1 - side].number if (place, shape, 1 - side) in self._made else len(self._made)
        )
        return self._made.setdefault((place, shape, side), Canary(place, shape, number, side)).text

    def texts(self, place: str, side: int, shapes: Iterable[str] = SHAPES) -> dict[str, str]:
        """Return the values of all shapes at a place, by shape."""
        return {shape: self.text(place, shape, side) for shape in shapes}

    def found_in(self, text: str) -> set[Canary]:
        """Return the canaries that a text gives away."""
        return {canary for canary in self._made.values() if canary.is_in(text)}

    def __len__(self) -> int:
        return len(self._made)


COMMANDS = (
    "set-env", "add-path", "add-mask", "debug", "notice", "warning", "error", "group", "endgroup", "save-state",
    "set-output", "echo", "stop-commands", "add-matcher", "remove-matcher",
)  # fmt: skip
"""The commands that a GitHub Actions runner takes from a log."""

_AROUND = (
    "{}",
    "  {}",
    "\t{}",
    "a\r{}",
    "\x1b[0m{}",
    "\u2028{}",
    "\u0085{}",
    "\ufeff{}",
    "\u00ad{}",
    "\x0b{}",
    "\b\b{}",
)
_IGNORED = re.compile("[\u00ad\u200b\u2060\ufeff\x00-\x08]|\x1b\\[[0-9;]*m")


def hostile_lines() -> list[str]:
    """Return each command in each form, with odd characters around it."""
    forms = [f"::{name} name=a,file=b::c" for name in COMMANDS] + [f"::{name.upper()}::on" for name in COMMANDS]
    forms += [f"##[{name} name=a;file=b]c" for name in COMMANDS] + [f"text ##[{name}]c" for name in COMMANDS]
    return [around.format(form) for form in forms for around in _AROUND]


def obeyed(log: str) -> list[str]:
    """Return the lines that a runner takes for a command.

    By its own rules: a line ends at CR or LF; ``::name …::`` counts at its start, behind any white space, and
    ``##[name …]`` anywhere; names in any case; nothing counts between ``stop-commands`` and its token. Characters
    that a comparison may pass over count as not there.
    """
    taken, token = [], None
    for line in re.split(r"\r\n|\r|\n", log):
        known = {*COMMANDS, *([token] if token else [])}
        command = _command(line, known) or _command(_IGNORED.sub("", line), known)
        if command is None:
            continue
        name, data = command
        if token is not None:
            token = None if name == token else token
            continue
        taken.append(line)
        token = data.lower() if name == "stop-commands" else None
    return taken


def _command(line: str, known: set[str]) -> tuple[str, str] | None:
    for expression in (r"\s*::((?:(?!::).)*)::(.*)", r".*?##\[([^\]]*)\](.*)"):
        found = re.match(expression, line, re.DOTALL)
        name = found[1].partition(" ")[0].lower() if found else ""
        if found and name in known:
            return name, found[2]
    return None
