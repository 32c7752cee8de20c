"""What ``helm diff upgrade --output=structured`` prints, read without its values (``spec/helm.md``)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from json import JSONDecoder
from typing import Any, Literal, NoReturn, get_args

from sluiceway.adapters.helm.naming import from_text, named
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import Reason, unreadable

ChangeType = Literal["ADD", "MODIFY", "REMOVE"]
FieldChange = Literal["add", "remove", "replace"]

_STEP = re.compile(r"[A-Z][A-Z_]{0,39}")
_NEXT_STEP = "Nothing was concluded from it. Report it, with the versions of helm and of its diff plugin."
_SECRET_DATA = ("data", "stringData")
_SECRET_FIELDS = frozenset({"apiVersion", "immutable", "kind", "metadata", "type", *_SECRET_DATA})


@dataclass(frozen=True, slots=True)
class Field:
    """A field that changes: ``path`` and ``field`` as they are printed (see ``paths.py``). Its values are not kept."""

    path: str
    field: str
    change: FieldChange


@dataclass(frozen=True, slots=True)
class Entry:
    """What the plugin says of one object. ``object`` is its name and no more.

    ``readable`` is False where the plugin printed that the object changes and not what of it; ``fields`` is empty then.
    """

    object: LiveObject
    change: ChangeType
    fields: tuple[Field, ...] = ()
    readable: bool = True

    @property
    def address(self) -> str:
        """The object's address, alike under every tool."""
        return self.object.address


class RefusedOutput(Exception):
    """Output that nothing can be concluded from. It carries the reason, and nothing of the output."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def read_structured(stdout: bytes, namespace: str) -> list[Entry] | Reason:
    """Return what the plugin says of each object, in its order; ``namespace`` is the release's.

    An object that is removed and added under one address is one that changes; one that takes another name is removed
    and added. A Reason names the place and what was expected there, never what was found.
    """
    try:
        printed = _parsed(stdout)
        entries = [entry for number, node in enumerate(printed, 1) for entry in _entries(node, number, namespace)]
        return list(_one_each(entries))
    except RefusedOutput as refused:
        return refused.reason


def refused(place: str, expected: str) -> RefusedOutput:
    """Say that output can't be read: where, and what was expected there."""
    return RefusedOutput(unreadable(place, expected))


def unknown_step(found: str, address: str) -> RefusedOutput:
    """Say that the plugin printed a step that is neither an addition, a change nor a removal. ``found`` is its word."""
    word = found if _STEP.fullmatch(found) else "one without a name"
    return RefusedOutput(
        Reason(
            "unknown-step",
            f"Helm's diff plugin shows a step for {address} that Sluiceway does not know: {word}",
            _NEXT_STEP,
            names={"object": address, "found": word},
        )
    )


def _no_value(_digits: str) -> None:
    """Read no number: none is needed, and one can be longer than Python reads."""


def _no_constant(_word: str) -> NoReturn:
    raise ValueError


_DECODER = JSONDecoder(parse_int=_no_value, parse_float=_no_value, parse_constant=_no_constant)


def _parsed(stdout: bytes) -> list[Any]:
    try:
        printed = _DECODER.decode(stdout.decode("utf-8"))
    except (ValueError, RecursionError):
        printed = None
    if not isinstance(printed, list):
        raise refused("the diff", "a list in JSON")
    return printed


def _entries(node: Any, number: int, namespace: str) -> Iterator[Entry]:
    place = f"object {number} of the diff"
    if not isinstance(node, dict):
        raise refused(place, "an object")
    found = _object(node, place, namespace)
    entry = Entry(found, _change_type(node, place, found))
    if "kind" not in node:
        yield replace(entry, readable=False)
        return
    fields = list(_fields(node, place))
    if entry.change != "MODIFY":
        yield entry
    elif not fields:
        raise refused(place, "the fields that change")
    elif (renamed := _renamed(node, found)) is not None:
        yield Entry(found, "REMOVE")
        yield Entry(renamed, "ADD")
    else:
        yield _of_a_secret(entry, fields) if found.is_secret else replace(entry, fields=tuple(fields))


def _object(node: dict[str, Any], place: str, namespace: str) -> LiveObject:
    name = _text(node, "name", place)
    if "kind" in node:
        api_version, kind = _text(node, "apiVersion", place), _text(node, "kind", place)
        found = named(api_version, kind, _text(node, "namespace", place) or namespace, name)
    else:
        found = from_text(name, namespace)
    if found is None:
        raise refused(place, "the name of an object")
    return found


def _change_type(node: dict[str, Any], place: str, found: LiveObject) -> ChangeType:
    word: Any = _text(node, "changeType", place)
    if word not in get_args(ChangeType):
        raise unknown_step(word, found.address)
    if node.get("changesSuppressed", False) is not False:
        raise refused(place, "changes that are not suppressed")
    known: ChangeType = word
    return known


def _fields(node: dict[str, Any], place: str) -> Iterator[Field]:
    changes = node.get("changes", [])
    if not isinstance(changes, list):
        raise refused(place, "a list of changes")
    for number, change in enumerate(changes, 1):
        there = f"{place}, change {number}"
        if not isinstance(change, dict):
            raise refused(there, "a change of a field")
        word: Any = _text(change, "change", there)
        if word not in get_args(FieldChange):
            raise refused(there, "add, remove or replace")
        yield Field(_text(change, "path", there), _text(change, "field", there), word)


def _text(node: dict[str, Any], key: str, place: str) -> str:
    """Return a text, empty where there is none: the plugin leaves out what is empty."""
    text = node.get(key, "")
    if not isinstance(text, str) or (not text.isascii() and not _is_unicode(text)):
        raise refused(place, f"{key} to be text")
    return text


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _renamed(node: dict[str, Any], found: LiveObject) -> LiveObject | None:
    """Return the object under its new name: by the annotation ``helm-diff/base-name`` two names are one object."""
    for change in node["changes"]:
        if (change.get("path"), change.get("field"), change["change"]) == ("metadata", "name", "replace"):
            new = change.get("newValue")
            return named(found.api_version, found.kind, found.namespace or "-", new) if isinstance(new, str) else None
    return None


def _of_a_secret(entry: Entry, fields: Iterable[Field]) -> Entry:
    """Cut the fields of a v1 Secret at its data: no key below it is kept, and no text of one that can't be read."""
    cut: dict[Field, None] = {}
    for field in fields:
        first = re.split(r"[.\[]", field.path, maxsplit=1)[0] or field.field
        if first not in _SECRET_FIELDS:
            return replace(entry, readable=False)
        cut[Field("", "data", "replace") if first in _SECRET_DATA else field] = None
    return replace(entry, fields=tuple(cut))


def _one_each(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Return one entry for each address. The plugin tells apart what is one object to the cluster.

    An object of the cluster under two namespaces is one, and so is one that takes or loses a ``helm-diff/base-name``.
    """
    met: dict[str, Entry] = {}
    for entry in entries:
        first = met.get(entry.address)
        if first is not None and {first.change, entry.change} != {"ADD", "REMOVE"}:
            raise refused("the diff", "each object once")
        met[entry.address] = entry if first is None else Entry(entry.object, "MODIFY", readable=False)
    return met.values()
