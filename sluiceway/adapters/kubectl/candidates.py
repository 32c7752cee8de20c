"""Reading from the cluster what pruning needs: the inventory, its candidates, and who else holds them (record 0070)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sluiceway.adapters.kubectl import pruning
from sluiceway.adapters.kubectl.answers import read_objects
from sluiceway.adapters.kubectl.documents import Manifest, RefusedManifest
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.inventory import (
    LEAVING_ANNOTATION,
    NONE_YET,
    STACK_ANNOTATION,
    Listed,
    UnreadableInventory,
    fits,
    inventory_name,
    is_inventory,
    leaving,
    objects_text,
    read_inventory,
)
from sluiceway.adapters.kubectl.pruning import Candidate, Held, Judgement, Surroundings
from sluiceway.adapters.kubectl.rendered import Rendered, write_private
from sluiceway.adapters.kubectl.session import Session, refused
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject, mapping, text
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.model.results import Failure

_NOT_LISTED = (
    "the other inventories of the namespace can't be listed, so whether another stack holds an object that goes can't "
    "be told"
)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The live inventory as it was read: None of it where there is none yet."""

    name: str
    live: LiveObject | None
    listed: tuple[Listed, ...] = ()

    @property
    def version(self) -> str:
        """Which version of it was read."""
        return text(self.live.metadata.get("resourceVersion")) if self.live else NONE_YET

    @property
    def going(self) -> str:
        """What marks the objects that the deploy which wrote it deletes."""
        return text(mapping(self.live.metadata.get("annotations")).get(LEAVING_ANNOTATION)) if self.live else ""

    @property
    def home(self) -> str | None:
        """The namespace it lives in, which is where the stack's objects without one go."""
        return self.live.namespace if self.live else None


@dataclass(frozen=True, slots=True)
class Stocktaking:
    """The live inventory, what becomes of its candidates, and the inventory that the set will carry."""

    inventory: Inventory
    judgement: Judgement
    objects: str
    going: str = ""
    notes: tuple[str, ...] = ()


def name_of(session: Session) -> str:
    """Return the name of the stack's inventory."""
    return inventory_name(session.place.repository, session.place.stack.id)


def read_live_inventory(session: Session) -> Inventory | Failure:
    """Read the inventory. One that can't be read is a failure, never an empty one."""
    name = name_of(session)
    outcome = session.place.runner.run(session.commands.inventory(name))
    if not answered(outcome):
        return Failure(failed(outcome, "kubectl get configmap"))
    objects = read_objects(outcome.stdout, f"the inventory {name}")
    if isinstance(objects, Reason):
        return Failure(objects)
    if not objects:
        return Inventory(name, None)
    if len(objects) > 1 or not is_inventory(objects[0], name):
        return Failure(unreadable(f"the inventory {name}", "that one ConfigMap"))
    return _inventory(name, objects[0])


def _inventory(name: str, live: LiveObject) -> Inventory | Failure:
    try:
        return Inventory(name, live, read_inventory(live))
    except UnreadableInventory as error:
        return Failure(_unreadable_inventory(live, error))


def _unreadable_inventory(live: LiveObject, error: UnreadableInventory) -> Reason:
    line = f" line {error.line}" if error.line else ""
    return Reason(
        "unreadable-output",
        f"The inventory {live.address} can't be read:{line} expected {error.expected}",
        "Someone edited it. Put the line right; or delete the ConfigMap, and nothing it lists is ever pruned.",
        detail="inventory-unreadable",
        names={"inventory": live.address, "line": str(error.line)},
    )


def _overfull(session: Session, stated: int, stay: int) -> Reason:
    stack = session.place.stack.id
    going = f" and the {stay} that left them" if stay else ""
    return Reason(
        "preparation-failed",
        f"{stack}: the {stated} objects of the manifests{going} make an inventory of more than 1 MiB, "
        "which no ConfigMap holds",
        "Split the stack, or take prune out of it." if not stay else "Take objects out in several deploys.",
        names={"stack": stack},
    )


def take_stock(session: Session, rendered: Rendered) -> Stocktaking | Failure:
    """Read the inventory and judge what the manifests no longer hold."""
    inventory = read_live_inventory(session)
    if isinstance(inventory, Failure):
        return inventory
    own = next((m for m in rendered.manifests if is_inventory(LiveObject(m.tree), inventory.name)), None)
    if own is not None:
        return refused(RefusedManifest(own.file, own.line, f"{own.name} is the name of the stack's own inventory"))
    gone = pruning.missing_from(inventory.listed, rendered.manifests)
    found = read_candidates(session, gone)
    if isinstance(found, Failure):
        return found
    holders = read_holders(session, inventory, found.live) if found.live else Holders()
    if isinstance(holders, Failure):
        return holders
    around = surroundings(session, inventory, rendered, holders)
    judgement = pruning.judge(found.live, around)
    stay = [candidate.listed for candidate in (*judgement.deletes, *judgement.kept)]
    objects = objects_text([*(Listed.of(manifest) for manifest in rendered.manifests), *stay])
    if not fits(objects):
        return Failure(_overfull(session, len(rendered.manifests), len(stay)))
    going = leaving(candidate.listed for candidate in judgement.deletes)
    return Stocktaking(inventory, judgement, objects, going, (*found.notes, *holders.notes, *judgement.notes))


def surroundings(session: Session, inventory: Inventory, rendered: Rendered, holders: "Holders") -> Surroundings:
    """Return what the candidates are judged by."""
    return Surroundings(
        rendered.manifests, session.target.manager, inventory.home, inventory.name, tuple(holders.found)
    )


@dataclass(frozen=True, slots=True)
class Live:
    """The candidates that the cluster still holds, and notes about those whose kind is gone."""

    live: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()


def read_candidates(session: Session, gone: list[Listed]) -> Live | Failure:
    """Read the candidates live: those that write a namespace without ``--namespace=``, the others with it."""
    result = Live()
    for written in (False, True):
        group = [item for item in gone if (item.namespace is not None) is written]
        found = _read_group(session, group, namespaced=written) if group else Live()
        if isinstance(found, Failure):
            return found
        result = Live((*result.live, *found.live), (*result.notes, *found.notes))
    return result


def _read_group(session: Session, group: list[Listed], *, namespaced: bool) -> Live | Failure:
    write_private(session.commands.prune, pruning.candidate_file(group))
    outcome = session.place.runner.run(session.commands.live_candidates(namespaced=namespaced))
    if answered(outcome):
        objects = read_objects(outcome.stdout, "the live objects of the inventory")
        if isinstance(objects, Reason):
            return Failure(objects)
        return Live(tuple(pruning.matched(group, objects)))
    reason = failed(outcome, "kubectl get")
    return read_alone(session, group) if reason.detail == "kind-unknown" else Failure(reason)


def read_alone(session: Session, group: list[Listed]) -> Live | Failure:
    """Read each candidate by its kind and group: another version of it may be served, or the kind may be gone."""
    result = Live()
    for item in group:
        outcome = session.place.runner.run(session.commands.live_candidate(item.resource, item.name, item.namespace))
        if not answered(outcome):
            if not _kind_is_gone(outcome.stderr, item):
                return Failure(failed(outcome, "kubectl get"))
            result = replace(result, notes=(*result.notes, f"{item.shown} is gone with its kind"))
            continue
        objects = read_objects(outcome.stdout, "a live object of the inventory")
        if isinstance(objects, Reason):
            return Failure(objects)
        result = replace(result, live=(*result.live, *pruning.matched([item], objects)))
    return result


def _kind_is_gone(stderr: str, item: Listed) -> bool:
    return f'the server doesn\'t have a resource type "{item.kind}"' in stderr


@dataclass(frozen=True, slots=True)
class Holders:
    """Who else needs an object: other inventories of the namespace, other stacks of the same ``sluiceway.yaml``."""

    found: tuple[Held, ...] = ()
    notes: tuple[str, ...] = ()


def read_holders(session: Session, inventory: Inventory, candidates: Iterable[Candidate]) -> Holders | Failure:
    """Read who else may hold the candidates. What may not be read is a note, or keeps every candidate."""
    objects = _every_inventory(session)
    if isinstance(objects, Failure):
        return objects
    listed = _others(objects, inventory.name)
    stacks = _other_stacks(session, inventory, tuple(candidates))
    return Holders((*listed.found, *stacks.found), (*listed.notes, *stacks.notes))


@dataclass(frozen=True, slots=True)
class Inventories:
    """The stack's own inventory, and what the others of its namespace list."""

    own: Inventory
    others: Holders


def read_inventories(session: Session) -> Inventories | Failure:
    """Read all inventories of the namespace at once: the less time passes until a delete, the better.

    The own one is read by its name where the list does not hold it: it may not be read, or the label is gone.
    """
    name = name_of(session)
    objects = _every_inventory(session)
    if isinstance(objects, Failure):
        return objects
    live = next((live for live in objects or () if is_inventory(live, name)), None)
    own = _inventory(name, live) if live else read_live_inventory(session)
    return own if isinstance(own, Failure) else Inventories(own, _others(objects, name))


def _every_inventory(session: Session) -> list[LiveObject] | Failure | None:
    """List the inventories of the namespace; None when the user may not.

    A list that fails for another reason (a server that goes away) is a failure: what another stack holds would go.
    """
    outcome = session.place.runner.run(session.commands.inventories())
    if not answered(outcome):
        reason = failed(outcome, "kubectl get configmaps")
        return None if reason.detail == "denied" else Failure(reason)
    objects = read_objects(outcome.stdout, "the inventories")
    return Failure(objects) if isinstance(objects, Reason) else objects


def _others(objects: list[LiveObject] | None, own: str) -> Holders:
    if objects is None:
        return Holders(notes=(_NOT_LISTED,))
    others = [live for live in objects if live.kind == "ConfigMap" and live.name != own]
    return Holders(tuple(held for other in others for held in _listed_by(other)))


def _listed_by(other: LiveObject) -> Iterator[Held]:
    stack = text(mapping(other.metadata.get("annotations")).get(STACK_ANNOTATION))
    by = f"the inventory {other.name}" + (f" (stack {stack})" if stack else "")
    try:
        listed = read_inventory(other)
    except UnreadableInventory:
        return  # another stack's inventory: its own preview fails on it
    for item in listed:
        yield Held(item.group, item.kind, item.namespace or other.namespace, item.name, by)


def _other_stacks(session: Session, inventory: Inventory, candidates: tuple[Candidate, ...]) -> Holders:
    result = Holders()
    for stack in session.place.neighbours:
        if stack.tool != session.place.stack.tool:
            continue
        neighbour = Session.at(replace(session.place, stack=stack))
        if neighbour.target.context != session.target.context:
            continue
        rendered = neighbour.render()
        if isinstance(rendered, Failure):
            if rendered.reason.detail == "empty-set":
                continue
            every = tuple(_as_held(candidate.live, f"the stack {stack.id}, which can't be rendered, perhaps")
                          for candidate in candidates)  # fmt: skip
            result = replace(result, found=(*result.found, *every))
            continue
        same_place = neighbour.target.namespace == session.target.namespace
        home = inventory.home if same_place else neighbour.target.namespace
        held = tuple(each for m in rendered.manifests for each in _held_by(stack.id, m, home, candidates))
        result = replace(result, found=(*result.found, *held))
    return result


def _held_by(stack: str, manifest: Manifest, home: str | None, candidates: tuple[Candidate, ...]) -> Iterator[Held]:
    """Yield what a manifest of another stack holds; where its namespace can't be known, whichever is alike."""
    namespace = manifest.namespace or home
    yield Held(manifest.group, manifest.kind, namespace, manifest.name, f"the stack {stack}")
    for live in (candidate.live for candidate in candidates if namespace is None):
        if (live.group, live.kind, live.name) == (manifest.group, manifest.kind, manifest.name):
            yield _as_held(live, f"the stack {stack}, which names no namespace, perhaps")


def _as_held(live: LiveObject, by: str) -> Held:
    return Held(live.group, live.kind, live.namespace, live.name, by)
