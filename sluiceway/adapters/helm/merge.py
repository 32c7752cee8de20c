"""Two readings of one upgrade made into one row: the plugin's, and ours (``spec/helm.md``, Never silently in sync)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sluiceway.adapters.helm.comparison import Compared, comparable
from sluiceway.adapters.helm.manifests import Item
from sluiceway.adapters.helm.naming import placed
from sluiceway.adapters.helm.paths import covers, resolve
from sluiceway.adapters.helm.structured import Entry
from sluiceway.adapters.kubernetes import fold
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.changes import Change
from sluiceway.model.paths import Path
from sluiceway.model.trees import at_path, same


@dataclass(frozen=True, slots=True)
class Merged:
    """The changes of both readings. ``unseen`` are the addresses of which the plugin shows nothing, or not all.

    ``unknown`` are those that only the plugin has: our reading sees no such difference.
    """

    changes: tuple[Change, ...]
    unseen: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def agreed(self) -> bool:
        """Whether both readings show the same."""
        return not self.unseen and not self.unknown


def merge(entries: Sequence[Entry], compared: Iterable[Compared], shows: Callable[[str], bool]) -> Merged:
    """Merge what the plugin printed with what we compared.

    A field that is the same on both of our sides is no change, whatever the plugin shows (a null, the release's
    namespace written out, other quotes); an object that we have on neither side is shown as the plugin has it.
    """
    ours = _one_each(compared)
    printed = {placed(entry.object, ours).address: entry for entry in entries}
    changes: list[Change] = []
    unseen: list[str] = []
    unknown = [address for address in printed if address not in ours or ours[address].op == "same"]
    for address, item in ours.items():
        if item.op == "same":
            continue
        entry = printed.get(address)
        paths = printed_paths(entry, item) if entry is not None and item.op == "update" else []
        missing = [path for path in item.paths if not covers(paths, path)]
        if entry is None or missing:
            unseen.append(address)
        elif len(paths) < len(entry.fields):
            unknown.append(address)
        changes.append(changed(item, [*paths, *missing], shows))
    changes.extend(only_printed(entry) for address, entry in printed.items() if address not in ours)
    return Merged(tuple(changes), tuple(unseen), tuple(dict.fromkeys(unknown)))


def _one_each(compared: Iterable[Compared]) -> dict[str, Compared]:
    """Return one comparison for each address: a hook may have the name of a plain object. What changes counts."""
    ours: dict[str, Compared] = {}
    for item in compared:
        first = ours.get(item.address)
        if first is None or first.op == "same":
            ours[item.address] = item
        elif item.op != "same":
            ours[item.address] = _joined(*((item, first) if first.either.hook else (first, item)))
    return ours


def _joined(plain: Compared, hook: Compared) -> Compared:
    if {plain.op, hook.op} != {"update"}:
        return plain
    return replace(plain, paths=tuple(dict.fromkeys((*plain.paths, *hook.paths))))


def printed_paths(entry: Entry, item: Compared) -> list[Path]:
    """Return the paths that the plugin printed of an object that we have on both sides, and that differ there."""
    before, after = (comparable(side) if side else {} for side in (item.before, item.after))
    paths = [resolve(field.path, field.field, before, after) for field in entry.fields]
    return [path for path in paths if not same(at_path(before, path), at_path(after, path))]


def changed(item: Compared, paths: Iterable[Path], shows: Callable[[str], bool]) -> Change:
    """Return the change of an object in our reading."""
    live = item.either.object
    if item.op == "create":
        return fold.create(live)
    if item.op == "delete":
        return fold.delete(live)
    if item.op == "forget":
        return Change(live.address, live.kind, live.place, "none", tracking="forget")
    return fold.update(_whole(item.before), comparable(_present(item.after)), paths, shows)


def only_printed(entry: Entry) -> Change:
    """Return the change of an object that only the plugin shows."""
    live = entry.object
    if entry.change == "ADD":
        return fold.create(live)
    if entry.change == "REMOVE":
        return fold.delete(live)
    paths = [resolve(field.path, field.field, {}, {}) for field in entry.fields]
    return fold.update(live, {}, paths, lambda _path: False)


def _whole(item: Item | None) -> LiveObject:
    return LiveObject(comparable(_present(item)))


def _present(item: Item | None) -> Item:
    assert item is not None  # noqa: S101  # an update has both sides
    return item
