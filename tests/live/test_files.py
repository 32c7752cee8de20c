"""The files of a stack: the same ones, whatever they are called, as for ``kubectl apply -f <directory>``."""

import os

import pytest

from tests.live.repo import Repo, config_map, documents

pytestmark = pytest.mark.live

NAMES = [
    b" leading.yaml",
    b"trailing .yaml",
    b"-f.yaml",
    b"--help.yaml",
    b"--.yaml",
    b".hidden.yaml",
    b".yaml",
    b"two.dots.yml",
    b"a.json",
    b"upper.YAML",
    b"upper.Json",
    b"backup.yaml~",
    b"backup.yaml.bak",
    b"plain",
    b"yaml",
    b"*.yaml",
    b"?[a].yaml",
    b"$HOME.yaml",
    b"$(id).yaml",
    b"`id`.yaml",
    b"a;b.yaml",
    b"a&b|c.yaml",
    b"a'b.yaml",
    b'a"b.yaml',
    b"a\\b.yaml",
    b"a\tb.yaml",
    b"a\nb.yaml",
    b"%41%2e.yaml",
    b"a:b.yaml",
    b"@a.yaml",
    b"#a.yaml",
    b"=a.yaml",
    b"{a,b}.yaml",
    "ünïcode.yaml".encode(),
    "❄️.yaml".encode(),
    "\u202egnp.yaml".encode(),
    "u\u0308.yaml".encode(),
    b"latin-\xfc.yaml",
    b"not-utf8-\xff\xfe.yml",
    b"l" * 250 + b".yaml",
]


@pytest.mark.parametrize("recursive", [False, True])
def test_the_same_files_whatever_they_are_called(repo: Repo, recursive: bool) -> None:
    repo.only(**({"recursive": True} if recursive else {}))
    app = repo.root / "app"
    for number, name in enumerate(NAMES):
        (app / os.fsdecode(name)).write_text(documents(config_map(f"c{number:02}")))
    (app / "empty.yaml").touch()
    (app / "comment.yaml").write_text("# nothing\n---\n# here\n")
    (app / "folder.yaml").mkdir()
    (app / "folder.yaml" / "inside.yaml").write_text(documents(config_map("inside")))
    repo.write("elsewhere/linked.yaml", documents(config_map("linked")))
    (app / "link.yaml").symlink_to("../elsewhere/linked.yaml")
    (app / "linked-folder").symlink_to("../elsewhere")
    space = f"{repo.namespace}-kubectl"
    repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
    flags = ["-R"] if recursive else []
    repo.by_hand("apply", "--server-side", *flags, "-f", str(app), namespace=space)

    done = repo.put_out()

    assert repo.config_maps() == repo.config_maps(space)
    assert len(done.row["done"]["applied"]) == len(repo.config_maps())
    assert "linked" in repo.config_maps()
    assert ("inside" in repo.config_maps()) is recursive
    assert repo.preview().row["state"] == "in-sync"


def test_a_directory_may_be_called_anything(repo: Repo) -> None:
    paths = ["-f", "--context=x", "a b", "ü", "a'b$(id)", "deep/er"]
    repo.configure(*(repo.stack(path) for path in paths))
    for number, path in enumerate(paths):
        repo.write(f"{path}/c.yaml", documents(config_map(f"c{number}")))

    seen = repo.run("preview", "--format=json")
    assert {row["state"] for row in seen.rows.values()} == {"pending"}
    hashes = [f"--hash={path}={row['hash']}" for path, row in seen.rows.items()]
    done = repo.run("deploy", *hashes, "--format=json", "--", *paths)

    assert done.code == 0
    assert repo.config_maps() == {f"c{number}" for number in range(len(paths))}
