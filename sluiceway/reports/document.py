"""The JSON documents on stdout, version 1 (``spec/core.md``, JSON on stdout).

Others build on them: a change here is a change of ``schema/output.schema.json``, which is generated from these types.
An optional that is absent is left out, never null.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from sluiceway.model.changes import Change, Holder, Op, ShownValue, Tracking
from sluiceway.model.order import sorted_unique
from sluiceway.model.reasons import Detail, Kind, Reason
from sluiceway.model.rows import Outcome, Row, State, counts
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.words import done_as


@dataclass(frozen=True, slots=True)
class Says:
    """What the JSON Schema says of a field beside its type; nothing is checked at run time."""

    description: str
    pattern: str | None = None
    minimum: int | None = None

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        """Return the field's schema with these words in it; pydantic calls this, and only when one is generated."""
        own = {"description": self.description, "pattern": self.pattern, "minimum": self.minimum}
        return {**handler(schema), **{key: given for key, given in own.items() if given is not None}}


Version = Annotated[Literal[1], Says("The version of this form. It is raised when something is taken out or renamed.")]
Id = Annotated[str, Says("A stack's id. It is opaque: never split it.")]
Address = Annotated[str, Says("An object's address: opaque, and unique within one list.")]
Paths = Annotated[list[str], Says("Property paths, sorted.")]
Count = Annotated[int, Says("How many changes.", minimum=0)]
Tool = Annotated[str, Says("The tool that deploys the stack, as sluiceway.yaml names it.")]
KindOfObject = Annotated[str, Says("What kind of object it is, for people.")]
Name = Annotated[str, Says("The object's name, with its namespace in front where it has one, for people.")]
Text = Annotated[str, Says("The value as a person sees it, cut where it is long.")]


class CountsDocument(TypedDict):
    """How many changes of each kind; tracking counts those with tracking, whatever their op."""

    create: Count
    update: Count
    replace: Count
    delete: Count
    tracking: Count


class ValueDocument(TypedDict):
    """One value that dashboard.showValues lets out; a side that has no such value is left out."""

    path: Annotated[str, Says("The property path.")]
    old: NotRequired[Text]
    new: NotRequired[Text]


class ChangeDocument(TypedDict):
    """What a deploy would do to one object. Creates and deletes list no keys."""

    address: Address
    type: KindOfObject
    name: Name
    op: Annotated[Op, Says("What happens to the object in the cluster; none where only what the tool tracks changes.")]
    changedKeys: Annotated[list[str], Says("The paths of the fields that change, sorted.")]
    replaceKeys: Annotated[list[str], Says("The paths that can't be changed in place, so that it is replaced; sorted.")]
    tracking: NotRequired[Annotated[Tracking, Says("What changes in the tool's own account of the object.")]]
    previousAddress: NotRequired[Annotated[str, Says("The address before a move.")]]
    values: NotRequired[Annotated[list[ValueDocument], Says("What dashboard.showValues lets out.")]]


class HolderDocument(TypedDict):
    """Who holds drifted fields: a field manager."""

    manager: Annotated[str, Says("The field manager's name.")]
    operation: Annotated[str, Says("How it wrote: Apply or Update.")]
    subresource: NotRequired[Annotated[str, Says("Through which subresource it wrote, scale for one.")]]
    time: NotRequired[Annotated[str, Says("When the manager last wrote, RFC 3339.")]]
    keys: Paths


class DriftDocument(TypedDict):
    """What changed outside the code in one object: changed fields and their holders, or that it is gone."""

    address: Address
    type: KindOfObject
    name: Name
    op: Annotated[Literal["update", "delete"], Says("delete: the object is gone; update: fields of it changed.")]
    changedKeys: Annotated[list[str], Says("The paths of the fields that someone changed, sorted.")]
    holders: Annotated[list[HolderDocument], Says("Who holds those fields; empty where the tool can't tell.")]


class ReasonDocument(TypedDict):
    """Why something failed, from a fixed list, in Sluiceway's own words."""

    kind: Annotated[Kind, Says("What kind of failure it is.")]
    exitCode: NotRequired[Annotated[int, Says("How the tool exited; a tool ended by a signal has minus its number.")]]
    detail: NotRequired[Annotated[Detail, Says("What was recognised in the tool's words.")]]
    names: Annotated[dict[str, str], Says("The names that the reason is about. Never a property value.")]
    text: Annotated[str, Says("The reason and the next step as a person reads them.")]


class DoneDocument(TypedDict):
    """What a deploy did, also where it failed later on."""

    applied: Annotated[list[Address], Says("The objects that were put out, changed or not.")]
    deleted: Annotated[list[Address], Says("The objects that were deleted.")]


class RowDocument(TypedDict):
    """One stack as preview, drift and deploy show it."""

    stack: Id
    tool: Tool
    state: Annotated[State, Says("Whether there is something to deploy.")]
    hash: NotRequired[
        Annotated[str, Says("What to approve: stands only where the diff is fresh and whole.", "^[0-9a-f]{16}$")]
    ]
    seconds: Annotated[float, Says("Wall time.", minimum=0)]
    counts: Annotated[CountsDocument, Says("How many changes of each kind.")]
    changes: Annotated[list[ChangeDocument], Says("What a deploy would change, in the order of the addresses.")]
    drift: NotRequired[Annotated[list[DriftDocument], Says("What changed outside the code, where that was asked.")]]
    driftChecked: NotRequired[Annotated[bool, Says("Whether drift was checked; false where it can't be, or failed.")]]
    driftReason: NotRequired[Annotated[ReasonDocument, Says("Why the drift check alone failed.")]]
    notes: Annotated[list[str], Says("What else a person should know; not part of the hash.")]
    reason: NotRequired[Annotated[ReasonDocument, Says("Why the preview or the deploy failed.")]]
    outcome: NotRequired[Annotated[Outcome, Says("How the deploy ended.")]]
    done: NotRequired[Annotated[DoneDocument, Says("What the deploy did.")]]


class RowsDocument(TypedDict):
    """What preview, drift and deploy print."""

    version: Version
    stacks: Annotated[list[RowDocument], Says("One row for each stack, in the order of their ids.")]


class ProblemDocument(TypedDict):
    """One problem of sluiceway.yaml or of the files that a stack names."""

    file: Annotated[str, Says("Relative to the root, with forward slashes.")]
    line: Annotated[int, Says("1-based; 0 where no line can be named.", minimum=0)]
    key: Annotated[str, Says("The key path; empty for the file itself.")]
    problem: Annotated[str, Says("What is wrong, and what to do.")]


class CheckDocument(TypedDict):
    """What check prints. Where there is a problem, stacks is empty."""

    version: Version
    problems: Annotated[list[ProblemDocument], Says("Every problem, in the order of the file.")]
    stacks: Annotated[list[Id], Says("The ids of the stacks, in order.")]


class StackDocument(TypedDict):
    """One stack as sluiceway.yaml declares it."""

    stack: Id
    path: Annotated[str, Says("Relative to the root, with forward slashes.")]
    tool: Tool
    options: Annotated[dict[str, Any], Says("The tool's options that are set, spelled as in sluiceway.yaml.")]


class StacksDocument(TypedDict):
    """What stacks prints."""

    version: Version
    stacks: Annotated[list[StackDocument], Says("The stacks, in the order of their ids.")]


def written(document: Mapping[str, Any]) -> str:
    """Return a document as it is printed: ASCII only, so that any terminal, encoding and log can carry it.

    A GitHub log reads ``##[`` as the start of a command wherever it stands, so it is written with an escape.
    """
    text = json.dumps(document, indent=2, ensure_ascii=True)
    return text.replace("##[", r"#\u0023[") + "\n"


def rows_document(rows: Iterable[Row]) -> RowsDocument:
    """Return what ``preview``, ``drift`` and ``deploy`` print."""
    return {"version": 1, "stacks": [row_document(row) for row in rows]}


def check_document(problems: Iterable[Problem], stacks: Iterable[Stack]) -> CheckDocument:
    """Return what ``check`` prints."""
    return {
        "version": 1,
        "problems": [
            {"file": problem.file, "line": problem.line, "key": problem.key, "problem": problem.problem}
            for problem in problems
        ],
        "stacks": [stack.id for stack in stacks],
    }


def stacks_document(stacks: Iterable[Stack]) -> StacksDocument:
    """Return what ``stacks`` prints."""
    return {
        "version": 1,
        "stacks": [
            {"stack": stack.id, "path": stack.path, "tool": stack.tool, "options": dict(stack.options)}
            for stack in stacks
        ],
    }


def row_document(row: Row) -> RowDocument:
    """Return one stack's part of :func:`rows_document`."""
    found = counts(row.changes)
    document: RowDocument = {
        "stack": row.stack,
        "tool": row.tool,
        "state": row.state,
        "seconds": round(row.seconds, 3),
        "counts": {
            "create": found["create"],
            "update": found["update"],
            "replace": found["replace"],
            "delete": found["delete"],
            "tracking": found["tracking"],
        },
        "changes": [_change(change) for change in row.changes],
        "notes": list(row.notes),
    }
    if row.hash is not None:
        document["hash"] = row.hash
    _add_drift(document, row)
    if row.reason is not None:
        document["reason"] = _reason(row.reason)
    if row.outcome is not None:
        document["outcome"] = row.outcome
        document["done"] = {"applied": done_as(row, "applied"), "deleted": done_as(row, "deleted")}
    return _in_order(document)


def _in_order(document: RowDocument) -> RowDocument:
    found: dict[str, Any] = {key: document.get(key) for key in RowDocument.__annotations__ if key in document}
    return cast("RowDocument", found)


def _add_drift(document: RowDocument, row: Row) -> None:
    if row.drift is not None:
        document["drift"] = [_drift(change) for change in row.drift]
    if row.drift_checked is not None:
        document["driftChecked"] = row.drift_checked
    if row.drift_reason is not None:
        document["driftReason"] = _reason(row.drift_reason)


def _change(change: Change) -> ChangeDocument:
    document: ChangeDocument = {
        "address": change.address,
        "type": change.type,
        "name": change.name,
        "op": change.op,
        "changedKeys": list(sorted_unique(change.changed_keys)),
        "replaceKeys": list(sorted_unique(change.replace_keys)),
    }
    if change.tracking is not None:
        document["tracking"] = change.tracking
    if change.previous_address is not None:
        document["previousAddress"] = change.previous_address
    if change.values:
        document["values"] = [_value(shown) for shown in change.values]
    return document


def _value(shown: ShownValue) -> ValueDocument:
    document: ValueDocument = {"path": shown.path}
    if shown.old is not None:
        document["old"] = shown.old
    if shown.new is not None:
        document["new"] = shown.new
    return document


def _drift(change: Change) -> DriftDocument:
    return {
        "address": change.address,
        "type": change.type,
        "name": change.name,
        "op": "delete" if change.op == "delete" else "update",
        "changedKeys": list(sorted_unique(change.changed_keys)),
        "holders": [_holder(holder) for holder in change.holders],
    }


def _holder(holder: Holder) -> HolderDocument:
    document: HolderDocument = {
        "manager": holder.manager,
        "operation": holder.operation,
        "keys": list(sorted_unique(holder.keys)),
    }
    if holder.subresource is not None:
        document["subresource"] = holder.subresource
    if holder.time is not None:
        document["time"] = holder.time
    return document


def _reason(reason: Reason) -> ReasonDocument:
    document: ReasonDocument = {"kind": reason.kind, "names": dict(reason.names), "text": reason.text}
    if reason.exit_code is not None:
        document["exitCode"] = reason.exit_code
    if reason.detail is not None:
        document["detail"] = reason.detail
    return document
