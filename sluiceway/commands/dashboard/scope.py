"""What a push touches: the stacks that claim its files. What is not known is everything."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sluiceway.adapters.base import ReadsElsewhere
from sluiceway.adapters.registry import find_adapter
from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.trouble import sure
from sluiceway.dashboard import Board, missing
from sluiceway.github import NotFound
from sluiceway.model.globs import glob_matches
from sluiceway.model.order import sorted_unique
from sluiceway.model.stacks import Stack
from sluiceway.reports.words import visible

_CONFIG = ("sluiceway.yaml", "sluiceway.yml")
_SETTLED = ("pending", "drift", "in-sync")


@dataclass(frozen=True, slots=True)
class Scope:
    """The stacks to preview, all where ``full``; ``why`` says it in a sentence. ``outdated``: none, and no write."""

    stacks: tuple[str, ...]
    full: bool
    why: str
    outdated: bool = False


def scope(desk: Desk, board: Board) -> Scope:
    """Return what a scan has to preview. Only a push narrows it, by all commits since the last scan (record 0109).

    GitHub may leave out a run that waited: comparing with the last commit that was scanned loses none of its pushes.
    """
    everything = tuple(desk.stacks)
    if desk.facts.event != "push":
        return Scope(everything, full=True, why="All stacks are scanned.")
    if desk.facts.payload.get("forced") is True:  # what was scanned may be later than what stands there now
        return Scope(everything, full=True, why="All stacks are scanned: the branch was moved by force.")
    base, head = board.root.scan_sha if board.root else "", desk.facts.sha
    if not base or not head or board.root is None or board.root.full_scan_at is None:
        return Scope(everything, full=True, why="All stacks are scanned: there was no scan to compare with.")
    found = desk.github.compare(base, head)
    if isinstance(found, NotFound) or (files := sure(found).files) is None:
        if not isinstance(found, NotFound) and _is_older(desk, head, base):
            return Scope((), full=False, why=f"A later commit ({base[:7]}) was scanned already.", outdated=True)
        return Scope(everything, full=True, why="All stacks are scanned: GitHub can't tell what changed.")
    return _claimed(desk, board, [_from_root(desk, file) for file in sorted(files)])


def _is_older(desk: Desk, head: str, base: str) -> bool:
    back = desk.github.compare(head, base)
    return not isinstance(back, NotFound) and sure(back).ahead


def _claimed(desk: Desk, board: Board, files: Iterable[str]) -> Scope:
    everything = tuple(desk.stacks)
    claims = {stack.id: _claims(desk, stack) for stack in desk.stacks.values()}
    found: set[str] = set()
    for file in files:
        own = {stack for stack, globs in claims.items() if any(glob_matches(glob, file) for glob in globs)}
        if file in _CONFIG or not (own or _is_unrelated(desk, file)):
            return Scope(everything, full=True, why=f"All stacks are scanned: {visible(file)} belongs to none alone.")
        found |= own
    stale = {row.stack for row in board.rows.values() if row.state not in _SETTLED or _is_unseen(row.state, row.hash)}
    more = {*missing(board, everything), *(stale & set(everything))}
    why = f"The pushed files belong to {len(found)} of {len(everything)} stacks; {len(more - found)} more need a look."
    return Scope(sorted_unique(found | more), full=False, why=why)


def _is_unseen(state: str, diff_hash: str | None) -> bool:
    return state in ("pending", "drift") and diff_hash is None


def _claims(desk: Desk, stack: Stack) -> tuple[str, ...]:
    """Return the globs of the files that belong to a stack: its directory, its inputs, and what its adapter reads."""
    own = "**" if stack.path == "." else f"{stack.path}/**"
    more = (stack.env_file,) if stack.env_file else ()
    adapter = find_adapter(stack.tool)
    root = desk.session.project.place.root
    elsewhere = adapter.reads(stack, root) if isinstance(adapter, ReadsElsewhere) else ()
    return (own, *stack.inputs, *more, *elsewhere, *_linked(root, stack.path))


def _linked(root: Path, directory: str) -> Iterator[str]:
    """Yield the globs of what links below a stack's directory lead to, elsewhere in the project."""
    top, own = root.resolve(), (root / directory).resolve()
    for at, folders, files in os.walk(own):
        paths = (Path(at, name) for name in (*folders, *files))
        for target in (Path(os.path.realpath(path)) for path in paths if path.is_symlink()):
            if target.is_relative_to(top) and not target.is_relative_to(own):
                place = target.relative_to(top).as_posix()
                yield f"{place}/**" if target.is_dir() else place


def _is_unrelated(desk: Desk, file: str) -> bool:
    return any(glob_matches(glob, file) for glob in desk.config.scan.unrelated)


def _from_root(desk: Desk, file: str) -> str:
    """Return a file of the repository as ``sluiceway.yaml`` names it: from the root of the project."""
    settings = desk.session.settings
    top = settings.environ.get("GITHUB_WORKSPACE")
    if not top or settings.root is None:
        return file
    prefix = os.path.relpath(os.path.realpath(settings.root), os.path.realpath(top))
    return os.path.relpath(file, prefix)
