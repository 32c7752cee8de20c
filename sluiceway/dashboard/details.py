"""What stands below a row's line: warnings, reasons, notes, and the folds of changes and of drift."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sluiceway.dashboard.names import named, said
from sluiceway.model.changes import Change
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.reasons import Kind, Reason
from sluiceway.model.words import LOUD, as_read, does, holder, number, value

_GONE = {"delete": "deleted", "replace": "replaced"}
_WHY: dict[Kind, str] = {
    "tool-error": "The tool ended with an error",
    "timed-out": "The time limit ran out",
    "unreadable-output": "The tool's output can't be read",
    "output-too-large": "The tool printed too much",
    "unknown-step": "The tool printed a step that is not known",
    "tool-missing": "The tool is missing",
    "tool-too-old": "The tool is too old",
    "preparation-failed": "The preparation failed",
    "internal-error": "Sluiceway itself failed",
}
_NAMELESS = re.compile(rf"(?:{'|'.join(map(re.escape, _WHY.values()))})(?: \([a-z-]*(?:, )?(?:exit code -?\d+)?\))?\.")


def warnings(changes: Sequence[Change], *, paths: bool) -> Iterator[str]:
    """Yield a line for each delete and replace, with the paths of a replace where ``paths`` are wanted."""
    for change in _loud(changes):
        yield f"- **Will be {_GONE[change.op]}:** {named(change.address)}{_was(change)}{_fields(change, paths=paths)}"
        yield from _paths(change) if paths else ()


def unlisted_warnings(changes: Sequence[Change]) -> Iterator[str]:
    """Yield one sentence in place of all warnings: some of them alone would look like all."""
    if loud := _loud(changes):
        yield f"- **{number(len(loud), 'object')} will be deleted or replaced**, not listed here."


def redacted_warnings(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each kind of delete and replace, without the names."""
    for (op, type_), count in _by_type((change.op, change.type) for change in _loud(changes)):
        yield f"- **Will be {_GONE[op]}:** {count} of type {named(type_)}"


def quiet(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that take nothing away."""
    return [change for change in as_read(changes) if change.op not in LOUD]


def other_lines(changes: Sequence[Change], *, paths: bool) -> Iterator[str]:
    """Yield a line for each of the other changes, and below it its paths, with the values that may be shown."""
    for change in changes:
        yield f"- {does(change)} {named(change.address)}{_was(change)}{_fields(change, paths=paths)}"
        yield from _paths(change) if paths else ()


def redacted_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each kind of the other changes, without the names."""
    for (verb, type_), count in _by_type((does(change), change.type) for change in changes):
        yield f"- {verb} {count} of type {named(type_)}"


def drift_lines(drift: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each object that changed outside the code, and below it who holds which paths."""
    for change in as_read(drift):
        yield f"- {_drifted(change)} {named(change.address)}"
        for held in change.holders:
            keys = ", ".join(named(path) for path in sorted_unique(held.keys))
            yield f"  - by {named(holder(held))}: {keys or 'no field'}"
        known = {path for held in change.holders for path in held.keys}
        for path in sorted_unique(path for path in change.changed_keys if path not in known):
            yield f"  - {named(path)}"


def redacted_drift(drift: Sequence[Change]) -> Iterator[str]:
    """Yield a line for each kind of drift, without the names."""
    for (verb, type_), count in _by_type((_drifted(change), change.type) for change in drift):
        yield f"- {verb} {count} of type {named(type_)}"


def fold(summary: str, lines: Iterable[str]) -> list[str]:
    """Return a fold; ``summary`` is ours, ``lines`` are Markdown. The blank lines make GitHub read that as such."""
    return ["", f"<details><summary>{summary}</summary>", "", *lines, "", "</details>"]


def why(reason: Reason, *, redact: bool) -> str:
    """Return a reason as a sentence that is not escaped yet; without the names it holds where they are to stay out."""
    if not redact:
        return reason.text
    facts = [reason.detail or "", "" if reason.exit_code is None else f"exit code {reason.exit_code}"]
    known = ", ".join(fact for fact in facts if fact)
    return f"{_WHY[reason.kind]}{f' ({known})' if known else ''}."


def nameless(sentence: str) -> str:
    """Return a sentence that :func:`why` gave without names; in place of any other, one that says no reason.

    Why a deploy failed is carried from row to row, and may have been written before names were to stay out.
    """
    return sentence if _NAMELESS.fullmatch(sentence) else "The log of the run says why."


def notes(texts: Sequence[str], *, listed: bool) -> Iterator[str]:
    """Yield a row's notes, or how many there are where they are not ``listed``: they hold names."""
    if listed:
        yield from (f"- Note: {said(text)}" for text in texts)
    elif texts:
        yield f"- {number(len(texts), 'note')}, not listed here."


def _loud(changes: Sequence[Change]) -> list[Change]:
    return [change for change in as_read(changes) if change.op in LOUD]


def _was(change: Change) -> str:
    return f" (was {named(change.previous_address)})" if change.previous_address else ""


def _fields(change: Change, *, paths: bool) -> str:
    found = set(change.changed_keys) | {item.path for item in change.values}
    return f", {number(len(found), 'field')}" if found and not paths else ""


def _paths(change: Change) -> Iterator[str]:
    shown = {item.path: value(item) for item in change.values}
    for path in sorted_unique((*change.changed_keys, *shown)):
        forces = " (forces the replace)" if path in change.replace_keys else ""
        yield f"  - {named(path)}" + (f": {named(shown[path])}" if path in shown else "") + forces


def _drifted(change: Change) -> str:
    return "**gone**" if change.op == "delete" else "changed"


def _by_type(found: Iterable[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    counted = Counter(found)
    ordered = by_code_unit(counted, key=lambda pair: pair[1])
    return [(pair, counted[pair]) for pair in sorted(ordered, key=lambda pair: pair[0])]
