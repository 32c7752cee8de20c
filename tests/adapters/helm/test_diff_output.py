import difflib
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.helm.diff_output import ObjectSides, read_diff_output
from sluiceway.adapters.helm.structured import read_structured
from sluiceway.adapters.kubernetes import goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.paths import write_path
from sluiceway.model.reasons import Reason
from sluiceway.model.trees import changed_paths, same
from tests.adapters.helm.loss_table import VERSIONS, Loss, losses
from tests.adapters.kubectl.strategies import HOSTILE_TEXTS, dump, object_pairs

CANARY = "c4n4ry-v4lue"
MASK = re.compile(r"[0-9]+ bytes")
SAID = {(False, True): "has been added:", (True, True): "has changed:", (True, False): "has been removed:"}

Tree = dict[str, Any]


def config_map(value: str = "v", name: str = "a") -> Tree:
    return {"apiVersion": "v1", "data": {"k": value}, "kind": "ConfigMap", "metadata": {"name": name, "namespace": "t"}}


def secret(data: dict[str, str], name: str = "a") -> Tree:
    return {"apiVersion": "v1", "data": data, "kind": "Secret", "metadata": {"name": name, "namespace": "t"}}


def printed(before: str, after: str, header: str = "t, a, ConfigMap (v1) has changed:") -> str:
    """Print two texts as the plugin does, which trims them."""
    lines = difflib.ndiff(before.strip().split("\n"), after.strip().split("\n"))
    shown = ["" if line == "  " else line for line in lines if line[:2] in ("  ", "- ", "+ ")]
    return "".join(f"{line}\n" for line in (header, *shown))


def of_trees(before: Tree | None, after: Tree | None) -> str:
    live = LiveObject(before or after or {})
    said = SAID[before is not None, after is not None]
    header = f"{live.namespace or 't'}, {live.name}, {live.kind} ({live.group or live.api_version}) {said}"
    old, new = ("" if tree is None else dump(tree) for tree in (before, after))
    return printed(old, new, header)


def read(content: str | bytes) -> list[ObjectSides]:
    found = read_diff_output(content.encode() if isinstance(content, str) else content, "t")
    assert not isinstance(found, Reason), found.text
    return found


def one(content: str | bytes) -> ObjectSides:
    (found,) = read(content)
    return found


def refusal(content: str | bytes) -> Reason:
    found = read_diff_output(content.encode() if isinstance(content, str) else content, "t")
    assert isinstance(found, Reason)
    return found


def captured(name: str, version: str = VERSIONS[1]) -> list[ObjectSides]:
    loss = Loss(name, version)
    found = read_diff_output(loss.diff(), loss.namespace)
    assert not isinstance(found, Reason), found.text
    return found


def paths(sides: ObjectSides) -> list[str]:
    return [write_path(path) for path in changed_paths(sides.before, sides.after)]


# what the real plugin printed


@pytest.mark.parametrize("loss", losses(), ids=str)
def test_what_was_printed_is_read_under_the_names_of_the_structured_output(loss: Loss) -> None:
    found = {sides.address: sides for sides in captured(loss.name, loss.version)}
    entries = read_structured(loss.structured(), loss.namespace)
    assert not isinstance(entries, Reason)
    assert all(found[entry.address].change == entry.change for entry in entries)
    assert bool(found) == bool(loss.diff())
    assert not MASK.search(repr([(sides.before, sides.after) for sides in found.values()]))


@pytest.mark.parametrize("version", VERSIONS)
def test_drift_by_hand_beside_a_change_of_the_code(version: str) -> None:
    text, web, gone = captured("drift", version)
    assert paths(text) == ["data.k", "data.l"]
    assert text.before is not None
    assert text.before["data"] == {
        "k": "a\n\n- --- # x\n+ losses, b, ConfigMap (v1) has changed:\n",
        "l": "w",
        "m": "hand",
    }
    assert paths(web) == [
        "spec.replicas",
        "spec.template.spec.containers[0].env[0].value",
        "spec.template.spec.containers[0].image",
    ]
    assert (gone.change, gone.before) == ("ADD", None)
    assert gone.after is not None
    assert gone.after["data"] == {"k": "v"}


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_structured_output_leaves_out_is_read(version: str) -> None:
    for name, expected in (
        ("empty-selector", ["spec.ingress[0].from[0].namespaceSelector"]),
        ("empty-list", ["spec.egress"]),
        ("big-integer", ["spec.template.spec.terminationGracePeriodSeconds"]),
        ("list-of-lists", ["spec.rows[0][1]"]),
        ("last-newline", ["data.k"]),
        ("text-alone", []),
    ):
        (sides,) = captured(name, version)
        assert paths(sides) == expected, name


@pytest.mark.parametrize("version", VERSIONS)
def test_a_secret_s_data_tell_which_keys_differ_and_nothing_else(version: str) -> None:
    first, second = captured("drift-of-a-secret", version)
    assert (paths(first), paths(second)) == (["data.a"], ["data.a"])
    (changed,) = captured("secret-changed", version)
    assert sorted(paths(changed)) == ["data.c", "data.d", "data.e", 'metadata.annotations["losses/data"]']


@pytest.mark.parametrize("version", VERSIONS)
def test_a_secret_that_the_plugin_could_not_read_changes_all_the_same(version: str) -> None:
    (found,) = captured("secret-bad-base64", version)
    assert (found.address, found.change) == ("Secret/losses-secret-bad-base64/a", "MODIFY")
    assert (found.before, found.after, found.readable) == (None, None, False)


def test_a_new_secret_and_one_that_goes() -> None:
    (added,) = [sides for sides in captured("added-and-removed") if sides.object.is_secret]
    assert (added.change, added.before) == ("ADD", None)
    gone = of_trees(secret({"k": "-------- # (3 bytes)"}), None)
    assert (one(gone).change, one(gone).after) == ("REMOVE", None)


def test_an_object_of_the_cluster_under_two_namespaces_is_one_that_changes() -> None:
    (found,) = captured("cluster-object-with-namespace")
    assert found.change == "MODIFY"
    assert paths(found) == ["metadata.namespace", "rules[0].verbs[0]"]


def test_an_object_that_takes_another_name_goes_and_is_made() -> None:
    gone, made = captured("base-name")
    assert (gone.change, gone.object.name, gone.after) == ("REMOVE", "settings-1", None)
    assert (made.change, made.object.name, made.before) == ("ADD", "settings-2", None)


# what is printed reads back


@settings(max_examples=60)
@given(st.lists(object_pairs(), max_size=3))
def test_objects_read_back_whole(pairs: list[tuple[Tree | None, Tree | None]]) -> None:
    wanted = [pair for pair in map(_no_secrets, pairs) if pair[0] != pair[1]]
    content = "".join(of_trees(*pair) for pair in wanted)
    addresses = [_address(pair) for pair in wanted]
    if len(set(addresses)) < len(addresses):
        return
    found = read(content)
    assert [sides.address for sides in found] == addresses
    for sides, pair in zip(found, wanted, strict=True):
        for tree, expected in zip((sides.before, sides.after), pair, strict=True):
            assert same(
                tree, None if expected is None else goyaml.load(dump(expected).strip() + "\n", refuse_tags=True)
            )


def _no_secrets(pair: tuple[Tree | None, Tree | None]) -> tuple[Tree | None, Tree | None]:
    before, after = (tree and {**tree, "kind": tree["kind"].replace("Secret", "ConfigMap")} for tree in pair)
    return before, after


def _address(pair: tuple[Tree | None, Tree | None]) -> str:
    live = LiveObject(pair[0] or pair[1] or {})
    metadata = {"name": live.name, "namespace": live.namespace or "t"}
    return LiveObject({"apiVersion": live.api_version, "kind": live.kind, "metadata": metadata}).address


@pytest.mark.parametrize(
    "text", [*HOSTILE_TEXTS, "t, b, ConfigMap (v1) has changed:\n+ x\n- y\n", "\n\nt, b, C (v1)\n"]
)
def test_a_text_that_looks_like_the_output_is_a_text(text: str) -> None:
    before, after = ({**config_map(), "data": {"a": value, "k": text, "l": value}} for value in "xy")
    found = one(of_trees(before, after))
    assert same(found.before, before)
    assert same(found.after, after)
    other = one(of_trees(before, {**before, "data": {"a": "x", "l": "x"}}))
    assert same(other.before, before)


def test_a_text_at_the_end_keeps_its_newline() -> None:
    texts = [
        f"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  k: {mark}\n    a\n" for mark in ("|", "|-")
    ]
    found = one(printed(*texts))
    assert (found.before or {})["data"] == {"k": "a\n"}
    assert (found.after or {})["data"] == {"k": "a"}


def test_an_empty_line_of_one_side_belongs_to_it() -> None:
    head = "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  k: |\n    a\n"
    found = one(printed(f"{head}\n    b\n", f"{head}    b\n"))
    assert (found.before or {})["data"] == {"k": "a\n\nb\n"}
    assert (found.after or {})["data"] == {"k": "a\nb\n"}
    assert one(printed(f"{head}    b\n", f"{head}\n    b\n")).after == found.before


@pytest.mark.parametrize("content", ["", "\n", "\n\n"])
def test_nothing_is_nothing(content: str) -> None:
    assert read(content) == []


# Secrets


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(st.sampled_from("-+R"), st.integers(1, 99))))
def test_the_length_of_a_value_neither_shows_nor_counts(data: dict[str, tuple[str, int]]) -> None:
    before, after = (
        {
            key: f"{mark * 8 if mark != 'R' else 'REDACTED'} # ({length + more} bytes)"
            for key, (mark, length) in data.items()
        }
        for more in (0, 1)
    )
    found = one(of_trees({**secret(before), "type": "a"}, {**secret(after), "type": "b"}))
    assert paths(found) == ["type"]
    assert not MASK.search(repr((found.before, found.after)))


def test_of_a_length_only_whether_it_is_nothing_counts() -> None:
    before, after = (secret({"a": f"REDACTED # ({length} bytes)"}) for length in (0, 1))
    assert paths(one(of_trees(before, after))) == ["data.a"]
    assert one(of_trees(None, before)).after == secret({"a": ""})


def test_stand_ins_that_differ_are_values_that_differ() -> None:
    before = secret({"a": "-------- # (3 bytes)", "b": "REDACTED # (3 bytes)"})
    after = secret({"a": "++++++++ # (3 bytes)", "b": "REDACTED # (3 bytes)"})
    assert paths(one(of_trees(before, after))) == ["data.a"]


def test_what_is_called_string_data_is_data() -> None:
    data = {"a": "REDACTED # (3 bytes)"}
    before = secret(data)
    after = {**{key: node for key, node in before.items() if key != "data"}, "stringData": data, "type": "b"}
    assert paths(one(of_trees(before, after))) == ["type"]


@pytest.mark.parametrize(
    "value",
    [
        CANARY,
        "",
        "REDACTED",
        "REDACTED # (x bytes)",
        f"REDACTED # ({'1' * 13} bytes)",
        "--- # (3 bytes)",
        1,
        None,
        {"a": 1},
    ],
)
def test_a_secret_without_a_stand_in_is_refused(value: Any) -> None:
    before, after = secret({"k": value}), secret({"k": "++++++++ # (3 bytes)"})
    reason = refusal(of_trees(before, after))
    assert "stand-ins" in reason.text
    assert CANARY not in repr(reason)


@pytest.mark.parametrize("side", ["old", "new"])
@pytest.mark.parametrize("word", ["parsing", "encoding"])
def test_an_error_in_the_place_of_a_secret_is_not_read(side: str, word: str) -> None:
    error = f"Error {word} {side} secret: {CANARY}: {{"
    good = dump(secret({"k": "++++++++ # (3 bytes)"}))
    texts = (error, good) if side == "old" else (good, error)
    found = one(printed(*texts, "t, a, Secret (v1) has changed:"))
    assert (found.before, found.after, found.readable) == (None, None, False)
    assert CANARY not in repr(found)
    for header, pair in (("added", ("", error)), ("removed", (error, ""))):
        assert not one(printed(*pair, f"t, a, Secret (v1) has been {header}:")).readable


def test_a_secret_of_another_group_is_concealed_too() -> None:
    before, after = ({**secret({"k": f"{mark * 8} # (3 bytes)"}), "apiVersion": "e.com/v1"} for mark in "-+")
    found = one(of_trees(before, after))
    assert not found.object.is_secret
    assert not MASK.search(repr((found.before, found.after)))


# what can't be read


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xff", "UTF-8"),
        ("  apiVersion: v1\n", "the name of an object"),
        ("+ apiVersion: v1\n", "the name of an object"),
        ("text\n", "what happens to it"),
        ("t, a, ConfigMap (v1) has changed:", "the sides"),
        ("t, a, ConfigMap (v1) has changed\n", "what happens to it"),
        ("t, a, ConfigMap (v1) has been added\n+ a: 1\n", "what happens to it"),
        ("t, a, ConfigMap has changed:\n", "what happens to it"),
        ("...\n", "what happens to it"),
        (" has changed:\n", "what happens to it"),
        (of_trees(config_map(), config_map("w")) + "...\n", "what happens to it"),
        (of_trees(config_map(), config_map("w")) + "text\n", "what happens to it"),
        ("t, a, ConfigMap (v1) has changed:\n  a: 1\n", "apiVersion, kind and name"),
        ("t, a, ConfigMap (v1) has changed:\n  - a\n", "apiVersion, kind and name"),
        ("t, a, ConfigMap (v1) has changed:\n  a\n", "apiVersion, kind and name"),
        ("t, a, ConfigMap (v1) has changed:\n  {\n", "YAML"),
        ("t, a, ConfigMap (v1) has changed:\n  a: &b 1\n", "no anchor"),
        (printed(dump(config_map()) + "---\na: 1\n", dump(config_map())), "nothing behind the end"),
        (printed(dump(config_map()) + "--- # x\n" + dump(config_map()), dump(config_map())), "nothing behind the end"),
        (printed("", dump(config_map())), "the sides"),
        (printed(dump(config_map()), ""), "the sides"),
        (printed(dump(config_map()), dump(config_map("w")), "t, a, ConfigMap (v1) has been added:"), "the sides"),
        (printed(dump(config_map()), dump(config_map("w")), "t, a, ConfigMap (v1) has been removed:"), "the sides"),
        (printed("", "", "t, a, ConfigMap (v1) has been added:"), "the sides"),
        (printed(dump(config_map()), dump(config_map("w")), "t, a, Widget (e.com) has changed:"), "that it names"),
        ("t, a, Secret (v1) has changed:\n+ Changes suppressed on sensitive content of type Secret\n", "apiVersion"),
        (of_trees(config_map(), config_map("w")) * 2, "each object once"),
    ],
)  # fmt: skip
def test_what_is_no_such_output_is_refused(content: str | bytes, expected: str) -> None:
    reason = refusal(content)
    assert reason.kind == "unreadable-output"
    assert expected in reason.text


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ("changed ownership:", "OWNERSHIP"),
        ("has changed, but diff is empty after suppression.", "MODIFY_SUPPRESSED"),
    ],
)
def test_another_step_is_unknown(said: str, step: str) -> None:
    reason = refusal(printed(dump(config_map()), dump(config_map("w")), f"t, a, ConfigMap (v1) {said}"))
    assert (reason.kind, reason.names["found"]) == ("unknown-step", step)
    assert "ConfigMap/t/a" in reason.text


def test_a_place_counts_lines() -> None:
    second = printed("a: [1\n", "b: 1\n", "t, b, ConfigMap (v1) has changed:")
    first = of_trees(config_map(), config_map("w"))
    assert f"line {first.count(chr(10)) + 1} of the diff" in refusal(first + second).text


def test_one_object_removed_and_added_is_one_that_changes() -> None:
    for order in (1, -1):
        blocks = [of_trees(config_map(), None), of_trees(None, config_map("w"))][::order]
        assert paths(one("".join(blocks))) == ["data.k"]
    assert "once" in refusal("".join([*blocks, blocks[0]])).text


# values


@pytest.mark.parametrize(
    "content",
    [
        of_trees(config_map(CANARY), config_map("w")),
        of_trees(None, config_map(CANARY)),
        of_trees(config_map(CANARY), None),
    ],
)
def test_no_value_shows(content: str) -> None:
    found = one(content)
    assert CANARY in repr((found.before, found.after))
    assert CANARY not in repr(found)
    for broken in (content + CANARY, content.replace("kind:", "kind: ["), f"  {CANARY}\n{content}", content * 2):
        assert CANARY not in repr(refusal(broken))


@given(st.text("+- \n:a{[|>'\"#&*!t,()CM1v\r\x85", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    for content in (text, f"t, a, ConfigMap (v1) has changed:\n{text}", of_trees(None, config_map()) + text):
        assert isinstance(read_diff_output(content.encode(), "t"), Reason | list)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    assert isinstance(read_diff_output(content, "t"), Reason | list)
