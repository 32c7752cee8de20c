"""The words that text and Markdown share. All text from outside passes :func:`visible` before a person sees it."""

from collections.abc import Sequence
from shlex import quote

from sluiceway.model.changes import Change
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem
from sluiceway.model.words import LOUD, as_read, counted, does, holder, number, value, visible

__all__ = [
    "LOUD",
    "as_read",
    "counted",
    "deploy_command",
    "deployable",
    "does",
    "done_as",
    "duration",
    "holder",
    "losses",
    "number",
    "object_name",
    "option_text",
    "place",
    "value",
    "visible",
]


def object_name(change: Change) -> str:
    """Return the object of ``change`` as a person calls it; the address stands where type and name don't say enough."""
    return visible(f"{change.type} {change.name}".strip() or change.address)


def place(problem: Problem) -> str:
    """Return where a problem is, as ``sluiceway.yaml:3:stacks[0].path``, as far as it is known."""
    return ":".join(str(part) for part in (problem.file, problem.line, problem.key) if part)


def duration(seconds: float) -> str:
    """Return wall time as ``0.4 s`` or ``2 min 5 s``."""
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def deploy_command(*rows: Row, options: Sequence[str] = ()) -> str:
    """Return the command that deploys exactly what ``rows`` show; ``options`` are those that led to the rows."""
    words = ["sluiceway", "deploy", *(row.stack for row in rows)]
    for row in rows:
        words += ["--hash", row.hash or "" if len(rows) == 1 else f"{row.stack}={row.hash}"]
    words += options
    if any(row.drift for row in rows):
        words.append("--repair-drift")
    return " ".join(quote(visible(word)) for word in words)


def losses(row: Row) -> str:
    """Return what a deploy of ``row`` takes away, as ``2 deletes, 1 replace``; empty where nothing is."""
    return ", ".join(words for op, words in counted(row.changes) if op in LOUD)


def deployable(row: Row) -> bool:
    """Tell whether a deploy would do something for ``row``: it shows a difference, and a hash to approve it by."""
    free = row.hash is not None and row.reason is None
    return free and row.state in {"pending", "drift"} and row.outcome in {None, "moved", "refused"}


def done_as(row: Row, verb: str) -> list[str]:
    """Return the addresses of what a deploy did, for ``verb`` ``applied`` or ``deleted``."""
    return [entry.removeprefix(f"{verb} ") for entry in row.done if entry.startswith(f"{verb} ")]


def option_text(given: object) -> str:
    """Return the value of an option as ``sluiceway.yaml`` spells it."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, list | tuple):
        return ", ".join(option_text(item) for item in given)
    return str(given)
