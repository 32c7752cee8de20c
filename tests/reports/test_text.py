import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.commands.approval import hashes
from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.lines import as_text
from sluiceway.reports.text import block_lines, closing_lines, problem_lines, row_lines, stack_lines
from sluiceway.reports.words import deploy_command
from tests.fakes import CREATE, DELETE, DRIFT, UPDATE
from tests.strategies import HOSTILE, rows

HASH = "0123456789abcdef"
DEPLOYMENT = Change(
    "Deployment.apps/shop/web",
    "Deployment",
    "shop/web",
    "update",
    ("spec.replicas", "spec.paused"),
    values=(ShownValue("spec.replicas", "2", "3"),),
)
REPLACE = Change("disk.main", "disk", "main", "replace", ("size", "zone"), replace_keys=("zone",))
MOVE = Change("disk.new", "disk", "new", "none", tracking="move", previous_address="disk.old")
PENDING = Row("web", "kubectl", "pending", HASH, 2.25, (CREATE, DELETE, UPDATE))


def blocks(rows: list[Row]) -> str:
    return "".join(as_text(block) for block in block_lines((row, False) for row in rows))


def shown(row: Row, *, seen: bool = False) -> str:
    return as_text(row_lines(row, seen=seen))


def test_deletes_stand_first_and_loud() -> None:
    assert shown(PENDING) == (
        "PENDING   web  1 delete, 1 create, 1 update  (2.2 s)\n"
        "  -   DELETE  ConfigMap shop/old\n"
        "  +   create  Service shop/web\n"
        "  ~   update  ConfigMap shop/settings\n"
        "              data.greeting\n"
        "  Hash: 0123456789abcdef\n"
    )


def test_values_replaces_and_moves() -> None:
    assert shown(Row("web", "tofu", "pending", HASH, 61, (DEPLOYMENT, MOVE, REPLACE))) == (
        "PENDING   web  1 replace, 1 update, 1 tracking change  (1 min 1 s)\n"
        "  -/+ REPLACE disk main\n"
        "              size\n"
        "              zone  (forces the replace)\n"
        "  ~   update  Deployment shop/web\n"
        "              spec.paused\n"
        "              spec.replicas: 2 → 3\n"
        "  >   move    disk new  (was disk.old)\n"
        "  Hash: 0123456789abcdef\n"
    )


def test_drift_names_who_holds_each_path() -> None:
    two = replace(
        DRIFT,
        changed_keys=("spec.paused", "spec.replicas", "metadata.labels.a"),
        holders=(*DRIFT.holders, Holder("kubectl-patch", "Update", None, None, ("spec.paused",))),
    )
    row = Row("web", "kubectl", "drift", HASH, 1, drift=(two, DELETE), drift_checked=True)
    assert shown(row) == (
        "DRIFTED   web  2 objects changed outside the code  (1.0 s)\n"
        "  Changed outside the code:\n"
        "  -   GONE    ConfigMap shop/old\n"
        "  ~   changed Deployment shop/web\n"
        "              by kubectl (Update, subresource scale, 2026-11-30T12:30:56Z)\n"
        "                spec.replicas\n"
        "              by kubectl-patch (Update)\n"
        "                spec.paused\n"
        "              metadata.labels.a\n"
        "  Hash: 0123456789abcdef\n"
    )


def test_a_failure_says_why_and_what_next() -> None:
    row = Row("api", "kubectl", "preview-failed", reason=Reason("timed-out", "It took too long", "Try it by hand."))
    assert shown(row) == "FAILED    api  (0.0 s)\n  Why:  It took too long.\n  Next: Try it by hand.\n"


def test_a_failed_drift_check_says_that_drift_was_not_checked() -> None:
    row = Row("api", "kubectl", "in-sync", drift=(), drift_checked=False, drift_reason=Reason("timed-out", "Too long"))
    assert shown(row) == "IN SYNC   api  (0.0 s)\n  Why:  Drift was not checked: Too long.\n"


def test_a_deploy_says_what_was_done() -> None:
    row = replace(PENDING, outcome="deployed", done=("applied Service/shop/web", "deleted ConfigMap/shop/old"))
    assert shown(row) == (
        "DEPLOYED  web  1 delete, 1 create, 1 update  (2.2 s)\n"
        "  deleted ConfigMap/shop/old\n"
        "  applied Service/shop/web\n"
    )


def test_a_failed_deploy_says_what_was_done_all_the_same() -> None:
    row = replace(
        PENDING, changes=(CREATE,), outcome="failed", done=("applied a/b",), reason=Reason("timed-out", "Slow")
    )
    assert shown(row).splitlines()[2:] == ["  Why:  Slow.", "  Done all the same, before it failed:", "  applied a/b"]


@pytest.mark.parametrize(
    ("outcome", "head"), [("in-sync", "IN SYNC"), ("moved", "MOVED"), ("refused", "REFUSED"), ("failed", "FAILED")]
)
def test_heads_of_outcomes(outcome: str, head: str) -> None:
    assert shown(replace(PENDING, outcome=outcome)).startswith(f"{head:<8}  web")  # type: ignore[arg-type]


def test_a_row_just_seen_is_not_shown_again() -> None:
    row = replace(PENDING, outcome="refused", notes=("You said no.",))
    assert shown(row, seen=True) == ("REFUSED   web  1 delete, 1 create, 1 update  (2.2 s)\n  Note: You said no.\n")


def test_two_objects_that_read_alike_are_told_apart_by_address() -> None:
    other = replace(CREATE, address="Service.serving/shop/web")
    text = shown(Row("web", "kubectl", "pending", HASH, changes=(CREATE, other)))
    assert "Service shop/web  (Service/shop/web)\n" in text
    assert "Service shop/web  (Service.serving/shop/web)\n" in text


def test_an_object_with_neither_type_nor_name_goes_by_its_address() -> None:
    assert "  +   create  some/where\n" in shown(
        Row("web", "x", "pending", HASH, changes=(Change("some/where", "", "", "create"),))
    )


def test_the_command_that_deploys_the_one_pending_stack() -> None:
    closing = as_text(closing_lines([PENDING, Row("db", "kubectl", "in-sync", HASH)], ("--root", "my repo")))
    assert closing == (
        "\n2 stacks: 1 pending, 1 in sync\n  1 delete in web\n\nTo deploy exactly this:\n"
        "  sluiceway deploy web --hash 0123456789abcdef --root 'my repo'\n"
    )


def test_a_hash_over_drift_needs_the_flag() -> None:
    row = replace(PENDING, drift=(DRIFT,), drift_checked=True)
    assert "--hash 0123456789abcdef --repair-drift\n" in as_text(closing_lines([row]))
    assert "--repair-drift" not in as_text(closing_lines([replace(row, drift=())]))


def test_one_command_deploys_all_that_wait() -> None:
    drifted = replace(PENDING, stack="db=1", changes=(REPLACE,), drift=(DRIFT,), drift_checked=True)
    closing = as_text(closing_lines([PENDING, drifted, Row("net", "kubectl", "in-sync", HASH)]))
    assert closing == (
        "\n3 stacks: 2 pending, 1 in sync\n  1 delete in web\n  1 replace in db=1\n\nTo deploy exactly all this:\n"
        "  sluiceway deploy web db=1 --hash web=0123456789abcdef --hash db=1=0123456789abcdef --repair-drift\n"
    )


def test_deploy_takes_the_hashes_of_that_command() -> None:
    several = [replace(PENDING, stack="web"), replace(PENDING, stack="db=1", hash="f" * 16)]
    words = shlex.split(deploy_command(*several))
    given_hashes = [words[index + 1] for index, word in enumerate(words) if word == "--hash"]
    assert hashes(given_hashes, words[2:4]) == {"web": HASH, "db=1": "f" * 16}


def test_of_too_many_stacks_none_is_picked() -> None:
    many = [replace(PENDING, stack=f"web-{index}", changes=(CREATE,)) for index in range(21)]
    assert "sluiceway deploy ID ID --hash ID=HASH" in as_text(closing_lines(many))
    assert "web-19=" in as_text(closing_lines(many[:20]))


@pytest.mark.parametrize(
    "row",
    [
        Row("db", "kubectl", "in-sync", HASH),
        Row("db", "kubectl", "preview-failed"),
        replace(PENDING, hash=None, drift_reason=Reason("timed-out", "x")),
        replace(PENDING, outcome="deployed"),
        replace(PENDING, outcome="failed"),
    ],
)
def test_where_there_is_nothing_to_deploy_no_command_is_given(row: Row) -> None:
    assert as_text(closing_lines([row])) == ""
    assert HASH not in shown(row)


def test_blocks_of_several_lines_stand_apart() -> None:
    db = Row("db", "kubectl", "in-sync", HASH)
    lines = blocks([db, replace(db, stack="net"), PENDING, db]).splitlines()
    assert [index for index, text in enumerate(lines) if not text] == [2, 9]


def test_problems_read_as_an_editor_links_them() -> None:
    problems = [Problem("sluiceway.yaml", 3, "stacks[0].path", "is \x1b[2Jodd"), Problem("a.yaml", 0, "", "is empty")]
    assert as_text(problem_lines(problems)) == (
        "sluiceway.yaml:3: error: stacks[0].path: is \\x1b[2Jodd\na.yaml: error: is empty\n"
    )
    assert as_text(problem_lines(problems[1:], "warning")) == "a.yaml: warning: is empty\n"


def test_stacks_with_their_options() -> None:
    stacks = [
        Stack("web", "apps/web", "kubectl", {"prune": True, "namespace": "shop", "concurrency": 4}),
        Stack("db", "db", "helm", {"valuesFiles": ("a.yaml", "b.yaml")}),
    ]
    assert as_text(stack_lines(stacks)) == (
        "db\n  path: db\n  tool: helm\n  valuesFiles: a.yaml, b.yaml\n"
        "web\n  path: apps/web\n  tool: kubectl\n  concurrency: 4\n  namespace: shop\n  prune: true\n"
    )


@given(st.lists(rows(), min_size=1, max_size=3))
def test_no_name_can_draw_on_a_terminal(given_rows: list[Row]) -> None:
    text = blocks(given_rows) + as_text(closing_lines(given_rows))
    assert all(char.isprintable() or char == "\n" for char in text)
    # A GitHub log reads a line that starts so as a command, whatever spaces stand before, and the old form anywhere.
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert "##[" not in text
    text.encode()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_adds_no_line(name: str) -> None:
    plain, odd = (
        replace(PENDING, stack=one, changes=(replace(CREATE, name=one),), notes=(one,)) for one in ("x", name)
    )
    assert shown(plain).count("\n") == shown(odd).count("\n")


def test_the_names_of_a_row_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Change] = []

    def counting(change: Change) -> str:
        asked.append(change)
        return change.name

    monkeypatch.setattr("sluiceway.reports.text.object_name", counting)
    many = tuple(Change(f"c{index}", "c", f"{index}", "create") for index in range(100))
    assert len(list(row_lines(Row("web", "kubectl", "pending", HASH, 1, many)))) == 102
    assert len(asked) == 200
