"""What helm stored for a release: its state, its revision, and the objects of its last revision."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.commands import NOT_INSTALLED
from sluiceway.adapters.helm.manifests import Item
from sluiceway.model.reasons import Reason, unreadable
from sluiceway.processes import Outcome

DEPLOYED, UNINSTALLED = "deployed", "uninstalled"
_HEAD = re.compile(r"([a-z]{1,20}(?:-[a-z]{1,20}){0,2}) ([0-9]{1,9})\n")


@dataclass(frozen=True, slots=True)
class Release:
    """One revision of a release. ``state`` is helm's own word (``deployed``, ``failed``, ``pending-upgrade``)."""

    state: str
    revision: int
    items: Sequence[Item] = field(repr=False)

    @property
    def pending(self) -> bool:
        """Whether helm holds that someone is at work on the release; it then refuses every upgrade."""
        return self.state.startswith("pending")


def is_missing(outcome: Outcome) -> bool:
    """Tell whether helm answered that there is no such release."""
    return outcome.ended == "exited" and outcome.exit_code == 1 and NOT_INSTALLED in outcome.stderr.splitlines()


def read_release(outcome: Outcome, namespace: str) -> Release | Reason:
    """Read what :meth:`~sluiceway.adapters.helm.commands.Commands.release` printed."""
    printed = manifests.decoded(outcome.stdout)
    head = _HEAD.match(printed)
    if head is None:
        return unreadable("helm get all", "a status and a revision")
    try:
        items = manifests.read(printed[head.end() :], namespace)
    except manifests.UnreadableManifest as error:
        return unreadable(f"the release's manifest: {error.place}", error.expected)
    return Release(head[1], int(head[2]), items)


def deployed_revision(outcome: Outcome) -> int | Reason | None:
    """Return the revision that ``helm history`` calls deployed: the one an upgrade starts from. None for none."""
    try:
        entries = json.loads(outcome.stdout)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        return unreadable("helm history", "a list of revisions")
    revisions = [_revision(entry) for entry in entries if isinstance(entry, dict) and entry.get("status") == DEPLOYED]
    if None in revisions:
        return unreadable("helm history", "a revision")
    return max((revision for revision in revisions if revision is not None), default=None)


def _revision(entry: dict[str, Any]) -> int | None:
    revision = entry.get("revision")
    return revision if type(revision) is int and revision > 0 else None
