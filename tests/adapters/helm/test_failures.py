"""What helm v3.18.0 and v4.3.0 wrote to stderr on real servers (``stderr/*.txt``), and what is made of it.

A file is named after what was done, the command that failed, and the helm. ``CANARY…`` stands where a value stood.
``reasons.json`` says what is to be told of each: for both versions in one row where they say the same.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.helm import said
from sluiceway.adapters.helm.failures import failed
from sluiceway.model.reasons import Reason
from sluiceway.processes import End, Outcome

HERE = Path(__file__).parent
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "stderr").iterdir())}
ROWS: dict[str, dict[str, Any]] = json.loads((HERE / "reasons.json").read_text(encoding="utf-8"))
CANARY = "c4n4ry"
NAMES = ("cluster.context", "hook-broken.invalid", "invalid-field.name")
"""Where the mark is a name: of a context, of an object."""

_VERSION = re.compile(r"-\d+\.\d+\.\d+\Z")
_MARK = re.compile(r"CANARY\w*")


def doing(name: str) -> str:
    return "helm diff upgrade" if re.search("diff|three-way|plugin", name) else "helm upgrade"


def reason_of(stderr: str, what: str = "helm upgrade", code: int = 1) -> Reason:
    return failed(Outcome("exited", code, b"", stderr), what, release="web", namespace="shop")


def told(name: str) -> Reason:
    return reason_of(TEXTS[name], doing(name))


def row(name: str) -> dict[str, Any]:
    return ROWS[name] if name in ROWS else ROWS[_VERSION.sub("", name)]


def everything(reason: Reason) -> str:
    return f"{reason!r} {reason.text} {dict(reason.names)}"


def test_every_text_has_a_row_and_every_row_a_text() -> None:
    rows = {name if name in ROWS else _VERSION.sub("", name) for name in TEXTS}
    assert rows == ROWS.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_told_of_what_helm_wrote(name: str) -> None:
    reason, expected = told(name), row(name)
    words = reason.what.removeprefix(f"{doing(name)} exited with code 1: ")
    assert {"detail": reason.detail, "names": dict(reason.names), "words": words} == expected
    assert reason.kind == ("tool-missing" if name.startswith(("plugin.missing", "plugin.not")) else "tool-error")
    assert reason.next_step
    assert not re.search(r"[?<>]", reason.text.replace("<revision>", ""))


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.startswith(NAMES)])
def test_no_value_is_told(name: str) -> None:
    assert "CANARY" not in everything(told(name))


@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
@pytest.mark.parametrize(
    ("case", "step"),
    [
        ("pending.upgrade", "`helm rollback web <revision> --namespace=shop` goes back to it"),
        ("uninstalling.upgrade", "`helm uninstall web --namespace=shop` brings it to its end"),
        ("no-good-revision.upgrade", "begin anew: `helm uninstall web --namespace=shop`"),
        ("rollback-timeout.upgrade", "Then deploy again: that puts out all of the release"),
        ("namespace-missing.upgrade", "Set createNamespace: true in the stack's options"),
        ("namespace-missing.other-upgrade", "createNamespace makes only the release's"),
        ("kind-unknown.diff", "Put its CustomResourceDefinition into a stack of its own"),
        ("rolled-back-immutable.upgrade", "helm never replaces one"),
        ("template.required-diff", "What it says stands in the job log"),
        ("reference.oci-locked-diff", "`helm registry login` in the job"),
        ("reference.noversion-diff", "run `helm repo update` in the job"),
    ],
)
def test_the_next_step(case: str, version: str, step: str) -> None:
    assert step in told(f"{case}-{version}").next_step


def test_a_conflict_is_taken_back_by_a_repair_also_where_the_rollback_failed() -> None:
    for case in ("conflict.one-4.3.0", "conflict.one-plain-4.3.0"):
        assert told(case).next_step.startswith(
            "Where `sluiceway drift` shows the field, a deploy with --repair-drift takes it back. Where the code"
        )


def test_without_a_release_the_commands_keep_their_places() -> None:
    reason = failed(Outcome("exited", 1, b"", TEXTS["pending.upgrade-4.3.0"]), "helm upgrade")
    assert "at work on the release, or was killed" in reason.text
    assert "`helm rollback <release> <revision> --namespace=<namespace>`" in reason.next_step
    assert dict(reason.names) == {}


# what surrounds an error


def test_an_unknown_error_is_left_to_the_log() -> None:
    reason = reason_of(f"Error: {CANARY} of a new kind\n")
    assert reason.text == "helm upgrade exited with code 1. Its own words are in the job log."


def test_an_unknown_error_of_a_release_that_was_rolled_back_tells_that() -> None:
    wrapped = "UPGRADE FAILED: release web failed, and has been rolled back due to atomic being set: "
    reason = reason_of(f"Error: {wrapped}{CANARY}\n")
    assert "it failed for a reason that stands in the job log; the release was rolled back" in reason.text
    named = reason_of(f'Error: {wrapped}cannot patch "web" with kind Deployment: {CANARY}\n')
    assert "it failed at Deployment web; the release was rolled back" in named.text
    assert CANARY not in everything(reason) + everything(named)


LOGGED = 'level=WARN msg="upgrade failed" name=web error="Error: repo nowhere not found"\n'
KLOG = 'I1130 21:11:22.597017    8147 warnings.go:110] "Warning: Error: repo nowhere not found"\n'


@pytest.mark.parametrize("before", [LOGGED, KLOG, "coalesce.go:237: warning: skipped value for a.b: Not a table.\n"])
def test_a_log_before_the_error_is_passed_over(before: str) -> None:
    assert reason_of(before + "Error: release: not found\n").what.endswith("the release web is not there")


@pytest.mark.parametrize(
    "warning",
    [
        f"coalesce.go:301: warning: destination for a.b is a table. Ignoring it (x\nError: repo {CANARY} not found\n",
        f"a line of something else\nError: repo {CANARY} not found\n",
    ],
)
def test_where_a_value_could_be_taken_for_the_error_nothing_is_told(warning: str) -> None:
    reason = reason_of(f"{warning}Error: release: not found\n")
    assert reason.text == "helm upgrade exited with code 1. Its own words are in the job log."
    inner = f"Error: Failed to render chart: exit status 1: {warning}Error: release: not found\n\n"
    wrapped = reason_of(f'{inner}Error: plugin "diff" exited with error\n', "helm diff upgrade")
    assert wrapped.text == "helm diff upgrade exited with code 1. Its own words are in the job log."


def test_a_manifest_that_the_plugin_dumps_is_not_read() -> None:
    dump = f"2026/11/30 21:15:11 YAML unmarshal error: x\nCan't unmarshal a: |\nError: repo {CANARY} not found\n"
    reason = reason_of(f'{dump}Error: plugin "diff" exited with error\n', "helm diff upgrade")
    assert reason.text == "helm diff upgrade exited with code 1. Its own words are in the job log."


def test_the_plugins_note_of_a_double_object_is_no_error() -> None:
    note = '2026/11/30 21:15:11 Error: Found duplicate key "shop, a, ConfigMap (v1)" in manifest\n'
    stderr = f"{note}Error: Failed to render chart: exit status 1: Error: repo nowhere not found\n\n"
    reason = reason_of(f'{stderr}Error: plugin "diff" exited with error\n', "helm diff upgrade")
    assert reason.names == {"repository": "nowhere"}


def test_more_wraps_than_helm_makes_end() -> None:
    assert said.read("Error: " + "UPGRADE FAILED: " * 10_000) is not None


@pytest.mark.parametrize(
    ("case", "state"),
    [
        ("interrupted.upgrade", "rolled-back"),
        ("interrupted.install", "uninstalled"),
        ("rollback-timeout.upgrade", "rollback-failed"),
        ("no-good-revision.upgrade", "nothing-to-go-back-to"),
        ("pending.upgrade", None),
    ],
)
@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
def test_what_became_of_the_release(case: str, version: str, state: str | None) -> None:
    assert said.state_of(TEXTS[f"{case}-{version}"]) == state


def test_an_uninstall_that_failed_too() -> None:
    assert said.state_of(TEXTS["forbidden.install-3.18.0"]) == "uninstall-failed"
    assert "`helm uninstall web --namespace=shop`" in told("forbidden.install-3.18.0").next_step


def test_the_cause_is_in_no_repr() -> None:
    found = said.read(f"Error: UPGRADE FAILED: {CANARY}")
    assert found is not None
    assert CANARY in found.cause
    assert CANARY not in repr(found)


# conflicts


def conflict(lines: str, kind: str = "ConfigMap", more: str = "") -> str:
    head = f"conflict occurred while applying object shop/a /v1, Kind={kind}: Apply failed with 2 conflicts: "
    return f"Error: UPGRADE FAILED: {head}{lines}{more}\n"


def test_at_most_five_fields_are_named() -> None:
    lines = "".join(f"\n- .spec.f{number}" for number in range(8))
    reason = reason_of(conflict(f'conflicts with "m" using v1:{lines}'))
    assert reason.names["field"] == "spec.f0, spec.f1, spec.f2, spec.f3, spec.f4 and 3 more"


def test_a_manager_whose_name_is_no_plain_name_is_not_shown() -> None:
    reason = reason_of(conflict(f'conflict with "my {CANARY} tool" using v1: .spec.replicas'))
    assert dict(reason.names) == {"field": "spec.replicas", "object": "ConfigMap a"}
    assert "another field manager (unknown) holds spec.replicas in ConfigMap a, which the chart sets" in reason.text


@pytest.mark.parametrize("more", [" && failed to create resource: ", ": release web failed: ", "\n"])
def test_what_follows_a_conflict_is_not_read(more: str) -> None:
    value = f'conflict with "{CANARY}" using v1: .spec.{CANARY}\n- .spec.{CANARY}'
    reason = reason_of(conflict('conflict with "m" using v1: .spec.replicas', more=f"{more}x {value}"))
    assert dict(reason.names) == {"manager": "m", "field": "spec.replicas", "object": "ConfigMap a"}


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from([".a", "[", "]", '"', "\\", CANARY, "=", "x", " ", ": ", ".b"]), max_size=12).map("".join)
)
def test_a_value_in_a_key_of_a_list_is_never_part_of_a_field(key: str) -> None:
    field = f".spec.containers[name={json.dumps(key)}].env[name={json.dumps(key)}].value"
    reason = reason_of(conflict(f'conflicts with "m" using v1:\n- .spec.replicas\n- {field}'))
    assert CANARY not in everything(reason)
    assert reason.names["field"].startswith("spec.replicas")


def test_the_keys_of_a_secret_are_never_named() -> None:
    lines = f'conflicts with "m" using v1:\n- .data.{CANARY}\n- .stringData.{CANARY}\n- .metadata.labels.{CANARY}x'
    assert reason_of(conflict(lines, "Secret")).names["field"] == f"data, stringData, metadata.labels.{CANARY}x"


# values


free_text = st.text(st.sampled_from('ab".: \n\\[]{}-,=*#()<>'), max_size=12)
CONFLICT = (
    f"conflict occurred while applying object {CANARY}/{CANARY} /v1, Kind={CANARY}: Apply failed with 1 conflict: "
    f'conflict with "{CANARY}" using v1: .{CANARY}'
)
phrases = st.sampled_from(
    [
        f'conflict with "{CANARY}" using v1: .spec.{CANARY}',
        f"\n- .{CANARY}\n",
        f"\nError: repo {CANARY} not found\n",
        f"\nError: UPGRADE FAILED: {CONFLICT}\n",
        f'\nError: ConfigMap "{CANARY}" is invalid: x: field is immutable\n',
        f" && {CONFLICT}",
        f"\ntemplate: {CANARY}/templates/{CANARY}.yaml:1:2: executing ",
        f": execution error at ({CANARY}.yaml:1:2): x",
        f'namespaces "{CANARY}" not found',
        f'no matches for kind "{CANARY}" in version "{CANARY}/v1"',
        f'admission webhook "{CANARY}" denied the request',
        f"1 error occurred:\n\t* {CANARY}",
        f"resource {CANARY}/{CANARY}/{CANARY} not ready. status: InProgress",
        f'current value is "{CANARY}"',
        f'"].{CANARY}[x="',
        f"{CANARY}: field is immutable",
    ]
)
values = st.tuples(free_text, st.just(CANARY) | phrases, free_text).map("".join)
MARKED = sorted(name for name, text in TEXTS.items() if "CANARY" in text and not name.startswith(NAMES))
FREE = (
    "template.required",
    "template.fail",
    "template.nested",
    "template.name",
    "denied-",
    "template.type-of-subchart",
)
"""Where helm or the server writes the text of others as it is; everywhere else a value is quoted."""
KEYS = ("conflict.secret",)
"""Where the mark is a key, which is made of few characters."""


@settings(max_examples=300)
@given(st.sampled_from([name for name in MARKED if not name.startswith(KEYS)]), values)
def test_no_value_that_stood_in_a_text_of_helm_is_in_the_reason(name: str, value: str) -> None:
    quoted = json.dumps(value)[1:-1]

    def line(text: str) -> str:
        logged = "level=" in text
        drawn = value if name.startswith(FREE) and not logged else quoted
        return _MARK.sub(lambda _: json.dumps(drawn)[1:-1] if logged else drawn, text)

    reason = reason_of("\n".join(map(line, TEXTS[name].split("\n"))), doing(name))
    assert CANARY not in everything(reason)


@settings(max_examples=300)
@given(st.sampled_from(sorted(TEXTS)), values)
def test_nothing_that_is_written_behind_an_error_is_in_the_reason(name: str, value: str) -> None:
    # A list of conflicts goes on in the next line, and a log of the plugin has no end.
    text = TEXTS[name].rstrip("\n")
    reason = reason_of(f"{text}\n\n{value}", doing(name))
    assert CANARY not in everything(reason)


# how a command ended


@pytest.mark.parametrize(
    ("ended", "kind", "words"),
    [
        ("timed-out", "timed-out", "took longer than 10 minutes"),
        ("too-large", "output-too-large", "more than 128 MiB"),
        ("interrupted", "tool-error", "was asked to end"),
    ],
)
def test_a_command_that_did_not_exit(ended: End, kind: str, words: str) -> None:
    reason = failed(Outcome(ended, -2, b"", TEXTS["conflict.one-4.3.0"], limit=10), "helm upgrade")
    assert (reason.kind, reason.detail) == (kind, None)
    assert words in reason.text


def test_a_tool_that_cannot_be_started() -> None:
    reason = failed(Outcome("not-started", None, b"", "helm: not on PATH"), "helm upgrade")
    assert (reason.kind, dict(reason.names)) == ("tool-missing", {"tool": "helm"})
    assert "helm can't be started: not on PATH" in reason.text


@pytest.mark.parametrize(
    ("code", "words"), [(-9, "exited by signal 9"), (1, "exited with code 1"), (255, "with code 255")]
)
def test_an_exit_code_or_a_signal_is_named(code: int, words: str) -> None:
    assert words in reason_of("", code=code).text


def test_of_a_helm_that_was_killed_no_word_is_taken() -> None:
    assert reason_of("Error: repo nowhere not found\n", code=-9).names == {}
