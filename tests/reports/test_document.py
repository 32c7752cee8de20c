import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.document import check_document, row_document, rows_document, stacks_document, written
from sluiceway.reports.schema import output_schema
from tests.fakes import UPDATE
from tests.strategies import rows

SCHEMA = Path(__file__).parents[2] / "schema" / "output.schema.json"
VALIDATOR = Draft202012Validator(output_schema())


def test_the_committed_schema_is_the_generated_one() -> None:
    assert SCHEMA.read_text("utf-8") == written(output_schema()), (
        "run: sluiceway schema output > schema/output.schema.json"
    )


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(output_schema())


def test_the_schema_is_strict_everywhere() -> None:
    assert [name for name, one in output_schema()["$defs"].items() if one["additionalProperties"] is not False] == []


def test_a_row_as_the_spec_writes_it() -> None:
    row = Row(
        "web",
        "kubectl",
        "pending",
        hash="0123456789abcdef",
        seconds=1.2,
        changes=(Change("ConfigMap/shop/settings", "ConfigMap", "shop/settings", "update", ("data.greeting",)),),
        drift=(
            Change(
                "Deployment.apps/shop/web",
                "Deployment",
                "shop/web",
                "update",
                ("spec.replicas",),
                holders=(Holder("kubectl", "Update", "scale", "2026-11-30T12:30:56Z", ("spec.replicas",)),),
            ),
        ),
        drift_checked=True,
        reason=Reason("tool-error", "It broke", exit_code=2, detail="conflict"),
    )
    assert rows_document([row]) == {
        "version": 1,
        "stacks": [
            {
                "stack": "web",
                "tool": "kubectl",
                "state": "pending",
                "hash": "0123456789abcdef",
                "seconds": 1.2,
                "counts": {"create": 0, "update": 1, "replace": 0, "delete": 0, "tracking": 0},
                "changes": [
                    {
                        "address": "ConfigMap/shop/settings",
                        "type": "ConfigMap",
                        "name": "shop/settings",
                        "op": "update",
                        "changedKeys": ["data.greeting"],
                        "replaceKeys": [],
                    }
                ],
                "drift": [
                    {
                        "address": "Deployment.apps/shop/web",
                        "type": "Deployment",
                        "name": "shop/web",
                        "op": "update",
                        "changedKeys": ["spec.replicas"],
                        "holders": [
                            {
                                "manager": "kubectl",
                                "operation": "Update",
                                "subresource": "scale",
                                "time": "2026-11-30T12:30:56Z",
                                "keys": ["spec.replicas"],
                            }
                        ],
                    }
                ],
                "driftChecked": True,
                "notes": [],
                "reason": {"kind": "tool-error", "exitCode": 2, "detail": "conflict", "names": {}, "text": "It broke."},
            }
        ],
    }


def test_keys_stand_in_the_order_a_person_looks_for_them() -> None:
    document = row_document(Row("web", "kubectl", "pending", hash="0" * 16, changes=(UPDATE,), notes=("x",)))
    assert list(document) == ["stack", "tool", "state", "hash", "seconds", "counts", "changes", "notes"]


def test_what_was_not_asked_for_is_left_out() -> None:
    document = row_document(Row("web", "kubectl", "in-sync", hash="0" * 16))
    assert {"drift", "driftChecked", "driftReason", "reason", "outcome", "done"}.isdisjoint(document)


def test_values_and_a_move() -> None:
    change = Change(
        "a.b",
        "thing",
        "b",
        "update",
        ("size",),
        tracking="move",
        previous_address="a.a",
        values=(ShownValue("size", None, "3"), ShownValue("zone", "a")),
    )
    (document,) = row_document(Row("web", "tofu", "pending", hash="0" * 16, changes=(change,)))["changes"]
    assert document["values"] == [{"path": "size", "new": "3"}, {"path": "zone", "old": "a"}]
    assert (document["tracking"], document["previousAddress"]) == ("move", "a.a")


def test_done_gives_addresses() -> None:
    row = Row("web", "kubectl", "pending", hash="0" * 16, outcome="deployed", done=("applied a/b", "deleted c/d"))
    assert row_document(row)["done"] == {"applied": ["a/b"], "deleted": ["c/d"]}


@given(st.lists(rows(), max_size=3))
def test_every_row_keeps_to_the_schema(given_rows: list[Row]) -> None:
    text = written(rows_document(given_rows))
    assert text.isascii()
    VALIDATOR.validate(json.loads(text))


def test_no_name_is_a_command_in_a_github_log() -> None:
    row = Row("##[add-mask]b", "kubectl", "in-sync", notes=("a ##[group]", "###[x]"))
    text = written(rows_document([row]))
    assert "##[" not in text
    (stack,) = json.loads(text)["stacks"]
    assert (stack["stack"], stack["notes"]) == (row.stack, list(row.notes))


def test_check_and_stacks_keep_to_the_schema() -> None:
    stacks = [Stack("web", "apps/web", "kubectl", {"prune": True, "namespace": "shop"})]
    problem = Problem("sluiceway.yaml", 3, "stacks[0].path", "there is no such directory")
    checked = check_document([problem], [])
    listed = stacks_document(stacks)
    assert checked["problems"] == [
        {"file": "sluiceway.yaml", "line": 3, "key": "stacks[0].path", "problem": "there is no such directory"}
    ]
    assert check_document([], stacks)["stacks"] == ["web"]
    assert listed["stacks"] == [
        {"stack": "web", "path": "apps/web", "tool": "kubectl", "options": {"prune": True, "namespace": "shop"}}
    ]
    VALIDATOR.validate(checked)
    VALIDATOR.validate(listed)


ROW: dict[str, Any] = dict(row_document(Row("web", "kubectl", "pending", hash="0" * 16, changes=(UPDATE,))))
FAILED = {**ROW, "state": "preview-failed", "reason": {"kind": "timed-out", "names": {}, "text": "x"}}


@pytest.mark.parametrize(
    "wrong",
    [
        {**ROW, "more": 1},
        {**ROW, "hash": "xyz"},
        {**ROW, "state": "unknown"},
        {**ROW, "drift": []},
        {**ROW, "outcome": "moved"},
        {**ROW, "seconds": -1},
        FAILED,
        {key: given for key, given in ROW.items() if key != "notes"},
        {key: given for key, given in FAILED.items() if key not in {"hash", "reason"}},
        {**ROW, "reason": {"kind": "bad-luck", "names": {}, "text": "x"}},
        {**ROW, "reason": {"kind": "timed-out", "names": {"minutes": 3}, "text": "x"}},
    ],
)
def test_the_schema_refuses_what_no_run_gives(wrong: dict[str, Any]) -> None:
    VALIDATOR.validate({"version": 1, "stacks": [ROW]})
    with pytest.raises(ValidationError):
        VALIDATOR.validate({"version": 1, "stacks": [wrong]})
