"""The Markdown report, for a job summary or a comment. All text from outside is held in a code span or escaped."""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from sluiceway.model.changes import Change
from sluiceway.model.markdown import code, escaped
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.words import (
    LOUD,
    as_read,
    counted,
    deploy_command,
    deployable,
    does,
    done_as,
    holder,
    losses,
    number,
    option_text,
    place,
    value,
)

_STATES = {"drift": "drifted", "in-sync": "in sync", "preview-failed": "preview failed"}


class Detail(IntEnum):
    """How much of a row is said: all, no fields, of its objects only those that are taken away, or no object."""

    WHOLE = 0
    OBJECTS = 1
    LOSSES = 2
    COUNTS = 3


def rows_markdown(rows: Sequence[Row], options: Sequence[str] = ()) -> str:
    """Return the report of ``rows``; ``options`` are the command-line options that a deploy has to repeat."""
    return "\n\n".join(row_markdown(row, options) for row in rows) + "\n" if rows else "No stacks.\n"


def row_markdown(row: Row, options: Sequence[str] = (), detail: Detail = Detail.WHOLE) -> str:
    """Return the part of one row, without a line end. What is not whole says so."""
    return "\n".join(_row(row, options, detail))


def state_words(row: Row) -> str:
    """Return the outcome of ``row``, or its state, as a person reads it."""
    state = row.outcome or row.state
    return _STATES.get(state, state)


def losses_markdown(row: Row) -> str:
    """Return what a deploy of ``row`` takes away, and of which stack."""
    return f"**{losses(row)}** in {code(row.stack)}"


def check_markdown(problems: Sequence[Problem], stacks: Sequence[Stack]) -> str:
    """Return what ``check`` found."""
    if not problems:
        return f"No problems in {number(len(stacks), 'stack')}.\n"
    return "".join(f"- {code(place(problem))}: {escaped(problem.problem)}\n" for problem in problems)


def stacks_markdown(stacks: Sequence[Stack]) -> str:
    """Return the stacks with their tools and options."""
    return "".join(_stack(stack) for stack in by_code_unit(stacks, key=lambda stack: stack.id)) or "No stacks.\n"


def _stack(stack: Stack) -> str:
    facts = [f"tool {code(stack.tool)}", f"path {code(stack.path)}"]
    facts += [f"{code(name)} {code(option_text(stack.options[name]))}" for name in sorted_unique(stack.options)]
    return f"- {code(stack.id)}: {', '.join(facts)}\n"


def _row(row: Row, options: Sequence[str], detail: Detail) -> Iterator[str]:
    yield f"### {code(row.stack)}: {state_words(row)}"
    facts = [f"**{words}**" if op in LOUD else words for op, words in counted(row.changes)]
    if row.drift:
        facts.append(f"{number(len(row.drift), 'object')} changed outside the code")
    if facts:
        yield f"\n{', '.join(facts)}"
    yield from _listed(line for change in _shown(row.changes, detail) for line in _change(change, detail))
    if drift := _shown(row.drift or (), detail):
        yield "\nChanged outside the code:"
        yield from _listed(line for change in drift for line in _drift(change, detail))
    yield from _reason(row.reason, "Why")
    yield from _reason(row.drift_reason, "Drift was not checked")
    yield from _listed(f"- {done}" for done in _done(row, detail))
    yield from _listed(f"- Note: {escaped(note)}" for note in row.notes)
    if detail is not Detail.WHOLE:
        yield "\nThis stack is shortened here: the log has all of it."
    if deployable(row):
        yield f"\nTo deploy exactly this: {code(deploy_command(row, options=options))}"


def _shown(changes: Sequence[Change], detail: Detail) -> list[Change]:
    """Return the changes that are listed, in the order in which they are read."""
    some = changes if detail < Detail.LOSSES else [change for change in changes if change.op in LOUD]
    return as_read(some) if detail < Detail.COUNTS else []


def _done(row: Row, detail: Detail) -> Iterator[str]:
    for verb in ("deleted", "applied"):
        done = done_as(row, verb)
        if detail < Detail.LOSSES:
            yield from (f"{verb} {code(address)}" for address in done)
        elif done:
            yield f"{verb} {number(len(done), 'object')}"


def _listed(lines: Iterator[str]) -> Iterator[str]:
    for index, line in enumerate(lines):
        yield line if index else f"\n{line}"


def _change(change: Change, detail: Detail) -> Iterator[str]:
    verb = f"**{does(change)}**" if change.op in LOUD else does(change)
    was = f" (was {code(change.previous_address)})" if change.previous_address else ""
    yield f"- {verb} {code(change.address)}{was}"
    if detail is not Detail.WHOLE:
        return
    shown = {item.path: value(item) for item in change.values}
    for path in sorted_unique((*change.changed_keys, *shown)):
        forces = " (forces the replace)" if path in change.replace_keys else ""
        yield f"  - {code(path)}" + (f": {code(shown[path])}" if path in shown else "") + forces


def _drift(change: Change, detail: Detail) -> Iterator[str]:
    yield f"- {'**gone**' if change.op == 'delete' else 'changed'} {code(change.address)}"
    if detail is not Detail.WHOLE:
        return
    for held in change.holders:
        yield f"  - by {code(holder(held))}: " + ", ".join(code(path) for path in sorted_unique(held.keys))
    known = {path for held in change.holders for path in held.keys}
    for path in sorted_unique(path for path in change.changed_keys if path not in known):
        yield f"  - {code(path)}"


def _reason(reason: Reason | None, what: str) -> Iterator[str]:
    if reason is not None:
        yield f"\n{what}: {escaped(reason.text)}"
