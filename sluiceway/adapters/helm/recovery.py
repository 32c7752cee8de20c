"""What a deploy that failed left of a release, and how a person gets out of it."""

import json
from typing import Any

from sluiceway.adapters.helm.said import State, read
from sluiceway.adapters.helm.target import Target
from sluiceway.processes import Outcome

_PENDING = "If the release is left pending, the reason of the next deploy names the way out"
_LEFT: dict[State, str] = {
    "rolled-back": "helm rolled the release back: as far as it said, nothing of this deploy is left",
    "uninstalled": "helm uninstalled what this first deploy had made: as far as it said, nothing of it is left",
    "rollback-failed": (
        "the deploy was half done, and so is the rollback: an object may be as before, or as this deploy wanted it. "
        f"{_PENDING}"
    ),
    "uninstall-failed": f"what this first deploy made may still be there, in part or whole. {_PENDING}",
    "nothing-to-go-back-to": "what this deploy made is still there, in part or whole: nothing was rolled back",
}
_GOES_ON = "but it was interrupted, and then helm goes on with the deploy for a while beside that"
_LEFT_INTERRUPTED: dict[State, str] = {
    "rolled-back": (
        f"helm rolled the release back, as far as it said; {_GOES_ON}: an object may be as this deploy wanted it, or "
        "gone. The next deploy puts that right"
    ),
    "uninstalled": (
        f"helm uninstalled what this first deploy had made, as far as it said; {_GOES_ON}: some of it may be left. The "
        "next deploy takes that over"
    ),
}
_UNRECORDED = (
    "the deploy went on to its end, and helm could not record that: all or some of it is there, and the release is "
    "left pending. The reason of the next deploy names the way out"
)
_NOTHING = "as far as helm said, nothing was deployed"


def left(outcome: Outcome, target: Target) -> str:
    """Return what the upgrade that did not end well left of the release, as far as helm said it."""
    if outcome.exit_code is None:  # it never started
        return "nothing was deployed"
    said = read(outcome.stderr)
    if said is not None and said.state is not None:
        interrupted = _LEFT_INTERRUPTED if outcome.ended != "exited" else {}
        return interrupted.get(said.state, _LEFT[said.state])
    if said is not None and outcome.ended == "exited" and outcome.exit_code > 0:
        return _UNRECORDED if said.unrecorded else _NOTHING
    flag = target.namespace_flag()
    return (
        "how far the deploy came can't be told: the release may be left pending, and then helm refuses the next one. "
        f"`helm history {target.release} {flag}` shows it; {rollback(target)} to the revision that is deployed gets "
        f"out of it, or {uninstall(target)} where none is"
    )


_STUMBLES = (
    ' Where that ends with "no … with the name … found", the deploy that was cut off was to delete something: the '
    "release is not pending any more all the same, so deploy again"
)


def way_out(history: Outcome, target: Target, *, stumbles: bool) -> str | None:
    """Return the command that gets out of a pending release, named exactly, or None where the history shows none.

    The revision is always named: without one helm goes back by one, to a failed one too. ``stumbles``: this helm's
    rollback ends with an error on an object that is there and that the pending revision no longer holds (Helm 3).
    """
    entries = _entries(history)
    if not entries or not str(entries[-1].get("status")).startswith("pending"):
        return None
    deployed = [entry["revision"] for entry in entries if entry.get("status") == "deployed"]
    if not deployed:
        gone = f"no revision was ever deployed, and {uninstall(target)} takes away what there is"
        return f"If nothing is at work on it: {gone}."
    way = f"{rollback(target, str(max(deployed)))} goes back to the revision that is deployed"
    return f"If nothing is at work on it: {way}.{_STUMBLES + '.' if stumbles else ''}"


def rollback(target: Target, revision: str = "<revision>") -> str:
    """Return the command that takes the release back to a revision."""
    return f"`helm rollback {target.release} {revision} {target.namespace_flag()}`"


def uninstall(target: Target) -> str:
    """Return the command that takes the release away."""
    return f"`helm uninstall {target.release} {target.namespace_flag()}`"


def _entries(history: Outcome) -> list[dict[str, Any]]:
    if history.ended != "exited" or history.exit_code != 0:
        return []
    try:
        entries = json.loads(history.stdout)
    except (ValueError, RecursionError):
        return []
    whole = isinstance(entries, list) and all(
        isinstance(entry, dict) and type(entry.get("revision")) is int for entry in entries
    )
    return entries if whole else []
