import base64
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubectl import documents, rendered
from sluiceway.adapters.kubectl.documents import RefusedManifest
from sluiceway.adapters.kubectl.rendered import Rendered
from sluiceway.adapters.kubernetes import goyaml
from tests.adapters.kubectl.strategies import dump, objects
from tests.adapters.kubectl.test_documents import config_map, json_map

CANARY = "c4n4ry-v4lue"


def render(root: Path, files: Mapping[str, str | bytes], *, recursive: bool = False) -> Rendered:
    for name, content in files.items():
        path = root / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return rendered.from_directory(root / "web", root, recursive=recursive)


def refusal(root: Path, files: Mapping[str, str | bytes]) -> RefusedManifest:
    with pytest.raises(RefusedManifest) as caught:
        render(root, files)
    return caught.value


# joining


def test_files_are_joined_byte_for_byte_in_code_unit_order(tmp_path: Path) -> None:
    first, second, third = config_map("a"), "# c\r\n" + config_map("b").replace("\n", "\r\n"), json_map("c")
    result = render(tmp_path, {"b.yml": second, "Z.yaml": first, "c.json": third, "notes.txt": "x"})
    assert result.content == f"{first}---\n{second}---\n{third}\n".encode()
    assert [manifest.name for manifest in result.manifests] == ["a", "b", "c"]
    assert [manifest.place for manifest in result.manifests] == ["web/Z.yaml:1", "web/b.yml:2", "web/c.json:1"]


def test_a_final_newline_is_added_where_it_is_missing_and_nowhere_else(tmp_path: Path) -> None:
    result = render(tmp_path, {"a.yaml": config_map("a").rstrip(), "b.yaml": "", "c.yaml": "\n", "d.yaml": "# d"})
    assert result.content == f"{config_map('a')}---\n---\n\n---\n# d\n".encode()


def test_recursive_reads_a_subdirectory_where_its_name_falls(tmp_path: Path) -> None:
    files = {
        name: config_map(f"n{number}") for number, name in enumerate(["a/x.yaml", "a.yaml", "a/b/y.yaml", "B.yaml"])
    }
    result = render(tmp_path, files, recursive=True)
    assert [manifest.file for manifest in result.manifests] == [
        "web/B.yaml",
        "web/a/b/y.yaml",
        "web/a/x.yaml",
        "web/a.yaml",
    ]


def test_a_directory_without_objects_gives_an_empty_set(tmp_path: Path) -> None:
    assert render(tmp_path, {"a.yaml": "# nothing\n", "b.yaml": ""}).manifests == ()


def test_nothing_of_a_set_is_in_its_repr(tmp_path: Path) -> None:
    result = render(tmp_path, {"a.yaml": config_map("a", f"data: {{k: {CANARY}}}\n")})
    assert CANARY.encode() in result.content
    assert CANARY not in repr(result)


def test_what_kustomize_printed_is_taken_as_it_is() -> None:
    output = (config_map("a") + "---\n" + config_map("b")).encode()
    result = rendered.from_kustomize(output, "web/kustomization.yaml")
    assert result.content == output
    assert [manifest.place for manifest in result.manifests] == [
        "web/kustomization.yaml (rendered):1",
        "web/kustomization.yaml (rendered):5",
    ]
    assert rendered.from_kustomize(b"", "k").manifests == ()


def kubectl_documents(content: str) -> Iterator[str]:
    """Split a stream as Go's ``YAMLReader`` does: a separator ends a document, one at its beginning belongs to it."""
    chunk = ""
    for line in content.split("\n"):
        if line.startswith("---") and chunk:
            yield chunk
            chunk = ""
            continue
        chunk += line.removesuffix("\r") + "\n"
    yield chunk


def kubectl_objects(content: str) -> list[object]:
    """Return what kubectl reads from a set: the first value of each document that is not null.

    A byte order mark behind a separator is nothing to Go (tried), and moves what follows to libyaml.
    """
    trees = (goyaml.load(chunk.replace("---\n\ufeff", "---\n")) for chunk in kubectl_documents(content))
    return [tree for tree in trees if tree is not None]


blanks = st.sampled_from(["", "\n", "# c\n", "\n# c\n\n", "---\n", "---\n---\n", "--- # c\n", "# c\n---\n"])


@st.composite
def files_of_manifests(draw: st.DrawFn) -> list[bytes]:
    """Draw a few files of manifests with all that may stand around them; names are given by number."""
    files: list[bytes] = []
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        chunks = [draw(blanks)]
        for _ in range(draw(st.integers(0, 2))):
            tree = draw(objects(st.just({"data": {"k": draw(st.sampled_from(["a", "x\n\n", "--- y\n", "…"]))}})))
            tree["metadata"]["name"] = f"n{number}"
            number += 1
            written = dump(tree) + draw(st.sampled_from(["", "...\n", "# c\n"]))
            chunks += [written, draw(st.sampled_from(["---\n", "--- # c\n---\n"]))]
        content = "".join(chunks[: draw(st.sampled_from([None, -1]))] or chunks) + draw(blanks)
        if (
            content[:3] != "---"
            and (not files or not files[-1].rstrip().endswith((b"---", b"# c")))
            and draw(st.booleans())
        ):
            content = f"\ufeff{content}"
        content = content.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))
        files.append((content.rstrip("\r\n") if draw(st.booleans()) else content).encode())
    return files


@settings(max_examples=40)
@given(files_of_manifests())
def test_the_set_gives_the_same_objects_as_its_files(files: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as room:
        result = render(Path(room), {f"{number}.yaml": content for number, content in enumerate(files)})
    alone = [
        (f"web/{number}.yaml", manifest.line, manifest.tree)
        for number, content in enumerate(files)
        for document in documents.split(f"web/{number}.yaml", content.decode())
        for manifest in documents.read(document)
    ]
    assert [(manifest.file, manifest.line, manifest.tree) for manifest in result.manifests] == alone
    assert kubectl_objects(result.content.decode()) == [tree for _file, _line, tree in alone]
    assert [manifest.name for manifest in result.manifests] == [f"n{number}" for number in range(len(alone))]


# one object twice


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (config_map("a"), config_map("a", "data: {k: v}\n")),
        (
            "apiVersion: apps/v1\nkind: D\nmetadata: {name: a}\n",
            "apiVersion: apps/v1beta1\nkind: D\nmetadata: {name: a}\n",
        ),
        (config_map("a"), f"apiVersion: v1\nkind: List\nitems: [{json_map('a')}]\n"),
        (config_map("a"), "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}]\n"),
    ],
)
def test_one_object_twice_is_refused_with_both_places(tmp_path: Path, first: str, second: str) -> None:
    error = refusal(tmp_path, {"a.yaml": first, "b.yaml": f"# c\n{second}"})
    assert (error.file, error.line) == ("web/b.yaml", 2)
    assert "a stands twice, the first time at web/a.yaml:1" in error.problem


@pytest.mark.parametrize(
    "other",
    [
        config_map("b"),
        config_map("{name: a, namespace: t}").replace("{name: {name", "{name").replace("}}", "}"),
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
        "apiVersion: e.com/v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    ],
)
def test_another_name_namespace_kind_or_group_is_another_object(tmp_path: Path, other: str) -> None:
    assert len(render(tmp_path, {"a.yaml": config_map("a"), "b.yaml": other}).manifests) == 2


def test_objects_with_generated_names_may_look_alike(tmp_path: Path) -> None:
    generated = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\n"
    assert len(render(tmp_path, {"a.yaml": generated, "b.yaml": generated}).manifests) == 2


# what is refused


def test_a_refusal_names_the_file_of_the_repo_and_its_line(tmp_path: Path) -> None:
    error = refusal(tmp_path, {"a.yaml": config_map("a"), "b.yaml": f"{config_map('b')}data: [{CANARY}"})
    assert str(error) == "web/b.yaml:5: can't be read as YAML"


def test_a_json_file_with_two_values_is_refused_also_where_the_set_begins(tmp_path: Path) -> None:
    assert "second JSON value" in refusal(tmp_path, {"a.json": json_map("a") + json_map("b")}).problem


def test_an_escape_that_only_json_has_is_read_in_the_first_file_alone(tmp_path: Path) -> None:
    escaped = json_map("a").removesuffix("}") + r', "d": "\/"}'
    assert render(tmp_path, {"a.json": escaped, "b.yaml": config_map("b")}).manifests[0].tree["d"] == "/"
    for before in ("", "# c\n", config_map("0")):
        assert "escape" in refusal(tmp_path, {"0.yaml": before, "a.json": escaped}).problem


def test_a_directory_of_too_many_bytes_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rendered, "SIZE_LIMIT", 2**20)
    half = "#" + "x" * (2**19 - 1)
    assert render(tmp_path, {"a.yaml": half, "b.yaml": half}).manifests == ()
    error = refusal(tmp_path, {"c.yaml": "#"})
    assert (error.file, "1 MiB" in error.problem) == ("web/c.yaml", True)


@pytest.mark.parametrize("content", ["a: 1\n".encode("utf-16"), b"\0", b"\xff"])
def test_bytes_that_kubectl_would_read_otherwise_are_refused(tmp_path: Path, content: bytes) -> None:
    assert refusal(tmp_path, {"a.yaml": config_map("a"), "b.yaml": content}).file == "web/b.yaml"


def test_a_key_that_stands_twice_is_a_note_with_its_place(tmp_path: Path) -> None:
    result = render(tmp_path, {"a.yaml": f"---\n{config_map('a')}data:\n  {CANARY}: 1\n  {CANARY}: 2\n"})
    assert [note.partition(": ")[0] for note in result.notes] == ["web/a.yaml:7"]
    assert CANARY not in "".join(result.notes)


# links and other files


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def test_a_link_to_a_file_inside_the_repo_is_read(tmp_path: Path) -> None:
    (tmp_path / "shared.txt").write_text(config_map("a"))
    link(tmp_path / "web" / "a.yaml", "../shared.txt")
    assert [manifest.place for manifest in render(tmp_path, {}).manifests] == ["web/a.yaml:1"]


def test_a_link_that_leads_out_of_the_repo_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (tmp_path / "outside.yaml").write_text(config_map("a"))
    link(root / "web" / "a.yaml", "../../outside.yaml")
    error = refusal(root, {})
    assert (error.file, error.line) == ("web/a.yaml", 0)
    assert "leads out of the repo" in error.problem


def test_a_link_to_nothing_or_to_itself_is_refused(tmp_path: Path) -> None:
    link(tmp_path / "web" / "a.yaml", "nowhere")
    assert "can't be read" in refusal(tmp_path, {}).problem
    (tmp_path / "web" / "a.yaml").unlink()
    link(tmp_path / "web" / "a.yaml", "a.yaml")
    assert "can't be read" in refusal(tmp_path, {}).problem


def test_what_is_no_regular_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    os.mkfifo(tmp_path / "web" / "a.yaml")
    assert "no regular file" in refusal(tmp_path, {}).problem


def test_a_link_to_a_directory_with_the_name_of_a_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    link(tmp_path / "web" / "a.yaml", "../other")
    assert "no regular file" in refusal(tmp_path, {}).problem


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    render(tmp_path, {"a.yaml": config_map("a")})
    monkeypatch.setattr(Path, "open", refused)
    assert refusal(tmp_path, {}).problem == "can't be read (Permission denied)"


@pytest.mark.parametrize(
    "name", ["-f.yaml", " a b .yaml", ".hidden.yaml", "é😀.yml", "$(x).json", "a\nb.yaml", ".yaml"]
)
def test_files_of_any_name_are_read(tmp_path: Path, name: str) -> None:
    (manifest,) = render(tmp_path, {name: json_map("a")}).manifests
    assert manifest.file == f"web/{name}"


def test_a_name_that_is_no_utf_8_is_read(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    try:
        (manifest,) = render(tmp_path, {name: config_map("a")}).manifests
    except OSError:
        pytest.skip("this file system takes names of UTF-8 only")
    assert manifest.name == "a"


# what a Secret holds


def test_every_value_of_a_secret_is_told_so_that_it_can_be_concealed(tmp_path: Path) -> None:
    encoded = base64.b64encode(b"first").decode()
    binary = base64.b64encode(b"\xff\xfe").decode()
    secret = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
        f"data: {{a: {encoded}, b: {binary}, c: '%%%'}}\nstringData: {{d: second, e: 5}}\n"
    )
    others = config_map("b", "data: {k: not-secret}\n") + "---\n" + secret.replace("v1", "e.com/v1").replace("a:", "z:")
    values = set(rendered.secret_values(render(tmp_path, {"a.yaml": secret, "b.yaml": others}).manifests))
    assert values >= {encoded, "first", binary, "%%%", "second", "5"}
    assert not values & {"not-secret"}


def test_what_stands_in_the_place_of_a_value_is_told_too(tmp_path: Path) -> None:
    parts = "data: plain\nstringData: {a: {b: [deep, true, null]}, c: 98765432.125, d: 3}\n"
    manifest = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\n{parts}"
    values = set(rendered.secret_values(render(tmp_path, {"a.yaml": manifest}).manifests))
    # kubectl prints 9.8765432125e+07 for what a manifest calls 98765432.125 (seen).
    assert values >= {"plain", "deep", "98765432.125", "9.8765432125e+07", "3"}
    assert not values & {"True", "true", "None", "a", "b"}


def test_the_items_of_a_list_of_secrets_are_secrets(tmp_path: Path) -> None:
    listed = "apiVersion: v1\nkind: SecretList\nitems: [{metadata: {name: a}, stringData: {k: second}}]\n"
    assert "second" in set(rendered.secret_values(render(tmp_path, {"a.yaml": listed}).manifests))


# on disk


def test_a_private_file_is_for_its_owner_alone_and_its_digest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "manifests.yaml"
    for content in (b"longer than the next", b"a: 1\n"):
        digest = rendered.write_private(path, content)
        assert digest == hashlib.sha256(content).hexdigest() == rendered.digest(content)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.read_bytes() == content
        assert rendered.still_holds(path, digest)


def test_a_file_that_changed_or_is_gone_does_not_hold_its_digest_any_more(tmp_path: Path) -> None:
    path = tmp_path / "manifests.yaml"
    digest = rendered.write_private(path, b"a: 1\n")
    path.write_bytes(b"a: 1\n\n")
    assert not rendered.still_holds(path, digest)
    path.unlink()
    assert not rendered.still_holds(path, digest)


def test_a_private_file_is_never_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    link(tmp_path / "manifests.yaml", target)
    with pytest.raises(OSError, match="symbolic link"):
        rendered.write_private(tmp_path / "manifests.yaml", b"a")
    assert not target.exists()
