"""Drawing: from what a preview found, or a deployment record, to a row of the body."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sluiceway.dashboard import details
from sluiceway.dashboard.markers import Marker
from sluiceway.dashboard.names import cut, link, named, said
from sluiceway.dashboard.rows import (
    DEPLOYABLE,
    PLAIN,
    UNTICKED,
    DashboardRow,
    Deployment,
    FailedDeploy,
    failure_keys,
    row_text,
    units,
)
from sluiceway.dashboard.settings import Settings, stamp
from sluiceway.model.changes import Change
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.words import LOUD, counted, number

LEVELS = range(6)
"""How far a row is shortened: 0 whole; 1 without paths of changes; 2 without the other changes; 3 without drift;
4 without warnings and notes; 5 its line alone."""
_NO_PATHS, _NO_OTHERS, _NO_DRIFT, _NO_WARNINGS, _LINE_ONLY = LEVELS[1:]


def draw(row: Row, settings: Settings, *, preview_url: str = "", failed: FailedDeploy | None = None) -> DashboardRow:
    """Return the dashboard's row of a preview or of what a deploy made of one.

    ``preview_url`` is where the whole preview stands; ``failed`` the last deploy if that failed. A deploy that went
    through, or had nothing to do, gives a row that is in sync; one that failed a row without a hash, since what it
    showed no longer holds.
    """
    drawn = _Drawn(_after(row), settings, preview_url, _shown(failed, settings))
    return DashboardRow(drawn.marker, tuple(_ever_shorter(drawn)), False if drawn.has_box else None)


def _shown(failed: FailedDeploy | None, settings: Settings) -> FailedDeploy | None:
    return replace(failed, why=details.nameless(failed.why)) if failed and settings.redact else failed


def _ever_shorter(drawn: "_Drawn") -> Iterator[str]:
    shortest = drawn.text(0)
    yield shortest
    for level in LEVELS[1:]:
        if units(text := drawn.text(level)) < units(shortest):
            yield text
            shortest = text


def failed_why(reason: Reason, settings: Settings) -> str:
    """Return why a deploy failed, for :class:`FailedDeploy`: without names where they are to stay out."""
    return cut(details.why(reason, redact=settings.redact))


def deploying(
    stack: str, deployment: Deployment, settings: Settings, *, failed: FailedDeploy | None = None
) -> DashboardRow:
    """Return the row of a stack that is being deployed, as its record says."""
    words = f"deploying since {settings.when(deployment.at)}, ticked by {named(deployment.by)}"
    words += f", {settings.run(deployment.run)}" if deployment.run else ""
    return _working("deploying", stack, words, deployment, _shown(failed, settings))


def queued(
    stack: str, deployment: Deployment, settings: Settings, *, failed: FailedDeploy | None = None
) -> DashboardRow:
    """Return the row of a stack that waits for others to be deployed, as its record says."""
    awaited = ", ".join(named(other) for other in deployment.behind) or "its turn"
    words = f"queued since {settings.when(deployment.at)}, ticked by {named(deployment.by)}, waits for {awaited}"
    return _working("queued", stack, words, deployment, _shown(failed, settings))


def _working(state: str, stack: str, words: str, deployment: Deployment, failed: FailedDeploy | None) -> DashboardRow:
    facts = {"at": stamp(deployment.at), "by": deployment.by, "run": deployment.run}
    facts["behind"] = "\n".join(deployment.behind)
    known = {key: value for key, value in facts.items() if value}
    keys = {"stack": stack, "state": state, "deployment": str(deployment.id), **known, **failure_keys(failed)}
    marker = Marker("row", keys)
    return DashboardRow(marker, (row_text(f"{PLAIN}**{named(stack)}**: {words}", marker),))


def _after(row: Row) -> Row:
    if row.outcome in {"deployed", "in-sync"}:
        return replace(row, state="in-sync", hash=None, changes=(), drift=None, reason=None)
    return replace(row, hash=None) if row.outcome == "failed" or row.reason else row


@dataclass(frozen=True, slots=True)
class _Drawn:
    row: Row
    settings: Settings
    preview_url: str
    failed: FailedDeploy | None

    @property
    def marker(self) -> Marker:
        destroys = sum(change.op in LOUD for change in self.row.changes)
        deletes = sum(change.op == "delete" for change in self.row.changes)
        found = {
            "hash": self.row.hash if self.has_box else None,
            "destroys": destroys if destroys != deletes else None,
            "deletes": deletes,
            "drift": len(self.row.drift or ()),
        }
        known = {key: str(value) for key, value in found.items() if value}
        return Marker("row", {"stack": self.row.stack, "state": self.row.state, **known, **failure_keys(self.failed)})

    @property
    def has_box(self) -> bool:
        return self.settings.boxes and self.row.hash is not None and self.row.state in DEPLOYABLE

    def text(self, level: int) -> str:
        if self.row.state == "in-sync" and not self.settings.in_sync_section:
            return row_text("", self.marker)
        line, body = self._parts(level)
        return row_text(line, self.marker, body, short=(line, body) != self._parts(0))

    def _parts(self, level: int) -> tuple[str, list[str]]:
        return self._line(level), [] if level >= _LINE_ONLY else [*self._bullets(level), *self._folds(level)]

    def _line(self, level: int) -> str:
        facts = [f"**{words}**" if op in LOUD else words for op, words in counted(self.row.changes)]
        if self.row.drift:
            facts.append(f"{number(len(self.row.drift), 'object')} changed outside the code")
        if self.preview_url and self.row.state != "in-sync" and level < _LINE_ONLY:
            facts.append(link("run" if self.row.state == "preview-failed" else "full preview", self.preview_url))
        start = UNTICKED if self.has_box else PLAIN
        return f"{start}**{named(self.row.stack)}**{': ' if facts else ''}{', '.join(facts)}"

    def _bullets(self, level: int) -> Iterator[str]:
        yield from self._warnings(level)
        yield from self._reasons()
        yield from details.notes(self.row.notes, listed=not self.settings.redact and level < _NO_WARNINGS)

    def _warnings(self, level: int) -> Iterator[str]:
        if level >= _NO_WARNINGS:
            return details.unlisted_warnings(self.row.changes)
        if self.settings.redact:
            return details.redacted_warnings(self.row.changes)
        return details.warnings(self.row.changes, paths=level < _NO_PATHS)

    def _reasons(self) -> Iterator[str]:
        if self.row.reason:
            yield f"- Why: {self._why(self.row.reason)}"
        if self.row.drift_reason:
            yield f"- Drift was not checked: {self._why(self.row.drift_reason)}"
        if self.failed:
            run = f", {self.settings.run(self.failed.run)}" if self.failed.run else ""
            yield f"- **The last deploy failed**, {self.settings.when(self.failed.at)}{run}: {said(self.failed.why)}"
        if self.row.hash is None and self.row.state in DEPLOYABLE and self.settings.boxes:
            yield "- No box: there is no whole preview to approve. The next scan draws this row anew."

    def _why(self, reason: Reason) -> str:
        return said(details.why(reason, redact=self.settings.redact))

    def _folds(self, level: int) -> Iterator[str]:
        others, drift = details.quiet(self.row.changes), self.row.drift or ()
        if others:
            noun = "change" if len(others) == len(self.row.changes) else "other change"
            yield from self._fold(number(len(others), noun), self._others(others, level))
        if drift:
            yield from self._fold(f"{number(len(drift), 'object')} changed outside the code", self._drift(drift, level))

    def _fold(self, summary: str, lines: Iterator[str] | None) -> list[str]:
        return ["", f"{summary}, not listed here."] if lines is None else details.fold(summary, lines)

    def _others(self, others: Sequence[Change], level: int) -> Iterator[str] | None:
        if level >= _NO_OTHERS:
            return None
        if self.settings.redact:
            return details.redacted_lines(others)
        return details.other_lines(others, paths=level < _NO_PATHS)

    def _drift(self, drift: Sequence[Change], level: int) -> Iterator[str] | None:
        if level >= _NO_DRIFT:
            return None
        return details.redacted_drift(drift) if self.settings.redact else details.drift_lines(drift)
