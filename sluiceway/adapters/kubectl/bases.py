"""The local bases that a kustomization reads, followed in the files: none may leave the repo (``spec/kubectl.md``)."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sluiceway.adapters.kubectl.documents import RefusedManifest
from sluiceway.adapters.kubectl.files import kustomization_in, outside
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import Tree, items, mapping

_LISTS = ("resources", "bases", "components", "generators", "transformers", "validators")


@dataclass
class Bases:
    """What was found while following.

    ``remote`` are the places that name a base somewhere else than in files. ``secrets`` are the literals of the secret
    generators, whole and without their keys: kustomize's error about one shows it (seen).
    """

    remote: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list, repr=False)
    _met: set[Path] = field(default_factory=set)

    def follow(self, directory: Path, root: Path) -> None:
        """Follow the kustomization of ``directory``. Raises :class:`RefusedManifest` for a base outside ``root``."""
        resolved = directory.resolve()
        name = kustomization_in(directory)
        if name is None or resolved in self._met:
            return
        self._met.add(resolved)
        file = _relative(directory / name, root)
        if outside(directory / name, root):
            raise RefusedManifest(file, 0, "is a link that leads out of the repo")
        tree = _read(directory / name)
        self.secrets.extend(_literals(tree))
        for key, entry in _entries(tree):
            self._entry(directory, root, file, key, entry)

    def _entry(self, directory: Path, root: Path, file: str, key: str, entry: str) -> None:
        path = directory / entry
        if not _exists(path):
            if _looks_remote(entry):
                self.remote.append(f"{file} ({key})")
            return
        if outside(path, root):
            raise RefusedManifest(file, 0, f"reads {key}, which leads out of the repo")
        if path.is_dir():
            self.follow(path, root)


def _read(path: Path) -> Tree:
    try:
        return mapping(goyaml.load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, goyaml.UnreadableYAML):
        return {}  # kustomize says what is wrong with its own file


def _entries(tree: Tree) -> Iterator[tuple[str, str]]:
    for name in _LISTS:
        for index, entry in enumerate(items(tree.get(name))):
            if isinstance(entry, str) and "\n" not in entry and entry:
                yield f"{name}[{index}]", entry


def _literals(tree: Tree) -> Iterator[str]:
    for generator in items(tree.get("secretGenerator")):
        for literal in items(mapping(generator).get("literals")):
            yield str(literal)
            yield str(literal).partition("=")[2]


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _looks_remote(entry: str) -> bool:
    host, slash, _rest = entry.partition("/")
    return "://" in entry or entry.startswith("git@") or "?ref=" in entry or bool(slash and "." in host.strip("."))


def _relative(path: Path, root: Path) -> str:
    shown = Path(os.path.normpath(path))
    return shown.relative_to(root).as_posix() if shown.is_relative_to(root) else path.name
