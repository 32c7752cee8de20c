"""The suite as a reader of JUnit XML takes it, and as the strictest of Jenkins's schemas wants it."""

import re
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, TestCase

from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.junit import check_junit, rows_junit
from sluiceway.reports.words import visible
from tests.fakes import DELETE, DRIFT, UPDATE
from tests.strategies import HOSTILE, rows

HASH = "0123456789abcdef"
PENDING = Row("web", "kubectl", "pending", HASH, 1.25, (DELETE, UPDATE))
REASON = Reason("tool-error", "kubectl exited with an error (1)", "Its words are in the log.")
FAILED = Row("net", "kubectl", "preview-failed", reason=REASON, seconds=0.5)
# What the schemas junit-9 and junit-10 of Jenkins's xUnit plugin all take: element -> attributes, children in order.
SCHEMA = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, "(testsuite )*"),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, "(properties )?(testcase )*"),
    "properties": (set(), "(property )+"),
    "property": ({"name", "value"}, ""),
    "testcase": ({"classname", "name", "time"}, "(error )?(failure )?(system-out )?"),
    "error": ({"type", "message"}, ""),
    "failure": ({"type", "message"}, ""),
    "system-out": (set(), ""),
}


def read(text: str) -> tuple[JUnitXml, dict[str, TestCase]]:
    found = JUnitXml.fromstring(text.encode())
    (suite,) = found
    return found, {case.name: case for case in suite}


def keeps_to_the_schema(text: str) -> bool:
    for node in fromstring(text.encode()).iter():  # noqa: S314 - we wrote it
        attributes, children = SCHEMA[node.tag]
        if set(node.attrib) - attributes or not re.fullmatch(children, "".join(f"{child.tag} " for child in node)):
            return False
    return True


def test_a_difference_is_no_failure() -> None:
    found, cases = read(rows_junit([PENDING, Row("db", "kubectl", "in-sync", HASH)]))
    assert (found.tests, found.failures, found.errors, found.time) == (2, 0, 0, 1.25)
    assert all(case.is_passed for case in cases.values())
    assert cases["web"].classname == "sluiceway.preview"
    assert cases["web"].time == 1.25
    assert cases["web"].system_out == (
        "PENDING   web  1 delete, 1 update  (1.2 s)\n"
        "  -   DELETE  ConfigMap shop/old\n"
        "  ~   update  ConfigMap shop/settings\n"
        "              data.greeting\n"
        f"  Hash: {HASH}\n"
        f"To deploy exactly this: sluiceway deploy web --hash {HASH}\n"
    )
    (suite,) = found
    assert {fact.name: fact.value for fact in suite.properties()} == {"in-sync": "1", "pending": "1"}


def test_a_difference_is_a_failure_where_it_was_asked_for() -> None:
    drifted = Row("db", "kubectl", "drift", HASH, drift=(DRIFT,), drift_checked=True)
    _, cases = read(rows_junit([PENDING, drifted, Row("ok", "kubectl", "in-sync", HASH)], act="drift", strict=True))
    found = {name: [(type(one), one.type, one.message) for one in case.result] for name, case in cases.items()}
    assert found == {
        "web": [(Failure, "pending", "1 delete, 1 update")],
        "db": [(Failure, "drift", "1 object changed outside the code")],
        "ok": [],
    }


def test_what_could_not_be_looked_at_is_an_error() -> None:
    unchecked = Row("web", "kubectl", "pending", changes=(UPDATE,), drift=(), drift_checked=False, drift_reason=REASON)
    found, cases = read(rows_junit([FAILED, unchecked]))
    assert (found.errors, found.failures) == (2, 0)
    for case in cases.values():
        ((kind, word, text),) = [(type(one), one.type, one.text) for one in case.result]
        assert (kind, word, text) == (Error, "tool-error", REASON.text)


@pytest.mark.parametrize(
    ("outcome", "fails"), [("deployed", 0), ("in-sync", 0), ("moved", 1), ("refused", 1), ("failed", 1)]
)
def test_a_deploy_fails_where_it_did_not_go_through(outcome: str, fails: int) -> None:
    row = Row("web", "kubectl", "pending", HASH, 1, (UPDATE,), outcome=outcome, notes=("It moved.",))  # type: ignore[arg-type]
    found, _ = read(rows_junit([row], act="deploy"))
    assert (found.failures, found.errors) == (fails, 0)


def test_a_failed_deploy_says_why() -> None:
    row = Row("web", "kubectl", "pending", HASH, 1, (UPDATE,), outcome="failed", reason=REASON)
    _, cases = read(rows_junit([row], act="deploy"))
    assert [(one.type, one.message) for one in cases["web"].result] == [("failed", REASON.text)]


def test_check_names_file_line_and_key() -> None:
    found, cases = read(check_junit([Problem("sluiceway.yaml", 3, "stacks[0].path", "is odd")], []))
    assert (found.tests, found.failures) == (1, 1)
    (case,) = cases.values()
    assert case.name == "sluiceway.yaml:3:stacks[0].path"
    assert case.result[0].message == "is odd"
    assert case.system_out == "sluiceway.yaml:3: error: stacks[0].path: is odd\n"


def test_check_of_what_is_right() -> None:
    assert set(read(check_junit([], [Stack("web", "w", "kubectl")]))[1]) == {"web"}
    assert set(read(check_junit([], []))[1]) == {"sluiceway.yaml"}


def test_no_rows() -> None:
    found, cases = read(rows_junit([]))
    assert (found.tests, cases) == (0, {})


@given(st.lists(rows(), max_size=3), st.booleans())
def test_any_row_can_be_read_and_keeps_to_the_schema(given_rows: list[Row], strict: bool) -> None:
    text = rows_junit(given_rows, strict=strict)
    found = JUnitXml.fromstring(text.encode())
    assert [case.name for suite in found for case in suite] == [visible(row.stack) for row in given_rows]
    assert keeps_to_the_schema(text)
    assert text == rows_junit(given_rows, strict=strict)


@pytest.mark.parametrize("name", [*HOSTILE, "]]>", "<![CDATA[", "<!DOCTYPE x>", "&x;", "\ufffe"])
def test_hostile_names_in_each_place(name: str) -> None:
    row = Row(name, name, "preview-failed", reason=Reason("timed-out", name, name), notes=(name,))
    for text in (rows_junit([row], [name]), check_junit([Problem(name, 1, name, name)], [])):
        assert keeps_to_the_schema(text)
        assert "##[" not in text


def test_the_schema_can_be_broken() -> None:
    assert not keeps_to_the_schema('<testsuites><testsuite name="a" file="b"/></testsuites>')
    assert not keeps_to_the_schema("<testsuites><testcase/></testsuites>")
