import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.inventory import (
    Listed,
    UnreadableInventory,
    document,
    inventory_name,
    is_inventory,
    leaving,
    objects_text,
    quoted,
    read_inventory,
)
from sluiceway.adapters.kubernetes import goyaml
from tests.adapters.kubectl.made import live, manifest

CANARY = "c4n4ry-v4lue"
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
listed = st.builds(Listed, names, names.filter(lambda kind: kind[0] != "-"), st.none() | names, names)


def test_the_known_name_of_an_inventory() -> None:
    assert inventory_name("", "web") == "sluiceway-fe2582ff40821a0e"


def test_the_name_is_a_digest_of_the_repository_and_the_stack() -> None:
    digest = hashlib.sha256("octo/shop\nenvs/prod:é".encode()).hexdigest()
    assert inventory_name("octo/shop", "envs/prod:é") == f"sluiceway-{digest[:16]}"
    assert len({inventory_name(*names) for names in (("a", "b"), ("", "a\nb"), ("a/b", ""), ("b", "a"))}) == 4


def test_an_object_is_one_json_line_with_its_keys_in_order() -> None:
    written = Listed.of(manifest("Deployment", "web", "shop", version="apps/v1")).line
    assert written == '{"apiVersion":"apps/v1","kind":"Deployment","namespace":"shop","name":"web"}'
    assert Listed.of(manifest()).line == '{"apiVersion":"v1","kind":"ConfigMap","name":"a"}'
    assert Listed("v1", "A", None, "é\n").line == '{"apiVersion":"v1","kind":"A","name":"é\\n"}'


def test_the_lines_are_sorted_by_code_unit_and_end_with_a_newline() -> None:
    items = [Listed("v1", kind, None, "a") for kind in ("\uffee", "😀", "b", "B", "b")]
    assert [json.loads(line)["kind"] for line in objects_text(items).splitlines()] == ["B", "b", "😀", "\uffee"]
    assert objects_text(items).endswith("\n")
    assert objects_text([]) == ""


@given(st.lists(listed, max_size=5))
def test_what_is_written_reads_back(items: list[Listed]) -> None:
    read = read_inventory(live(data={"objects": objects_text(items)}))
    assert set(read) == set(items)
    assert [item.line for item in read] == objects_text(items).split("\n")[:-1]


@given(st.lists(listed, max_size=3), words, words)
def test_the_document_is_that_config_map_whatever_the_names(items: list[Listed], name: str, stack: str) -> None:
    objects = objects_text(items)
    content = document(name, stack, objects).decode()
    first, rest = content.split("\n", 1)
    assert first == "---"
    assert goyaml.load(rest, refuse_tags=True, alone=True) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "resourceVersion": "1",
            "labels": {"app.kubernetes.io/managed-by": "sluiceway"},
            "annotations": {"sluiceway.dev/stack": stack},
        },
        "data": {"objects": objects},
    }
    assert not any(line.startswith("---") for line in rest.split("\n"))


def metadata_of(content: bytes) -> Any:
    return goyaml.load(content.decode().removeprefix("---\n"), refuse_tags=True, alone=True)["metadata"]


def test_the_version_that_was_read_is_the_one_that_may_be_written_over() -> None:
    assert metadata_of(document("sluiceway-x", "web", "", "4711"))["resourceVersion"] == "4711"


@given(st.lists(listed, min_size=1, max_size=3, unique=True))
def test_the_mark_tells_what_goes_from_what_stays(items: list[Listed]) -> None:
    marks = {leaving(items), leaving(items[1:]), leaving([*items, Listed("v1", "One", "more", "thing")])}

    assert len(marks) == 3
    assert leaving(reversed(items)) == leaving(items)
    assert leaving([]) == ""
    metadata = metadata_of(document("sluiceway-x", "web", "", going=leaving(items)))
    assert metadata["annotations"] == {"sluiceway.dev/stack": "web", "sluiceway.dev/leaving": leaving(items)}


def test_the_document_names_no_namespace_and_holds_no_value() -> None:
    holds = manifest(data={"k": CANARY})
    content = document("sluiceway-x", "web", objects_text([Listed.of(holds)])).decode()
    assert "namespace" not in content
    assert CANARY not in content


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_word_is_one_line_that_reads_back(word: str) -> None:
    written = quoted(word)
    assert goyaml.load(f"k: {written}\n", alone=True) == {"k": word}
    assert written.isprintable() or not word.isprintable()
    assert "\n" not in written


def test_another_version_is_the_same_object_and_another_group_is_not() -> None:
    one = Listed("apps/v1", "Deployment", None, "web")
    assert one.identity == Listed("apps/v1beta1", "Deployment", None, "web").identity
    assert one.identity == manifest("Deployment", "web", version="apps/v2").identity
    for other in (
        Listed("v1", "Deployment", None, "web"),
        Listed("apps/v1", "Deployment", "t", "web"),
        Listed("apps/v1", "DaemonSet", None, "web"),
        Listed("apps/v1", "Deployment", None, "api"),
    ):
        assert other.identity != one.identity


def test_how_kubectl_and_a_person_are_told_of_it() -> None:
    assert Listed("apps/v1", "Deployment", "t", "web").resource == "Deployment.apps"
    assert Listed("v1", "ConfigMap", None, "a").resource == "ConfigMap"
    assert Listed("apps/v1", "Deployment", "t", "web").shown == "Deployment.apps t/web"
    assert Listed("v1", "ConfigMap", None, "a").shown == "ConfigMap a"


GOOD = '{"apiVersion":"v1","kind":"A","name":"a"}'


@pytest.mark.parametrize(
    ("objects", "line"),
    [
        (f"{GOOD}\n{CANARY}\n", 2),
        (f"{GOOD}\n\n{GOOD}\n", 2),
        ("\n", 1),
        ("[]\n", 1),
        ("null\n", 1),
        (f'{GOOD}\n"{CANARY}"\n', 2),
        ('{"apiVersion":"v1","kind":"A"}\n', 1),
        ('{"kind":"A","name":"a"}\n', 1),
        (GOOD.replace("}", f',"uid":"{CANARY}"}}'), 1),
        (GOOD.replace("}", ',"namespace":null}'), 1),
        (GOOD.replace("}", ',"namespace":""}'), 1),
        (GOOD.replace('"a"', "5"), 1),
        (GOOD.replace('"a"', '""'), 1),
        (GOOD.replace('name":"a"', 'name":"\\u0000"'), 1),
        (GOOD.replace('name":"a"', 'name":"a\\ud800"'), 1),
        (GOOD.replace("}", ',"namespace":"\\udfff"}'), 1),
        (GOOD.replace('"A"', '"--all"'), 1),
        (f"{GOOD} {GOOD}\n", 1),
        (f"{GOOD}\n{'[' * 100_000}\n", 2),
    ],
)
def test_an_inventory_that_someone_edited_is_refused_at_its_line_and_never_read_as_less(
    objects: str, line: int
) -> None:
    with pytest.raises(UnreadableInventory) as caught:
        read_inventory(live(data={"objects": objects}))
    assert caught.value.line == line
    assert CANARY not in f"{caught.value!r} {caught.value} {caught.value.expected}"


@pytest.mark.parametrize(
    "data", [None, {}, [], "x", {"objects": None}, {"objects": 5}, {"objects": {}}, {"object": GOOD}]
)
def test_an_inventory_without_its_list_is_refused(data: Any) -> None:
    with pytest.raises(UnreadableInventory) as caught:
        read_inventory(live(data=data))
    assert caught.value.line == 0


def test_a_last_line_without_a_newline_and_an_empty_list_are_read() -> None:
    assert read_inventory(live(data={"objects": GOOD})) == (Listed("v1", "A", None, "a"),)
    assert read_inventory(live(data={"objects": ""})) == ()
    assert read_inventory(live(data={"objects": GOOD + "\r\n"})) == (Listed("v1", "A", None, "a"),)


def test_only_the_config_map_of_that_name_is_the_inventory() -> None:
    assert is_inventory(live(name="sluiceway-x"), "sluiceway-x")
    for other in (
        live(name="sluiceway-y"),
        live("Secret", "sluiceway-x"),
        live("ConfigMap", "sluiceway-x", version="e.com/v1"),
    ):
        assert not is_inventory(other, "sluiceway-x")
