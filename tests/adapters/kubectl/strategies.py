"""Trees, objects and texts as hostile as the world can make them, and a printer of YAML in Go's style."""

import re
import string
from typing import Any, Final

from hypothesis import strategies as st

from sluiceway.adapters.kubernetes.goscalars import json_value, resolve
from sluiceway.model.trees import Float

LONGEST_KEY = 128
"""Where Go's emitter starts to write a key behind a question mark."""

WIDTH = 80
"""Where Go's emitter starts to fold a long scalar."""

_PLAIN = re.compile(r"[A-Za-z0-9_./+=~$%^()*;<>|\\-][A-Za-z0-9_./+=~$%^()*;<>|\\ é😀-]*\Z")
_PLAIN_START = re.compile(r"[-*%|>=~]|\.\.\.|$")

HOSTILE_TEXTS: Final = (
    *(
        "",
        " ",
        "  ",
        "\n",
        "\n\n",
        "a\n",
        "a\nb",
        "a\n\nb\n",
        " a\n",
        "\n a",
        "a\n\n",
        "a \nb",
        "\ta\nb",
        "a: b\nc: d\n",
    ),
    *(
        "y",
        "n",
        "on",
        "yes",
        "true",
        "null",
        "~",
        "5",
        "1.5",
        "1e3",
        "0x1",
        "2020-01-01",
        "12:30:45",
        "=",
        "<<",
        ".inf",
    ),
    *(
        "---",
        "--- a",
        "...",
        "--- a\n+++ b\n@@ -1 +1 @@\n",
        "diff a b",
        "@@ -1,2 +1,2 @@",
        "- a",
        "-",
        "? a",
        ": a",
        "a:",
    ),
    *(
        "# a",
        "a # b",
        "a #",
        "&a",
        "*a",
        "!a",
        "! a",
        "%a",
        "@a",
        "`a",
        "{a",
        "[a",
        "a]",
        '"',
        "'",
        "it's",
        '"a"',
        "a, b",
    ),
    *("é😀", "\x85", "a\x85b", "a\u2028b", "a\u2028\nb", "\ufeff", "a\rb", "a\r\nb", "\x00", "\x07"),
    *("\\ No newline at end of file", "\\", "a\\nb", "x" * 200, "word " * 30, "word  " * 30, '"w" ' * 40, "é: " * 40),
)
_CHARACTERS = string.ascii_letters[:4] + "y01 .:-#&*!|>'\"%@`,?{}[]\n\t\\~=\x85\u2028é😀"

texts = st.sampled_from(HOSTILE_TEXTS) | st.text(_CHARACTERS, max_size=12)
names = st.text("abcyn01", min_size=1, max_size=3)
keys = st.one_of(
    names,
    names,
    st.sampled_from(["y", "true", "null", "5", "1.5", "a.b/c", "a-b", "_a", "A", "a b", "x" * 130, "last-applied"]),
    texts,
)
whole_numbers = st.integers(-3, 12) | st.integers(-(2**63), 2**64 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False).map(json_value)
scalars = st.none() | st.booleans() | whole_numbers | floats | texts


_chance = st.integers(0, 5)


def trees(leaves: st.SearchStrategy[Any] = scalars) -> st.SearchStrategy[dict[str, Any]]:
    """Return maps of maps, lists and scalars."""
    nodes = st.recursive(
        leaves,
        lambda below: st.lists(below, max_size=3) | st.dictionaries(keys, below, max_size=2),
        max_leaves=6,
    )
    return st.dictionaries(keys, nodes, min_size=1, max_size=3)


@st.composite
def edited(draw: st.DrawFn, tree: Any) -> Any:
    """Draw what became of a tree: parts of it kept, changed, dropped and added."""
    return _edited(draw, tree)


def _edited(draw: st.DrawFn, node: Any) -> Any:
    choice = draw(_chance)
    if choice == 0 or not isinstance(node, dict | list):
        return draw(scalars) if choice == 0 else node
    if isinstance(node, list):
        kept = [_edited(draw, item) for item in node if draw(_chance)]
        return [*kept, draw(scalars)] if choice == 1 else kept
    tree = {key: _edited(draw, child) for key, child in node.items() if draw(_chance)}
    return {**tree, draw(keys): draw(scalars)} if choice == 1 else tree


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a map, and what became of it."""
    before = draw(trees())
    after = draw(edited(before))
    return before, after if isinstance(after, dict) and after else before


@st.composite
def objects(draw: st.DrawFn, body: st.SearchStrategy[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Draw an object of Kubernetes with any content."""
    metadata: dict[str, Any] = {"name": draw(names)}
    if draw(st.booleans()):
        metadata["namespace"] = draw(names)
    if draw(st.booleans()):
        metadata["labels"] = draw(st.dictionaries(names, texts, max_size=2))
    kind = draw(st.sampled_from([("v1", "ConfigMap"), ("v1", "Secret"), ("apps/v1", "Deployment"), ("e.com/v1", "W")]))
    content = draw(trees() if body is None else body)
    return {**content, "apiVersion": kind[0], "kind": kind[1], "metadata": metadata}


@st.composite
def object_pairs(draw: st.DrawFn) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Draw both sides of an object as a diff shows them: one of them may be missing."""
    before = draw(objects())
    spec = draw(edited(before.get("spec", {"a": 1})))
    after = {**before, "spec": spec}
    side = draw(st.sampled_from(["both", "both", "merged", "live"]))
    return (None if side == "merged" else before), (None if side == "live" else after)


def dump(tree: Any) -> str:
    """Return a map as Go's yaml prints it: keys sorted, list items where their key is, blocks for several lines."""
    return "".join(f"{line}\n" for line in _lines(tree))


def _lines(node: Any) -> list[str]:
    if isinstance(node, dict) and node:
        return [line for key in sorted(node) for line in _entry(key, node[key])]
    if isinstance(node, list) and node:
        return [line for item in node for line in _item(item)]
    raise AssertionError("only what is filled has lines of its own")


def _entry(key: str, node: Any) -> list[str]:
    first, *more = _scalar(key)
    if not more and len(key) <= LONGEST_KEY:
        return _under([f"{first}:"], node)
    return _under([f"? {first}", *_indented(more), ":"], node)


def _under(head: list[str], node: Any) -> list[str]:
    if _filled(node):
        below = _lines(node)
        return [*head, *(below if isinstance(node, list) else _indented(below))]
    first, *more = _value(node)
    return [*head[:-1], f"{head[-1]} {first}", *_indented(more)]


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _item(node: Any) -> list[str]:
    first, *more = _lines(node) if _filled(node) else _value(node)
    return [f"- {first}", *_indented(more)]


def _filled(node: Any) -> bool:
    return isinstance(node, dict | list) and bool(node)


def _value(node: Any) -> list[str]:
    if isinstance(node, Float):
        return [str(node)]
    if isinstance(node, str):
        return _scalar(node)
    words: dict[Any, str] = {None: "null", True: "true", False: "false"}
    if node is None or isinstance(node, bool):
        return [words[node]]
    return [{"{}": "{}", "[]": "[]"}.get(str(node), str(node))]


def _scalar(text: str) -> list[str]:
    if "\n" in text and _printable(text) and text.strip() and "\t" not in text:
        return _literal(text)
    if not isinstance(resolve(text), str) or not _printable(text) or "\n" in text or "\t" in text:
        return _folded(f'"{"".join(map(_escaped, text))}"')
    if _PLAIN.match(text) and not _PLAIN_START.match(text) and not text.endswith(" "):
        return _folded(text)
    doubled = text.replace("'", "''")
    return _folded(f"'{doubled}'")


def _printable(text: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in text)


def _literal(text: str) -> list[str]:
    ending = "-" if not text.endswith("\n") else "+" if text.endswith("\n\n") else ""
    hint = "2" if text[0] in " \n" else ""
    lines = text.removesuffix("\n").split("\n")
    return [f"|{hint}{ending}", *lines]


def _escaped(character: str) -> str:
    known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    if character in known or character.isprintable():
        return known.get(character, character)
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _folded(written: str) -> list[str]:
    """Fold a long scalar at single spaces, as Go's emitter does once a line is longer than :data:`WIDTH`."""
    lines = [""]
    for word in re.split(r"(?<=[^ ]) (?=[^ ])", written):
        if len(lines[-1]) > WIDTH:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
