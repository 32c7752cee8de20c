r"""What kubectl v1.34.0 and v1.37.1 wrote to stderr on real servers (``stderr/*.txt``), and what is made of it.

``CANARY…`` stands where a value stood; a file is named after what was done, and the command that failed.
"""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubernetes.ends import missing
from sluiceway.model.reasons import Reason
from sluiceway.processes import End, Outcome

TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "stderr").iterdir())}
CANARY = "c4n4ry"
_MARK = re.compile(r"CANARY\w*")


def reason_of(stderr: str, code: int = 2) -> Reason:
    return failed(Outcome("exited", code, b"", stderr), "kubectl diff")


CONFLICT, MISSING, UNKNOWN, EARLIER = "conflict", "namespace-missing", "kind-unknown", "needs-earlier-object"
INVENTORY = "sluiceway-0123456789abcdef"
CONTAINER = "spec.template.spec.containers[]"

REASONS: dict[str, tuple[str | None, dict[str, str]]] = {
    "conflict-one.diff": (CONFLICT, {"manager": "team-a", "field": "spec.replicas", "object": "Deployment web"}),
    "conflict-one.apply": (CONFLICT, {"manager": "team-a", "field": "spec.replicas"}),
    "conflict-many.diff": (
        CONFLICT,
        {
            "manager": "team-a",
            "field": f"spec.replicas, {CONTAINER}.image, {CONTAINER}.env[].value",
            "object": "Deployment web",
        },
    ),
    "conflict-managers.diff": (
        CONFLICT,
        {
            "manager": "kubectl, team-a",
            "field": f"spec.replicas, {CONTAINER}.image, {CONTAINER}.env[].value",
            "object": "Deployment web",
        },
    ),
    "conflict-managers.apply": (
        CONFLICT,
        {"manager": "kubectl, team-a", "field": f"spec.replicas, {CONTAINER}.image, {CONTAINER}.env[].value"},
    ),
    "conflict-list.diff": (
        CONFLICT,
        {"manager": "team-a", "field": "spec.externalIPs, spec.ports[].targetPort", "object": "Service svc"},
    ),
    "conflict-list.apply": (CONFLICT, {"manager": "team-a", "field": "spec.externalIPs, spec.ports[].targetPort"}),
    "conflict-secret.diff": (CONFLICT, {"manager": "team-a", "field": "stringData", "object": "Secret sec"}),
    "conflict-secret.apply": (CONFLICT, {"manager": "team-a", "field": "stringData"}),
    "conflict-created.diff": (CONFLICT, {"manager": "kubectl-patch", "field": "data.a", "object": "ConfigMap cs"}),
    "conflict-clientside.diff": (
        CONFLICT,
        {"manager": "kubectl-client-side-apply", "field": "data.a", "object": "ConfigMap csa"},
    ),
    "get-notfound.get": (MISSING, {"namespace": "nowhere"}),
    "kind.apply": (UNKNOWN, {"kind": "Widget", "version": "example.com/v1"}),
    "kind-core.diff": (UNKNOWN, {"kind": "Widget", "version": "v1"}),
    "kind-two.diff": (UNKNOWN, {"kind": "Widget", "version": "example.com/v1"}),
    "get-kind.get": (UNKNOWN, {"kind": "Widget", "version": "example.com/v1"}),
    "serviceaccount.apply": (EARLIER, {"object": "mysa"}),
    "immutable.apply": ("immutable-field", {"kind": "Deployment", "object": "web"}),
    "immutable-configmap.apply": ("immutable-field", {"kind": "ConfigMap", "object": "im"}),
    "immutable-job.apply": ("immutable-field", {"kind": "Job", "object": "job"}),
    "immutable-secret-type.apply": ("immutable-field", {"kind": "Secret", "object": "sec2"}),
    "forbidden.diff": ("denied", {"resource": "configmaps", "object": "x", "verb": "get"}),
    "forbidden.apply": ("denied", {"resource": "configmaps", "object": "x", "verb": "patch"}),
    "patch-forbidden.apply": ("denied", {"resource": "configmaps", "object": "kube-root-ca.crt", "verb": "patch"}),
    "delete-forbidden.get": ("denied", {"resource": "configmaps", "object": "kube-root-ca.crt", "verb": "delete"}),
    "get-forbidden.get": ("denied", {"resource": "configmaps", "object": "x", "verb": "get"}),
    "list-forbidden.get": ("denied", {"resource": "configmaps", "verb": "list"}),
    "quota.apply": ("denied", {"resource": "configmaps", "object": "x2"}),
    "podsecurity.apply": ("denied", {"resource": "pods", "object": "p"}),
    "policy.apply": ("denied", {"policy": "units-policy", "binding": "units-binding"}),
    "webhook.apply": ("denied", {"webhook": "units.example.com"}),
    "webhook-lines.apply": ("denied", {"webhook": "units.example.com"}),
    "webhook-conflict.apply": ("denied", {"webhook": "units.example.com"}),
    "webhook-notfound.apply": ("denied", {"webhook": "units.example.com"}),
    "webhook-invalid.apply": ("denied", {"webhook": "units.example.com"}),
    "get-token.get": ("denied", {}),
    "token.apply": ("denied", {}),
    "webhook-down.apply": (None, {"webhook": "units.example.com"}),
    "terminating.apply": (None, {"namespace": "units-wh"}),
    "context.apply": (None, {"context": "CANARYctx"}),
    "mismatch.apply": (None, {"found": "other", "namespace": "units"}),
    "unknown-field.apply": (None, {"kind": "Deployment", "field": "spec.replicass"}),
    "crd-field.apply": (None, {"kind": "Gadget", "field": "spec.CANARYFIELD"}),
    "crd-enum.apply": (None, {"kind": "Gadget", "object": "g"}),
    "crd-rule.apply": (None, {"kind": "Gadget", "object": "g"}),
    **{name: (None, {"inventory": INVENTORY}) for name in ("modified-inventory.diff", "modified-inventory.apply")},
    **{name: (None, {"object": "web"}) for name in ("modified.diff", "modified.apply")},
    "invalid.apply": (None, {"kind": "Service", "object": "bad"}),
    "name-too-long.diff": (None, {"file": f"v1.ConfigMap.default.{'a' * 253}"}),
    **{name: (None, {}) for name in ("refused.apply", "refused.diff", "host.apply", "host.diff", "get-refused.get")},
    **{name: (None, {}) for name in ("get-host.get", "get-nokubeconfig.get", "get-timeout.get")},
}

IN_THE_LOG = {
    *("empty.apply", "flag.diff", "generate.diff", "get-resource.get", "invalid-name.apply", "secret-base64.apply"),
    *("secret-number.apply", "webhook-conflict.diff", "webhook-warning.apply", "wrong-type.apply"),
    *("kustomize-field.get", "kustomize-missing.get"),
}
"""What is told by nothing but its exit code: kubectl's own words are in the job log."""


def test_every_text_is_looked_at() -> None:
    assert TEXTS.keys() == {*REASONS, *IN_THE_LOG, "no-diff.diff"}


@pytest.mark.parametrize("name", REASONS)
def test_the_names_are_cut_from_what_kubectl_wrote(name: str) -> None:
    reason = reason_of(TEXTS[name])
    assert (reason.kind, reason.exit_code) == ("tool-error", 2)
    assert (reason.detail, dict(reason.names)) == REASONS[name]
    assert reason.text.startswith("kubectl diff exited with code 2: ")
    assert reason.next_step
    assert "?" not in reason.what


@pytest.mark.parametrize("name", sorted(IN_THE_LOG))
def test_what_is_not_known_is_left_to_the_log(name: str) -> None:
    reason = reason_of(TEXTS[name])
    assert (reason.detail, dict(reason.names)) == (None, {})
    assert reason.text == "kubectl diff exited with code 2. Its own words are in the job log."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("conflict-managers.diff", "another field manager (kubectl, team-a) holds spec.replicas, "),
        ("get-notfound.get", "the namespace nowhere is not there. A Namespace belongs in a stack of its own"),
        ("serviceaccount.apply", "it needs the ServiceAccount mysa"),
        ("kind.apply", "the cluster serves no kind Widget in example.com/v1"),
        ("refused.diff", "the cluster can't be reached"),
        ("token.apply", "does not know the kubeconfig's user"),
        ("webhook-down.apply", "the admission webhook units.example.com can't be asked"),
        ("modified-inventory.apply", "was written in between: another deploy of the stack ran. Preview again."),
        ("modified.diff", "web was written by someone else in between"),
        ("terminating.apply", "the namespace units-wh is being deleted"),
        ("name-too-long.diff", "a name of the set is too long for one: v1.ConfigMap.default.aaa"),
    ],
)
def test_the_words(name: str, words: str) -> None:
    assert words in reason_of(TEXTS[name]).text


def test_a_missing_diff_program_is_a_missing_tool() -> None:
    reason = reason_of(TEXTS["no-diff.diff"])
    assert (reason.kind, dict(reason.names)) == ("tool-missing", {"tool": "diff"})


def test_at_most_five_fields_are_named() -> None:
    lines = "".join(f"- .spec.f{number}\n" for number in range(8))
    reason = reason_of(f'error: Apply failed with 8 conflicts: conflicts with "m":\n{lines}Please review the fields')
    assert reason.names["field"] == "spec.f0, spec.f1, spec.f2, spec.f3, spec.f4 and 3 more"


def test_a_manager_whose_name_is_no_plain_name_is_not_shown() -> None:
    reason = reason_of(f'error: Apply failed with 1 conflict: conflict with "my {CANARY} tool": .spec.replicas\n')
    assert dict(reason.names) == {"field": "spec.replicas"}
    assert "another field manager (unknown) holds spec.replicas" in reason.text


def test_the_first_error_counts_and_warnings_and_logs_do_not() -> None:
    warned = TEXTS["webhook-warning.apply"] + TEXTS["get-refused.get"].splitlines()[0] + "\n" + TEXTS["quota.apply"]
    assert reason_of(warned + TEXTS["conflict-one.diff"]).names == {"resource": "configmaps", "object": "x2"}


# values


free_text = st.text(st.sampled_from('ab".: \n\\[]{}-,=*#'), max_size=12)
phrases = st.sampled_from(
    [
        f'conflict with "{CANARY}": .spec.{CANARY}',
        f'\nconflicts with "{CANARY}":\n- .spec.{CANARY}\n',
        f"\n- .{CANARY}\n",
        f'\nError from server (Conflict): Apply failed with 1 conflict: conflict with "{CANARY}": .{CANARY}\n',
        f'\nerror: context "{CANARY}" does not exist\n',
        f'\nThe Secret "{CANARY}" is invalid: x: field is immutable\n',
        f"\nW1130 16:00:46.017340   27416 diff.go:723] Object (/v1, Kind=Secret: {CANARY}) keeps changing\n",
        f'serviceaccount "{CANARY}" not found',
        f'namespaces "{CANARY}" not found',
        f'no matches for kind "{CANARY}" in version "{CANARY}/v1"',
        f'admission webhook "{CANARY}" denied the request',
        f'"].{CANARY}[x="',
        f'"{CANARY}',
        f"{CANARY}: field is immutable",
    ]
)
values = st.tuples(free_text, st.just(CANARY) | phrases, free_text).map("".join)
NAMES = {"context.apply", "crd-field.apply", "conflict-secret.diff", "conflict-secret.apply", "kustomize-missing.get"}
"""Where the mark is a name: of a context, a field, a key, a file."""


@settings(max_examples=100)
@given(
    st.sampled_from(sorted(name for name, text in TEXTS.items() if "CANARY" in text and name not in NAMES)), st.data()
)
def test_no_value_that_stood_in_a_text_of_kubectl_is_in_the_reason(name: str, data: st.DataObject) -> None:
    free = name.startswith(("webhook", "policy")) and "warning" not in name  # a warning is a header: one line

    def value(_mark: re.Match[str]) -> str:
        drawn = data.draw(values)
        return drawn if free else json.dumps(drawn)[1:-1]

    reason = reason_of(_MARK.sub(value, TEXTS[name]))
    assert CANARY not in f"{reason!r} {reason.text} {dict(reason.names)}"


@settings(max_examples=100)
@given(st.sampled_from(sorted(REASONS)), values)
def test_nothing_that_is_written_behind_an_error_is_in_the_reason(name: str, value: str) -> None:
    if "conflict" in name:
        value = f"Please review the fields above\n{value}"
    reason = reason_of(f"{TEXTS[name]}\n{value}")
    assert CANARY not in f"{reason!r} {reason.text} {dict(reason.names)}"


@settings(max_examples=100)
@given(st.lists(st.sampled_from([".a", "[", "]", '"', "\\", CANARY, "=", "x", " ", ".b"]), max_size=12).map("".join))
def test_a_value_in_a_key_of_a_list_is_never_part_of_a_field(key: str) -> None:
    field = f".spec.containers[name={json.dumps(key)}].env[name={json.dumps(key)}].value"
    stderr = f'error: Apply failed with 2 conflicts: conflicts with "m":\n- {field}\n- .spec.replicas\n'
    assert reason_of(stderr).names["field"] == "spec.containers[].env[].value, spec.replicas"


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_the_key_of_a_secret_is_never_named_and_what_may_be_one_is_taken_for_one(kind: str) -> None:
    conflict = f'conflict with "m": .data.{CANARY}\n'
    object_line = f"W1130 16:00:46.017340   27416 diff.go:723] Object (/v1, Kind={kind}: a) keeps changing, diffing\n"
    known = reason_of(f"{object_line}Error from server (Conflict): Apply failed with 1 conflict: {conflict}")
    assert known.names["field"] == ("data" if kind == "Secret" else f"data.{CANARY}")
    assert reason_of(f"error: Apply failed with 1 conflict: {conflict}").names["field"] == "data"


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
    reason = failed(Outcome(ended, -2, b"", TEXTS["conflict-one.diff"], limit=10), "kubectl diff")
    assert (reason.kind, reason.detail) == (kind, None)
    assert words in reason.text


def test_a_tool_that_cannot_be_started_says_why_in_the_runners_words() -> None:
    reason = failed(Outcome("not-started", None, b"", "kubectl: not on PATH"), "kubectl diff")
    assert (reason.kind, dict(reason.names)) == ("tool-missing", {"tool": "kubectl"})
    assert "kubectl can't be started: not on PATH" in reason.text
    assert missing("diff").text.startswith("diff can't be started: it is not on PATH")


@pytest.mark.parametrize(
    ("code", "words"), [(-9, "exited by signal 9"), (1, "exited with code 1"), (255, "with code 255")]
)
def test_an_exit_code_or_a_signal_is_named(code: int, words: str) -> None:
    assert words in reason_of("", code).text
