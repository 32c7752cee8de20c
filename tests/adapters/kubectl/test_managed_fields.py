import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.kubectl.managed_fields import (
    Element,
    Held,
    Node,
    UnreadableFields,
    entries_of,
    find_in,
    has_keys,
    locate,
    nodes_of,
    place_in,
    read_element,
)
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.paths import Path
from sluiceway.model.trees import MISSING, Float
from tests.adapters.kubectl.made import applied, entry, held_by, live

CANARY = "c4n4ry-v4lue"
NAME_A, NAME_B = 'k:{"name":"A"}', 'k:{"name":"B"}'


# elements


@pytest.mark.parametrize(
    ("written", "element"),
    [
        ("f:name", Element("f", "name")),
        ("f:", Element("f", "")),
        ("f:a:b", Element("f", "a:b")),
        ("f:app.kubernetes.io/name", Element("f", "app.kubernetes.io/name")),
        ("f:.", Element("f", ".")),
        ('k:{"containerPort":80,"protocol":"TCP"}', Element("k", {"containerPort": 80, "protocol": "TCP"})),
        ('k:{"protocol":"TCP","containerPort":80}', Element("k", {"containerPort": 80, "protocol": "TCP"})),
        ('v:"navy"', Element("v", "navy")),
        ("v:1", Element("v", 1)),
        ("v:true", Element("v", True)),
        ("v:null", Element("v", None)),
        ("v:1.5", Element("v", Float("1.5"))),
        ('v:{"a":[1]}', Element("v", {"a": [1]})),
        ('v:"a:b"', Element("v", "a:b")),
        ("i:3", Element("i", 3)),
    ],
)
def test_each_kind_of_element_is_typed(written: str, element: Element) -> None:
    read = read_element(written)
    assert (read.kind, read.value, type(read.value)) == (element.kind, element.value, type(element.value))


@pytest.mark.parametrize(
    "written",
    ["", "x", "name", "x:name", "k:", "k:[1]", 'k:"a"', "k:{", "v:", "v:navy", "v:{", "i:", "i:x", "i:1.5", "v:NaN"],
)
def test_an_element_of_no_known_kind_is_refused_without_its_text(written: str) -> None:
    with pytest.raises(UnreadableFields) as caught:
        read_element(f"{written}")
    assert str(caught.value) == ""


def test_an_element_does_not_show_its_value() -> None:
    assert CANARY not in repr(read_element(f'v:"{CANARY}"'))


# where an element is


LIST = [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}, "x", 1, True, [1]]


@pytest.mark.parametrize(
    ("written", "index"),
    [
        (NAME_A, 0),
        (NAME_B, 1),
        ('k:{"value":"2","name":"A"}', 2),
        ('k:{"name":"C"}', None),
        ('k:{"name":"A","extra":null}', None),
        ('v:"x"', 3),
        ("v:1", 4),
        ("v:true", 5),
        ("v:[1]", 6),
        ('v:"1"', None),
        ("v:false", None),
        ("i:1", 1),
        ("i:6", 6),
        ("i:7", None),
        ("i:-1", None),
    ],
)
def test_an_item_of_a_list_is_found_by_its_keys_value_or_index_and_by_type(written: str, index: int | None) -> None:
    found = locate(read_element(written), LIST)
    assert (found and found[0]) == index
    assert found is None or found[1] is LIST[found[0]]  # type: ignore[index]


def test_a_field_is_found_in_a_map_whether_it_is_there_or_not() -> None:
    assert locate(read_element("f:a"), {"a": 1}) == ("a", 1)
    assert locate(read_element("f:b"), {"a": 1}) == ("b", MISSING)
    assert locate(read_element("f:b"), [1]) == ("b", MISSING)
    assert locate(read_element(NAME_A), {"name": "A"}) is None


def test_the_order_of_keys_does_not_matter_and_their_types_do() -> None:
    item = {"port": 80, "protocol": "TCP", "more": 1}
    assert has_keys(item, {"protocol": "TCP", "port": 80})
    assert not has_keys(item, {"port": "80"})
    assert not has_keys(item, {"port": True})
    assert not has_keys("text", {"port": 80})


# nodes


def paths(fields: dict[str, Any], tree: Any) -> dict[Path, tuple[bool, bool]]:
    found = list(nodes_of(fields, tree))
    assert len({node.path for node in found}) == len(found)
    return {node.path: (node.leaf, node.explicit) for node in found}


PASSED, SCALAR, NODE = (False, False), (True, True), (False, True)
"""Passed through on the way; the whole of it held; the node held, and what is below said apart."""


def test_fields_become_paths_of_the_object() -> None:
    tree = {"spec": {"replicas": 2, "selector": {"a": "b"}}, "metadata": {"labels": {"a": "1", "b": "2"}}}
    fields: dict[str, Any] = {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:spec": {"f:replicas": {}, "f:selector": {}, "f:gone": {"f:deeper": {}}},
    }
    assert paths(fields, tree) == {
        ("metadata",): PASSED,
        ("metadata", "labels"): NODE,
        ("metadata", "labels", "a"): SCALAR,
        ("spec",): PASSED,
        ("spec", "replicas"): SCALAR,
        ("spec", "selector"): SCALAR,
        ("spec", "gone"): PASSED,
        ("spec", "gone", "deeper"): SCALAR,
    }


def test_items_of_keyed_lists_become_indexes_and_items_that_are_gone_give_none() -> None:
    tree = {"env": [{"name": "B", "value": "1"}, {"name": "A", "value": "2"}]}
    fields: dict[str, Any] = {
        "f:env": {
            ".": {},
            NAME_A: {".": {}, "f:name": {}, "f:value": {}},
            'k:{"name":"C"}': {".": {}, "f:name": {}},
        }
    }
    assert paths(fields, tree) == {
        ("env",): NODE,
        ("env", 1): NODE,
        ("env", 1, "name"): SCALAR,
        ("env", 1, "value"): SCALAR,
    }


def test_ports_are_found_by_two_keys_in_any_order() -> None:
    tree = {
        "ports": [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 80, "protocol": "TCP", "hostPort": 1}]
    }
    for key in ('k:{"containerPort":80,"protocol":"TCP"}', 'k:{"protocol":"TCP","containerPort":80}'):
        assert ("ports", 1, "hostPort") in paths({"f:ports": {key: {"f:hostPort": {}}}}, tree)


def test_each_item_of_a_set_list_is_its_own() -> None:
    tree = {"finalizers": ["a", "b", "c"]}
    assert paths({"f:finalizers": {".": {}, 'v:"c"': {}, 'v:"gone"': {}, 'v:"a"': {}}}, tree) == {
        ("finalizers",): NODE,
        ("finalizers", 2): SCALAR,
        ("finalizers", 0): SCALAR,
    }


def test_an_index_is_an_index() -> None:
    assert paths({"f:a": {"i:1": {"f:b": {}}}}, {"a": [{}, {"b": 1}]}) == {
        ("a",): PASSED,
        ("a", 1): PASSED,
        ("a", 1, "b"): SCALAR,
    }


def test_fields_of_nothing_hold_nothing() -> None:
    assert paths({}, {"a": 1}) == {}
    assert paths({".": {}}, {"a": 1}) == {}


def test_one_name_twice_is_no_path_twice() -> None:
    tree = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    assert paths({"f:env": {NAME_A: {"f:value": {}}}}, tree) == {
        ("env",): PASSED,
        ("env", 0): PASSED,
        ("env", 0, "value"): SCALAR,
    }


@pytest.mark.parametrize("below", [None, [], "x", 1])
def test_a_node_of_another_shape_is_a_leaf(below: Any) -> None:
    assert paths({"f:a": below}, {"a": 1}) == {("a",): SCALAR}


def test_an_element_that_is_not_known_is_refused_wherever_it_stands() -> None:
    with pytest.raises(UnreadableFields):
        list(nodes_of({"f:a": {"f:b": {"x:c": {}}}}, {}))


# entries


def test_entries_are_read_with_all_they_say() -> None:
    found = entries_of(
        live(
            metadata=held_by(entry("kubectl", {"f:a": {}}, subresource="scale", time="2026-11-30T12:00:00Z"), applied())
        )
    )
    assert [(e.manager, e.operation, e.subresource, e.time, e.api_version) for e in found] == [
        ("kubectl", "Update", "scale", "2026-11-30T12:00:00Z", "v1"),
        ("kubectl", "Apply", None, None, "v1"),
    ]
    assert found[0].fields == {"f:a": {}}
    assert CANARY not in repr(entries_of(live(metadata=held_by(entry("m", {f'v:"{CANARY}"': {}})))))


@pytest.mark.parametrize("managed", [None, [], {}, "x", [None, 1, "x"]])
def test_managed_fields_that_are_missing_empty_or_stripped_have_no_entries(managed: Any) -> None:
    assert entries_of(live(metadata={"managedFields": managed})) == []
    assert entries_of(live()) == []


@pytest.mark.parametrize("odd", [{}, {"manager": 5, "fieldsV1": []}, {"manager": None, "fieldsV1": None}])
def test_an_entry_that_says_little_holds_nothing(odd: dict[str, Any]) -> None:
    (found,) = entries_of(live(metadata={"managedFields": [odd]}))
    assert (found.manager, found.fields) == ("", {})


def test_own_is_the_name_and_the_operation_apply() -> None:
    found = entries_of(
        live(
            metadata=held_by(
                applied(),
                entry("kubectl", {}),
                applied(manager="other"),
                applied(subresource="status"),
                entry("kubectl", {}, "apply"),
            )
        )
    )
    assert [e.applied_by("kubectl") for e in found] == [True, False, False, False, False]


# what an entry holds


def held(fields: dict[str, Any], found: LiveObject) -> Held:
    (only,) = entries_of(LiveObject({**found.tree, "metadata": {**found.metadata, **held_by(entry("m", fields))}}))
    return Held.of(only, found)


def test_an_entry_holds_its_nodes_and_not_what_it_passes_through() -> None:
    found = live(spec={"a": {"b": 1, "c": 2}, "t": [{"key": "x"}]})
    holds = held({"f:spec": {"f:a": {".": {}, "f:b": {}}, "f:t": {}}}, found).holds
    assert holds(("spec", "a", "b"))
    assert holds(("spec", "a"))
    assert not holds(("spec", "a", "c"))
    assert not holds(("spec",))
    assert not holds(("spec", "b"))


def test_an_atomic_list_or_map_is_held_with_all_that_is_below() -> None:
    found = live(spec={"tolerations": [{"key": "x"}], "selector": {"app": "web"}})
    holds = held({"f:spec": {"f:tolerations": {}, "f:selector": {}}}, found).holds
    for path in (("spec", "tolerations"), ("spec", "tolerations", 0, "key"), ("spec", "tolerations", 4, "new")):
        assert holds(path)
    assert holds(("spec", "selector", "app"))
    assert not holds(("spec", "other", "app"))


@pytest.mark.parametrize(
    "fields",
    [
        {"f:stringData": {"f:k": {}}},
        {"f:stringData": {".": {}, "f:k": {}}, "f:data": {"f:other": {}}},
        {"f:data": {"f:k": {}}},
    ],
)
def test_string_data_of_a_secret_holds_its_data_too(fields: dict[str, Any]) -> None:
    found = live("Secret", data={"k": "***", "other": "***"})
    assert held(fields, found).holds(("data", "k"))
    assert held(fields, found).holds(("data", "other")) is ("f:other" in fields.get("f:data", {}))
    assert not held({"f:stringData": {"f:k": {}}}, live(data={"k": "1"})).holds(("data", "k"))


def test_an_entry_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(UnreadableFields):
        held({"f:a": {"?": {}}}, live())


# the same node in another tree


KEYED: dict[str, Any] = {"f:env": {NAME_A: {".": {}, "f:value": {}}, NAME_B: {".": {}}}}


def test_an_item_is_found_by_its_keys_where_its_index_shifted() -> None:
    before = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}
    after = {"env": [{"name": "B", "value": "2"}, {"name": "A", "value": "3"}]}
    assert place_in(("env", 0, "value"), [KEYED], before, after) == ("env", 1, "value")
    assert find_in(("env", 0, "value"), [KEYED], before, after) == "3"
    assert place_in(("env", 1), [KEYED], before, after) == ("env", 0)


def test_an_item_that_is_gone_is_nowhere() -> None:
    before = {"env": [{"name": "A", "value": "1"}, {"name": "B"}]}
    after = {"env": [{"name": "B"}]}
    assert place_in(("env", 0, "value"), [KEYED], before, after) is None
    assert find_in(("env", 0, "value"), [KEYED], before, after) is MISSING


def test_where_no_entry_knows_the_list_the_index_counts() -> None:
    before, after = {"a": [1, 2]}, {"a": [2]}
    assert place_in(("a", 0), [{"f:a": {}}], before, after) == ("a", 0)
    assert place_in(("a", 1), [{"f:a": {}}], before, after) is None
    assert place_in(("a", 0), [], before, after) == ("a", 0)


def test_items_of_a_set_are_found_by_value() -> None:
    fields: dict[str, Any] = {"f:metadata": {"f:finalizers": {'v:"a"': {}, 'v:"b"': {}}}}
    before, after = {"metadata": {"finalizers": ["a", "b"]}}, {"metadata": {"finalizers": ["b"]}}
    assert place_in(("metadata", "finalizers", 1), [fields], before, after) == ("metadata", "finalizers", 0)
    assert place_in(("metadata", "finalizers", 0), [fields], before, after) is None


def test_one_entry_of_several_is_enough_to_know_a_list() -> None:
    before = {"env": [{"name": "A"}, {"name": "B", "value": "1"}]}
    after = {"env": [{"name": "B", "value": "1"}]}
    others: dict[str, Any] = {"f:env": {NAME_B: {"f:value": {}}}}
    assert place_in(("env", 1, "value"), [{"f:env": {NAME_A: {}}}, others], before, after) == ("env", 0, "value")


def test_lists_in_lists_are_followed() -> None:
    fields: dict[str, Any] = {
        "f:c": {'k:{"name":"web"}': {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {"f:host": {}}}}}
    }
    before = {"c": [{"name": "web", "ports": [{"port": 80, "protocol": "TCP", "host": 1}]}]}
    after = {"c": [{"name": "x"}, {"name": "web", "ports": [{"port": 1}, {"port": 80, "host": 2}]}]}
    assert place_in(("c", 0, "ports", 0, "host"), [fields], before, after) == ("c", 1, "ports", 1, "host")


def test_a_node_that_is_missing_or_null_is_not_stated() -> None:
    assert find_in(("a", "b"), [], {"a": {"b": 1}}, {"a": {"b": None}}) is MISSING
    assert find_in(("a", "b"), [], {"a": {"b": 1}}, {"a": {}}) is MISSING
    assert find_in(("a", "b"), [], {"a": {"b": 1}}, {}) is MISSING
    assert find_in(("a", "b"), [], {"a": {"b": 1}}, {"a": {"b": 0}}) == 0


@given(st.permutations(["A", "B", "C", "D"]), st.permutations(["A", "B", "C", "D"]), st.integers(0, 3))
def test_a_keyed_item_is_itself_wherever_it_stands(before: list[str], after: list[str], index: int) -> None:
    fields: dict[str, Any] = {"f:env": {f"k:{json.dumps({'name': name})}": {"f:value": {}} for name in before}}
    trees = [{"env": [{"name": name, "value": name} for name in names]} for names in (before, after)]
    assert find_in(("env", index, "value"), [fields], *trees) == before[index]


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=4))
def test_every_field_that_is_written_is_held(tree: dict[str, int]) -> None:
    fields: dict[str, Any] = {f"f:{key}": {} for key in tree}
    assert list(nodes_of(fields, tree)) == [Node((key,), leaf=True, explicit=True) for key in tree]
