"""Manifests: a stream of documents split and read as kubectl splits and reads it (``spec/kubectl.md``)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.adapters.kubernetes.objects import group_of, mapping, text

SEPARATOR = "---"
_BOMS = ((b"\xff\xfe", "UTF-16 or UTF-32"), (b"\xfe\xff", "UTF-16"), (b"\x00\x00\xfe\xff", "UTF-32"))


class RefusedManifest(Exception):
    """A manifest that is not put into a set: kubectl would refuse it too, or would lose a part of it in silence.

    Names the place, never what stands there. ``line`` is 1-based, 0 where none can be named.
    """

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"{file}:{line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of the rendered set, and where it stands. ``namespace`` is as written, None where none is."""

    file: str
    line: int
    api_version: str
    kind: str
    namespace: str | None
    name: str
    generated_name: bool
    tree: dict[str, Any] = field(repr=False)

    @property
    def group(self) -> str:
        """The API group."""
        return group_of(self.api_version)

    @property
    def readable(self) -> bool:
        """Whether the object says who it is; kubectl refuses one that does not."""
        return bool(self.api_version and self.kind and self.name)

    @property
    def identity(self) -> tuple[str, str, str | None, str]:
        """Group, kind, namespace as written and name: a new API version is the same object (record 0070)."""
        return (self.group, self.kind, self.namespace, self.name)

    @property
    def place(self) -> str:
        """The file and line, for a person."""
        return f"{self.file}:{self.line}"


def stands_twice(manifest: Manifest, first: Manifest) -> RefusedManifest:
    """Return the refusal of an object that the set holds twice."""
    return RefusedManifest(
        manifest.file,
        manifest.line,
        f"{manifest.kind} {manifest.name} stands twice, the first time at {first.place}: "
        "kubectl would show one of them and apply both",
    )


@dataclass(frozen=True, slots=True)
class Document:
    """One chunk between two separators, as text. ``line`` is where it starts in its file, 1-based."""

    file: str
    line: int
    text: str = field(repr=False)


def decode(file: str, data: bytes) -> str:
    """Return the text of a manifest file; raise :class:`RefusedManifest` for one that kubectl can't read from a set."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            raise RefusedManifest(file, 1, f"is {name}: save it as UTF-8")
    nul = data.find(b"\0")
    if nul >= 0:
        raise RefusedManifest(file, data.count(b"\n", 0, nul) + 1, "holds a NUL byte: it is no manifest")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedManifest(file, line, "is not UTF-8 text") from None


def split(file: str, content: str) -> Iterator[Document]:
    """Yield the documents of a file that hold more than comments and white space.

    Lines that start with ``---`` separate, and may carry nothing but a comment, as for kubectl.
    """
    content = content.removeprefix("\ufeff")
    start = 1
    lines: list[str] = []
    for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1):
        if line.startswith(SEPARATOR):
            rest = line[len(SEPARATOR) :].strip()
            if rest and not rest.startswith("#"):
                raise RefusedManifest(file, number, "has a document separator with more than a comment behind it")
            yield from _filled(file, start, lines)
            start, lines = number + 1, []
        else:
            lines.append(line)
    yield from _filled(file, start, lines)


def _filled(file: str, start: int, lines: list[str]) -> Iterator[Document]:
    if any(map(_says_something, lines)):
        yield Document(file, start, "\n".join(lines) + "\n")


def _says_something(line: str) -> bool:
    said = line.lstrip("\ufeff").strip()
    return bool(said) and said[0] != "#"


def read(
    document: Document, repeated: list[goyaml.RepeatedKey] | None = None, *, leads: bool = False
) -> list[Manifest]:
    """Return the objects of one document: none, one, or the items of a list.

    Lines in ``repeated`` are relative to the document. ``leads`` says that the set begins with it: only there kubectl
    reads JSON as JSON, further on as YAML. Raises :class:`RefusedManifest`.
    """
    tree = _tree(document, repeated, leads=leads)
    if tree is None:
        return []
    if not isinstance(tree, dict):
        raise RefusedManifest(document.file, document.line, "holds a document that is no object")
    line = document.line + _leading_lines(document.text)
    if "items" not in tree:
        return [_manifest(document.file, line, tree)]
    if not isinstance(tree["items"], list):
        problem = "has a top-level items that is no list: kubectl takes the object for a list and applies nothing of it"
        raise RefusedManifest(document.file, line, problem)
    return [_item(document.file, line, item, tree) for item in tree["items"]]


def _leading_lines(content: str) -> int:
    return next((number for number, line in enumerate(content.split("\n")) if _says_something(line)), 0)


def _item(file: str, line: int, item: Any, whole: dict[str, Any]) -> Manifest:
    """Return an item of a list. One that says neither its version nor its kind has them from a typed list."""
    if not isinstance(item, dict):
        raise RefusedManifest(file, line, "holds a list with an item that is no object")
    if isinstance(item.get("items"), list):
        raise RefusedManifest(file, line, "holds a list in a list: kubectl reads the outer one only")
    if not text(item.get("apiVersion")) and not text(item.get("kind")):
        kind = text(whole.get("kind")).removesuffix("List")
        item = {**item, "apiVersion": whole.get("apiVersion"), "kind": kind}
    return _manifest(file, line, item)


def _manifest(file: str, line: int, tree: dict[str, Any]) -> Manifest:
    metadata = mapping(tree.get("metadata"))
    return Manifest(
        file=file,
        line=line,
        api_version=text(tree.get("apiVersion")),
        kind=text(tree.get("kind")),
        namespace=text(metadata.get("namespace")) or None,
        name=text(metadata.get("name")),
        generated_name=bool(text(metadata.get("generateName"))) and not text(metadata.get("name")),
        tree=tree,
    )


def _tree(document: Document, repeated: list[goyaml.RepeatedKey] | None, *, leads: bool) -> Any:
    if document.text.lstrip().startswith("{"):
        found, tree = _json(document)
        if found and leads:
            _note_repeated(document, repeated)
            return tree
        if found and _ONLY_JSON.search(document.text):
            raise RefusedManifest(document.file, document.line, _NO_YAML)
    return _yaml(document, repeated)


def _yaml(document: Document, repeated: list[goyaml.RepeatedKey] | None) -> Any:
    try:
        return goyaml.load(document.text, repeated=repeated, alone=True)
    except goyaml.UnreadableYAML as error:
        raise RefusedManifest(document.file, *_refusal(document, error)) from None


def _refusal(document: Document, error: goyaml.UnreadableYAML) -> tuple[int, str]:
    """Return the line of the file, and what is wrong there."""
    if document.text.lstrip().startswith("%"):
        return document.line + _leading_lines(document.text), "has a YAML directive (%…), which kubectl does not read"
    line = document.line + error.line - 1
    if error.expected == goyaml.NOTHING_MORE:
        return line, "holds more behind the end of a document: kubectl would drop it in silence"
    return line, "can't be read as YAML" + ("" if error.expected == "YAML" else f": expected {error.expected}")


def _note_repeated(document: Document, repeated: list[goyaml.RepeatedKey] | None) -> None:
    try:
        goyaml.load(document.text, repeated=repeated)
    except goyaml.UnreadableYAML:
        return  # what only JSON can say has no lines to note


_ONLY_JSON = re.compile(r"(?<!\\)(?:\\\\)*\\(?:/|u[dD][89a-fA-F])")
"""Escapes of JSON that YAML does not have: a slash, and a character written as two surrogates."""

_NO_YAML = (
    r"is JSON with an escape that YAML does not have (\/, or \ud83d\ude00 for one character), and kubectl reads all of "
    "a set but its beginning as YAML: write the character itself"
)


def _json(document: Document) -> tuple[bool, Any]:
    """Return whether the document is JSON, and the value. A second value would be lost in silence: refused."""
    content = document.text
    begin = len(content) - len(content.lstrip())
    try:
        tree, end = JSON.raw_decode(content, begin)
    except RecursionError:
        raise RefusedManifest(document.file, document.line, "is nested too deep") from None
    except ValueError:
        return False, None
    rest = content[end:].strip()
    if not rest:
        return True, tree
    if rest.startswith("#"):
        return False, None
    line = document.line + content.count("\n", 0, len(content) - len(content[end:].lstrip()))
    raise RefusedManifest(document.file, line, "holds a second JSON value: kubectl would read the first one only")
