"""Rows of the body: one stack each, as it stands there or will stand there."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sluiceway.dashboard.markers import OPENS, Marker, ending
from sluiceway.dashboard.names import said
from sluiceway.dashboard.settings import stamp, stamped

KNOWN_STATES = ("deploying", "queued", "pending", "drift", "preview-failed", "in-sync")
"""The states that are acted on. A row of another is carried as it is."""
WORKING = ("deploying", "queued")
"""The states of a stack whose deployment record is open."""
DEPLOYABLE = ("pending", "drift")
"""The states in which a tick deploys."""

UNTICKED, TICKED, PLAIN = "- [ ] ", "- [x] ", "- "
"""How the line of a row begins: with a box, with a ticked one, without one."""
NOTE = str(Marker("note"))
"""What ends the line of a note that was put on a row after it was drawn."""

_HASH = re.compile(r"[0-9a-f]{16}")
_COUNTS = ("destroys", "deletes", "drift", "deployment")
_TIMES = ("failed", "at")


@dataclass(frozen=True, slots=True)
class FailedDeploy:
    """The last deploy of a stack, which failed. ``why`` is one sentence of ours; ``run`` the id of the workflow run."""

    at: datetime
    run: str
    why: str


@dataclass(frozen=True, slots=True)
class Deployment:
    """An open deployment record: its id, since when, who ticked, the run; of a queued one the stacks it is behind."""

    id: int
    at: datetime
    by: str
    run: str
    behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DashboardRow:
    """One stack's row: its facts, which are the marker's; its box; its text from the most to the least detailed.

    A row that was read from a body has one text. ``ticked`` is None where there is no box. Texts are kept unticked.
    ``short`` says that the text was shortened before.
    """

    marker: Marker
    texts: tuple[str, ...]
    ticked: bool | None = None
    short: bool = False

    @property
    def stack(self) -> str:
        """The id of the stack."""
        return self.marker.keys["stack"]

    @property
    def state(self) -> str:
        """One of :data:`KNOWN_STATES`, or a text of a later version."""
        return self.marker.keys["state"]

    @property
    def hash(self) -> str | None:
        """What a tick approves; only of a row that was drawn from a fresh diff."""
        return self.marker.keys.get("hash")

    @property
    def deletes(self) -> int:
        """How many objects a deploy would delete."""
        return self._count("deletes")

    @property
    def destroys(self) -> int:
        """How many objects a deploy would delete or replace."""
        return self._count("destroys") or self.deletes

    @property
    def drift(self) -> int:
        """How many objects changed outside the code. With any, a tick repairs them too."""
        return self._count("drift")

    @property
    def deployment(self) -> int | None:
        """The id of the open deployment record; only of a deploying or queued row."""
        return self._count("deployment") or None

    @property
    def at(self) -> datetime | None:
        """Since when a deploying or queued row is that."""
        return stamped(self.marker.keys.get("at", ""))

    @property
    def by(self) -> str:
        """The login of who ticked; only of a deploying or queued row."""
        return self.marker.keys.get("by", "")

    @property
    def run(self) -> str:
        """The id of the workflow run that deploys; only of a deploying or queued row."""
        return self.marker.keys.get("run", "")

    @property
    def behind(self) -> tuple[str, ...]:
        """The ids of the stacks that a queued row awaits."""
        return tuple(part for part in self.marker.keys.get("behind", "").split("\n") if part)

    @property
    def failed(self) -> FailedDeploy | None:
        """The last deploy, if it failed."""
        at = stamped(self.marker.keys.get("failed", ""))
        keys = self.marker.keys
        return FailedDeploy(at, keys.get("failed-run", ""), keys.get("failed-why", "")) if at else None

    @property
    def deployable(self) -> bool:
        """Whether a tick of this row is one: it has a box, a hash, and a state with something to deploy."""
        return self.ticked is not None and self.hash is not None and self.state in DEPLOYABLE

    def text(self, level: int = 0) -> str:
        """Return the row as it stands in the body, at a level of shortening."""
        text = self.texts[level]
        return TICKED + text.removeprefix(UNTICKED) if self.ticked else text

    def with_tick(self, ticked: bool) -> "DashboardRow":
        """Return the row with its box ticked or not; a row without a box stays as it is."""
        return self if self.ticked is None else replace(self, ticked=ticked)

    def _count(self, key: str) -> int:
        return int(self.marker.keys.get(key, "0"))


def units(text: str) -> int:
    """Return the length of ``text`` as GitHub counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_sound(keys: Mapping[str, str]) -> bool:
    """Tell whether the keys of a row's marker can be ours: what is there is well-formed, what must be is there."""
    return (
        {"stack", "state"} <= keys.keys()
        and bool(_HASH.fullmatch(keys.get("hash", "0" * 16)))
        and all(re.fullmatch("[0-9]{1,18}", keys.get(key, "0")) for key in _COUNTS)
        and all(key not in keys or stamped(keys[key]) for key in _TIMES)
    )


def failure_keys(failed: FailedDeploy | None) -> dict[str, str]:
    """Return the keys of a marker that hold a failed deploy."""
    return {"failed": stamp(failed.at), "failed-run": failed.run, "failed-why": failed.why} if failed else {}


def row_text(line: str, marker: Marker, body: Sequence[str] = (), *, short: bool = False) -> str:
    """Return the text of a row: its line, which the marker ends, and the lines below it, which a marker closes.

    A row of one line has no closing marker and says so: of 300 rows each character counts. ``short`` rows say that too.
    """
    form = {"short": "1" if body else "line"} if short else {} if body else {"lines": "1"}
    keys = {**marker.keys, **form}
    indented = [f"  {text}" if text else "" for text in body]
    end = [f"  {Marker('end', {'stack': keys['stack']})}"] if body else []
    return "\n".join([f"{line} {Marker('row', keys)}".lstrip(), *indented, *end])


def cleared(row: DashboardRow, note: str = "") -> DashboardRow:
    """Return ``row`` with its box unticked and, until it is drawn anew, a note; everything else byte for byte.

    ``note`` is a sentence of ours, in which names need no escaping. A note of an earlier call goes. A box that somebody
    made on a row that has none goes too.
    """
    if not row.deployable:
        return replace(row, ticked=None, texts=tuple(_without_box(text) for text in row.texts))
    if not note:
        return row.with_tick(False)
    marker = Marker("row", {**row.marker.keys, "note": "1"})
    texts = tuple(_noted(text, marker, note, short=row.short or level > 0) for level, text in enumerate(row.texts))
    return replace(row, marker=marker, texts=texts, ticked=False)


def as_drawn(row: DashboardRow) -> object:
    """Return what a row shows and holds, to be compared: without its box, later notes, and blanks around its lines."""
    first, *rest = row.texts[0].split("\n")
    found = ending(first)
    lines = [line.strip() for line in rest if line.strip() and not _is_later(line)]
    keys = {key: value for key, value in row.marker.keys.items() if key != "note"}
    return keys, (found[0] if found else first).strip(), lines


def _is_later(line: str) -> bool:
    found = ending(line)
    return found is not None and found[1].kind in {"note", "end"}


def _without_box(text: str) -> str:
    return PLAIN + text.removeprefix(UNTICKED) if text.startswith(UNTICKED) else text


def _noted(text: str, marker: Marker, note: str, *, short: bool) -> str:
    first, *rest = text.split("\n")
    line = first[: first.rindex(f" {OPENS}row ")]
    body = [part.removeprefix("  ") for part in rest[:-1] if not part.endswith(NOTE)]
    return row_text(line, marker, [f"- Note: {said(note)} {NOTE}", *body], short=short)
