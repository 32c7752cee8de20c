from typing import Any

import pytest

from sluiceway.adapters.kubectl import documents
from sluiceway.adapters.kubectl.documents import Document, Manifest, RefusedManifest
from sluiceway.adapters.kubernetes.goyaml import RepeatedKey

CANARY = "c4n4ry-v4lue"


def config_map(name: str, more: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n{more}"


def json_map(name: str) -> str:
    return f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{name}"}}}}'


def objects(content: str, *, leads: bool = False) -> list[Manifest]:
    return [
        manifest
        for document in documents.split("a.yaml", content)
        for manifest in documents.read(document, leads=leads and document.line == 1)
    ]


def names(content: str, *, leads: bool = False) -> list[str]:
    return [manifest.name for manifest in objects(content, leads=leads)]


def refusal(content: str) -> tuple[int, str]:
    with pytest.raises(RefusedManifest) as caught:
        objects(content)
    assert caught.value.file == "a.yaml"
    return caught.value.line, caught.value.problem


# bytes


@pytest.mark.parametrize(
    ("data", "line", "problem"),
    [
        ("a: 1".encode("utf-16"), 1, "UTF-16"),
        (b"\xfe\xff\0a", 1, "UTF-16"),
        ("a: 1".encode("utf-32"), 1, "UTF-32"),
        (b"\0\0\xfe\xff\0\0\0a", 1, "UTF-32"),
        (b"a: 1\nb: \0\n", 2, "NUL"),
        (b"a: 1\n\nb: \xff\n", 3, "not UTF-8"),
        (b"a: \xed\xa0\x80\n", 1, "not UTF-8"),
    ],
)
def test_bytes_that_are_no_manifest(data: bytes, line: int, problem: str) -> None:
    with pytest.raises(RefusedManifest, match=problem) as caught:
        documents.decode("a.yaml", data)
    assert (caught.value.file, caught.value.line) == ("a.yaml", line)
    assert str(caught.value).startswith(f"a.yaml:{line}: ")


def test_utf_8_is_read_with_and_without_a_byte_order_mark() -> None:
    assert names(documents.decode("a.yaml", "\ufeff".encode() + config_map("é😀").encode())) == ["é😀"]
    assert documents.decode("a.yaml", b"") == ""


# separators


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n\n",
        "# a comment",
        "   # one more\n\n# and another",
        "---",
        "---\n---\n# c\n---",
        "\ufeff",
        "\ufeff# c\n",
        "---\n\ufeff# c\n",
        "null",
        "~\n",
        "--- # c\n",
        "\r\n---\r\n",
    ],
)
def test_what_holds_no_object(content: str) -> None:
    assert objects(content) == []


@pytest.mark.parametrize(
    "separator", ["---\n", "--- \n", "---\t\n", "--- # c\n", "---#c\n", "---\r\n", "---\n---\n", "...\n---\n"]
)
def test_separators(separator: str) -> None:
    assert names(config_map("a") + separator + config_map("b")) == ["a", "b"]
    assert names(separator.removeprefix("...\n") + config_map("a") + separator) == ["a"]


def test_line_ends_and_byte_order_marks_do_not_matter() -> None:
    both = config_map("a") + "---\n" + config_map("b")
    assert names(both.replace("\n", "\r\n")) == ["a", "b"]
    assert names("\ufeff" + both) == ["a", "b"]
    assert names("\ufeff---\n" + both) == ["a", "b"]
    assert names(config_map("a") + "---\n\ufeff" + config_map("b")) == ["a", "b"]
    assert names(config_map("a").replace("\n", "\r")) == ["a"]


@pytest.mark.parametrize("separator", ["--- a: 1", "---x", "----", "--- |", "--- {}", "--- !t"])
def test_a_separator_with_more_than_a_comment_behind_it_is_refused(separator: str) -> None:
    line, problem = refusal(config_map("a") + f"{separator}\n")
    assert line == 4
    assert "separator" in problem


def test_what_looks_like_a_separator_inside_a_block_is_text() -> None:
    (manifest,) = objects(config_map("a", "data:\n  k: |\n    ---\n    # x\n    b\n"))
    assert manifest.tree["data"] == {"k": "---\n# x\nb\n"}


@pytest.mark.parametrize("ending", ["", "\n", "\n\n\n"])
def test_a_block_that_keeps_its_last_lines_keeps_them_at_the_end_of_a_file(ending: str) -> None:
    kept = "x\n" + "\n" * max(len(ending) - 1, 0)
    alone = objects(config_map("a", f"data:\n  k: |+\n    x{ending}"))
    assert alone[0].tree["data"]["k"] == kept
    if ending:
        followed = objects(config_map("a", f"data:\n  k: |+\n    x{ending}---\n"))
        assert followed[0].tree["data"]["k"] == kept


@pytest.mark.parametrize("more", ["...\n" + config_map("b"), "...\n...\nb: 1\n", "...\n# c\n- x\n"])
def test_what_stands_behind_the_end_of_a_document_would_be_dropped_so_it_is_refused(more: str) -> None:
    line, problem = refusal(config_map("a") + more)
    assert line >= 5
    assert "drop it in silence" in problem


def test_a_separator_between_carriage_returns_is_none_to_kubectl() -> None:
    content = (config_map("a") + "---\n" + config_map("b")).replace("\n", "\r")
    assert "drop it in silence" in refusal(content)[1]


def test_an_end_of_document_is_nothing_of_its_own() -> None:
    assert names(config_map("a") + "...\n") == ["a"]
    assert names(config_map("a") + "...\n# c\n---\n" + config_map("b") + "...") == ["a", "b"]


@pytest.mark.parametrize("directive", ["%YAML 1.1", "%YAML 1.2", "%TAG ! tag:x:"])
def test_a_directive_is_refused_as_kubectl_refuses_it(directive: str) -> None:
    line, problem = refusal(f"{config_map('a')}---\n{directive}\n---\n{config_map('b')}")
    assert line == 5
    assert "directive" in problem


# objects


def test_an_object_says_who_it_is_and_where_it_stands() -> None:
    content = (
        config_map("a")
        + "---\n# c\n\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\n"
    )
    first, second = objects(content)
    assert (first.api_version, first.group, first.kind, first.namespace, first.name) == (
        "v1",
        "",
        "ConfigMap",
        None,
        "a",
    )
    assert (second.api_version, second.group, second.kind) == ("apps/v1", "apps", "Deployment")
    assert second.identity == ("apps", "Deployment", "shop", "web")
    assert [first.place, second.place] == ["a.yaml:1", "a.yaml:7"]
    assert first.readable
    assert second.readable


@pytest.mark.parametrize("namespace", ["", "null", "''", "~", "5"])
def test_a_namespace_that_is_no_text_is_none(namespace: str) -> None:
    (manifest,) = objects(f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: {namespace}\n")
    assert manifest.namespace is None


@pytest.mark.parametrize(
    ("metadata", "generated"),
    [
        ("{generateName: a-}", True),
        ("{generateName: a-, name: b}", False),
        ("{name: b}", False),
        ("{}", False),
        ("null", False),
    ],
)
def test_a_generated_name(metadata: str, *, generated: bool) -> None:
    (manifest,) = objects(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n")
    assert manifest.generated_name is generated
    assert manifest.readable is ("name: b" in metadata)


@pytest.mark.parametrize("content", ["foo\n", "- a\n", "5\n", f"[{json_map('a')}]\n", "''\n", "false\n", "0\n"])
def test_a_document_that_is_no_object_is_refused(content: str) -> None:
    assert "no object" in refusal(content)[1]


def test_text_that_is_no_yaml_is_refused_with_its_line_and_without_what_stands_there() -> None:
    with pytest.raises(RefusedManifest) as caught:
        objects(f"# c\n---\n{config_map('a')}data: [{CANARY}\n")
    error = caught.value
    assert (error.line, error.problem) == (7, "can't be read as YAML")
    assert CANARY not in f"{error!r} {error}"


def test_neither_a_document_nor_a_manifest_shows_what_it_holds() -> None:
    content = config_map("a", f"data: {{k: {CANARY}}}\n")
    (document,) = documents.split("a.yaml", content)
    (manifest,) = documents.read(document)
    assert CANARY in document.text
    assert CANARY not in f"{document!r} {manifest!r}"


# lists


def written_list(kind: str, *items: str) -> str:
    return f"apiVersion: v1\nkind: {kind}\nitems: [{', '.join(items)}]\n"


def test_the_items_of_a_list_are_the_objects_whatever_its_kind() -> None:
    for kind in ("List", "ConfigMapList", "Whatever"):
        assert names(written_list(kind, json_map("a"), json_map("b"))) == ["a", "b"]
    assert objects(written_list("List")) == []


def test_an_item_of_a_typed_list_has_its_kind_from_the_list() -> None:
    typed = objects(
        written_list("ConfigMapList", "{metadata: {name: a}}", json_map("b").replace("ConfigMap", "Secret"))
    )
    assert [(m.api_version, m.kind, m.name) for m in typed] == [("v1", "ConfigMap", "a"), ("v1", "Secret", "b")]
    assert typed[0].tree == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    (half,) = objects(written_list("ConfigMapList", "{kind: Secret, metadata: {name: a}}"))
    assert (half.api_version, half.kind, half.readable) == ("", "Secret", False)
    (bare,) = objects(written_list("List", "{metadata: {name: a}}"))
    assert not bare.readable


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            written_list("List", f'{{"kind": "List", "items": [{json_map("a")}]}}'),
            "list in a list",
        ),
        (written_list("List", "1"), "no object"),
        (written_list("List", "null"), "no object"),
        (written_list("List", "[]"), "no object"),
        (config_map("a", "items: null\n"), "no list"),
        (config_map("a", "items: {a: 1}\n"), "no list"),
        (config_map("a", "items: x\n"), "no list"),
    ],
)
def test_lists_that_kubectl_would_not_read_whole(content: str, problem: str) -> None:
    assert problem in refusal("# c\n" + content)[1]
    assert refusal("# c\n" + content)[0] == 2


def test_items_below_the_top_are_like_any_other_field() -> None:
    assert names(config_map("a", "spec: {items: [1]}\n")) == ["a"]


# JSON


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize(
    "content", [json_map("a"), f"\n  {json_map('a')}\n\n", json_map("a").replace(" ", "\n\t"), json_map("a") + " # c\n"]
)
def test_json_is_read(content: str, *, leads: bool) -> None:
    assert names(content, leads=leads) == ["a"]


@pytest.mark.parametrize("leads", [True, False])
def test_what_only_begins_like_json_is_read_as_yaml(*, leads: bool) -> None:
    for content in ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", json_map("a").replace('"a"}', '"a",}')):
        assert names(content, leads=leads) == ["a"]
    (manifest,) = objects(json_map("a").removesuffix("}") + ', "d": NaN}', leads=leads)
    assert manifest.tree["d"] == "NaN"


@pytest.mark.parametrize(("between", "line"), [("", 1), (" ", 1), ("\n", 2), ("\n\n\t", 3), (",", 1)])
def test_a_second_json_value_would_be_lost_so_it_is_refused(between: str, line: int) -> None:
    found, problem = refusal(json_map("a") + between + json_map("b"))
    assert (found, "second JSON value" in problem) == (line, True)


@pytest.mark.parametrize("escape", [r"\/", r"\ud83d\ude00", r"\uD83D\uDE00", r"\\\/"])
def test_an_escape_that_yaml_does_not_have_is_read_only_where_the_set_begins(escape: str) -> None:
    content = json_map("a").removesuffix("}") + f', "d": "{escape}"}}'
    assert objects(content, leads=True)[0].tree["d"] in {"/", "😀", "\\/"}
    line, problem = refusal(config_map("b") + "---\n" + content)
    assert line == 5
    assert "escape" in problem


@pytest.mark.parametrize("escape", [r"\\/", r"\\ud83d", r"\u00e9", r"\"", r"\\\\/"])
def test_escapes_that_yaml_has_too(escape: str) -> None:
    content = json_map("a").removesuffix("}") + f', "d": "{escape}"}}'
    assert objects(content)[0].tree == objects(content, leads=True)[0].tree


def test_nesting_is_bounded_in_json_too() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert "deep" in refusal('{"a": ' + deep + "}")[1]


@pytest.mark.parametrize("leads", [True, False])
def test_keys_that_stand_twice_are_noted_in_yaml_and_json(*, leads: bool) -> None:
    def noted(content: str) -> list[RepeatedKey]:
        found: list[RepeatedKey] = []
        (document,) = documents.split("a.yaml", content)
        documents.read(document, found, leads=leads)
        return found

    assert noted(config_map("a", "data:\n  k: 1\n  k: 2\n")) == [RepeatedKey(6, "k")]
    twice: Any = json_map("a").removesuffix("}") + ',\n"d": {\n"k": 1,\n"k": 2}}'
    assert noted(twice) == [RepeatedKey(4, "k")]


def test_a_document_keeps_the_line_at_which_it_starts() -> None:
    found = list(documents.split("a.yaml", "# c\n---\na: 1\n---\n---\n\nb: 1"))
    assert [(document.line, document.text) for document in found] == [(3, "a: 1\n"), (6, "\nb: 1\n")]
    assert isinstance(found[0], Document)
