"""What a chart renders and what a release holds, read into objects."""

import time
from base64 import b64encode
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.manifests import Item, UnreadableManifest

CANARY = "CANARY-in-a-value"
SECONDS = 3
"""CPU time that no text of this size comes near unless it takes more than linear time."""

TWO = """---
# Source: web/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
# Source: web/templates/b.yaml
# a comment, and then
apiVersion: apps/v1
kind: Deployment
metadata: {name: b, namespace: other}
"""


def read(printed: str) -> list[Item]:
    return manifests.read(printed, "shop")


def one(printed: str) -> Item:
    (item,) = read(printed)
    return item


def test_each_document_is_an_object_in_the_place_where_helm_puts_it() -> None:
    assert [(item.address, item.source, item.hook) for item in read(TWO)] == [
        ("ConfigMap/shop/a", "web/templates/a.yaml", False),
        ("Deployment.apps/other/b", "web/templates/b.yaml", False),
    ]


def test_documents_of_comments_only_are_none() -> None:
    assert read("---\n# Source: web/templates/empty.yaml\n\n---\n# only a word\n   \n---\n\n") == []


def test_a_separator_may_carry_a_comment() -> None:
    assert [item.address for item in read(TWO.replace("---\n# Source: web/templates/b", "--- # b\n# Source: b"))] == [
        "ConfigMap/shop/a",
        "Deployment.apps/other/b",
    ]


@pytest.mark.parametrize(
    ("head", "address"),
    [
        ("apiVersion: v1\nkind: Namespace", "Namespace/x"),
        ("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole", "ClusterRole.rbac.authorization.k8s.io/x"),
        ("apiVersion: example.com/v1\nkind: Widget", "Widget.example.com/shop/x"),
    ],
)
def test_what_belongs_to_the_cluster_has_no_namespace(head: str, address: str) -> None:
    assert one(f"{head}\nmetadata: {{name: x}}").address == address
    assert one(f"{head}\nmetadata: {{name: x, namespace: shop}}").address == address


def test_a_custom_kind_that_the_text_itself_brings_says_where_it_belongs() -> None:
    crd = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n"
        "spec: {group: example.com, scope: Cluster, names: {kind: Widget}}\n"
    )
    widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: x}\n"
    assert read(f"{widget}---\n{crd}")[0].address == "Widget.example.com/x"


def test_a_list_is_its_items_and_an_object_that_is_only_called_list_is_one() -> None:
    both = (f"{{apiVersion: v1, kind: {kind}, metadata: {{name: a}}}}" for kind in ("ConfigMap", "Secret"))
    items = f"items: [{', '.join(both)}]"
    assert [item.address for item in read(f"apiVersion: v1\nkind: List\n{items}")] == [
        "ConfigMap/shop/a",
        "Secret/shop/a",
    ]
    typed = "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}]"
    assert one(typed).address == "ConfigMap/shop/a"
    assert (
        one("apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: a}").address
        == "AllowList.example.com/shop/a"
    )


@pytest.mark.parametrize(
    ("annotation", "hook", "only_a_test"),
    [
        ("helm.sh/hook: pre-install", True, False),
        ("helm.sh/hook: test", True, True),
        ("helm.sh/hook: 'test-success, test'", True, True),
        ("helm.sh/hook: 'post-install,test'", True, False),
        ("example.com/x: y", False, False),
    ],
)
def test_hooks_and_those_that_only_helm_test_runs(annotation: str, hook: bool, only_a_test: bool) -> None:
    item = one(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, annotations: {{{annotation}}}}}")
    assert (item.hook, item.only_a_test) == (hook, only_a_test)


@pytest.mark.parametrize(("policy", "kept"), [("keep", True), ("Keep", False), ("delete", False)])
def test_what_is_kept_says_so(policy: str, kept: bool) -> None:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, annotations: {{helm.sh/resource-policy: {policy}}}}}"
    assert one(text).kept is kept


def test_a_generated_name_stands_for_a_name() -> None:
    assert one("apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: once-}").address == "Job.batch/shop/once-"


@pytest.mark.parametrize("text", [f"a: [{CANARY}", f"- {CANARY}", CANARY, f"a: b\n  c: {CANARY}"])
def test_what_is_no_object_is_refused_by_its_template_never_by_its_text(text: str) -> None:
    with pytest.raises(UnreadableManifest) as caught:
        read(f"---\n# Source: web/templates/odd.yaml\n{text}\n")
    assert "web/templates/odd.yaml" in str(caught.value)
    assert CANARY not in str(caught.value)


def test_digests_tell_two_renders_apart_and_name_what_differs() -> None:
    before = manifests.digests(TWO.encode(), "shop")
    after = manifests.digests(TWO.replace("name: b,", "labels: {r: x}, name: b,").encode(), "shop")
    assert before.whole != after.whole
    assert [label for label in before.objects if before.objects[label] != after.objects[label]] == [
        "Deployment.apps/other/b"
    ]
    assert manifests.digests(TWO.encode(), "shop") == before


def test_digests_of_two_objects_of_one_name_and_of_what_is_no_object_have_labels_of_their_own() -> None:
    twice = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n"
    found = manifests.digests(f"{twice}---\n{twice}---\n# Source: web/templates/odd.yaml\n- x\n".encode(), "shop")
    assert list(found.objects) == ["ConfigMap/shop/a", "ConfigMap/shop/a (2)", "web/templates/odd.yaml"]


def test_digests_of_very_many_documents_of_one_label_take_no_time_of_their_own() -> None:
    begun = time.process_time()
    found = manifests.digests(b"---\n- x\n" * 5_000, "shop")
    assert time.process_time() - begun < SECONDS
    assert list(found.objects)[-1] == "a document (5000)"


@pytest.mark.parametrize("source", ["web/templates/a b.yaml", "pa$$w0rd", "web/templates/\u00e9.yaml", "x" * 302])
def test_a_template_whose_name_is_not_plain_is_not_named(source: str) -> None:
    with pytest.raises(manifests.UnreadableManifest) as error:
        read(f"---\n# Source: {source}\n- x\n")
    assert error.value.place == "a document"


HEAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"


def test_what_secrets_hold_is_known_in_every_spelling() -> None:
    text = f"{HEAD}data: {{a: Q0FOQVJZLWE=, b: not base64}}\nstringData: {{c: CANARY-c, d: 12345}}\n---\n- odd\n"
    assert set(manifests.secret_values(text.encode(), "shop")) == {
        "Q0FOQVJZLWE=",
        "CANARY-a",
        "not base64",
        "CANARY-c",
        "12345",
        "1.2345e+04",
    }


def test_what_a_secret_of_another_shape_holds_is_known() -> None:
    text = f"{HEAD}data: {{a: [Q0FOQVJZLWE=]}}\nstringData: {{b: {{c: [CANARY-c, true, null]}}, d: 98765432.125}}\n"
    assert set(manifests.secret_values(text.encode(), "shop")) == {
        "Q0FOQVJZLWE=",
        "CANARY-a",
        "CANARY-c",
        "98765432.125",
        "9.8765432125e+07",
    }


@given(st.binary(max_size=12))
def test_where_a_value_of_a_secret_is_written_makes_no_difference(value: bytes) -> None:
    encoded = manifests.decoded_secret({"data": {"k": b64encode(value).decode()}})
    assert encoded == {"data": {"k": value}}
    try:
        plain = value.decode()
    except UnicodeDecodeError:
        return
    assert manifests.decoded_secret({"stringData": {"k": plain}}) == encoded


def test_no_value_stands_in_a_repr() -> None:
    item = one(f"{HEAD}stringData: {{k: {CANARY}}}")
    document = next(manifests.split(f"{HEAD}stringData: {{k: {CANARY}}}"))
    assert CANARY not in f"{item!r}{document!r}{manifests.digests(CANARY.encode(), 'shop')!r}"


@given(st.text(alphabet="-#: \nab{[\"'&*!|", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnreadableManifest):
        read(text)
    manifests.digests(text.encode(), "shop")
    manifests.secret_values(text.encode(), "shop")
