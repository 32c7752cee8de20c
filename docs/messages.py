"""Every message that a person may meet, with an example: what the code can say, and what it says of real cases.

``messages.yaml`` holds the cases. What the code can say is read from it: the words of each problem, reason and refusal.
One that no case makes it say is an error, so a new message needs a case.
"""

import ast
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from sluiceway.adapters.helm.failures import failed as helm_failed
from sluiceway.adapters.kubectl.failures import failed as kubectl_failed
from sluiceway.cli import run
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "sluiceway"
CASES = ROOT / "docs" / "messages.yaml"
SAID = ROOT / "tests" / "adapters"
"""What tools wrote on real servers."""

PROBLEMS = (
    "adapters/helm/files.py",
    "adapters/helm/rules.py",
    "adapters/helm/sources.py",
    "adapters/kubectl/files.py",
    "adapters/options.py",
    "config/checking.py",
    "config/complaints.py",
    "config/document.py",
    "config/entries.py",
    "config/file.py",
    "config/rules.py",
    "discovery.py",
)
"""The modules that say what is wrong with ``sluiceway.yaml`` and the files that it names."""

REASONS = ("adapters", "commands", "model", "runs")
ELSEWHERE = ("commands/dashboard",)
"""What has no case here: it speaks in the dashboard."""

REPO = {
    "sluiceway.yaml": "stacks:\n- {path: web, tool: kubectl}\n- {path: old, tool: kubectl}\nignore: [old]\n",
    "web/a.yaml": "kind: ConfigMap\n",
    "old/a.yaml": "kind: ConfigMap\n",
}
"""Where the command lines that are refused are typed."""

_GAP = "\0"
_NAMED = re.compile(r"\0|\{[a-z_]+\}|<[a-z]+>")
_SENTENCE = re.compile(r"[a-z`]{2} [a-z`(]")
_DESCRIBING = {"re.compile", "Field"}


@dataclass(frozen=True)
class Message:
    """Words that the code can say, with gaps for what differs, and where it says them."""

    words: str
    place: str
    next_step: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """An expression that finds the words in a text."""
        return re.compile(_expression(self.words), re.DOTALL)


def _expression(words: str) -> str:
    return ".*?".join(re.escape(part) for part in _NAMED.split(words.replace("<tool>", _GAP)))


def problem_messages() -> list[Message]:
    """Return the sentences of the modules that say what is wrong with the config."""
    return [message for name in PROBLEMS for message in _sentences(CODE / name)]


def _sentences(path: Path) -> Iterator[Message]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set(_left_out(tree))
    for node in ast.walk(tree):
        words = None if node in left_out else _words(node)
        if words is not None and words.count(" ") > 1 and _SENTENCE.search(words):
            yield Message(words, _place(path, node))


def _left_out(tree: ast.AST) -> Iterator[ast.AST]:
    """Give what is no message: docstrings, expressions, descriptions of keys, words of a parser, parts of a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from node.values
        elif isinstance(node, ast.Dict):
            yield from filter(None, node.keys)
        elif isinstance(node, ast.Set):
            yield from node.elts
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in _DESCRIBING:
            yield from ast.walk(node)


def _words(node: ast.AST | None) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else _GAP for part in node.values)
    return None


def _place(path: Path, node: Any) -> str:
    return f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"


def refusals() -> list[Message]:
    """Return why a command line is refused."""
    calls = (found for found in _calls({"UsageProblem"}) if found[1].args)
    return [Message(words, _place(path, call)) for path, call in calls if (words := _words(call.args[0])) is not None]


def reasons() -> list[Message]:
    """Return why a stack fails, each with its next step. One without is an error."""
    messages = []
    for path, call in _calls({"Reason", "Pattern"}):
        given = dict(zip(("kind", "what", "next_step"), call.args[-3:], strict=False))
        if isinstance(call.func, ast.Name) and call.func.id == "Reason":
            given = dict(zip(("kind", "what", "next_step"), call.args, strict=False))
        if any(isinstance(part, ast.Starred) for part in call.args) or not call.args:
            continue
        step = given.get("next_step")
        if step is None or _words(step) == "":
            raise LookupError(f"{_place(path, call)}: this reason names no next step")
        if (words := _words(given["what"])) is not None:
            messages.append(Message(words, _place(path, call), _words(step) or ""))
    return messages


def _calls(names: set[str]) -> Iterator[tuple[Path, ast.Call]]:
    for path in sorted(path for room in REASONS for path in (CODE / room).rglob("*.py")):
        if path.relative_to(CODE).as_posix().startswith(ELSEWHERE):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield path, node


def cases() -> dict[str, Any]:
    """Return the cases of ``messages.yaml``."""
    found: dict[str, Any] = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return found


def missing(messages: Iterable[Message], said: str) -> list[str]:
    """Return the messages that ``said`` has no example of."""
    return [f"{each.place}: {each.words}" for each in messages if not each.pattern.search(said)]


def lay(files: dict[str, Any], root: Path) -> None:
    """Lay the files of a case: text, or a mapping with link, directory, pipe, hex (bytes) or repeat (text, times)."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                path.write_text(content, encoding="utf-8")
            case {"link": to}:
                path.symlink_to(to)
            case {"hex": digits}:
                path.write_bytes(bytes.fromhex(digits))
            case {"repeat": parts}:
                pairs = zip(parts[::2], parts[1::2], strict=True)
                path.write_text("".join(text * times for text, times in pairs), encoding="utf-8")
            case {"pipe": True}:
                os.mkfifo(path)
            case _:
                path.mkdir()


def typed(words: list[str], files: dict[str, Any] | None) -> str:
    """Return what ``sluiceway WORDS`` says in a repo of ``files``; None: where there is no repo."""
    said = io.StringIO()
    with TemporaryDirectory() as directory:
        root = Path(directory, "repo")
        if files is not None:
            root.mkdir()
            lay(files, root)
        with redirect_stdout(said), redirect_stderr(said):
            run([words[0], "--root", str(root), *words[1:]] if "--replay" not in words else words)
        return said.getvalue().replace(f"{root}/", "").replace(str(root), ".")


def problems_told() -> str:
    """Return each case of a broken repo as it is written, and what ``check`` says of it."""
    parts = []
    for case in cases()["problems"]:
        said = "".join(typed(["check"], case["files"]).splitlines(keepends=True)[-case.get("last", 0) :])
        shown = (case["files"] or {}).get("sluiceway.yaml")
        block = f"```text\n{shown}```\n\n" if isinstance(shown, str) else ""
        parts.append(f"{case['says']}\n\n{block}```text\n{said}```\n")
    text = "\n".join(parts)
    return _whole(problem_messages(), text)


def refusals_told() -> str:
    """Return each command line that is refused, and what is said of it."""
    parts = []
    for case in cases()["refusals"]:
        words = case["typed"].split()
        said = typed(words, REPO)
        parts.append(f"$ sluiceway {case['typed']}\n{said}")
    return f"```text\n{_whole(refusals(), ''.join(parts))}```\n"


def reasons_told() -> str:
    """Return a table of all reasons with an example each: of recordings, of what tools wrote, or of the cases."""
    known = {**{one["text"]: one["kind"] for one in _recorded()}, **_said_of_tools()}
    known |= {text: kind for kind, texts in cases()["reasons"].items() for text in texts}
    rows, left = [], []
    for message in reasons():
        found = [text for text in sorted(known, key=len) if message.pattern.search(text) and _steps(message, text)]
        if not found:
            left.append(f"{message.place}: {message.words} | {message.next_step}")
        elif (known[found[0]], found[0]) not in rows:
            rows.append((known[found[0]], found[0]))
    if left:
        raise LookupError("no example in docs/messages.yaml, reasons, of\n" + "\n".join(left))
    stale = [
        text
        for texts in cases()["reasons"].values()
        for text in texts
        if not any(message.pattern.search(text) and _steps(message, text) for message in reasons())
    ]
    if stale:
        raise LookupError("nothing in the code says any more\n" + "\n".join(stale))
    head = "| `kind` | the reason and the next step |\n| --- | --- |\n"  # a comment within a table would end it
    return head + "".join(f"| `{kind}` | {_cell(text)} |\n" for kind, text in sorted(rows))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("CAN" + "ARY", "…")


def _steps(message: Message, text: str) -> bool:
    return re.search(_expression(message.next_step), text, re.DOTALL) is not None


def _recorded() -> Iterator[dict[str, Any]]:
    """Yield the reasons in the snapshots of the scenarios."""
    for path in sorted((ROOT / "scenarios").glob("*/snapshots/*/*.json")):
        for step in json.loads(path.read_text(encoding="utf-8")):
            for stack in step["stacks"]:
                yield from (stack[key] for key in ("reason", "driftReason") if stack.get(key))


def _said_of_tools() -> dict[str, str]:
    """Return what is made of what tools wrote on stderr, with its kind."""
    found: dict[str, Reason] = {}
    for path in sorted((SAID / "kubectl" / "stderr").iterdir()):
        reason = kubectl_failed(Outcome("exited", 1, b"", path.read_text(encoding="utf-8")), "kubectl diff")
        found[reason.text] = reason
    for path in sorted((SAID / "helm" / "stderr").iterdir()):
        doing = "helm diff upgrade" if re.search("diff|three-way|plugin", path.stem) else "helm upgrade"
        outcome = Outcome("exited", 1, b"", path.read_text(encoding="utf-8"))
        reason = helm_failed(outcome, doing, release="web", namespace="shop")
        found[reason.text] = reason
    return {text: reason.kind for text, reason in found.items()}


def _whole(messages: list[Message], text: str) -> str:
    unseen = cases()["unseen"]
    if left := [each for each in missing(messages, text) if not any(words in each for words in unseen)]:
        raise LookupError("no example in docs/messages.yaml of\n" + "\n".join(left))
    return text


if __name__ == "__main__":
    sys.exit("run docs/generate.py")
