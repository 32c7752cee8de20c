import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.adapters.kubectl import files
from sluiceway.adapters.kubectl.files import file_problem, kustomization_in, manifest_names
from sluiceway.model.stacks import Stack


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# nothing\n")


def problems(root: Path, path: str = "web", **options: bool) -> list[tuple[str, str]]:
    return [(found.key, found.problem) for found in files.check(Stack(path, path, "kubectl", options), root)]


# which files


def test_manifests_are_yaml_yml_and_json_one_level_deep_in_code_unit_order(tmp_path: Path) -> None:
    make(
        tmp_path,
        *(f"web/{name}" for name in ("b.yaml", "a.yml", "Z.json", "é.yaml", "\uffee.yaml", "😀.yaml", "-.yaml")),
    )
    make(tmp_path, "web/x.YAML", "web/x.yaml.bak", "web/README.md", "web/yaml", "web/sub/y.yaml", "web/.hidden.yaml")
    found = ["-.yaml", ".hidden.yaml", "Z.json", "a.yml", "b.yaml", "é.yaml", "😀.yaml", "\uffee.yaml"]
    assert manifest_names(tmp_path / "web", tmp_path, recursive=False) == found


def test_a_directory_with_the_name_of_a_manifest_is_a_directory(tmp_path: Path) -> None:
    make(tmp_path, "web/a.yaml/b.yaml", "web/c.yaml")
    assert manifest_names(tmp_path / "web", tmp_path, recursive=False) == ["c.yaml"]
    assert manifest_names(tmp_path / "web", tmp_path, recursive=True) == ["a.yaml/b.yaml", "c.yaml"]


def test_a_link_to_a_directory_is_not_followed_and_is_taken_for_a_file_as_by_kubectl(tmp_path: Path) -> None:
    make(tmp_path, "other/x.yaml", "web/a.yaml")
    (tmp_path / "web" / "sub").symlink_to("../other")
    (tmp_path / "web" / "sub.yaml").symlink_to("../other")
    for recursive in (False, True):
        assert manifest_names(tmp_path / "web", tmp_path, recursive=recursive) == ["a.yaml", "sub.yaml"]


def test_recursive_is_the_walk_of_go(tmp_path: Path) -> None:
    make(
        tmp_path,
        *(f"web/{name}" for name in ("a/x.yaml", "a.yaml", "a-b.yaml", "a/b/y.json", "B/z.yml", ".git/c.yaml")),
    )
    assert manifest_names(tmp_path / "web", tmp_path, recursive=True) == [
        ".git/c.yaml",
        "B/z.yml",
        "a/b/y.json",
        "a/x.yaml",
        "a-b.yaml",
        "a.yaml",
    ]


def test_recursive_is_in_byte_order_where_code_units_differ(tmp_path: Path) -> None:
    make(tmp_path, "web/😀.yaml", "web/\uffee.yaml")
    assert manifest_names(tmp_path / "web", tmp_path, recursive=True) == ["\uffee.yaml", "😀.yaml"]
    assert manifest_names(tmp_path / "web", tmp_path, recursive=False) == ["😀.yaml", "\uffee.yaml"]


segments = st.text(st.sampled_from("ab-.Z0é"), min_size=1, max_size=3).filter(lambda name: name.strip(".") != "")


@given(st.lists(st.lists(segments, min_size=1, max_size=3), min_size=1, max_size=6))
def test_recursive_reads_every_manifest_once_in_the_order_of_the_walk(
    tmp_path_factory: pytest.TempPathFactory, paths: list[list[str]]
) -> None:
    root = tmp_path_factory.mktemp("walk")
    expected: set[tuple[str, ...]] = set()
    for *folders, name in paths:
        try:
            make(root, "/".join(["web", *folders, f"{name}.yaml"]))
        except (FileExistsError, NotADirectoryError, IsADirectoryError):  # drawn both as a file and as a directory
            continue
        expected.add((*folders, f"{name}.yaml"))
    in_order = sorted(expected, key=lambda parts: [os.fsencode(part) for part in parts])
    assert manifest_names(root / "web", root, recursive=True) == ["/".join(parts) for parts in in_order]


@pytest.mark.parametrize("own", ["sluiceway.yaml", "sluiceway.yml"])
def test_the_configuration_is_no_manifest_of_the_root_and_one_of_any_other_directory(tmp_path: Path, own: str) -> None:
    make(tmp_path, own, "a.yaml", f"web/{own}")
    assert manifest_names(tmp_path, tmp_path, recursive=False) == ["a.yaml"]
    assert manifest_names(tmp_path / "web", tmp_path, recursive=False) == [own]


# what a file is


def test_a_regular_file_and_a_link_to_one_inside_the_repo_are_no_problem(tmp_path: Path) -> None:
    make(tmp_path, "web/a.yaml")
    (tmp_path / "web" / "b.yaml").symlink_to("a.yaml")
    assert file_problem(tmp_path / "web" / "a.yaml", tmp_path) is None
    assert file_problem(tmp_path / "web" / "b.yaml", tmp_path) is None


def test_a_repo_that_is_reached_through_a_link_is_inside_itself(tmp_path: Path) -> None:
    make(tmp_path, "real/web/a.yaml")
    (tmp_path / "repo").symlink_to("real")
    (tmp_path / "real" / "web" / "b.yaml").symlink_to(tmp_path / "real" / "web" / "a.yaml")
    assert file_problem(tmp_path / "repo" / "web" / "b.yaml", tmp_path / "repo") is None


def test_links_that_lead_out_of_the_repo_by_any_way(tmp_path: Path) -> None:
    make(tmp_path, "outside.yaml", "repository-b/a.yaml", "repo/web/x.yaml")
    targets = [str(tmp_path / "outside.yaml"), "../../outside.yaml", "../../repository-b/a.yaml"]
    for name, target in zip("abc", targets, strict=True):
        (tmp_path / "repo" / "web" / f"{name}.yaml").symlink_to(target)
    (tmp_path / "repo" / "web" / "d.yaml").symlink_to("a.yaml")
    found = [file_problem(tmp_path / "repo" / "web" / f"{name}.yaml", tmp_path / "repo") for name in "abcd"]
    assert found == ["is a link that leads out of the repo: put what it leads to there"] * 4


def test_links_to_nothing_and_other_things_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nowhere")
    (tmp_path / "b.yaml").symlink_to("b.yaml")
    os.mkfifo(tmp_path / "c.yaml")
    (tmp_path / "d.yaml").mkdir()
    assert "can't be read" in str(file_problem(tmp_path / "a.yaml", tmp_path))
    assert "can't be read" in str(file_problem(tmp_path / "b.yaml", tmp_path))
    assert file_problem(tmp_path / "c.yaml", tmp_path) == "is no regular file: put one there"
    assert file_problem(tmp_path / "d.yaml", tmp_path) == "is no regular file: put one there"


# the check of discovery


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_kustomization_is_found_by_the_names_that_kustomize_reads(tmp_path: Path, name: str) -> None:
    make(tmp_path, f"web/{name}")
    assert kustomization_in(tmp_path / "web") == name
    assert problems(tmp_path) == []
    assert [key for key, _ in problems(tmp_path, recursive=True)] == ["options.recursive"]


def test_a_directory_of_that_name_and_other_spellings_are_no_kustomization(tmp_path: Path) -> None:
    make(tmp_path, "web/kustomization.yaml/a.yaml", "web/Kustomization.yaml", "web/kustomization.json")
    assert kustomization_in(tmp_path / "web") is None


def test_a_directory_with_no_manifest_is_a_problem(tmp_path: Path) -> None:
    make(tmp_path, "web/README.md", "web/sub/a.yaml")
    ((key, problem),) = problems(tmp_path)
    assert key == "path"
    assert "holds no kustomization and no manifest" in problem
    assert problems(tmp_path, recursive=True) == []


def test_the_root_holds_more_than_its_configuration(tmp_path: Path) -> None:
    make(tmp_path, "sluiceway.yaml")
    assert [key for key, _ in problems(tmp_path, ".")] == ["path"]
    make(tmp_path, "a.yaml")
    assert problems(tmp_path, ".") == []


def test_recursive_at_the_root_would_read_everything(tmp_path: Path) -> None:
    make(tmp_path, "a.yaml", ".github/workflows/ci.yaml")
    ((key, problem),) = problems(tmp_path, ".", recursive=True)
    assert key == "options.recursive"
    assert "every file of the repo" in problem


def test_a_kustomization_in_a_subdirectory_is_a_problem_of_recursive_alone(tmp_path: Path) -> None:
    make(tmp_path, "web/a.yaml", "web/b/kustomization.yaml", "web/a/c/Kustomization")
    assert problems(tmp_path) == []
    found = problems(tmp_path, recursive=True)
    assert [key for key, _ in found] == ["options.recursive"] * 2
    assert ["web/a/c/Kustomization" in found[0][1], "web/b/kustomization.yaml" in found[1][1]] == [True, True]


def test_every_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    make(tmp_path, "repo/web/a.yaml", "outside.yaml")
    web = tmp_path / "repo" / "web"
    (web / "b.yaml").symlink_to("../../outside.yaml")
    (web / "c.yaml").symlink_to("nowhere")
    os.mkfifo(web / "d.json")
    found = dict(enumerate(problem for _key, problem in problems(tmp_path / "repo")))
    assert ["web/b.yaml is a link that leads out" in found[0], "web/c.yaml can't be read" in found[1]] == [True, True]
    assert found[2] == "web/d.json is no regular file: put one there"
    assert len(found) == 3


def test_a_directory_that_may_not_be_read_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    make(tmp_path, "web/a.yaml")
    monkeypatch.setattr(os, "scandir", refused)
    assert problems(tmp_path) == [("path", "can't be read (Permission denied): see who may read it")]
