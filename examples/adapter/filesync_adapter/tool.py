"""filesync: makes one directory like another. The tool that the adapter serves, a program of its own."""

import argparse
import difflib
import hashlib
import json
import shutil
import sys
from pathlib import Path

MOVED = 3
"""The exit code of a sync that would do something else than what was planned."""


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="filesync", description=__doc__)
    parser.add_argument("--version", action="version", version="filesync 1.0.0")
    parser.add_argument("does", choices=["plan", "diff", "sync"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--digest", help="sync only what has this digest, as plan printed it")
    given = parser.parse_args()
    if not given.source.is_dir():
        sys.exit(f"filesync: {given.source.name} is no directory")
    changes = plan(read(given.source), read(given.target))
    digest = hashlib.sha256(repr(changes).encode()).hexdigest()[:16]
    if given.does == "plan":
        files = [{"name": name, "op": op} for name, op, _before, _after in changes]
        print(json.dumps({"digest": digest, "files": files}))
    elif given.does == "diff":
        print("".join(shown(name, before, after) for name, _op, before, after in changes), end="")
    elif given.digest not in (None, digest):
        print("filesync: something changed since it was planned", file=sys.stderr)
        sys.exit(MOVED)
    else:
        sync(changes, given.source, given.target)


def read(directory: Path) -> dict[str, bytes]:
    """Return the files of a directory by name; none where there is no directory."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


def plan(source: dict[str, bytes], target: dict[str, bytes]) -> list[tuple[str, str, bytes, bytes]]:
    """Return name, op, content before and after of each file that a sync would touch, by name."""
    changes = []
    for name in sorted({*source, *target}):
        if source.get(name) != target.get(name):
            op = "create" if name not in target else "update" if name in source else "delete"
            changes.append((name, op, target.get(name, b""), source.get(name, b"")))
    return changes


def shown(name: str, before: bytes, after: bytes) -> str:
    """Return the unified diff of one file."""
    old, new = (content.decode("utf-8", "replace").splitlines(keepends=True) for content in (before, after))
    return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def sync(changes: list[tuple[str, str, bytes, bytes]], source: Path, target: Path) -> None:
    """Make ``target`` like ``source``."""
    for name, op, _before, _after in changes:
        if op == "delete":
            (target / name).unlink()
        else:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


if __name__ == "__main__":
    main()
