"""The files of a stack: which ones kubectl reads, and in what order (records 0060 and 0070)."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sluiceway.adapters.base import FileProblem
from sluiceway.adapters.kubectl.target import Target
from sluiceway.model.order import by_code_unit
from sluiceway.model.stacks import Stack

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The names kustomize reads."""

_EXTENSIONS = (".yaml", ".yml", ".json")
_OWN_FILES = frozenset({"sluiceway.yaml", "sluiceway.yml"})


def kustomization_in(directory: Path) -> str | None:
    """Return the name of the kustomization that ``directory`` holds, or None."""
    return next((name for name in KUSTOMIZATIONS if (directory / name).is_file()), None)


def manifest_names(directory: Path, root: Path, *, recursive: bool) -> list[str]:
    """Return the manifests of ``directory`` as kubectl would read them, as paths relative to it, in its order.

    One level deep the names stand in code unit order; ``recursive`` is Go's ``filepath.Walk``: byte order within one
    directory, a subdirectory where its name falls, no directory link followed. The root's own ``sluiceway.yaml`` is
    left out. Raises ``OSError`` when a directory can't be read.
    """
    if recursive:
        return list(_walk(directory, ""))
    own = _OWN_FILES if directory.resolve() == root.resolve() else frozenset[str]()
    with os.scandir(directory) as entries:
        names = [e.name for e in entries if _is_manifest(e.name) and not e.is_dir(follow_symlinks=False)]
    return by_code_unit(name for name in names if name not in own)


def _walk(directory: Path, below: str) -> Iterator[str]:
    with os.scandir(directory / below) as entries:
        found = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    for entry in found:
        name = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(directory, f"{name}/")
        elif _is_manifest(entry.name):
            yield name


def _is_manifest(name: str) -> bool:
    return name.endswith(_EXTENSIONS)


def outside(path: Path, root: Path) -> bool:
    """Tell whether ``path`` leads out of ``root`` once every link is followed; a link to itself leads nowhere."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def file_problem(path: Path, root: Path) -> str | None:
    """Return why a manifest can't be read, or None: a link out of the repo, a dangling one, no regular file."""
    if path.is_symlink() and outside(path, root):
        return "is a link that leads out of the repo: put what it leads to there"
    try:
        mode = path.stat().st_mode
    except OSError:
        return "can't be read (a link to nothing, or no permission): mend it, or remove it"
    if not stat.S_ISREG(mode):
        return "is no regular file: put one there"
    return None


def check(stack: Stack, root: Path) -> list[FileProblem]:
    """Return what is wrong with the files of a stack whose directory exists. Starts no tool, reaches no cluster."""
    directory, target = root / stack.path, Target.of(stack)
    try:
        if kustomization_in(directory):
            return _check_kustomization(stack, target)
        return [*_check_recursive(stack, directory, target), *_check_manifests(stack, directory, root, target)]
    except OSError as error:
        return [FileProblem("path", f"can't be read ({error.strerror}): see who may read it")]


def _check_kustomization(stack: Stack, target: Target) -> list[FileProblem]:
    if not target.recursive:
        return []
    return [
        FileProblem(
            "options.recursive", f"{stack.path} holds a kustomization, which lists its own files: leave recursive out"
        )
    ]


def _check_recursive(stack: Stack, directory: Path, target: Target) -> list[FileProblem]:
    if not target.recursive:
        return []
    if stack.path == ".":
        return [FileProblem("options.recursive", "would read every file of the repo: give the stack a directory")]
    found = (
        os.path.relpath(Path(at, name), directory)
        for at, _folders, names in os.walk(directory)
        for name in names
        if name in KUSTOMIZATIONS
    )
    return [
        FileProblem(
            "options.recursive",
            f"{stack.path}/{name} is a kustomization, which kubectl -R reads as a manifest: make it a stack",
        )
        for name in by_code_unit(found)
    ]


def _check_manifests(stack: Stack, directory: Path, root: Path, target: Target) -> list[FileProblem]:
    if target.recursive and stack.path == ".":
        return []
    names = manifest_names(directory, root, recursive=target.recursive)
    if not names:
        where = "and below " if target.recursive else ""
        return [
            FileProblem(
                "path", f"{stack.path} {where}holds no kustomization and no manifest (*.yaml, *.yml or *.json): add one"
            )
        ]
    problems = ((name, file_problem(directory / name, root)) for name in names)
    return [FileProblem("path", f"{stack.path}/{name} {problem}") for name, problem in problems if problem]
