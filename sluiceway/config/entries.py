"""What the entries of ``stacks`` must be to each other: unique, and in an order that can be deployed.

Works on drafts, so that these problems are told beside those of single keys (``spec/core.md``, ``sluiceway.yaml``).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from types import NoneType
from typing import Any

from sluiceway.config import rules
from sluiceway.config.findings import nearest, printable
from sluiceway.config.settings import stack_id
from sluiceway.model.paths import Path

Told = tuple[Path, str]
"""A path in the file, and what is wrong there."""

_MOST_NAMED = 8
_MOST_CIRCLES = 100
_MOST_SUGGESTED = 20


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of one entry, even when other keys of it are wrong.

    ``place`` is its path and name, ``id`` its id; None where a problem of its keys hides them. ``depends_on`` holds
    each id that is text, with its index in the list.
    """

    index: int
    place: tuple[str, str | None] | None
    id: str | None
    id_given: bool
    depends_on: tuple[tuple[int, str], ...]

    @property
    def at(self) -> Path:
        """The entry's place in the file."""
        return ("stacks", self.index)


def drafts_of(entries: list[Any], wrong: Callable[[Path], bool]) -> list[Draft]:
    """Return a draft of each entry that is a mapping; ``wrong`` tells whether a problem stands at or below a path."""
    return [_draft(index, entry, wrong) for index, entry in enumerate(entries) if isinstance(entry, dict)]


def _draft(index: int, entry: dict[str, Any], wrong: Callable[[Path], bool]) -> Draft:
    def right(key: str) -> bool:
        return not wrong(("stacks", index, key))

    place = _place(entry) if right("path") and right("name") else None
    given = entry.get("id") if right("id") else None
    derived = stack_id(*place) if place and right("id") else None
    depends_on = entry.get("dependsOn")
    return Draft(
        index=index,
        place=place,
        id=given if isinstance(given, str) else derived,
        id_given=isinstance(given, str),
        depends_on=tuple(_texts(depends_on)) if isinstance(depends_on, list) else (),
    )


def _place(entry: dict[str, Any]) -> tuple[str, str | None] | None:
    path, name = entry.get("path"), entry.get("name")
    if not isinstance(path, str) or not isinstance(name, (str, NoneType)):
        return None
    try:
        return rules.path(path), name
    except ValueError:
        return None


def _texts(items: list[Any]) -> Iterator[tuple[int, str]]:
    return ((index, item) for index, item in enumerate(items) if isinstance(item, str))


def check_unique(drafts: list[Draft], line_of: Callable[[Path], int]) -> Iterator[Told]:
    """Yield a problem for each entry whose path and name, or whose id, an earlier one has."""
    places: dict[tuple[str, str | None], Draft] = {}
    ids: dict[str, Draft] = {}
    for draft in drafts:
        twin = places.setdefault(draft.place, draft) if draft.place else draft
        if twin is not draft:
            yield draft.at, f"has the path and name of {_named(twin, line_of)}: give one of them another `name`"
            continue
        twin = ids.setdefault(draft.id, draft) if draft.id else draft
        if twin is not draft:
            at = (*draft.at, "id") if draft.id_given else draft.at
            yield at, f"`{printable(draft.id or '')}` is the id of {_named(twin, line_of)} too: give one another `id`"


def _named(draft: Draft, line_of: Callable[[Path], int]) -> str:
    return f"`stacks[{draft.index}]` (line {line_of(draft.at)})"


def check_dependencies(drafts: list[Draft], ignored: Callable[[str], bool], *, all_known: bool) -> Iterator[Told]:
    """Yield a problem for each id in ``dependsOn`` that is unknown, ignored, the stack itself, or closes a circle.

    Without ``all_known`` some entry's id is hidden by another problem, so an id that is not found may be that one.
    """
    by_id: dict[str, Draft] = {}
    for draft in drafts:
        if draft.id:
            by_id.setdefault(draft.id, draft)
    suggest = _Suggestions(list(by_id))
    for draft in drafts:
        for index, wanted in draft.depends_on:
            at = (*draft.at, "dependsOn", index)
            if wanted == draft.id:
                yield at, "the stack depends on itself: take it out"
            elif wanted in by_id and ignored(wanted):
                yield at, f"`{printable(wanted)}` is left out by `ignore`, so it would never be deployed: take one out"
            elif wanted not in by_id and all_known:
                yield at, f"no stack has the id `{printable(wanted)}`{suggest(wanted)}"
    yield from islice(_circles(by_id), _MOST_CIRCLES)


class _Suggestions:
    """Tells what an unknown id may have meant, the first few times only: it looks at every id there is."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = ids
        self._left = _MOST_SUGGESTED

    def __call__(self, wanted: str) -> str:
        self._left -= 1
        near = nearest(wanted, self._ids) if self._left >= 0 else None
        return f"; did you mean `{printable(near)}`?" if near else ": mend it, or take it out"


def _circles(by_id: dict[str, Draft]) -> Iterator[Told]:
    """Walk the dependencies depth first, without recursion; a step back onto the trail closes a circle."""
    done: set[str] = set()
    for first, draft in by_id.items():
        trail = {} if first in done else {first: iter(draft.depends_on)}
        while trail:
            here, steps = next(reversed(trail.items()))
            index, wanted = next(steps, (-1, here))
            if index < 0:
                trail.popitem()
                done.add(here)
            elif wanted in trail and wanted != here:
                yield (*by_id[here].at, "dependsOn", index), _circle(list(trail), wanted)
            elif wanted in by_id and wanted not in done and wanted != here:
                trail[wanted] = iter(by_id[wanted].depends_on)


def _circle(trail: list[str], back_to: str) -> str:
    ids = [*trail[trail.index(back_to) :], back_to]
    if len(ids) > _MOST_NAMED:
        ids = [*ids[: _MOST_NAMED - 1], f"({len(ids) - _MOST_NAMED} more)", back_to]
    return "goes in a circle, of which one step has to go: " + " → ".join(printable(id_) for id_ in ids)
