"""The deploy: apply exactly the saved set, then delete what its prune file names (records 0060 and 0070)."""

import re
from collections import Counter
from dataclasses import dataclass

from sluiceway.adapters.kubectl import pruning
from sluiceway.adapters.kubectl.answers import read_objects
from sluiceway.adapters.kubectl.candidates import Inventory, read_alone, read_inventories
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.inventory import objects_text
from sluiceway.adapters.kubectl.plan import Applied, KubectlPlan
from sluiceway.adapters.kubectl.pruning import Candidate, Surroundings
from sluiceway.adapters.kubectl.session import Session
from sluiceway.adapters.kubectl.takeovers import Look, look_again, made_anew
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Deployed, Failure

_APPLIED = re.compile(r"(\S+/\S+) serverside-applied")


@dataclass(frozen=True, slots=True)
class _Check:
    """The candidates as they are right before the delete, or right after it."""

    live: tuple[tuple[Candidate, LiveObject], ...]

    @property
    def left(self) -> "_Check":
        """Those that are the very objects of the plan, and not others of their names that someone made since."""
        return _Check(tuple((candidate, live) for candidate, live in self.live if candidate.live.uid == live.uid))

    @property
    def anew(self) -> tuple[str, ...]:
        """The addresses of the others."""
        return tuple(live.address for candidate, live in self.live if candidate.live.uid != live.uid)


@dataclass(frozen=True, slots=True)
class _Said:
    """What kubectl said it applied.

    ``unsure`` are objects of one kind and name in several namespaces, of which kubectl, which prints no namespace,
    named only some. ``lines`` is how many objects it named in all.
    """

    sure: tuple[Applied, ...]
    unsure: tuple[Applied, ...]
    lines: int

    @property
    def done(self) -> tuple[str, ...]:
        """What is surely done; the inventory, which has no address here, is not told of."""
        return tuple(f"applied {applied.address}" for applied in self.sure if applied.address)


def deploy(session: Session, plan: KubectlPlan) -> Deployed | Failure:
    """Put out ``plan``: digests, apply, the reads before a delete, delete, the reads after it."""
    if not plan.unchanged():
        return Failure(_set_changed(session.place.stack.id, "the rendered set", "nothing was deployed"))
    outcome = session.place.runner.run(plan.commands.apply())
    said = _said(outcome.stdout, plan)
    if not answered(outcome):
        return _half_applied(failed(outcome, "kubectl apply"), plan, said)
    return _prune(session, plan, said.done) if plan.deletes else Deployed(said.done)


def _set_changed(stack: str, what: str, so: str) -> Reason:
    return Reason(
        "preparation-failed",
        f"{stack}: {what} is not the one that was previewed any more; {so}",
        "Preview again.",
        detail="set-changed",
        names={"stack": stack},
    )


def _said(stdout: bytes, plan: KubectlPlan) -> _Said:
    """Read what kubectl says it applied; only lines with an object and a verb are read."""
    said = Counter(_APPLIED.findall(stdout.decode("utf-8", "replace")))
    asked = Counter(applied.word for applied in plan.applied)
    return _Said(
        sure=tuple(applied for applied in plan.applied if said[applied.word] >= asked[applied.word]),
        unsure=tuple(applied for applied in plan.applied if 0 < said[applied.word] < asked[applied.word]),
        lines=sum(min(said[word], count) for word, count in asked.items()),
    )


def _half_applied(reason: Reason, plan: KubectlPlan, said: _Said) -> Failure:
    if not said.lines:
        return Failure(reason, notes=("nothing was applied, as far as kubectl said, and nothing was deleted",))
    rest = [item.address for item in plan.applied if item not in (*said.sure, *said.unsure) and item.address]
    half = f"this is half a deploy: {said.lines} of {len(plan.applied)} objects were applied, and nothing was deleted"
    notes = [f"{half}; not applied: {', '.join(rest) or 'none'}. The next deploy applies the whole set again"]
    if said.unsure:
        names = ", ".join(item.address for item in said.unsure)
        notes.append(f"only some of {names} were applied; which can't be told, for kubectl names no namespace")
    unlisted = plan.inventory is not None and not any(item.address == "" for item in said.sure)
    created = [item.address for item in (*said.sure, *said.unsure) if item.created]
    if unlisted and created:
        notes.append(
            f"the inventory was not reached, so it does not list {', '.join(created)} yet: "
            "the next deploy of the same manifests lists what was created here"
        )
    return Failure(reason, notes=tuple(notes), done=said.done)


def _prune(session: Session, plan: KubectlPlan, done: tuple[str, ...]) -> Deployed | Failure:
    checked = _still_ours(session, plan, done)
    if isinstance(checked, Failure):
        return checked
    waiting = {candidate.live.address: live.finalizers for candidate, live in checked.live if live.finalizers}
    if not plan.unchanged():
        stack = session.place.stack.id
        return _nothing_deleted(_set_changed(stack, "the prune file", "the set was applied, nothing was deleted"), done)
    outcome = session.place.runner.run(plan.commands.delete(namespaced=plan.namespaced))
    after = _live_candidates(session, plan)
    if isinstance(after, Reason):
        reason = after if answered(outcome) else failed(outcome, "kubectl delete")
        return Failure(reason, notes=_unknown_end(plan, waiting), done=done)
    doomed = _doomed(plan, after)
    look = look_again(session, plan, doomed, lambda: _still_doomed(session, plan, doomed))
    if not answered(outcome):
        notes = (*_not_deleted(after.left, waiting), *_found(look))
        return Failure(failed(outcome, "kubectl delete"), notes=notes, done=(*done, *_gone(plan, after)))
    return _outcome(after, look, (*done, *_gone(plan, after)))


def _outcome(after: _Check, look: Look, done: tuple[str, ...]) -> Deployed | Failure:
    """Tell what the delete left: gone, waiting for its finalizers, or still there, which is a failed deploy."""
    notes = (
        *(made_anew(address) for address in after.anew),
        *(
            f"{candidate.live.address} is being deleted and waits for its finalizers ({', '.join(live.finalizers)})"
            for candidate, live in after.left.live
            if live.deletion_time
        ),
    )
    stuck = [candidate.live.address for candidate, live in after.left.live if not live.deletion_time]
    if stuck:
        return Failure(_stuck(stuck), notes=(*notes, *_found(look)), done=done)
    if look.reason:
        return Failure(look.reason, notes=(*notes, *look.notes), done=done)
    return Deployed(done, (*notes, *look.notes))


def _stuck(stuck: list[str]) -> Reason:
    return Reason(
        "tool-error",
        f"kubectl delete exited with code 0, and the cluster still holds {', '.join(stuck)}",
        "They stay listed; the next deploy tries again.",
        exit_code=0,
        names={"objects": ", ".join(stuck)},
    )


def _found(look: Look) -> tuple[str, ...]:
    """Return what the look found as notes, where something else is the reason."""
    return (*((look.reason.text,) if look.reason else ()), *look.notes)


def _gone(plan: KubectlPlan, after: _Check) -> tuple[str, ...]:
    left = {candidate.live.address for candidate, _ in after.left.live}
    return tuple(f"deleted {c.live.address}" for c in plan.deletes if c.live.address not in left)


def _doomed(plan: KubectlPlan, after: _Check) -> tuple[Candidate, ...]:
    """Return what is gone, or waits only for its finalizers, and that nobody made anew."""
    there = {candidate.live.address for candidate, live in after.live if not live.deletion_time}
    return tuple(candidate for candidate in plan.deletes if candidate.live.address not in there)


def _still_doomed(session: Session, plan: KubectlPlan, doomed: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Read again which of those are gone; all of them where nobody can look."""
    again = _live_candidates(session, plan)
    return doomed if isinstance(again, Reason) else _doomed(plan, again)


def _unknown_end(plan: KubectlPlan, waiting: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Say what is known when nobody could look after the delete: that it began, and not how far it came."""
    asked = ", ".join(candidate.live.address for candidate in plan.deletes)
    note = f"the set was applied; which of {asked} are gone can't be told. The next preview shows what is left"
    return (note, *_waits(waiting))


def _not_deleted(after: _Check, waiting: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    left = [candidate.live.address for candidate, _ in after.live]
    note = (
        f"the set was applied; not deleted, and still listed: {', '.join(left) or 'none'}. The next deploy tries again"
    )
    return (note, *_waits({address: names for address, names in waiting.items() if address in left}))


def _waits(waiting: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(f"{address} waits for its finalizers ({', '.join(names)})" for address, names in waiting.items())


def _still_ours(session: Session, plan: KubectlPlan, done: tuple[str, ...]) -> _Check | Failure:
    """Read again the inventory and what goes; whatever is not as it was judged stops every delete (record 0070).

    The inventories come last, all in one read: a deploy that comes in between has written its own.
    """
    check = _live_candidates(session, plan)
    if isinstance(check, Reason):
        return _nothing_deleted(check, done)
    inventories = read_inventories(session)
    if isinstance(inventories, Failure):
        return _nothing_deleted(inventories.reason, done)
    own, holders = inventories.own, inventories.others.found
    if (objects_text(own.listed), own.going) != (plan.objects, plan.going):
        return _nothing_deleted(_other_inventory(own), done)
    around = Surroundings(plan.manifests, session.target.manager, own.home, own.name, holders)
    for candidate, live in check.live:
        why = pruning.changed_since(candidate, live, session.target.manager) or _kept_now(candidate, live, around)
        if why is not None:
            return _nothing_deleted(_judged_anew(live, why), done)
    return check


def _kept_now(candidate: Candidate, live: LiveObject, around: Surroundings) -> str | None:
    if pruning.still_in_set(live, around):
        return "the set that was just applied holds it"
    if live.deletion_time:
        return None
    return pruning.kept_because(Candidate(candidate.listed, live), around)


def _nothing_deleted(reason: Reason, done: tuple[str, ...]) -> Failure:
    return Failure(reason, notes=("the set was applied, and nothing was deleted",), done=done)


def _other_inventory(inventory: Inventory) -> Reason:
    address = inventory.live.address if inventory.live else f"ConfigMap/{inventory.name}"
    return Reason(
        "tool-error",
        f"The inventory {address} is not the one that was just applied: another deploy of the stack ran",
        "Preview again; what should go is still listed.",
        names={"inventory": address},
    )


def _judged_anew(live: LiveObject, why: str) -> Reason:
    return Reason(
        "tool-error",
        f"{live.address} is not what the preview judged any more: {why}",
        "Preview again; what should go is still listed.",
        names={"object": live.address},
    )


def _live_candidates(session: Session, plan: KubectlPlan) -> _Check | Reason:
    outcome = session.place.runner.run(plan.commands.live_candidates(namespaced=plan.namespaced))
    if not answered(outcome):
        reason = failed(outcome, "kubectl get")
        # A CustomResourceDefinition among them takes its kind along, and then kubectl reads none of the rest.
        return _each_alone(session, plan) if reason.detail == "kind-unknown" else reason
    objects = read_objects(outcome.stdout, "the live objects of the prune file")
    return objects if isinstance(objects, Reason) else _check(plan, objects)


def _each_alone(session: Session, plan: KubectlPlan) -> _Check | Reason:
    found = read_alone(session, [candidate.listed for candidate in plan.deletes])
    return found.reason if isinstance(found, Failure) else _check(plan, [candidate.live for candidate in found.live])


def _check(plan: KubectlPlan, objects: list[LiveObject]) -> _Check:
    by_address = {live.address: live for live in objects}
    return _Check(tuple((c, by_address[c.live.address]) for c in plan.deletes if c.live.address in by_address))
