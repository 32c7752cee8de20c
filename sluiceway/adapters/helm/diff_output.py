"""What ``helm diff upgrade --three-way-merge --output=diff`` prints, read back into whole objects (``spec/helm.md``).

The plugin prints an object whole: each line behind ``+ ``, ``- `` or two spaces, and an empty one that both sides have
as it is. So no line of an object looks like the line that names the next one. Of a Secret it prints stand-ins. In the
three-way diff it has written the objects itself, without an anchor or a tag; in any other they are the chart's text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sluiceway.adapters.helm.naming import from_text, named
from sluiceway.adapters.helm.structured import ChangeType, RefusedOutput, refused, unknown_step
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject, mapping
from sluiceway.model.reasons import Reason

_SAID: Final[dict[str, ChangeType]] = {
    "has been added:": "ADD",
    "has changed:": "MODIFY",
    "has been removed:": "REMOVE",
}
_SAID_TOO = {
    "changed ownership:": "OWNERSHIP",
    "has changed, but diff is empty after suppression.": "MODIFY_SUPPRESSED",
}
_HEADER = re.compile(rf"(.+) ({'|'.join(re.escape(said) for said in (*_SAID, *_SAID_TOO))})")
_MASK = re.compile(r"(REDACTED|-{8}|\+{8}) # \(([0-9]{1,12}) bytes\)")
_STAND_INS = {"REDACTED": "as on the other side", "-" * 8: "the value before", "+" * 8: "the value after"}
"""What a stand-in becomes: it tells whether both sides have one value, and of its length only whether it is empty."""

_SECRET = "Secret"  # noqa: S105  # the name of a kind


@dataclass(frozen=True, slots=True)
class ObjectSides:
    """One object on both sides; None for a side that has none. ``object`` is its name and no more.

    ``readable`` is False for a Secret that the plugin could not read; both sides are None then. The data of a Secret
    are words that are equal where the values are.
    """

    object: LiveObject
    change: ChangeType
    before: dict[str, Any] | None = field(repr=False)
    after: dict[str, Any] | None = field(repr=False)
    readable: bool = True

    @property
    def address(self) -> str:
        """The object's address, as the structured output's entry of the object has it."""
        return self.object.address


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one object, on both sides, below the line that names it."""

    header: str
    place: str
    before: list[str] = field(default_factory=list, repr=False)
    after: list[str] = field(default_factory=list, repr=False)


def read_diff_output(stdout: bytes, namespace: str) -> list[ObjectSides] | Reason:
    """Return every object of the output in its order; ``namespace`` is the release's.

    Names are those of the structured output. A Reason names the place and what was expected there, never what was
    found.
    """
    try:
        content = stdout.decode("utf-8")
    except UnicodeDecodeError:
        return refused("the diff", "UTF-8").reason
    try:
        found = [sides for block in _blocks(content) for sides in _sides(block, namespace)]
        return list(_one_each(found))
    except RefusedOutput as error:
        return error.reason


def _blocks(content: str) -> Iterator[_Block]:
    block: _Block | None = None
    lines = content.split("\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        if line and line[:2] not in ("  ", "+ ", "- "):
            if block is not None:
                yield block
            block = _Block(line, f"line {number} of the diff")
        elif block is not None:
            _add(block, line)
        elif line:
            raise refused(f"line {number} of the diff", "the name of an object")
    if block is not None:
        yield block


def _add(block: _Block, line: str) -> None:
    if line[:1] != "+":
        block.before.append(line[2:])
    if line[:1] != "-":
        block.after.append(line[2:])


def _sides(block: _Block, namespace: str) -> Iterator[ObjectSides]:
    header = _HEADER.fullmatch(block.header)
    found = from_text(header[1], namespace) if header is not None else None
    if header is None or found is None:
        raise refused(block.place, "the name of an object, and what happens to it")
    change = _SAID.get(header[2])
    if change is None:
        raise unknown_step(_SAID_TOO[header[2]], found.address)
    if found.kind == _SECRET and _is_error(block):
        yield ObjectSides(found, change, None, None, readable=False)
        return
    before, after = (_tree(lines, block.place) for lines in (block.before, block.after))
    if (before is None, after is None) != (change == "ADD", change == "REMOVE"):
        raise refused(block.place, "the sides that such a change has")
    yield from _named(ObjectSides(found, change, before, after))


def _is_error(block: _Block) -> bool:
    """Tell whether the plugin printed an error in the place of a Secret. It may quote a value: it is not read."""
    sides = (block.before, block.after)
    return any(line.startswith(("Error parsing ", "Error encoding ")) for side in sides for line in side[:2])


def _tree(lines: list[str], place: str) -> dict[str, Any] | None:
    try:
        tree = goyaml.load("\n".join(lines) + "\n", refuse_tags=True, alone=True)
    except goyaml.UnreadableYAML as error:
        raise refused(f"{place}, its line {error.line}", error.expected) from None
    if tree is None:
        return None
    if not isinstance(tree, dict) or not LiveObject(tree).is_object:
        raise refused(place, "an object with apiVersion, kind and name")
    return _concealed(tree, place) if tree["kind"] == _SECRET else tree


def _concealed(tree: dict[str, Any], place: str) -> dict[str, Any]:
    """Return a Secret with words for its stand-ins, all of them under ``data``."""
    held = {**mapping(tree.get("data")), **mapping(tree.get("stringData"))}
    rest = {key: node for key, node in tree.items() if key not in ("data", "stringData")}
    return {**rest, "data": {key: _word(value, place) for key, value in held.items()}} if held else rest


def _word(value: Any, place: str) -> str:
    mask = _MASK.fullmatch(value) if isinstance(value, str) else None
    if mask is None:
        raise refused(place, "stand-ins for what a Secret holds")
    return _STAND_INS[mask[1]] if int(mask[2]) else ""


def _named(sides: ObjectSides) -> Iterator[ObjectSides]:
    """Yield an object under the name that stands in it; one that takes another name is one that goes and one new."""
    names = [_own_name(sides.object, tree) for tree in (sides.before, sides.after) if tree is not None]
    if len(names) == 1 or names[0].address == names[1].address:
        yield replace(sides, object=names[0])
        return
    yield ObjectSides(names[0], "REMOVE", sides.before, None)
    yield ObjectSides(names[1], "ADD", None, sides.after)


def _own_name(found: LiveObject, tree: dict[str, Any]) -> LiveObject:
    live = LiveObject(tree)
    own = named(live.api_version, live.kind, found.namespace or "-", live.name)
    if own is None or (own.group, own.kind) != (found.group, found.kind):
        raise refused(f"the diff: {found.address}", "the object that it names")
    return own


def _one_each(found: Iterable[ObjectSides]) -> Iterable[ObjectSides]:
    """Return one for each address, as the structured output is read."""
    met: dict[str, ObjectSides] = {}
    for sides in found:
        first = met.get(sides.address)
        if first is not None and {first.change, sides.change} != {"ADD", "REMOVE"}:
            raise refused("the diff", "each object once")
        met[sides.address] = sides if first is None else _both(first, sides)
    return met.values()


def _both(first: ObjectSides, second: ObjectSides) -> ObjectSides:
    removed, added = (first, second) if first.change == "REMOVE" else (second, first)
    return ObjectSides(added.object, "MODIFY", removed.before, added.after, removed.readable and added.readable)
