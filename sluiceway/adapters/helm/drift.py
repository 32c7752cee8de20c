"""Drift: what the three-way diff finds beyond the plain one (record 0069, The drift check)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sluiceway.adapters.base import Preview, Workplace
from sluiceway.adapters.helm import diff_output, release, structured
from sluiceway.adapters.helm.comparison import comparable, stated
from sluiceway.adapters.helm.diff_output import ObjectSides
from sluiceway.adapters.helm.manifests import HOOK
from sluiceway.adapters.helm.naming import placed
from sluiceway.adapters.helm.paths import covers, resolve
from sluiceway.adapters.helm.release import UNINSTALLED, Release
from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.helm.structured import Entry
from sluiceway.adapters.kubernetes import fold
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject, mapping
from sluiceway.adapters.kubernetes.scopes import is_built_in
from sluiceway.model.changes import Change, sort_changes
from sluiceway.model.order import by_code_unit
from sluiceway.model.paths import Path, write_path
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.model.results import DriftFound, Failure
from sluiceway.model.trees import changed_paths
from sluiceway.processes import Outcome

_CRD = "CustomResourceDefinition"
_OF_A_HOOK = {"metadata.annotations", f'metadata.annotations["{HOOK}"]'}


@dataclass(frozen=True, slots=True)
class Checked:
    """What one drift check read: both diffs, and the objects of the three-way one as they are and would be."""

    plain: Mapping[str, Entry]
    live: Mapping[str, Entry]
    sides: Mapping[str, ObjectSides]
    release: Release = field(repr=False)


def drift(place: Workplace, preview: Preview) -> DriftFound | Failure:
    """Return what a deploy would put back: of objects and paths that the code's own changes do not explain.

    A release that is not installed has none. Nothing of a value leaves the check.
    """
    session = Session.at(place)
    checked = _read(session)
    if checked is None:
        return DriftFound()
    if isinstance(checked, Reason):
        return Failure(checked)
    return judge(checked, preview.diff.changes)


def judge(checked: Checked, changes: Sequence[Change]) -> DriftFound | Failure:
    """Return what of the three-way diff is drift: what neither the plain diff nor the row's ``changes`` explain."""
    of_the_code = {change.address: change for change in changes}
    checked = _placed(checked, {*of_the_code, *(item.address for item in checked.release.items)})
    removed = [address for address, entry in checked.live.items() if entry.change == "REMOVE"]
    odd = next((address for address in removed if not _goes(checked, address, of_the_code.get(address))), None)
    if odd is not None:
        return Failure(unreadable(f"the three-way diff: {odd}", "a removal that the plain diff shows too"))
    moving = [address for address, change in of_the_code.items() if "apiVersion" in change.changed_keys]
    told = [address for address in _addresses(checked) if address not in moving]
    found = (_drifted(checked, address, of_the_code.get(address)) for address in told)
    return DriftFound(sort_changes([change for change in found if change]), tuple(_notes(checked, moving)))


def _read(session: Session) -> Checked | Reason | None:
    """Run the diffs side by side; None for a release that is not installed."""
    runner, commands = session.place.runner, session.commands
    plain, live, whole, stored = (
        runner.start(command)
        for command in (commands.diff(), commands.three_way(), commands.three_way("diff"), commands.release())
    )
    outcome = stored.wait()
    if release.is_missing(outcome):
        return None
    if not answered(outcome):
        return session.failed(outcome, "helm get all")
    session.conceal_secrets(outcome.stdout)
    last = release.read_release(outcome, session.target.namespace)
    if isinstance(last, Reason) or last.state == UNINSTALLED:
        return last if isinstance(last, Reason) else None
    of_plain = _entries(session, plain.wait(), "helm diff upgrade")
    if isinstance(of_plain, Reason):
        return of_plain
    of_live = _entries(session, live.wait(), "helm diff upgrade --three-way-merge")
    if isinstance(of_live, Reason):
        return of_live
    sides = _sides(session, whole.wait())
    return sides if isinstance(sides, Reason) else Checked(of_plain, of_live, sides, last)


def _entries(session: Session, outcome: Outcome, doing: str) -> Mapping[str, Entry] | Reason:
    if not answered(outcome):
        return session.failed(outcome, doing)
    entries = structured.read_structured(outcome.stdout, session.target.namespace)
    return entries if isinstance(entries, Reason) else {entry.address: entry for entry in entries}


def _sides(session: Session, outcome: Outcome) -> Mapping[str, ObjectSides] | Reason:
    if not answered(outcome):
        return session.failed(outcome, "helm diff upgrade --three-way-merge --output=diff")
    found = diff_output.read_diff_output(outcome.stdout, session.target.namespace)
    return found if isinstance(found, Reason) else {sides.address: sides for sides in found}


def _placed(checked: Checked, known: Collection[str]) -> Checked:
    """Return what was read, under the addresses that the row and the release have."""
    plain, live = (
        {entry.address: entry for entry in (replace(it, object=placed(it.object, known)) for it in side.values())}
        for side in (checked.plain, checked.live)
    )
    sides = (replace(it, object=placed(it.object, known)) for it in checked.sides.values())
    return replace(checked, plain=plain, live=live, sides={it.address: it for it in sides})


def _goes(checked: Checked, address: str, of_the_code: Change | None) -> bool:
    """Tell whether the code takes an object out of what helm merges: removes it, or makes it a hook."""
    plain = checked.plain.get(address)
    if plain is None or plain.change == "ADD":
        return False
    keys = of_the_code.changed_keys if of_the_code is not None else ()
    return plain.change == "REMOVE" or not _OF_A_HOOK.isdisjoint(keys)


def _addresses(checked: Checked) -> Sequence[str]:
    return by_code_unit({**checked.live, **checked.sides})


def _drifted(checked: Checked, address: str, of_the_code: Change | None) -> Change | None:
    """Return the drift of one object (the table of record 0069), or None."""
    plain, live, sides = checked.plain.get(address), checked.live.get(address), checked.sides.get(address)
    if (plain is not None and plain.change == "ADD") or (of_the_code is not None and of_the_code.op != "update"):
        return None  # what the code makes or takes away has no drift
    stored = [item for item in checked.release.items if item.address == address]
    if stored and all(item.hook for item in stored):
        return None  # a hook is made anew by every deploy, and may be gone in between
    if live is not None and live.change == "ADD":
        return fold.delete(live.object)
    if live is not None and live.change == "REMOVE":
        return None
    seen = sides.object if sides is not None else live.object if live is not None else None
    if seen is None:
        return None
    tree = comparable(stored[-1]) if stored else {}
    paths = [path for path in _paths(live, sides, tree) if not _explained(path, seen, plain, sides, of_the_code)]
    return fold.update(seen, {}, paths, lambda _path: False) if paths else None


def _paths(live: Entry | None, sides: ObjectSides | None, stored: Mapping[str, Any]) -> list[Path]:
    """Return the paths that the three-way diff changes, from both of its forms; ``stored`` is the release's object."""
    if sides is None or sides.before is None or sides.after is None:
        return [resolve(it.path, it.field, {}, {}) for it in live.fields] if live is not None else []
    before, after = (stated(_unset(side, stored)) for side in (sides.before, sides.after))
    differing = list(changed_paths(before, after))
    printed = [resolve(it.path, it.field, before, after) for it in live.fields] if live is not None else []
    told = [path for path in printed if any(path == found[: len(path)] for found in differing)]
    return [*told, *(path for path in differing if not covers(told, path))]


def _unset(live: Any, stored: Any) -> Any:
    """Return a side without the empty texts that an API server made of nulls.

    The plugin takes a null for a field to remove. Helm 4 applies it, which leaves the empty text.
    """
    if not isinstance(live, dict) or not isinstance(stored, Mapping):
        return live
    left = {key: _unset(node, stored.get(key)) for key, node in live.items() if not _is_null(node, stored, key)}
    return {key: node for key, node in left.items() if node != {} or None not in mapping(stored.get(key)).values()}


def _is_null(live: Any, stored: Mapping[str, Any], key: str) -> bool:
    return live == "" and key in stored and stored[key] is None


def _explained(
    path: Path, live: LiveObject, plain: Entry | None, sides: ObjectSides | None, of_the_code: Change | None
) -> bool:
    """Tell whether the code changes the path too: the deploy sets it to the code's value either way."""
    before, after = (sides.before or {}, sides.after or {}) if sides is not None else ({}, {})
    if plain is not None and covers([resolve(it.path, it.field, before, after) for it in plain.fields], path):
        return True
    if of_the_code is None or (live.is_secret and plain is not None):
        return False
    written = write_path(path)
    return any(_at_or_below(written, key) for key in of_the_code.changed_keys)


def _at_or_below(written: str, key: str) -> bool:
    return written == key or (written.startswith(key) and written[len(key)] in ".[")


def _notes(checked: Checked, moving: Sequence[str]) -> Iterator[str]:
    """Say of which objects the plugin can't tell drift.

    It merges custom resources without reading the live one, and takes the stored object for the live one where the code
    changes the apiVersion.
    """
    for address, entry in checked.live.items():
        if entry.change == "MODIFY" and address in checked.plain and checked.plain[address].change == "ADD":
            yield (
                f"{address} is new in the chart and in the cluster already: helm refuses the deploy, unless the object "
                "is labelled and annotated as one of this release"
            )
    if moving:
        yield (
            "what changed outside the code can't be told where the code changes the apiVersion: helm's diff plugin "
            f"does not look at the object as it is in the cluster ({', '.join(by_code_unit(moving))})"
        )
    custom = [
        item.address
        for item in checked.release.items
        if not item.hook and (not is_built_in(item.object.group) or item.object.kind == _CRD)
    ]
    if custom:
        yield (
            "whether someone changed fields of custom resources can't be told, only that one is gone: helm's diff "
            f"plugin does not look at them as they are in the cluster ({', '.join(by_code_unit(set(custom)))})"
        )
