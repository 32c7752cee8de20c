"""What helm stored for a release, and whether there is one."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.helm.release import Release, deployed_revision, is_missing, read_release
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import exited, printed
from tests.adapters.helm.made import MISSING, config, history, hook, made, stored

CANARY = "c4n4ry-v4lue"


def read(text: str | bytes) -> Release:
    found = read_release(printed(text), "shop")
    assert isinstance(found, Release)
    return found


def refusal(text: str | bytes) -> Reason:
    found = read_release(printed(text), "shop")
    assert isinstance(found, Reason)
    assert found.kind == "unreadable-output"
    assert CANARY not in f"{found!r}{found.text}"
    return found


# a release that is not there


@pytest.mark.parametrize(
    "before", ["", "level=WARN msg=x\n", "WARNING: Kubernetes configuration file is world-readable\n"]
)
def test_helm_says_that_there_is_no_such_release(before: str) -> None:
    assert is_missing(exited(before + MISSING))


@pytest.mark.parametrize(
    "outcome",
    [
        exited(MISSING, code=2),
        exited(MISSING, code=0),
        exited("Error: release: not found: a"),
        exited("x Error: release: not found"),
        exited("Error: Kubernetes cluster unreachable: release: not found\n"),
        exited(""),
        Outcome("timed-out", 1, b"", MISSING, limit=1),
        Outcome("not-started", None, b"", MISSING),
        Outcome("interrupted", 1, b"", MISSING),
        Outcome("exited", 1, MISSING.encode()),
    ],
)
def test_nothing_else_says_so(outcome: Outcome) -> None:
    assert not is_missing(outcome)


# what helm stored


@pytest.mark.parametrize(
    ("state", "pending"),
    [
        ("deployed", False),
        ("failed", False),
        ("uninstalled", False),
        ("superseded", False),
        ("uninstalling", False),
        ("unknown", False),
        ("pending-install", True),
        ("pending-upgrade", True),
        ("pending-rollback", True),
    ],
)
def test_state_revision_and_objects(state: str, pending: bool) -> None:
    found = read(stored(config("a", k="v"), hook(config("b")), state=state, revision=12))
    assert (found.state, found.revision, found.pending) == (state, 12, pending)
    assert [(item.address, item.hook) for item in found.items] == [
        ("ConfigMap/shop/a", False),
        ("ConfigMap/shop/b", True),
    ]


def test_a_release_without_objects() -> None:
    assert read("deployed 1\n---\n\n").items == []


def test_lines_may_end_as_on_windows() -> None:
    text = stored(config("a", k="v"), config("b"))
    assert read(text.replace("---\n", "---\r\n").replace("}\n", "}\r\n")) == read(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "deployed\n---\n",
        "deployed one\n",
        "deployed 1",
        "deployed -1\n",
        "deployed 1 2\n",
        "deployed 1234567890\n",
        " deployed 1\n",
        "Deployed 1\n",
        "{{.Info.Status}} 1\n",
        f"{CANARY} 1\n",
        f"pending-{'x' * 40} 1\n",
        f"{CANARY}\ndeployed 1\n---\n",
        b"\xff\xfe\x00",
        stored(made())[stored(made()).index("---") :],
    ],
)
def test_what_does_not_begin_with_a_status_and_a_revision_is_not_read(text: str | bytes) -> None:
    assert "helm get all: expected a status and a revision" in refusal(text).what


@pytest.mark.parametrize("text", [f"- {CANARY}", CANARY, f"a: [{CANARY}", f"{{{CANARY}: &a {{b: *a}}}}"])
def test_a_manifest_that_is_not_read_is_named_by_its_template(text: str) -> None:
    reason = refusal(f"deployed 1\n---\n# Source: web/templates/x.yaml\n{text}\n")
    assert "the release's manifest: web/templates/x.yaml" in reason.what


def test_no_value_stands_in_a_repr() -> None:
    assert CANARY not in repr(read(stored(config("a", k=CANARY))))


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert isinstance(read_release(printed(text.encode("utf-8", "replace")), "shop"), Release | Reason)
    assert isinstance(
        read_release(printed(f"deployed 1\n---\n{text}".encode("utf-8", "replace")), "x"), Release | Reason
    )


# the revision that an upgrade starts from


@pytest.mark.parametrize(
    ("revisions", "deployed"),
    [
        ([(1, "deployed")], 1),
        ([(1, "superseded"), (2, "deployed"), (3, "failed")], 2),
        ([(1, "superseded"), (2, "failed"), (3, "pending-upgrade")], None),
        ([(9, "deployed"), (10, "deployed"), (11, "failed")], 10),
        ([(1, "failed")], None),
        ([], None),
    ],
)
def test_the_deployed_revision(revisions: list[tuple[int, str]], deployed: int | None) -> None:
    assert deployed_revision(printed(history(*revisions))) == deployed


def test_what_is_no_entry_is_passed_over() -> None:
    assert deployed_revision(printed(json.dumps([None, 1, "deployed", {}, {"revision": 3}]))) is None


@pytest.mark.parametrize("revision", [None, "2", 2.0, True, [2], 0, -2, CANARY])
def test_a_deployed_revision_that_is_no_number_is_not_read(revision: Any) -> None:
    entries = [{"revision": 1, "status": "deployed"}, {"revision": revision, "status": "deployed"}]
    reason = deployed_revision(printed(json.dumps(entries)))
    assert isinstance(reason, Reason)
    assert "helm history: expected a revision" in reason.what
    assert CANARY not in repr(reason)


@pytest.mark.parametrize(
    "text", ["", "{}", "null", "[", CANARY, "[" * 100_000, '"x"', "NaN", b"\xff[]", f"[{'9' * 5000}]"]
)
def test_a_history_that_is_no_list_is_not_read(text: str | bytes) -> None:
    reason = deployed_revision(printed(text))
    assert isinstance(reason, Reason)
    assert "helm history: expected a list of revisions" in reason.what
    assert CANARY not in repr(reason)
