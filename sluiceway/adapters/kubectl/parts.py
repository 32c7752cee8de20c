"""The set in several files, for ``concurrency``: kubectl asks side by side about files, and in turn within one.

Decision 0099. The parts hold the set's documents as they stand in it; together they are the set.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sluiceway.adapters.kubectl import documents
from sluiceway.adapters.kubectl.commands import Commands
from sluiceway.adapters.kubectl.rendered import write_private

_BREAK = documents.SEPARATOR + "\n"


@contextmanager
def in_parts(commands: Commands) -> Iterator[None]:
    """Have the written set in parts as well, for as long as it is asked about; one with no ``concurrency`` has none."""
    if not commands.target.asks_side_by_side:
        yield
        return
    commands.parts.mkdir(mode=0o700, exist_ok=True)
    files = [commands.parts / f"{number:02}.yaml" for number in range(commands.target.concurrency or 1)]
    try:
        content = commands.manifests.read_bytes().decode("utf-8")
        for file, part in zip(files, split(content, len(files)), strict=False):
            write_private(file, part.encode("utf-8"))
        yield
    finally:
        for file in files:
            file.unlink(missing_ok=True)
        commands.parts.rmdir()


def split(content: str, count: int) -> list[str]:
    """Return a set as at most ``count`` files with the documents in turn.

    kubectl reads JSON as JSON only where a file begins with it, so a part begins with a separator unless the set does
    without.
    """
    texts = [document.text for document in documents.split("the rendered set", content)]
    parts = [_BREAK.join(texts[start::count]) for start in range(min(count, len(texts)))]
    leads = content.lstrip().startswith("{")
    return [part if leads and not number else _BREAK + part for number, part in enumerate(parts)]
