"""Our own reading of an upgrade: what the chart renders against what helm stored for the release.

It shares nothing with the diff plugin's reading but helm itself, so that what one loses the other one shows
(``spec/helm.md``, Never silently in sync; decision 0087).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sluiceway.adapters.helm.manifests import Item, clusterwide, decoded_secret, placed
from sluiceway.adapters.helm.paths import TEXT_MAPS
from sluiceway.model.paths import Path
from sluiceway.model.trees import changed_paths

Op = Literal["create", "update", "delete", "forget", "same"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One object on both sides. ``paths`` are those that differ, of an update only; a Secret's are not cut yet.

    ``forget``: the chart no longer has it, and helm leaves it in the cluster.
    """

    op: Op
    before: Item | None
    after: Item | None
    paths: tuple[Path, ...] = ()

    @property
    def either(self) -> Item:
        """The object on the side that has it; the new one where both have."""
        item = self.after or self.before
        assert item is not None  # noqa: S101  # a comparison has a side
        return item

    @property
    def address(self) -> str:
        """The object's address."""
        return self.either.address


def compare(before: Iterable[Item], after: Iterable[Item]) -> list[Compared]:
    """Compare what helm stored with what the chart renders now: an entry for each object of either.

    Hooks that only ``helm test`` runs are left out: no deploy makes them. Of two objects with one key the last counts.
    """
    before, after = list(before), list(after)
    cluster_kinds = clusterwide([*before, *after])  # the chart may bring, or drop, the kind of an object that stays
    old, new = (
        {item.key: item for item in (placed(item, cluster_kinds) for item in side) if not item.only_a_test}
        for side in (before, after)
    )
    for address, hook in [key for key in old if key not in new]:
        # A hook that became a plain object, or the other way round, is one object to a cluster.
        turned = new.pop((address, not hook), None) if (address, not hook) not in old else None
        if turned is not None:
            new[address, hook] = turned
    keys = [*old, *(key for key in new if key not in old)]
    return [_compared(old.get(key), new.get(key)) for key in keys]


def stands_twice(items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """Yield each object that stands twice, with the first one of its name."""
    seen: dict[tuple[str, bool], Item] = {}
    for item in items:
        first = seen.setdefault(item.key, item)
        if first is not item:
            yield first, item


def _compared(before: Item | None, after: Item | None) -> Compared:
    if before is None:
        return Compared("create", None, after)
    if after is None:
        # helm deletes no hook because the chart dropped it, and nothing that says it is to be kept.
        return Compared("forget" if before.kept or before.hook else "delete", before, None)
    paths = tuple(changed_paths(comparable(before), comparable(after)))
    return Compared("update" if paths else "same", before, after, paths)


def comparable(item: Item) -> Any:
    """Return the object as far as two of them are compared: null says nothing, a Secret's data is decoded."""
    tree = stated(item.tree)
    return decoded_secret(tree) if item.object.is_secret else tree


def stated(node: Any) -> Any:
    """Return a tree without the keys whose value is null: to the API server they are not there.

    But in a map of texts: there a null becomes an empty text, or takes one away, by what applies it and what is there.
    """
    if isinstance(node, dict):
        return {
            key: _texts(child) if key in TEXT_MAPS else stated(child)
            for key, child in node.items()
            if child is not None
        }
    return [stated(child) for child in node] if isinstance(node, list) else node


def _texts(node: Any) -> Any:
    if not isinstance(node, dict):
        return stated(node)
    return {key: child if child is None else stated(child) for key, child in node.items()}
