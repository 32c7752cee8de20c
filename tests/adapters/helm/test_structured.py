import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.helm.structured import Entry, Field, read_structured
from sluiceway.model.reasons import Reason
from tests.adapters.helm.loss_table import LOSSES, VERSIONS, Loss, losses, readme

CANARY = "c4n4ry-v4lue"
MASK = re.compile(r"# \([0-9]+ bytes\)")


def entry(**fields: Any) -> dict[str, Any]:
    status = {"oldExists": True, "newExists": True}
    found = {"apiVersion": "v1", "kind": "ConfigMap", "namespace": "t", "name": "a", "changeType": "MODIFY"}
    changes = [{"path": "data", "field": "k", "change": "replace", "oldValue": CANARY, "newValue": CANARY}]
    made = {**found, "resourceStatus": status, "changes": changes, **fields}
    return {key: value for key, value in made.items() if value is not None}


def output(*entries: Any) -> bytes:
    return json.dumps(entries).encode()


def read(printed: bytes | dict[str, Any], namespace: str = "t") -> list[Entry]:
    found = read_structured(output(printed) if isinstance(printed, dict) else printed, namespace)
    assert not isinstance(found, Reason), found.text
    return found


def one(printed: bytes | dict[str, Any], namespace: str = "t") -> Entry:
    (found,) = read(printed, namespace)
    return found


def refusal(printed: bytes | dict[str, Any]) -> Reason:
    found = read_structured(output(printed) if isinstance(printed, dict) else printed, "t")
    assert isinstance(found, Reason)
    return found


# what the real plugin printed


@pytest.mark.parametrize("loss", losses(), ids=str)
def test_the_readme_says_what_was_printed(loss: Loss) -> None:
    printed = [found["changeType"] for found in json.loads(loss.structured())]
    assert readme()[loss.name] == (", ".join(printed) or "nothing")


def test_every_case_of_the_readme_was_captured_and_the_other_way_round() -> None:
    assert set(readme()) == {loss.name for loss in losses()}
    assert all((LOSSES / name / version).is_dir() for name in readme() for version in VERSIONS)


@pytest.mark.parametrize("loss", losses(), ids=str)
def test_what_was_printed_is_read(loss: Loss) -> None:
    for name in ("structured.json", *(["three-way.json"] if loss.three_way else [])):
        printed = json.loads(loss.printed(name))
        found = read(loss.printed(name), loss.namespace)
        assert len(found) == len(printed) or loss.name in ("base-name", "cluster-object-with-namespace")
        assert not MASK.search(repr(found))


def captured(name: str, version: str = VERSIONS[1]) -> list[Entry]:
    loss = Loss(name, version)
    return read(loss.structured(), loss.namespace)


@pytest.mark.parametrize("version", VERSIONS)
def test_objects_are_addressed_as_everywhere(version: str) -> None:
    assert [(found.change, found.address) for found in captured("added-and-removed", version)] == [
        ("REMOVE", "ConfigMap/losses-added-and-removed/a"),
        ("ADD", "Secret/losses-added-and-removed/a"),
        ("ADD", "ConfigMap/losses-added-and-removed/b"),
        ("ADD", "ClusterRole.rbac.authorization.k8s.io/losses-a"),
    ]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("case", "address"),
    [
        ("list-of-lists", "Widget.losses.example.com/losses-list-of-lists/a"),
        ("item-changes-type", "Widget.losses.example.com/losses-item-changes-type/a"),
        ("secret-bad-base64", "Secret/losses-secret-bad-base64/a"),
    ],
)
def test_a_text_name_is_a_change_that_can_not_be_read(case: str, address: str, version: str) -> None:
    (found,) = captured(case, version)
    assert (found.address, found.change, found.fields, found.readable) == (address, "MODIFY", (), False)


def test_a_namespace_that_is_left_out_is_the_release_s() -> None:
    (found,) = captured("name-with-colon")
    assert found.address == "Role.rbac.authorization.k8s.io/losses-name-with-colon/losses:Reader"


def test_an_object_of_the_cluster_under_two_namespaces_is_one_that_changes() -> None:
    (found,) = captured("cluster-object-with-namespace")
    assert (found.address, found.change) == ("ClusterRole.rbac.authorization.k8s.io/losses-a", "MODIFY")
    assert not found.readable


def test_an_object_that_takes_another_name_goes_and_is_made() -> None:
    assert [(found.change, found.object.name) for found in captured("base-name")] == [
        ("REMOVE", "settings-1"),
        ("ADD", "settings-2"),
    ]


def test_fields_are_kept_as_they_are_printed() -> None:
    (_, deployment, _) = captured("drift")
    assert deployment.fields == (
        Field("spec", "replicas", "replace"),
        Field("spec.template.spec.containers[0].env[0]", "value", "replace"),
        Field("spec.template.spec.containers[0]", "image", "replace"),
    )


def test_a_field_without_a_path_and_one_with_an_empty_key() -> None:
    (version,) = captured("drift-of-another-version")
    assert version.fields[0] == Field("", "apiVersion", "replace")
    (odd,) = captured("odd-keys")
    assert odd.fields[0] == Field("spec", "", "replace")


@pytest.mark.parametrize("case", ["secret-changed", "drift-of-a-secret"])
def test_a_secret_s_fields_stop_at_its_data(case: str) -> None:
    found = captured(case)[0]
    assert found.object.is_secret
    assert [field for field in found.fields if field.path in ("data", "stringData")] == []
    assert found.fields.count(Field("", "data", "replace")) == 1


def test_nothing_printed_is_nothing() -> None:
    assert captured("text-alone") == []


# names


def test_a_secret_of_another_group_is_no_secret() -> None:
    found = one(entry(apiVersion="e.com/v1", kind="Secret"))
    assert found.address == "Secret.e.com/t/a"
    assert found.fields == (Field("data", "k", "replace"),)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("t, a, ConfigMap (v1)", "ConfigMap/t/a"),
        ("t, a, ConfigMap (v1beta1)", "ConfigMap/t/a"),
        ("t, x:Reader, Role (rbac.authorization.k8s.io)", "Role.rbac.authorization.k8s.io/t/x:Reader"),
        ("t, x:reader, ClusterRole (rbac.authorization.k8s.io)", "ClusterRole.rbac.authorization.k8s.io/x:reader"),
        ("t, a, b, Widget (e.com)", "Widget.e.com/t/a, b"),
        (", a, Widget (e.com)", "Widget.e.com/release/a"),
        ("t, a, Widget (v1.e.com)", "Widget.v1.e.com/t/a"),
    ],
)
def test_a_text_names_an_object(text: str, address: str) -> None:
    printed = {"name": text, "changeType": "ADD", "resourceStatus": {}}
    assert one(printed, "release").address == address


@pytest.mark.parametrize(
    "text", ["", "a", "t, a", "t, a, Widget", "t, a, Widget ()", "t, , Widget (v1)", "t, a\n, Widget (v1)", "t a (v1)"]
)
def test_a_text_that_names_none_is_refused(text: str) -> None:
    assert "the name of an object" in refusal({"name": text, "changeType": "MODIFY"}).text


@pytest.mark.parametrize("field", ["name", "apiVersion", "kind"])
@pytest.mark.parametrize("value", [None, "", "a\nb", "\x1b[0m", 1, True, [], {}])
def test_an_entry_that_names_no_object_is_refused(field: str, value: Any) -> None:
    assert refusal(entry(**{field: value})).kind == "unreadable-output"


def test_a_lone_surrogate_is_no_text() -> None:
    for where in ("name", "namespace", "kind"):
        assert refusal(entry(**{where: "\ud800"})).kind == "unreadable-output"
    for part in ("path", "field"):
        changes = [{"path": "data", "field": "k", "change": "add", part: "a\udfff"}]
        assert "text" in refusal(entry(changes=changes)).text


# what can't be read


@pytest.mark.parametrize(
    "printed",
    [
        b"",
        b"null",
        b"{}",
        b"1",
        b'"[]"',
        b"[",
        b"[]]",
        b"[] []",
        b"[]\nx",
        b"x\n[]",
        b"[,]",
        b"\xff[]",
        b"\xef\xbb\xbf[]",
        b"[NaN]",
        b"[Infinity]",
        b'[{"name": }]',
        b"[" * 200_000,
        b'{"a":' * 200_000,
    ],
    ids=lambda printed: repr(printed[:12]),
)
def test_what_is_no_list_in_json_is_refused(printed: bytes) -> None:
    assert refusal(printed).kind == "unreadable-output"


@pytest.mark.parametrize("node", [None, 1, "a", [], [entry()], True])
def test_a_list_of_anything_else_is_refused(node: Any) -> None:
    assert "object 2 of the diff" in refusal(output(entry(), node)).text


@pytest.mark.parametrize("step", ["OWNERSHIP", "MODIFY_SUPPRESSED", "", "modify", "RENAME", CANARY, "ADD "])
def test_another_step_is_unknown(step: str) -> None:
    for printed in (entry(changeType=step), {"name": "t, a, ConfigMap (v1)", "changeType": step}):
        reason = refusal(printed)
        assert reason.kind == "unknown-step"
        assert "ConfigMap/t/a" in reason.text
        assert (step in reason.text) == (step in ("OWNERSHIP", "MODIFY_SUPPRESSED", "RENAME", ""))


@pytest.mark.parametrize("step", [1, None, ["ADD"]])
def test_a_step_that_is_no_text(step: Any) -> None:
    assert refusal(entry(changeType=step)).kind in ("unreadable-output", "unknown-step")


@pytest.mark.parametrize("value", [True, 1, "yes", None])
def test_suppressed_changes_are_refused(value: Any) -> None:
    printed = {**entry(), "changesSuppressed": value}
    assert "not suppressed" in refusal(printed).text
    assert one({**entry(), "changesSuppressed": False}).readable


@pytest.mark.parametrize("changes", [None, [], {}, "a", 1])
def test_a_change_without_fields_is_refused(changes: Any) -> None:
    assert refusal({**entry(), "changes": changes}).kind == "unreadable-output"
    assert refusal(entry(changes=None)).text.count("the fields that change") == 1


@pytest.mark.parametrize(
    "change", [None, 1, [], {}, {"change": "move"}, {"change": 1}, {"change": "add", "path": 1}, {"change": ["add"]}]
)
def test_a_field_that_is_none_is_refused(change: Any) -> None:
    printed = entry(changes=[{"path": "data", "field": "k", "change": "add"}, change])
    assert "object 1 of the diff, change 2" in refusal(printed).text


@pytest.mark.parametrize(
    "steps", [("MODIFY", "MODIFY"), ("ADD", "ADD"), ("REMOVE", "MODIFY"), ("ADD", "REMOVE", "ADD"), ("ADD", "MODIFY")]
)
def test_one_object_twice_is_refused(steps: tuple[str, ...]) -> None:
    assert "each object once" in refusal(output(*(entry(changeType=step) for step in steps))).text


def test_one_object_in_two_versions_is_one_object() -> None:
    assert "once" in refusal(output(entry(apiVersion="apps/v1"), entry(apiVersion="apps/v2"))).text


@pytest.mark.parametrize("steps", [("ADD", "REMOVE"), ("REMOVE", "ADD")])
def test_an_object_that_is_removed_and_added_changes(steps: tuple[str, str]) -> None:
    found = one(output(*(entry(changeType=step) for step in steps)))
    assert (found.change, found.fields, found.readable) == ("MODIFY", (), False)


def test_a_new_name_that_is_another_object_s_is_refused() -> None:
    change = {"path": "metadata", "field": "name", "change": "replace", "oldValue": "a", "newValue": "b"}
    renamed = entry(changes=[change])
    assert [(it.change, it.object.name) for it in read(renamed)] == [("REMOVE", "a"), ("ADD", "b")]
    assert "once" in refusal(output(renamed, entry(name="b"))).text


# values


def test_no_value_is_kept() -> None:
    assert CANARY not in repr(read(output(entry(), entry(name="b", kind="Secret"))))


@pytest.mark.parametrize(
    "broken",
    [{"changeType": CANARY}, {"changesSuppressed": CANARY}, {"name": ["x"]}, {"changes": [{"change": CANARY}]}],
)
def test_no_value_gets_into_a_reason(broken: dict[str, Any]) -> None:
    assert CANARY not in repr(refusal({**entry(), **broken}))


def test_a_secret_whose_error_was_printed_as_a_field_is_not_read() -> None:
    changes = [{"field": f"Error parsing new secret: {CANARY}", "change": "add", "newValue": CANARY}]
    found = one(entry(kind="Secret", changes=changes))
    assert (found.fields, found.readable) == ((), False)
    assert CANARY not in repr(found)


@pytest.mark.parametrize("number", ["1" * 10_000, "-1.5e999999", "1e5", "0." + "1" * 10_000])
def test_any_number_is_read(number: str) -> None:
    printed = output(entry()).replace(f'"newValue": "{CANARY}"'.encode(), f'"newValue": {number}'.encode())
    assert number.encode() in printed
    assert one(printed).fields == (Field("data", "k", "replace"),)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_go_never_prints_is_refused(word: str) -> None:
    assert "a list in JSON" in refusal(output(entry()).replace(f'"{CANARY}"'.encode(), word.encode())).text


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda below: st.lists(below, max_size=2) | st.dictionaries(st.sampled_from(sorted(entry())), below, max_size=3),
    max_leaves=8,
)


@given(st.lists(_JSON | st.dictionaries(st.sampled_from(sorted(entry())), _JSON).map(lambda found: entry(**found))))
def test_anything_is_read_or_refused(printed: list[Any]) -> None:
    found = read_structured(output(*printed), "t")
    assert isinstance(found, Reason) or len({it.address for it in found}) == len(found)


@given(st.binary() | st.text('[]{}:,"\\u0d18 ntf-1.eE').map(str.encode))
def test_any_bytes_are_read_or_refused(printed: bytes) -> None:
    assert isinstance(read_structured(printed, "t"), Reason | list)
