"""The text report: rows, problems and stacks as a person reads them in a terminal or a log."""

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
    "pending": ("PENDING", "update"),
    "drift": ("DRIFTED", "update"),
    "in-sync": ("IN SYNC", "create"),
    "preview-failed": ("FAILED", "failed"),
    "deployed": ("DEPLOYED", "create"),
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
        for change in as_read(row.changes):
            yield from _change(change, row.changes)
        yield from _drift(row)
    yield from _reason(row.reason)
    yield from _reason(row.drift_reason, "Drift was not checked: ")
    yield from _done(row)
    for note in row.notes:
        yield line(Span("Note: ", "head"), visible(note), depth=1)
    if deployable(row) and not seen:
        yield line(Span("Hash: ", "head"), row.hash or "", depth=1)


def closing_lines(rows: Sequence[Row], options: Sequence[str] = ()) -> Iterator[Line]:
    """Yield what stands below all rows: a count of several stacks, and how to deploy what is shown.

    ``options`` are the command-line options that a deploy has to repeat.
    """
    waiting = [row for row in rows if deployable(row) and row.outcome != "refused"]
    if len(rows) > 1:
        yield line("")
        yield line(Span(f"{number(len(rows), 'stack')}: ", "head"), ", ".join(_tally(rows)))
    if len(waiting) == 1:
        yield line("")
        yield line("To deploy exactly this:")
        yield line(deploy_command(waiting[0], options), depth=1)
    elif waiting:
        yield line("")
        yield line("To deploy one of them: sluiceway deploy STACK --hash HASH, with the hash that stands below it.")


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
    parts.append(Span(f"  ({duration(row.seconds)})", "faint"))
    return line(*parts)


def _change(change: Change, among: Sequence[Change]) -> Iterator[Line]:
    sign, style = _SIGNS[change.op]
    verb = does(change).upper() if change.op in LOUD else does(change)
    yield line(Span(f"{sign:<3} {verb:<7} ", style), _named(change, among), *_moved(change), depth=1)
    shown = {item.path: value(item) for item in change.values}
    replacing = set(change.replace_keys)
    for path in sorted_unique((*change.changed_keys, *shown)):
        parts = [visible(path), f": {shown[path]}" if path in shown else ""]
        forced = Span("  (forces the replace)", "delete") if path in replacing else ""
        yield line(*parts, forced, depth=7)


def _named(change: Change, among: Sequence[Change]) -> str:
    name = object_name(change)
    alike = sum(object_name(other) == name for other in among)
    return name if alike == 1 else f"{name}  ({visible(change.address)})"


def _moved(change: Change) -> list[str]:
    return [f"  (was {visible(change.previous_address)})"] if change.previous_address else []


def _drift(row: Row) -> Iterator[Line]:
    if not row.drift:
        return
    yield line(Span("Changed outside the code:", "head"), depth=1)
    for change in as_read(row.drift):
        if change.op == "delete":
            yield line(Span("-   GONE    ", "delete"), _named(change, row.drift), depth=1)
            continue
        yield line(Span("~   changed ", "update"), _named(change, row.drift), depth=1)
        yield from _held(change)


def _held(change: Change) -> Iterator[Line]:
    for held in change.holders:
        yield line(Span("by ", "faint"), holder(held), depth=7)
        for path in sorted_unique(held.keys):
            yield line(visible(path), depth=8)
    known = {path for held in change.holders for path in held.keys}
    for path in sorted_unique(path for path in change.changed_keys if path not in known):
        yield line(visible(path), depth=7)


def _reason(reason: Reason | None, what: str = "") -> Iterator[Line]:
    if reason is not None:
        yield line(Span("Why:  ", "failed"), what, visible(f"{reason.what}."), depth=1)
        if reason.next_step:
            yield line(Span("Next: ", "head"), visible(reason.next_step), depth=1)


def _done(row: Row) -> Iterator[Line]:
    if row.done and row.outcome == "failed":
        yield line(Span("Done all the same, before it failed:", "failed"), depth=1)
    for address in done_as(row, "deleted"):
        yield line(Span("deleted ", "delete"), visible(address), depth=1)
    for address in done_as(row, "applied"):
        yield line(Span("applied ", "create"), visible(address), depth=1)


def _tally(rows: Sequence[Row]) -> list[str]:
    words = {"drift": "drifted", "in-sync": "in sync", "preview-failed": "failed"}
    found: dict[str, int] = {}
    for row in rows:
        name = row.outcome or row.state
        found[words.get(name, name)] = found.get(words.get(name, name), 0) + 1
    return [f"{count} {name}" for name, count in found.items()]
