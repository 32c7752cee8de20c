"""Which live object is which object of the set."""

from dataclasses import dataclass

from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.readings import Readings
from sluiceway.adapters.kubernetes.objects import LiveObject, address_of


@dataclass(frozen=True, slots=True)
class Pair:
    """One object of the set, the live one, and how the diff showed it; None where there is none."""

    manifest: Manifest
    live: LiveObject | None
    created: LiveObject | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Every object of the set, in the set's order."""

    pairs: tuple[Pair, ...]
    readings: Readings
    home: str | None

    def address(self, number: int) -> str:
        """Return the address of the n-th object of the set."""
        pair = self.pairs[number]
        found = pair.live or pair.created
        if found is not None:
            return found.address
        manifest = pair.manifest
        return address_of(manifest.group, manifest.kind, manifest.namespace or self.home, manifest.name)

    def doubled(self) -> tuple[Manifest, Manifest] | None:
        """Return an object that the set holds twice, the later one first: with and without its namespace written."""
        seen: dict[str, Manifest] = {}
        for number, pair in enumerate(self.pairs):
            if pair.live is None and pair.created is None:
                continue
            first = seen.setdefault(self.address(number), pair.manifest)
            if first is not pair.manifest:
                return pair.manifest, first
        return None

    def is_new(self, number: int) -> bool:
        """Tell whether the n-th object of the set is not there yet."""
        return self.pairs[number].live is None


def pair(manifests: tuple[Manifest, ...], readings: Readings, home: str | None) -> Pairing:
    """Pair the objects of a set with the live ones, and those that are not there with what the diff creates.

    ``home`` is where objects that write no namespace are; None where only kubectl knows it, and its answers tell.
    """
    new = tuple(diff.merged for diff in readings.diffs if diff.live is None and diff.merged is not None)
    live, created = _by_name(readings.live), _by_name(new)
    home = home or _told(manifests, _by_name((*readings.live, *new)))
    pairs = tuple(Pair(manifest, _take(live, manifest, home), _take(created, manifest, home)) for manifest in manifests)
    return Pairing(pairs, readings, home)


_Named = dict[tuple[str, str, str], list[LiveObject]]


def _by_name(objects: tuple[LiveObject, ...]) -> _Named:
    named: _Named = {}
    for live in objects:
        named.setdefault((live.group, live.kind, live.name), []).append(live)
    return named


def _told(manifests: tuple[Manifest, ...], named: _Named) -> str | None:
    """Return the namespace in which kubectl found an object that writes none, beside those that write one."""
    written = {(m.group, m.kind, m.name, m.namespace) for m in manifests}
    silent = [live for m in manifests if not m.namespace for live in named.get((m.group, m.kind, m.name), [])]
    found = [live for live in silent if live.namespace]
    free = [live for live in found if (live.group, live.kind, live.name, live.namespace) not in written]
    places = {live.namespace for live in free or found}
    return places.pop() if len(places) == 1 else None


def _take(named: _Named, manifest: Manifest, home: str | None) -> LiveObject | None:
    """Return the object of that name which is where the manifest puts it."""
    found = named.get((manifest.group, manifest.kind, manifest.name), [])
    wanted = manifest.namespace or home
    return next((live for live in found if live.namespace in (None, wanted)), None)
