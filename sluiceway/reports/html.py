"""The report as a page: one file for a browser, that holds what the other reports hold, and never a value."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element

from sluiceway.model.changes import Change
from sluiceway.model.order import by_code_unit, sorted_unique
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.elements import element
from sluiceway.reports.page import header, page
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
    option_text,
    place,
    value,
)

_STATES: Final[dict[str, tuple[str, str]]] = {
    "failed": ("Failed", "bad"),
    "preview-failed": ("Preview failed", "bad"),
    "moved": ("Moved", "bad"),
    "refused": ("Refused", "bad"),
    "pending": ("Pending", "warm"),
    "drift": ("Drifted", "warm"),
    "deployed": ("Deployed", "good"),
    "in-sync": ("In sync", "good"),
}
"""Each state and outcome as a person reads it, and how it looks; what needs someone comes first."""

MOST_TYPED = 20
"""Stacks in one command: with more, it is longer than anyone looks through."""
_MANY = 25
"""A fold of more entries is closed at first, and so is the list of a change with more fields."""


def rows_html(rows: Sequence[Row], options: Sequence[str] = (), act: str = "preview") -> str:
    """Return the page of ``rows`` that the command ``act`` gave; ``options`` are those that a deploy has to repeat."""
    title = f"{act.capitalize()} of {number(len(rows), 'stack')}"
    states = Counter(_state(row) for row in rows)
    facts = ", ".join(f"{states[state]} {words.lower()}" for state, (words, _) in _STATES.items() if states[state])
    named = {id(row): f"stack-{index}" for index, row in enumerate(rows, 1)}
    return page(
        title,
        header(
            title,
            element("p", f"{facts or 'No stacks'}."),
            _warning(rows, named),
            _failures(rows, named),
        ),
        _tools(states) if rows else None,
        element("main", *(_row(row, named[id(row)], options) for row in rows), id="report"),
        _together(rows, options),
    )


def check_html(problems: Sequence[Problem], stacks: Sequence[Stack]) -> str:
    """Return the page of what ``check`` found."""
    title = number(len(problems), "problem") if problems else f"No problems in {number(len(stacks), 'stack')}"
    items = [
        element("li", element("code", place(problem)), f": {problem.problem}", class_="said") for problem in problems
    ]
    return page(title, header(title), element("main", _list(items), id="report"))


def stacks_html(stacks: Sequence[Stack]) -> str:
    """Return the page of the stacks with their tools and options."""
    title = number(len(stacks), "stack") if stacks else "No stacks"
    ordered = by_code_unit(stacks, key=lambda stack: stack.id)
    return page(title, header(title), element("main", *map(_stack, ordered), id="report"))


def _state(row: Row) -> str:
    return row.outcome or row.state


def _warning(rows: Sequence[Row], named: dict[int, str]) -> Element | None:
    """Say what is taken away, before anything else, and where; what is deployed already has been."""
    losing = [row for row in rows if any(change.op in LOUD for change in row.changes)]
    changes = tuple(change for row in losing for change in row.changes if change.op in LOUD)
    words = ", ".join(words for _, words in counted(changes))
    return _callout(words, losing, named) if losing else None


def _failures(rows: Sequence[Row], named: dict[int, str]) -> Element | None:
    failed = [row for row in rows if row.reason or row.drift_reason]
    return _callout(number(len(failed), "failure"), failed, named) if failed else None


def _callout(words: str, rows: Sequence[Row], named: dict[int, str]) -> Element:
    said = element("p", element("span", words, class_="loud"), " in ", class_="callout")
    for index, row in enumerate(rows):
        link = element("a", element("bdi", row.stack), href=f"#{named[id(row)]}")
        link.tail = ", " if index + 1 < len(rows) else None
        said.append(link)
    return said


def _tools(states: Counter[str]) -> Element:
    """Return the search, which the page's script shows: without one it could do nothing."""
    options = [element("option", f"All ({states.total()})", value="")]
    options += [
        element("option", f"{words} ({states[state]})", value=state)
        for state, (words, _) in _STATES.items()
        if states[state]
    ]
    search = "Search stacks, objects and fields"
    return element(
        "div",
        element(
            "div",
            element("label", search, for_="query"),
            element("input", type="search", id="query", autocomplete="off", spellcheck="false"),
            class_="wide",
        ),
        element("div", element("label", "State", for_="state"), element("select", *options, id="state")),
        element("button", "Open all", type="button", id="open"),
        element("button", "Close all", type="button", id="close"),
        element("p", role="status", id="count", class_="faint"),
        id="tools",
        class_="tools",
        role="search",
        hidden="",
    )


def _row(row: Row, name: str, options: Sequence[str]) -> Element:
    words, looks = _STATES[_state(row)]
    title = element(
        "h2", element("span", words, class_="state"), " ", element("bdi", row.stack), id=name, tabindex="-1"
    )
    return element(
        "article",
        title,
        _facts(row),
        *_reason(row.reason, "Why"),
        *_reason(row.drift_reason, "Drift was not checked"),
        *_changes(row),
        *_drifts(row),
        *_done(row),
        *(_sentence("Note", note) for note in row.notes),
        *_command(row, options),
        class_=looks,
        data_state=_state(row),
        aria_labelledby=name,
    )


def _facts(row: Row) -> Element:
    facts: list[Element | str] = []
    for op, words in counted(row.changes):
        facts += [element("strong", words, class_="loud") if op in LOUD else words, ", "]
    if row.drift:
        facts += [f"{number(len(row.drift), 'object')} changed outside the code", ", "]
    tool = element("span", element("span", row.tool, class_="said"), f", {duration(row.seconds)}", class_="faint")
    return element("p", *facts, tool)


def _reason(reason: Reason | None, what: str) -> Iterator[Element]:
    if reason is not None:
        yield _sentence(what, reason.text)


def _sentence(what: str, text: str) -> Element:
    return element("p", element("strong", f"{what}:"), f" {text}", class_="said")


def _changes(row: Row) -> Iterator[Element]:
    """Give what takes something away in the open, and the rest in a fold."""
    ordered = as_read(row.changes)
    if loud := [_change(change) for change in ordered if change.op in LOUD]:
        yield element("div", _list(loud), class_="list")
    if others := tuple(change for change in ordered if change.op not in LOUD):
        yield _fold(", ".join(words for _, words in counted(others)), [_change(change) for change in others])


def _drifts(row: Row) -> Iterator[Element]:
    if row.drift:
        title = f"{number(len(row.drift), 'object')} changed outside the code"
        yield _fold(title, [_drift(change) for change in as_read(row.drift)])


def _done(row: Row) -> Iterator[Element]:
    for verb in ("deleted", "applied"):
        if done := done_as(row, verb):
            items = [_item(verb, "delete" if verb == "deleted" else "create", element("code", name)) for name in done]
            yield _fold(f"{number(len(done), 'object')} {verb}", items)


def _fold(title: str, items: Sequence[Element]) -> Element:
    is_open = "" if len(items) <= _MANY else None
    return element("details", element("summary", title), _list(items), class_="list", open=is_open)


def _list(items: Iterable[Element], looks: str = "items") -> Element:
    return element("ul", *items, class_=looks)


def _item(verb: str, looks: str, *content: Element | str | None) -> Element:
    return element("li", element("span", verb, class_=f"op {looks}"), " ", *content, class_="item")


def _change(change: Change) -> Element:
    was = element("span", " was ", element("code", change.previous_address)) if change.previous_address else None
    shown = {item.path: value(item) for item in change.values}
    paths = [
        _path(path, shown.get(path), forces=path in change.replace_keys)
        for path in sorted_unique((*change.changed_keys, *shown))
    ]
    name = element("code", change.address)
    return _item(does(change), change.op, name, was, _paths(paths))


def _path(path: str, shown: str | None, *, forces: bool) -> Element:
    between = ": " if shown is not None else None
    value_shown = element("code", shown) if shown is not None else None
    return element(
        "li", element("code", path), between, value_shown, " forces the replace" if forces else None, class_="path"
    )


def _paths(paths: Sequence[Element]) -> Element | None:
    if not paths:
        return None
    listed = _list(paths, "paths")
    if len(paths) <= _MANY:
        return listed
    return element("details", element("summary", number(len(paths), "field")), listed, class_="paths")


def _drift(change: Change) -> Element:
    gone = change.op == "delete"
    known = {path for held in change.holders for path in held.keys}
    held = [
        element(
            "li",
            "by ",
            element("code", holder(by)),
            _paths([_path(path, None, forces=False) for path in sorted_unique(by.keys)]),
        )
        for by in change.holders
    ]
    rest = [_path(path, None, forces=False) for path in sorted_unique(change.changed_keys) if path not in known]
    name = element("code", change.address)
    return _item("gone" if gone else "changed", change.op, name, _list(held, "paths") if held else None, _paths(rest))


def _command(row: Row, options: Sequence[str]) -> Iterator[Element]:
    if deployable(row):
        yield element("p", "To deploy exactly this:")
        yield _copied(
            deploy_command(row, options=options), element("span", " the deploy of ", element("bdi", row.stack))
        )


def _together(rows: Sequence[Row], options: Sequence[str]) -> Element | None:
    """Give the command that deploys all, at the end: one should have seen it all before."""
    waiting = [row for row in rows if deployable(row) and row.outcome != "refused"]
    if not 1 < len(waiting) <= MOST_TYPED:
        return None
    command = _copied(deploy_command(*waiting, options=options), element("span", " the deploy of all"))
    return element("footer", element("p", "To deploy exactly all this:"), command)


def _copied(command: str, what: Element) -> Element:
    what.set("class", "unseen")
    button = element("button", "Copy", what, type="button", class_="copy", hidden="")
    return element(
        "div", element("code", command), button, element("span", role="status", class_="faint"), class_="command"
    )


def _stack(stack: Stack) -> Element:
    facts = [("tool", stack.tool), ("path", stack.path)]
    facts += [(name, option_text(stack.options[name])) for name in sorted_unique(stack.options)]
    items = [element("li", f"{name}: ", element("code", text)) for name, text in facts]
    return element("article", element("h2", element("bdi", stack.id)), _list(items))
