"""The report as JUnit XML, for CI systems that show tests: each stack is a test case.

It keeps to what the schemas of Jenkins, strict as they are, have in common: test cases have no properties there, nor a
file or line, so counts, hash and places stand in the text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.lines import as_text
from sluiceway.reports.text import problem_lines, row_lines
from sluiceway.reports.words import counted, deploy_command, deployable, number, place, visible

_DIFFERENT: Final = frozenset({"pending", "drift"})
_NOT_DONE: Final = frozenset({"moved", "refused", "failed"})


def rows_junit(rows: Sequence[Row], options: Sequence[str] = (), act: str = "preview", *, strict: bool = False) -> str:
    """Return ``rows`` as the test suite of the command ``act``; ``options`` are those that a deploy has to repeat.

    What could not be looked at is an error, a deploy that did not go through is a failure. A difference is neither,
    unless ``strict``: then it is a failure.
    """
    cases = [_case(act, row.stack, row.seconds, _trouble(row, strict=strict), _said(row, options)) for row in rows]
    states = Counter(row.outcome or row.state for row in rows)
    return _document(act, cases, sum(row.seconds for row in rows), {name: str(states[name]) for name in sorted(states)})


def check_junit(problems: Sequence[Problem], stacks: Sequence[Stack]) -> str:
    """Return what ``check`` found: a failure for each problem, or that every stack is in order."""
    wrong = [
        _case("check", place(problem), 0.0, ("failure", "problem", problem.problem), as_text(problem_lines([problem])))
        for problem in problems
    ]
    names = [stack.id for stack in stacks] or ["sluiceway.yaml"]
    return _document("check", wrong or [_case("check", name, 0.0) for name in names], 0.0)


def _trouble(row: Row, *, strict: bool) -> tuple[str, str, str] | None:
    """Return what is wrong with ``row``, as element, type and message."""
    if row.outcome in _NOT_DONE:
        why = [row.reason.text] if row.reason else list(row.notes)
        return "failure", row.outcome, " ".join(why) or f"The deploy ended as {row.outcome}."
    for reason in (row.reason, row.drift_reason):
        if reason is not None:
            return "error", reason.kind, reason.text
    if strict and row.outcome is None and row.state in _DIFFERENT:
        return "failure", row.state, ", ".join(_counts(row))
    return None


def _counts(row: Row) -> Iterator[str]:
    yield from (words for _, words in counted(row.changes))
    if row.drift:
        yield f"{number(len(row.drift), 'object')} changed outside the code"


def _said(row: Row, options: Sequence[str]) -> str:
    command = f"To deploy exactly this: {deploy_command(row, options=options)}\n" if deployable(row) else ""
    return as_text(row_lines(row)) + command


def _case(act: str, name: str, seconds: float, trouble: tuple[str, str, str] | None = None, said: str = "") -> Element:
    case = Element("testcase", {"classname": f"sluiceway.{act}", "name": visible(name), "time": f"{seconds:.3f}"})
    if trouble is not None:
        kind, word, message = trouble
        SubElement(case, kind, {"type": word, "message": visible(message)}).text = visible(message)
    if said:
        SubElement(case, "system-out").text = said
    return case


def _document(act: str, cases: Sequence[Element], seconds: float, facts: dict[str, str] | None = None) -> str:
    totals = {
        "tests": str(len(cases)),
        "failures": str(_holding(cases, "failure")),
        "errors": str(_holding(cases, "error")),
        "time": f"{seconds:.3f}",
    }
    suite = Element("testsuite", {"name": f"sluiceway {act}", **totals, "skipped": "0"})
    if facts:
        properties = SubElement(suite, "properties")
        for name, value in facts.items():
            SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    suites = Element("testsuites", {"name": "sluiceway", **totals})
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _holding(cases: Iterable[Element], kind: str) -> int:
    return sum(case.find(kind) is not None for case in cases)
