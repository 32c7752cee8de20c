"""Which directories of a repo look like stacks, and what a stack reads outside of its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Proposal
from sluiceway.adapters.kubectl.files import KUSTOMIZATIONS, kustomization_in, outside
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import Tree, items, mapping
from sluiceway.adapters.kubernetes.walking import directories
from sluiceway.model.stacks import Stack

_ENDINGS = (".yaml", ".yml", ".json")
_NEITHER = {"Chart.yaml", "sluiceway.yaml", "sluiceway.yml"}
_LARGEST = 1 << 20
_LOOKED_AT = 5
"""Of the files of a directory so many are read to tell whether it holds manifests."""


def propose(root: Path) -> list[Proposal]:
    """Return the kustomizations that no other one reads, and the directories whose files are manifests."""
    found, charts = dict(directories(root)), set[str]()
    for path, names in found.items():
        if "Chart.yaml" in names:
            charts.add(path)
    kustomized = [path for path, names in found.items() if not set(names).isdisjoint(KUSTOMIZATIONS)]
    bases = {base for path in kustomized for base in _read_by(root, root / path)}
    plain = [path for path, names in found.items() if path not in kustomized and _has_manifests(root / path, names)]
    read = {*bases, *(path for path in plain if _is_below(path, bases))}
    own = [path for path in (*kustomized, *plain) if path not in read and not _is_below(path, charts)]
    return [Proposal(path, {}, _UNSURE) for path in sorted(own) if not _is_part(path, kustomized)]


_UNSURE = "its objects must name their namespaces, or `options.namespace` has to"


def reads(stack: Stack, root: Path) -> tuple[str, ...]:
    """Return globs of all that the stack's kustomization, and those it reads, name outside of its directory."""
    found = _read_by(root, root / stack.path)
    return tuple(sorted(found[path] for path in found if not (path == stack.path or _is_below(path, {stack.path}))))


def _read_by(root: Path, directory: Path) -> dict[str, str]:
    """Return what a kustomization reads, each by its path from the root, as a glob."""
    found: dict[str, str] = {}
    waiting, met = [directory], set[Path]()
    while waiting:
        here = waiting.pop()
        name = kustomization_in(here)
        if name is None or here.resolve() in met:
            continue
        met.add(here.resolve())
        for path in _named(_tree(here / name), here, root):
            place = path.resolve().relative_to(root.resolve()).as_posix()
            if path.is_dir():
                found[place] = f"{place}/**"
                waiting.append(path)
            else:
                found[place] = place
            if not path.exists():  # what a push took away, a file or a directory, has changed too
                found[f"{place}/**"] = f"{place}/**"
    return found


def _named(node: Any, directory: Path, root: Path) -> Iterator[Path]:
    """Yield what any text in a kustomization may name: too much is claimed rather than too little."""
    if isinstance(node, dict):
        for one in node.values():
            yield from _named(one, directory, root)
    elif isinstance(node, list):
        for one in node:
            yield from _named(one, directory, root)
    elif isinstance(node, str) and node and "\n" not in node:
        for text in {node, node.rpartition("=")[2]}:
            path = directory / text
            if text and _is_inside(path, root) and path.resolve() != directory.resolve():
                yield path


def _is_inside(path: Path, root: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return not outside(path, root)
    except (OSError, ValueError):  # too long for a name, or nothing that could be one
        return False
    return not outside(path, root)


def _tree(path: Path) -> Tree:
    try:
        return mapping(goyaml.load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, goyaml.UnreadableYAML):
        return {}


def _has_manifests(directory: Path, names: list[str]) -> bool:
    files = [name for name in names if name.endswith(_ENDINGS) and name not in _NEITHER]
    return any(_is_manifest(directory / name) for name in files[:_LOOKED_AT])


def _is_manifest(path: Path) -> bool:
    try:
        if path.stat().st_size > _LARGEST:
            return False
        text = path.read_text(encoding="utf-8")
        first = goyaml.load(text.split("\n---", 1)[0])
    except (OSError, UnicodeDecodeError, goyaml.UnreadableYAML):
        return False
    tree = mapping(first)
    return isinstance(tree.get("apiVersion"), str) and isinstance(tree.get("kind"), str) and not items(first)


def _is_below(path: str, others: set[str]) -> bool:
    return any(other in {".", path} or path.startswith(f"{other}/") for other in others)


def _is_part(path: str, kustomized: list[str]) -> bool:
    """Tell whether a directory of files lies in that of a kustomization, which lists them."""
    return any(path != other and _is_below(path, {other}) for other in kustomized if path not in kustomized)
