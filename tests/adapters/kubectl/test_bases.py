from pathlib import Path

import pytest

from sluiceway.adapters.kubectl.bases import Bases
from sluiceway.adapters.kubectl.documents import RefusedManifest


def kustomization(root: Path, directory: str, content: str) -> None:
    path = root / directory / "kustomization.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def follow(root: Path) -> list[str]:
    bases = Bases()
    bases.follow(root / "web", root)
    return bases.remote


def refusal(root: Path) -> tuple[str, str]:
    with pytest.raises(RefusedManifest) as caught:
        follow(root)
    return caught.value.file, caught.value.problem


def test_bases_inside_the_repo_are_no_problem(tmp_path: Path) -> None:
    kustomization(tmp_path, "web", "resources: [../base, a.yaml]\ncomponents:\n- ../extra\n")
    kustomization(tmp_path, "base", "bases: [../deeper]\n")
    kustomization(tmp_path, "deeper", "resources: [a.yaml]\n")
    kustomization(tmp_path, "extra", "kind: Component\n")
    assert follow(tmp_path) == []


@pytest.mark.parametrize("key", ["resources", "bases", "components", "generators", "transformers", "validators"])
def test_a_base_outside_the_repo_is_refused(tmp_path: Path, key: str) -> None:
    kustomization(tmp_path, "outside", "resources: []\n")
    kustomization(tmp_path, "repo/web", f"{key}:\n- a.yaml\n- ../../outside\n")
    file, problem = refusal(tmp_path / "repo")
    assert file == "web/kustomization.yaml"
    assert f"{key}[1]" in problem
    assert "out of the repo" in problem


def test_a_base_that_is_reached_through_other_bases_is_refused_too(tmp_path: Path) -> None:
    kustomization(tmp_path, "outside", "resources: []\n")
    kustomization(tmp_path, "repo/web", "resources: [../one]\n")
    kustomization(tmp_path, "repo/one", "components: [../two]\n")
    kustomization(tmp_path, "repo/two", "resources: [../../outside]\n")
    assert refusal(tmp_path / "repo")[0] == "two/kustomization.yaml"


def test_a_file_outside_and_a_link_that_leads_out_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()
    kustomization(tmp_path, "repo/web", "resources: [../../a.yaml]\n")
    assert "out of the repo" in refusal(tmp_path / "repo")[1]
    kustomization(tmp_path, "repo/web", "resources: [link.yaml]\n")
    (tmp_path / "repo/web/link.yaml").symlink_to(tmp_path / "a.yaml")
    assert "out of the repo" in refusal(tmp_path / "repo")[1]
    kustomization(tmp_path, "repo/web", f"resources: [{tmp_path}/a.yaml]\n")
    assert "out of the repo" in refusal(tmp_path / "repo")[1]


def test_a_kustomization_that_is_a_link_out_of_the_repo_is_refused(tmp_path: Path) -> None:
    kustomization(tmp_path, "outside", "resources: []\n")
    (tmp_path / "repo" / "web").mkdir(parents=True)
    (tmp_path / "repo" / "web" / "kustomization.yaml").symlink_to(tmp_path / "outside" / "kustomization.yaml")
    assert "out of the repo" in refusal(tmp_path / "repo")[1]


def test_bases_that_read_each_other_end(tmp_path: Path) -> None:
    kustomization(tmp_path, "web", "resources: [../base]\n")
    kustomization(tmp_path, "base", "resources: [../web, .]\n")
    assert follow(tmp_path) == []


@pytest.mark.parametrize(
    "entry",
    [
        "https://github.com/example/repo//deploy?ref=v1",
        "github.com/example/repo/deploy?ref=main",
        "git@github.com:example/repo.git",
        "ssh://git@example.com/repo",
        "example.com/repo/deploy",
        "https://example.com/a.yaml",
    ],
)
def test_a_remote_base_is_told(tmp_path: Path, entry: str) -> None:
    kustomization(tmp_path, "web", f"resources: [a.yaml, '{entry}']\n")
    (remote,) = follow(tmp_path)
    assert remote == "web/kustomization.yaml (resources[1])"


@pytest.mark.parametrize("entry", ["a.yaml", "sub/a.yaml", "../nowhere", "./a.b/c", "a b.yaml", "é.yaml"])
def test_what_is_neither_there_nor_remote_is_left_to_kustomize(tmp_path: Path, entry: str) -> None:
    kustomization(tmp_path, "web", f"resources: ['{entry}']\n")
    assert follow(tmp_path) == []


@pytest.mark.parametrize(
    "content", ["", "a: [", "- x\n", "resources: x\n", 'resources: [1, null, {a: 1}, \'\', "a\\nb", "\\0"]\n', "\x07"]
)
def test_a_kustomization_that_cannot_be_read_is_left_to_kustomize(tmp_path: Path, content: str) -> None:
    kustomization(tmp_path, "web", content)
    assert follow(tmp_path) == []


def test_a_directory_without_a_kustomization_has_no_bases(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    assert follow(tmp_path) == []


def test_the_literals_of_secret_generators_are_told_so_that_they_can_be_concealed(tmp_path: Path) -> None:
    kustomization(
        tmp_path, "web", "resources: [../base]\nsecretGenerator: [{name: a, literals: [p=first=x, bare]}, 5]\n"
    )
    kustomization(tmp_path, "base", "secretGenerator: [{name: b, literals: [q=second]}, {literals: 5}]\n")
    bases = Bases()
    bases.follow(tmp_path / "web", tmp_path)
    assert {"p=first=x", "first=x", "bare", "q=second", "second"} <= set(bases.secrets)
    assert "first" not in repr(bases)
