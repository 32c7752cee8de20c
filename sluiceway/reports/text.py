"""The text report: rows, problems and stacks as a person reads them in a terminal or a log."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sluiceway.model.changes import Change
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.lines import Line, Span, Style, line
from sluiceway.reports.words import (
    LOUD,
    as_read,
    counted,
    deploy_command,
    deployable,
    does,
    done_as,
    duration,
    holder,
    number,
    object_name,
    option_text,
    value,
    visible,
)

_HEADS: Final[dict[str, tuple[str, Style]]] = {
    "pending": ("PENDING", "head"),
    "drift": ("DRIFTED", "head"),
    "in-sync": ("IN SYNC", "plain"),
    "preview-failed": ("FAILED", "failed"),
    "deployed": ("DEPLOYED", "head"),
    "moved": ("MOVED", "failed"),
    "refused": ("REFUSED", "failed"),
    "failed": ("FAILED", "failed"),
}
_SIGNS: Final[dict[str, tuple[str, Style]]] = {
    "create": ("+", "create"),
    "update": ("~", "update"),
    "replace": ("-/+", "delete"),
    "delete": ("-", "delete"),
    "none": (">", "update"),
}
_WIDTH = max(len(head) for head, _ in _HEADS.values())
_NAMES = _WIDTH + 2
"""The column where a stack's id begins."""
_OBJECTS = 14
"""The column where an object begins; its paths stand below it."""
_WORDS = 8
"""The column where a sentence begins that has a word before it."""
_MOST_TYPED = 20
"""Stacks in one command: with more, it is longer than anyone looks through."""


def block_lines(rows: Iterable[tuple[Row, bool]]) -> Iterator[list[Line]]:
    """Yield the block of each row as it comes; a block of several lines stands apart from its neighbours.

    Beside each row stands whether it was just seen, as :func:`row_lines` takes it.
    """
    before = 0
    for row, seen in rows:
        block = list(row_lines(row, seen=seen))
        yield [line(""), *block] if before > 1 or (before and len(block) > 1) else block
        before = len(block)


def row_lines(row: Row, *, seen: bool = False) -> Iterator[Line]:
    """Yield the block of one stack. ``seen`` leaves out its changes, drift and hash: they were just shown."""
    yield _head(row)
    if row.outcome != "deployed" and not seen:
        names = Counter(map(object_name, row.changes))
        for change in as_read(row.changes):
            yield from _change(change, names)
        yield from _drift(row)
    yield from _reason(row.reason)
    yield from _reason(row.drift_reason, "Drift was not checked: ")
    yield from _done(row)
    for note in row.notes:
        yield line(Span("Note: ", "head"), visible(note), depth=1, hang=_WORDS)
    if deployable(row) and not seen:
        yield line(Span("Hash: ", "head"), row.hash or "", depth=1, whole=True)


def closing_lines(rows: Sequence[Row], options: Sequence[str] = ()) -> Iterator[Line]:
    """Yield what stands below all rows: a count of several stacks, what goes, and how to deploy what is shown.

    ``options`` are the command-line options that a deploy has to repeat.
    """
    waiting = [row for row in rows if deployable(row) and row.outcome != "refused"]
    if len(rows) > 1:
        yield line("")
        yield line(Span(f"{number(len(rows), 'stack')}: ", "head"), ", ".join(_tally(rows)))
        yield from _goes(waiting)
    if not waiting:
        return
    yield line("")
    if len(waiting) > _MOST_TYPED:
        yield line("To deploy some of them: sluiceway deploy ID ID --hash ID=HASH --hash ID=HASH, by the hashes above.")
        return
    yield line("To deploy exactly this:" if len(waiting) == 1 else "To deploy exactly all this:")
    yield line(deploy_command(*waiting, options=options), depth=1, whole=True)


def _goes(waiting: Sequence[Row]) -> Iterator[Line]:
    """Yield what a deploy of all would take away: far above, it may have scrolled out of sight."""
    for row in waiting:
        if loud := [words for op, words in counted(row.changes) if op in LOUD]:
            yield line(Span(", ".join(loud), "delete"), f" in {visible(row.stack)}", depth=1)


def problem_lines(problems: Sequence[Problem], level: str = "error") -> Iterator[Line]:
    """Yield each problem as ``file:line: key: problem``; ``level`` is how it reads: ``error`` or ``warning``."""
    for problem in problems:
        place = visible(problem.file) + (f":{problem.line}" if problem.line else "")
        key = f"{visible(problem.key)}: " if problem.key else ""
        style: Style = "failed" if level == "error" else "update"
        yield line(f"{place}: ", Span(f"{level}: ", style), key, visible(problem.problem))


def stack_lines(stacks: Sequence[Stack]) -> Iterator[Line]:
    """Yield each stack with its path, tool and options."""
    for stack in by_code_unit(stacks, key=lambda stack: stack.id):
        yield line(Span(visible(stack.id), "head"))
        yield line(f"path: {visible(stack.path)}", depth=1)
        yield line(f"tool: {visible(stack.tool)}", depth=1)
        for name in sorted_unique(stack.options):
            yield line(f"{visible(name)}: {visible(option_text(stack.options[name]))}", depth=1)


def _head(row: Row) -> Line:
    word, style = _HEADS[row.outcome or row.state]
    parts = [Span(f"{word:<{_WIDTH}}  ", style), Span(visible(row.stack), "head")]
    found = counted(row.changes)
    for index, (op, words) in enumerate(found):
        parts.append(Span("  " if not index else ", "))
        parts.append(Span(words, "delete" if op in LOUD else "plain"))
    if row.drift:
        parts.append(Span(f"{', ' if found else '  '}{number(len(row.drift), 'object')} changed outside the code"))
    parts.append(Span(f"  ({duration(row.seconds)})"))
    return line(*parts, hang=_NAMES)


def _change(change: Change, names: Counter[str]) -> Iterator[Line]:
    sign, style = _SIGNS[change.op]
    loud = change.op in LOUD
    verb = Span(f"{does(change).upper() if loud else does(change):<7} ", style if loud else "plain")
    yield line(Span(f"{sign:<3} ", style), verb, _named(change, names), *_moved(change), depth=1, hang=_OBJECTS)
    shown = {item.path: value(item) for item in change.values}
    replacing = set(change.replace_keys)
    for path in sorted_unique((*change.changed_keys, *shown)):
        parts = [visible(path), f": {shown[path]}" if path in shown else ""]
        forced = Span("  (forces the replace)", "delete") if path in replacing else ""
        yield line(*parts, forced, depth=7)


def _named(change: Change, names: Counter[str]) -> str:
    """Return the object's name, with its address where ``names``, of the objects beside it, has it more than once."""
    name = object_name(change)
    return name if names[name] == 1 else f"{name}  ({visible(change.address)})"


def _moved(change: Change) -> list[str]:
    return [f"  (was {visible(change.previous_address)})"] if change.previous_address else []


def _drift(row: Row) -> Iterator[Line]:
    if not row.drift:
        return
    names = Counter(map(object_name, row.drift))
    yield line(Span("Changed outside the code:", "head"), depth=1)
    for change in as_read(row.drift):
        if change.op == "delete":
            yield line(Span("-   GONE    ", "delete"), _named(change, names), depth=1, hang=_OBJECTS)
            continue
        yield line(Span("~   ", "update"), "changed ", _named(change, names), depth=1, hang=_OBJECTS)
        yield from _held(change)


def _held(change: Change) -> Iterator[Line]:
    for held in change.holders:
        manager, bracket, facts = holder(held).partition(" (")
        yield line("by ", Span(manager, "head"), bracket, facts, depth=7)
        for path in sorted_unique(held.keys):
            yield line(visible(path), depth=8)
    known = {path for held in change.holders for path in held.keys}
    for path in sorted_unique(path for path in change.changed_keys if path not in known):
        yield line(visible(path), depth=7)


def _reason(reason: Reason | None, what: str = "") -> Iterator[Line]:
    if reason is not None:
        yield line(Span("Why:  ", "failed"), what, visible(f"{reason.what}."), depth=1, hang=_WORDS)
        if reason.next_step:
            yield line(Span("Next: ", "head"), visible(reason.next_step), depth=1, hang=_WORDS)


def _done(row: Row) -> Iterator[Line]:
    if row.done and row.outcome == "failed":
        yield line(Span("Done all the same, before it failed:", "failed"), depth=1)
    for address in done_as(row, "deleted"):
        yield line(Span("deleted ", "delete"), visible(address), depth=1, hang=_WORDS + 2)
    for address in done_as(row, "applied"):
        yield line("applied ", visible(address), depth=1, hang=_WORDS + 2)


def _tally(rows: Sequence[Row]) -> list[str]:
    words = {"drift": "drifted", "in-sync": "in sync", "preview-failed": "failed"}
    found: dict[str, int] = {}
    for row in rows:
        name = row.outcome or row.state
        found[words.get(name, name)] = found.get(words.get(name, name), 0) + 1
    return [f"{count} {name}" for name, count in found.items()]
