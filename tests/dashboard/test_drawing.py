import re
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given

from sluiceway.dashboard import (
    DashboardRow,
    Deployment,
    FailedDeploy,
    Settings,
    cleared,
    deploying,
    draw,
    failed_why,
    queued,
)
from sluiceway.dashboard.rows import units
from sluiceway.model.changes import Change, Holder, ShownValue
from sluiceway.model.reasons import Kind, Reason
from sluiceway.model.rows import Outcome, Row
from sluiceway.model.words import LOUD
from tests import strategies as any_
from tests.dashboard import boards
from tests.dashboard.boards import AT, HASH, PREVIEW, SETTINGS, UPDATE, in_sync, pending
from tests.dashboard.rendering import rendered
from tests.fakes import CREATE, DELETE, DRIFT

REPLACE = Change(
    "Deployment.apps/shop/api",
    "Deployment",
    "shop/api",
    "replace",
    changed_keys=("spec.replicas", "spec.selector"),
    replace_keys=("spec.selector",),
    values=(ShownValue("spec.replicas", "1", "2"),),
)
FULL = Row(
    "envs/prod",
    "kubectl",
    "pending",
    HASH,
    changes=(CREATE, DELETE, UPDATE, REPLACE),
    drift=(DRIFT, Change("Secret/shop/key", "Secret", "shop/key", "delete")),
    notes=("Mind *this*",),
)
BROKEN = Reason("tool-error", "kubectl could not read web_1", "Look.", exit_code=1, detail="denied")
FAILED = FailedDeploy(AT, "12", "The tool ended with an error.")


def test_a_pending_row_with_everything() -> None:
    row = draw(FULL, SETTINGS, preview_url=PREVIEW, failed=FAILED)
    assert row.text() == (
        "- [ ] **`envs/prod`**: **1 delete**, **1 replace**, 1 create, 1 update, 2 objects changed outside the code, "
        "[full preview](https://github.example/o/r/actions/runs/4711) "
        '<!-- sluiceway:row stack="envs/prod" state="pending" hash="0123456789abcdef" destroys="2" deletes="1" '
        'drift="2" failed="2026-11-30T12:30Z" failed-run="12" '
        'failed-why="The%20tool%20ended%20with%20an%20error." -->\n'
        "  - **Will be deleted:** `ConfigMap/shop/old`\n"
        "  - **Will be replaced:** `Deployment.apps/shop/api`\n"
        "    - `spec.replicas`: `1 → 2`\n"
        "    - `spec.selector` (forces the replace)\n"
        "  - **The last deploy failed**, 2026-11-30 13:30 CET, [run](https://github.example/o/r/actions/runs/12): "
        "The tool ended with an error.\n"
        "  - Note: Mind \\*this\\*\n"
        "\n"
        "  <details><summary>2 other changes</summary>\n"
        "\n"
        "  - create `Service/shop/web`\n"
        "  - update `ConfigMap/shop/settings`\n"
        "    - `data.greeting`\n"
        "\n"
        "  </details>\n"
        "\n"
        "  <details><summary>2 objects changed outside the code</summary>\n"
        "\n"
        "  - **gone** `Secret/shop/key`\n"
        "  - changed `Deployment.apps/shop/web`\n"
        "    - by `kubectl (Update, subresource scale, 2026-11-30T12:30:56Z)`: `spec.replicas`\n"
        "\n"
        "  </details>\n"
        '  <!-- sluiceway:end stack="envs/prod" -->'
    )
    assert (row.stack, row.state, row.hash, row.destroys, row.deletes, row.drift) == (
        "envs/prod",
        "pending",
        HASH,
        2,
        1,
        2,
    )
    assert row.failed == FAILED
    assert row.ticked is False
    assert row.deployable


def test_levels_of_shortening() -> None:
    row = draw(FULL, SETTINGS, preview_url=PREVIEW)
    below = [re.sub("  </?details.*|<!-- .* -->", "", text).split("\n")[1:-1] for text in row.texts]
    assert [[line.strip() for line in lines if line.strip()] for lines in below[1:]] == [
        [
            "- **Will be deleted:** `ConfigMap/shop/old`",
            "- **Will be replaced:** `Deployment.apps/shop/api`, 2 fields",
            "- Note: Mind \\*this\\*",
            "- create `Service/shop/web`",
            "- update `ConfigMap/shop/settings`, 1 field",
            "- **gone** `Secret/shop/key`",
            "- changed `Deployment.apps/shop/web`",
            "- by `kubectl (Update, subresource scale, 2026-11-30T12:30:56Z)`: `spec.replicas`",
        ],
        [
            "- **Will be deleted:** `ConfigMap/shop/old`",
            "- **Will be replaced:** `Deployment.apps/shop/api`, 2 fields",
            "- Note: Mind \\*this\\*",
            "2 other changes, not listed here.",
            "- **gone** `Secret/shop/key`",
            "- changed `Deployment.apps/shop/web`",
            "- by `kubectl (Update, subresource scale, 2026-11-30T12:30:56Z)`: `spec.replicas`",
        ],
        [
            "- **Will be deleted:** `ConfigMap/shop/old`",
            "- **Will be replaced:** `Deployment.apps/shop/api`, 2 fields",
            "- Note: Mind \\*this\\*",
            "2 other changes, not listed here.",
            "2 objects changed outside the code, not listed here.",
        ],
        [
            "- **2 objects will be deleted or replaced**, not listed here.",
            "- 1 note, not listed here.",
            "2 other changes, not listed here.",
            "2 objects changed outside the code, not listed here.",
        ],
        [],
    ]
    assert row.texts[-1] == (
        "- [ ] **`envs/prod`**: **1 delete**, **1 replace**, 1 create, 1 update, 2 objects changed outside the code "
        '<!-- sluiceway:row stack="envs/prod" state="pending" hash="0123456789abcdef" destroys="2" deletes="1" '
        'drift="2" short="line" -->'
    )


def line(text: str) -> str:
    """Return what a person reads on the line of a row, but the link."""
    shown, _, _ = text.split("\n", maxsplit=1)[0].rpartition("<!-- sluiceway:row ")
    return re.sub(r"(?:: |, )\[(?:full preview|run)\]\(.*?\)", "", shown).rstrip()


@given(any_.rows(), boards.settings, boards.failures)
def test_what_no_shortening_takes_away(row: Row, settings: Settings, failed: FailedDeploy | None) -> None:
    drawn = draw(row, settings, preview_url=PREVIEW, failed=failed)
    sizes = [units(text) for text in drawn.texts]
    assert sizes == sorted(set(sizes), reverse=True)
    for text in drawn.texts:
        assert line(text) == line(drawn.text())
        assert (f'hash="{row.hash}"' in text.split("\n")[0]) == drawn.deployable
        assert len(rendered(text).boxes) == (drawn.ticked is not None)


@given(any_.rows())
def test_all_of_the_deletes_are_listed_or_none(row: Row) -> None:
    drawn = draw(row, SETTINGS)
    loud = sum(change.op in LOUD for change in row.changes) if drawn.state != "in-sync" else 0
    assert {text.count("- **Will be ") for text in drawn.texts} <= {0, loud}
    assert drawn.text().count("- **Will be ") == loud == drawn.destroys


def test_a_drifted_row_and_rows_of_other_states() -> None:
    drifted = draw(Row("web", "kubectl", "drift", HASH, drift=(DRIFT,)), SETTINGS)
    assert drifted.text().startswith("- [ ] **`web`**: 1 object changed outside the code <!-- ")
    assert "by `kubectl (Update, subresource scale" in drifted.text()
    assert (drifted.deployable, drifted.drift) == (True, 1)
    failed = draw(Row("web", "kubectl", "preview-failed", reason=BROKEN), SETTINGS, preview_url=PREVIEW)
    assert failed.text().startswith(f"- **`web`**: [run]({PREVIEW}) <!-- ")
    assert failed.text().split("\n")[1] == "  - Why: kubectl could not read web\\_1. Look."
    assert (failed.ticked, failed.hash, failed.state) == (None, None, "preview-failed")
    assert draw(in_sync("web"), SETTINGS).text() == (
        '- **`web`** <!-- sluiceway:row stack="web" state="in-sync" lines="1" -->'
    )
    unlisted = draw(in_sync("web"), replace(SETTINGS, in_sync_section=False))
    assert unlisted.text() == '<!-- sluiceway:row stack="web" state="in-sync" lines="1" -->'


def test_changes_are_other_ones_only_beside_warnings() -> None:
    assert "<summary>1 change</summary>" in draw(pending("web"), SETTINGS).text()
    assert "<summary>1 other change</summary>" in draw(pending("web", HASH, UPDATE, DELETE), SETTINGS).text()


@pytest.mark.parametrize("settings", [replace(SETTINGS, deploys=False), replace(SETTINGS, read_only=True)])
def test_a_row_without_a_box_has_nothing_to_approve(settings: Settings) -> None:
    row = draw(pending("web"), settings)
    assert row.text().startswith("- **`web`**")
    assert (row.ticked, row.hash, row.deployable) == (None, None, False)


@pytest.mark.parametrize(
    "row",
    [
        Row("web", "kubectl", "pending", None, changes=(UPDATE,), drift_checked=False, drift_reason=BROKEN),
        Row("web", "kubectl", "pending", HASH, changes=(UPDATE,), outcome="failed", reason=BROKEN),
    ],
)
def test_a_row_that_is_not_fresh_and_whole_says_why_it_has_no_box(row: Row) -> None:
    drawn = draw(row, SETTINGS)
    assert (drawn.ticked, drawn.hash) == (None, None)
    assert "No box: there is no whole preview to approve." in drawn.text()


@pytest.mark.parametrize(
    ("outcome", "state", "deployable"),
    [
        ("deployed", "in-sync", False),
        ("in-sync", "in-sync", False),
        ("failed", "pending", False),
        ("moved", "pending", True),
        ("refused", "pending", True),
    ],
)
def test_what_a_deploy_makes_of_a_row(outcome: Outcome, state: str, deployable: bool) -> None:
    row = draw(replace(FULL, outcome=outcome), SETTINGS)
    assert (row.state, row.deployable) == (state, deployable)


@given(any_.rows(), boards.failures)
def test_redacted_rows_name_the_stack_and_types_and_nothing_else(row: Row, failed: FailedDeploy | None) -> None:
    settings = replace(SETTINGS, redact=True)
    words = "abcdefgh"
    marked = [
        replace(
            change,
            address=f"{words}{index}",
            name=words,
            changed_keys=(),
            replace_keys=(),
            values=(),
            previous_address=words if change.previous_address else None,
            type="ConfigMap",
        )
        for index, change in enumerate(row.changes)
    ]
    held = (Holder(words, words, words, words, (words,)),)
    drift = tuple(
        replace(
            change,
            address=words,
            name=words,
            changed_keys=(words,) if change.op == "update" else (),
            holders=held,
            type="ConfigMap",
        )
        for change in row.drift or ()
    )
    reason = Reason("tool-error", words, words, 1, "conflict", {"object": words})
    secret = replace(
        row,
        stack="web",
        changes=tuple(marked),
        drift=drift,
        notes=(words,) * len(row.notes),
        reason=reason if row.reason else None,
        drift_reason=reason if row.drift_reason else None,
    )
    why = FailedDeploy(AT, "1", failed_why(reason, settings)) if failed else None
    assert all(words not in text for text in draw(secret, settings, preview_url=PREVIEW, failed=why).texts)


def test_redacted_lines_count_what_they_do_not_name() -> None:
    row = draw(FULL, replace(SETTINGS, redact=True))
    lines = [line.strip() for line in row.text().split("\n")]
    assert "- **Will be deleted:** 1 of type `ConfigMap`" in lines
    assert "- **Will be replaced:** 1 of type `Deployment`" in lines
    assert "- create 1 of type `Service`" in lines
    assert "- changed 1 of type `Deployment`" in lines
    assert "- 1 note, not listed here." in lines


def test_why_a_deploy_failed() -> None:
    assert failed_why(BROKEN, SETTINGS) == "kubectl could not read web_1. Look."
    assert failed_why(BROKEN, replace(SETTINGS, redact=True)) == "The tool ended with an error (denied, exit code 1)."
    assert len(failed_why(replace(BROKEN, what="a" * 999), SETTINGS)) == 300


def test_what_was_said_of_a_failed_deploy_before_names_were_to_stay_out_goes() -> None:
    redacted = replace(SETTINGS, redact=True)
    told, known = (
        FailedDeploy(AT, "12", failed_why(BROKEN, SETTINGS)),
        FailedDeploy(AT, "12", failed_why(BROKEN, redacted)),
    )
    deployment = Deployment(7, AT, "octocat", "12")
    for failed, why in ((told, "The log of the run says why."), (known, known.why)):
        for row in (
            draw(pending("web"), redacted, failed=failed),
            deploying("web", deployment, redacted, failed=failed),
            queued("web", deployment, redacted, failed=failed),
        ):
            assert row.failed == replace(failed, why=why)
            assert "web_1" not in row.text()


@pytest.mark.parametrize(
    "reason",
    [
        Reason(kind, "web_1", detail=detail, exit_code=code)
        for kind in get_args(Kind)
        for detail, code in ((None, None), ("denied", None), (None, -9), ("denied", 1))
    ],
)
def test_every_reason_without_names_is_one(reason: Reason) -> None:
    redacted = replace(SETTINGS, redact=True)
    failed = FailedDeploy(AT, "12", failed_why(reason, redacted))
    assert draw(pending("web"), redacted, failed=failed).failed == failed


def test_rows_of_open_records() -> None:
    row = deploying("web", Deployment(7, AT, "octocat", "12"), SETTINGS, failed=FAILED)
    assert row.text() == (
        "- **`web`**: deploying since 2026-11-30 13:30 CET, ticked by `octocat`, "
        "[run](https://github.example/o/r/actions/runs/12) "
        '<!-- sluiceway:row stack="web" state="deploying" deployment="7" at="2026-11-30T12:30Z" by="octocat" run="12" '
        'failed="2026-11-30T12:30Z" failed-run="12" failed-why="The%20tool%20ended%20with%20an%20error." lines="1" -->'
    )
    assert (row.deployment, row.at, row.by, row.run, row.behind, row.ticked) == (7, AT, "octocat", "12", (), None)
    waiting = queued("web", Deployment(8, AT, "octocat", "", ("db", "a b")), SETTINGS)
    assert "queued since 2026-11-30 13:30 CET, ticked by `octocat`, waits for `db`, `a b`" in waiting.text()
    assert (waiting.deployment, waiting.behind, waiting.failed, waiting.hash) == (8, ("db", "a b"), None, None)


def noted(row: DashboardRow, note: str) -> list[str]:
    return [line for line in cleared(row.with_tick(True), note).text().split("\n") if "Note:" in line]


def test_clearing_a_box_leaves_the_rest_byte_for_byte() -> None:
    row = draw(replace(FULL, notes=()), SETTINGS)
    assert cleared(row.with_tick(True)) == row
    assert noted(row, "no @octocat") == ["  - Note: no @\u200boctocat <!-- sluiceway:note -->".replace("@", "\\@")]
    again = cleared(cleared(row, "one"), "two")
    assert again == cleared(row, "two")
    lines = [line for line in again.text().split("\n") if "sluiceway:note" not in line]
    assert "\n".join(lines).replace(' note="1"', "") == row.text()


def test_a_note_on_a_row_of_one_line_closes_it() -> None:
    row = draw(pending("web"), SETTINGS)
    short = replace(row, texts=row.texts[-1:], short=True)
    assert cleared(short, "why").text().split("\n")[1:] == [
        "  - Note: why <!-- sluiceway:note -->",
        '  <!-- sluiceway:end stack="web" -->',
    ]
    assert 'short="1"' in cleared(short, "why").text()


def test_a_box_on_a_row_that_has_none_goes() -> None:
    row = deploying("web", Deployment(7, AT, "octocat", "12"), SETTINGS)
    forged = replace(row, ticked=True, texts=("- [ ] " + row.text().removeprefix("- "),))
    assert cleared(forged, "why") == row
