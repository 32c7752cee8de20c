"""The rendered set: what the preview diffs and the deploy applies, as one YAML stream (records 0060 and 0070)."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sluiceway.adapters.kubectl import documents
from sluiceway.adapters.kubectl.documents import Manifest, RefusedManifest
from sluiceway.adapters.kubectl.files import file_problem, manifest_names
from sluiceway.adapters.kubernetes.goyaml import RepeatedKey
from sluiceway.adapters.kubernetes.secrets import values_of_secret

SIZE_LIMIT = 64 * 2**20
"""Bytes of manifests in one stack; more is refused before it is read into memory."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The manifests of a stack, before its inventory is added. ``content`` holds every value: it stays here."""

    content: bytes = field(repr=False)
    manifests: tuple[Manifest, ...]
    notes: tuple[str, ...] = ()


def from_directory(directory: Path, root: Path, *, recursive: bool) -> Rendered:
    """Join the manifests of a plain directory, each byte for byte, ``---`` on a line of its own between two.

    Raises :class:`RefusedManifest` for what kubectl would refuse or lose in silence.
    """
    chunks: list[bytes] = []
    collected = _Collected()
    room = SIZE_LIMIT
    for name in manifest_names(directory, root, recursive=recursive):
        shown = (directory / name).relative_to(root).as_posix()
        data = _read(directory / name, shown, root, room)
        room -= len(data)
        _parse(shown, data, collected, leads=not chunks)
        chunks.append(data if data.endswith(b"\n") or not data else data + b"\n")
    return collected.rendered(b"---\n".join(chunks))


def from_kustomize(output: bytes, file: str) -> Rendered:
    """Take what ``kubectl kustomize .`` printed; ``file`` names the kustomization."""
    collected = _Collected()
    _parse(f"{file} (rendered)", output, collected, leads=True)
    return collected.rendered(output)


def _read(path: Path, shown: str, root: Path, room: int) -> bytes:
    problem = file_problem(path, root)
    if problem:
        raise RefusedManifest(shown, 0, problem)
    try:
        with path.open("rb") as file:
            data = file.read(room + 1)
    except OSError as error:
        raise RefusedManifest(shown, 0, f"can't be read ({error.strerror})") from None
    if len(data) > room:
        raise RefusedManifest(shown, 0, f"makes the stack larger than {SIZE_LIMIT >> 20} MiB of manifests: split it")
    return data


def _parse(file: str, data: bytes, into: "_Collected", *, leads: bool) -> None:
    for document in documents.split(file, documents.decode(file, data)):
        repeated: list[RepeatedKey] = []
        into.documents += 1
        first = leads and data.lstrip().startswith(b"{") and document.line == 1
        into.manifests.extend(documents.read(document, repeated, leads=first))
        into.notes.extend(
            f"{file}:{document.line + found.line - 1}: a key stands twice in one map; the last one counts, as for "
            "kubectl, which does not say so"
            for found in repeated
        )


@dataclass
class _Collected:
    manifests: list[Manifest] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    documents: int = 0

    def rendered(self, content: bytes) -> Rendered:
        if sum(1 for _ in documents.split("the rendered set", content.decode("utf-8"))) != self.documents:
            raise RefusedManifest("the rendered set", 0, "holds another number of documents than its files")
        _refuse_repeats(self.manifests)
        return Rendered(content, tuple(self.manifests), tuple(self.notes))


def _refuse_repeats(manifests: list[Manifest]) -> None:
    seen: dict[tuple[str, str, str | None, str], Manifest] = {}
    for manifest in manifests:
        if not manifest.readable:
            continue
        first = seen.setdefault(manifest.identity, manifest)
        if first is not manifest:
            raise documents.stands_twice(manifest, first)


def secret_values(manifests: tuple[Manifest, ...]) -> Iterator[str]:
    """Yield every value of every Secret of the set, plain and as written, so that it can be concealed."""
    for manifest in manifests:
        if manifest.kind == "Secret" and not manifest.group:
            yield from values_of_secret(manifest.tree)


def write_private(path: Path, content: bytes) -> str:
    """Write a file of mode 0600 and return the SHA-256 of its bytes, in hex."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return digest(content)


def digest(content: bytes) -> str:
    """Return the SHA-256 of ``content``, in hex. It never leaves the process (record 0060)."""
    return hashlib.sha256(content).hexdigest()


def still_holds(path: Path, expected: str) -> bool:
    """Tell whether the file at ``path`` still has the digest that was taken when it was written."""
    try:
        return digest(path.read_bytes()) == expected
    except OSError:
        return False
