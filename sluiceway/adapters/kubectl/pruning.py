"""Pruning: which objects of the inventory the deploy deletes, and which it keeps (record 0070).

Nothing is a delete but what the stack's own inventory lists, the manifests no longer hold, the cluster still holds,
and the stack's own field manager applied. Everything else is kept, and a note says why.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.inventory import Listed, quoted
from sluiceway.adapters.kubectl.managed_fields import Entry, entries_of
from sluiceway.adapters.kubernetes.objects import LiveObject, mapping, text

KEEP_ANNOTATION = "sluiceway.dev/prune"
KEEP_VALUE = "disabled"
_LAST = {"CustomResourceDefinition": 1, "Namespace": 2}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that the inventory lists, the manifests no longer hold, and the cluster still does."""

    listed: Listed
    live: LiveObject

    @property
    def namespaced(self) -> bool:
        """Whether the manifest wrote a namespace: kubectl is then called without ``--namespace=``."""
        return self.listed.namespace is not None


@dataclass(frozen=True, slots=True)
class Held:
    """What else says that an object is needed: another inventory, another stack. ``by`` names it."""

    group: str
    kind: str
    namespace: str | None
    name: str
    by: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around the candidates when they are judged.

    ``home`` is the namespace in which the inventory lives: where objects that name none go.
    """

    manifests: tuple[Manifest, ...]
    manager: str
    home: str | None
    inventory: str
    holders: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of the candidates.

    ``deletes`` go; ``kept`` stay in the cluster and listed; ``renamed`` are objects that the set still holds under
    another spelling, so their old line goes. ``notes`` say why something is kept, and what a delete takes with it.
    """

    deletes: tuple[Candidate, ...] = ()
    kept: tuple[Candidate, ...] = ()
    renamed: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Sorting:
    deletes: list[Candidate] = field(default_factory=list)
    kept: list[Candidate] = field(default_factory=list)
    renamed: list[Candidate] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def missing_from(listed: Iterable[Listed], manifests: Iterable[Manifest]) -> list[Listed]:
    """Return what an inventory lists and the manifests no longer hold, in the order listed."""
    held = {manifest.identity for manifest in manifests}
    return [item for item in listed if item.identity not in held]


def judge(candidates: Iterable[Candidate], around: Surroundings) -> Judgement:
    """Sort the candidates into those that go and those that stay."""
    result = _Sorting()
    for candidate in candidates:
        if still_in_set(candidate.live, around):
            result.renamed.append(candidate)
            continue
        why = kept_because(candidate, around)
        if why is not None:
            result.kept.append(candidate)
            result.notes.append(f"{candidate.live.address} is no longer in the manifests and is kept: {why}")
        else:
            result.deletes.append(candidate)
            result.notes.extend(_warnings(candidate.live))
    return Judgement(tuple(result.deletes), tuple(result.kept), tuple(result.renamed), tuple(result.notes))


def still_in_set(live: LiveObject, around: Surroundings) -> bool:
    """Tell whether the set holds this very object, its namespace written or not.

    Without this, writing the default namespace into a manifest would delete the object just applied (seen).
    """
    return any(
        (manifest.group, manifest.kind, manifest.name) == (live.group, live.kind, live.name)
        and live.namespace in (None, manifest.namespace or around.home)
        for manifest in around.manifests
    )


def kept_because(candidate: Candidate, around: Surroundings) -> str | None:
    """Return why a candidate is not deleted, or None."""
    live = candidate.live
    if live.deletion_time:
        waits = f", and waits for the finalizers {', '.join(live.finalizers)}" if live.finalizers else ""
        return f"it is being deleted already, since {live.deletion_time}{waits}"
    return (
        _protected(live, around)
        or _marked(live)
        or _not_ours(live, around.manager)
        or _needed(live, around)
        or _held_elsewhere(live, around.holders)
    )


def _protected(live: LiveObject, around: Surroundings) -> str | None:
    if live.kind == "ConfigMap" and not live.group and live.name == around.inventory:
        return "it is the stack's own inventory"
    if live.kind != "Namespace" or live.group:
        return None
    if live.name == "default" or live.name.startswith("kube-"):
        return "it is a namespace of the cluster itself, which is never pruned"
    return "the stack's inventory lives in it" if live.name == around.home else None


def _marked(live: LiveObject) -> str | None:
    marked = mapping(live.metadata.get("annotations")).get(KEEP_ANNOTATION) == KEEP_VALUE
    return f"it is annotated {KEEP_ANNOTATION}: {KEEP_VALUE}" if marked else None


def _not_ours(live: LiveObject, manager: str) -> str | None:
    entries = entries_of(live)
    if any(entry.applied_by(manager) for entry in entries):
        return None
    if not entries:
        return (
            f"it has no managed fields, so nothing shows that the field manager {manager} applied it. "
            "An object that sets a field of its own, a label for example, can be pruned; delete this one by hand"
        )
    return f"the field manager {manager} no longer applies it; {_others(entries)}"


def _others(entries: list[Entry]) -> str:
    names = ", ".join(dict.fromkeys(entry.manager for entry in entries if entry.manager)) or "someone else"
    return f"it is held by {names}"


def _needed(live: LiveObject, around: Surroundings) -> str | None:
    if live.kind == "Namespace" and not live.group:
        inside = next((m for m in around.manifests if (m.namespace or around.home) == live.name), None)
        return f"{inside.kind} {inside.name} of the manifests lives in it" if inside else None
    if live.kind == "CustomResourceDefinition" and live.group == "apiextensions.k8s.io":
        spec = mapping(live.tree.get("spec"))
        kind = (text(spec.get("group")), text(mapping(spec.get("names")).get("kind")))
        user = next((m for m in around.manifests if (m.group, m.kind) == kind), None)
        return f"{user.kind} {user.name} of the manifests is of its kind" if user else None
    return None


def _held_elsewhere(live: LiveObject, holders: Iterable[Held]) -> str | None:
    held = holder_of(live, holders)
    return f"{held.by} holds it" if held else None


def holder_of(live: LiveObject, holders: Iterable[Held]) -> Held | None:
    """Return who else says that an object is needed, the first of them, or None."""
    for held in holders:
        same = (held.group, held.kind, held.name) == (live.group, live.kind, live.name)
        if same and live.namespace in (None, held.namespace):
            return held
    return None


def _warnings(live: LiveObject) -> list[str]:
    notes = []
    if live.kind == "Namespace" and not live.group:
        notes.append(f"{live.address} is deleted with everything that is in that namespace")
    if live.kind == "CustomResourceDefinition" and live.group == "apiextensions.k8s.io":
        notes.append(f"{live.address} is deleted with every object of its kind, in every namespace")
    if live.finalizers:
        notes.append(f"{live.address} has finalizers ({', '.join(live.finalizers)}): its deletion waits for them")
    return notes


def candidate_file(listed: Iterable[Listed]) -> bytes:
    """Return the prune file that is read with: each object as the inventory lists it, every word quoted."""
    return _file((item.api_version, item.kind, item.namespace, item.name) for item in listed)


def delete_file(candidates: Iterable[Candidate]) -> bytes:
    """Return the prune file that is deleted with: each object as the cluster named it, nothing else.

    What other objects live in, or are a kind of, goes last.
    """
    ordered = sorted(candidates, key=lambda candidate: _LAST.get(candidate.live.kind, 0))
    return _file((c.live.api_version, c.live.kind, c.live.namespace, c.live.name) for c in ordered)


def _file(objects: Iterable[tuple[str, str, str | None, str]]) -> bytes:
    return "---\n".join(_named(*item) for item in objects).encode("utf-8", "surrogateescape")


def _named(api_version: str, kind: str, namespace: str | None, name: str) -> str:
    place = f"  namespace: {quoted(namespace)}\n" if namespace else ""
    return (
        f"apiVersion: {quoted(api_version)}\nkind: {quoted(kind)}\nmetadata:\n  name: {quoted(name)}\n{place}"
    )  # fmt: skip


def matched(listed: list[Listed], live: Iterable[LiveObject]) -> list[Candidate]:
    """Pair what was asked for with what the cluster answered; what it did not answer is gone."""
    rest = list(live)
    found = []
    for item in listed:
        answer = next((obj for obj in rest if _answers(obj, item)), None)
        if answer is not None:
            rest.remove(answer)
            found.append(Candidate(item, answer))
    return found


def _answers(live: LiveObject, item: Listed) -> bool:
    return (live.group, live.kind, live.name) == (item.group, item.kind, item.name) and (
        item.namespace is None or live.namespace in (None, item.namespace)
    )


def changed_since(planned: Candidate, now: LiveObject, manager: str) -> str | None:
    """Return why an object is not the one that was judged any more, or None: another uid, another own Apply entry."""
    if planned.live.uid != now.uid:
        return "it was made anew since the preview"
    if _own_entries(planned.live, manager) != _own_entries(now, manager):
        return f"the field manager {manager} applied it again since the preview"
    return None


def _own_entries(live: LiveObject, manager: str) -> list[Entry]:
    return [entry for entry in entries_of(live) if entry.applied_by(manager)]
