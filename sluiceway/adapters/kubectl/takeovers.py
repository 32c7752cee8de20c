"""What someone took over in the very moment in which a deploy deleted it (decision 0098)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sluiceway.adapters.kubectl.candidates import Inventories, Inventory, read_inventories
from sluiceway.adapters.kubectl.plan import KubectlPlan
from sluiceway.adapters.kubectl.pruning import Candidate, Held, holder_of
from sluiceway.adapters.kubectl.session import Session
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure


@dataclass(frozen=True, slots=True)
class Look:
    """What a look after the delete found: why the deploy failed after all, and notes."""

    reason: Reason | None = None
    notes: tuple[str, ...] = ()


def look_again(
    session: Session,
    plan: KubectlPlan,
    gone: tuple[Candidate, ...],
    still_gone: Callable[[], tuple[Candidate, ...]],
) -> Look:
    """Read the inventories once more, and tell whether one holds now what ``plan`` has just deleted.

    ``kubectl delete`` takes no condition, so this is the first moment in which it can be known. It undoes nothing.
    ``still_gone`` reads again which are gone: who came after the delete has made them anew, and lost nothing.
    """
    if not gone:
        return Look()
    found = read_inventories(session)
    if isinstance(found, Failure):
        names = ", ".join(candidate.live.address for candidate in gone)
        note = f"whether someone took over {names} meanwhile could not be looked at again: {found.reason.what}"
        return Look(notes=(note,))
    holders = tuple(_holders(found, plan))
    if not any(holder_of(candidate.live, holders) for candidate in gone):
        return Look()
    left = still_gone()
    taken = {each.live.address: held.by for each in left if (held := holder_of(each.live, holders))}
    return Look(
        _reason(taken) if taken else None,
        tuple(made_anew(candidate.live.address) for candidate in gone if candidate not in left),
    )


def made_anew(address: str) -> str:
    """Return the note about an object that went, and that is there again."""
    return f"{address} was deleted, and someone made it anew since"


def _holders(found: Inventories, plan: KubectlPlan) -> Iterator[Held]:
    yield from found.others.found
    # An inventory with the same mark lists what it lists because its deploy deletes it too.
    if found.own.going != plan.going:
        yield from _listed(found.own)


def _listed(own: Inventory) -> Iterator[Held]:
    for item in own.listed:
        yield Held(item.group, item.kind, item.namespace or own.home, item.name, "another deploy of this stack")


def _reason(taken: dict[str, str]) -> Reason:
    said = "; ".join(f"{address} was deleted, and {by} took it over in that moment" for address, by in taken.items())
    return Reason(
        "tool-error",
        said,
        "Preview that stack, which shows a create, and deploy it again.",
        names={"objects": ", ".join(taken), "holders": ", ".join(dict.fromkeys(taken.values()))},
    )
