import os
from pathlib import Path

import pytest

from sluiceway.adapters.helm.charts import Chart, read, tree
from sluiceway.adapters.helm.sources import LARGEST_MIB, Unread


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def chart(root: Path, path: str, *depends_on: str, version: str = "v2") -> Path:
    """Write a chart whose dependencies have the repositories ``depends_on``."""
    directory = root / path
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "Chart.yaml").write_text(
        f"apiVersion: {version}\nname: {directory.name}\nversion: 0.1.0\n" + listed(*depends_on)
    )
    return directory


def listed(*repositories: str) -> str:
    lines = "".join(f'- {{name: x, version: 0.1.0, repository: "{at}"}}\n' for at in repositories)
    return f"dependencies:\n{lines}" if repositories else ""


def paths(root: Path, path: str) -> dict[str, int]:
    """Return the level of each chart of a tree, in its order."""
    return {chart.path: chart.level for chart in tree(root / path, root).values()}


def test_a_chart_alone(root: Path) -> None:
    chart(root, "charts/web")
    assert tree(root / "charts/web", root) == {"charts/web": Chart("charts/web", "web", lists_dependencies=False)}


def test_the_root_can_be_a_chart(root: Path) -> None:
    chart(root, ".", "file://web")
    chart(root, "web")
    assert paths(root, ".") == {"web": 1, ".": 2}


def test_a_level_is_one_more_than_the_highest_below(root: Path) -> None:
    chart(root, "a", "file://../b", "file://../d")
    chart(root, "b", "file://../c")
    chart(root, "c", "file://../d")
    chart(root, "d")
    found = tree(root / "a", root)
    assert {path: found[path].level for path in found} == {"d": 1, "c": 2, "b": 3, "a": 4}
    assert list(found) == ["d", "c", "b", "a"]
    assert found["a"] == Chart("a", "a", lists_dependencies=True, needs=("b", "d"), level=4)
    assert [found[path].lists_dependencies for path in "bcd"] == [True, True, False]


def test_other_dependencies_are_listed_and_not_followed(root: Path) -> None:
    chart(root, "web", "https://example.com/charts", "oci://example.com/charts", "@repo", "alias:repo", "")
    (found,) = tree(root / "web", root).values()
    assert found == Chart("web", "web", lists_dependencies=True)


# Tried with helm v3.18.0 and v4.3.0: what is followed here is what they find, and what is not they don't find either.
@pytest.mark.parametrize(
    ("repository", "followed"),
    [
        ("file://../base", True),
        ("file://../base/", True),
        ("file://./../base", True),
        ("file://../gone/../base", True),
        ("file://../link", True),
        ("file:../base", False),
        ("file:/../base", False),
        ("FILE://../base", False),
        (" file://../base", False),
        ("../base", False),
        ("file://../ba%73e", False),
        ("file://../base?x=1", False),
        ("file://../base.tgz", False),
        ("file://../gone", False),
        ("file://", False),
        ("file://.", False),
    ],
)
def test_where_a_repository_leads(root: Path, repository: str, followed: bool) -> None:
    chart(root, "web", repository)
    chart(root, "base")
    (root / "link").symlink_to("base")
    (root / "base.tgz").touch()
    assert paths(root, "web") == ({"base": 1, "web": 2} if followed else {"web": 1})


def test_an_absolute_repository_is_one_of_this_machine(root: Path) -> None:
    chart(root, "web", f"file://{root}/base")
    chart(root, "base")
    assert paths(root, "web") == {"base": 1, "web": 2}


def test_a_repository_is_made_plain_before_any_link_is_followed_as_by_helm(root: Path) -> None:
    chart(root, "deep/web", "file://../link/../base")
    chart(root, "deep/base")
    chart(root, "base")
    (root / "other").mkdir()
    (root / "deep/link").symlink_to("../other")
    assert list(paths(root, "deep/web")) == ["deep/base", "deep/web"]


def test_a_chart_reached_through_a_link_is_where_it_really_is(root: Path) -> None:
    chart(root, "deep/web", "file://../base")
    chart(root, "deep/base")
    (root / "web").symlink_to("deep/web")
    assert list(paths(root, "web")) == ["deep/base", "deep/web"]


def test_a_repo_reached_through_a_link(root: Path) -> None:
    chart(root, "web", "file://../base")
    chart(root, "base")
    (root.parent / "link").symlink_to(root)
    assert list(paths(root.parent / "link", "web")) == ["base", "web"]


@pytest.mark.parametrize("way", ["plain", "link", "Chart.yaml"])
def test_nothing_outside_the_repo_is_followed(root: Path, way: str) -> None:
    outside = chart(root.parent, "outside", "file://../repo/other")
    chart(root, "other")
    (root / "base").mkdir()
    if way == "link":
        (root / "base").rmdir()
        (root / "base").symlink_to("../outside")
    if way == "Chart.yaml":
        (root / "base/Chart.yaml").symlink_to(outside / "Chart.yaml")
    chart(root, "web", "file://../../outside" if way == "plain" else "file://../base")
    assert paths(root, "web") == {"web": 1}


@pytest.mark.parametrize(
    "content",
    [b"name: [x\n", b"- name: x\n", b"\xff\xfe", b"a: \xe9\n", b"x" * (LARGEST_MIB * 1024 * 1024 + 1)],
)
def test_a_dependency_that_cannot_be_read_is_left_to_helm(root: Path, content: bytes) -> None:
    chart(root, "web", "file://../base", "file://../queue")
    chart(root, "queue")
    chart(root, "base")
    (root / "base/Chart.yaml").write_bytes(content)
    assert list(paths(root, "web")) == ["queue", "web"]
    assert isinstance(read(root / "base", root), Unread)


def test_what_is_no_regular_file_is_not_waited_for(root: Path) -> None:
    chart(root, "web", "file://../base")
    (root / "base").mkdir()
    os.mkfifo(root / "base/Chart.yaml")
    assert list(paths(root, "web")) == ["web"]


def test_a_circle_is_not_closed(root: Path) -> None:
    chart(root, "a", "file://../b")
    chart(root, "b", "file://../c")
    chart(root, "c", "file://../a", "file://../b", "file://../c", "file://../d")
    chart(root, "d")
    assert paths(root, "a") == {"d": 1, "c": 2, "b": 3, "a": 4}
    assert paths(root, "c") == {"b": 1, "a": 2, "d": 1, "c": 3}


def test_a_chart_that_many_need_is_read_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    for at in range(30):
        chart(root, f"c{at}", f"file://../c{at + 1}", f"file://./../c{at + 1}", f"file://../c{min(at + 2, 30)}")
    chart(root, "c30")
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: asked.append(path.name) or whole(path))
    assert len(tree(root / "c0", root)) == 31
    assert asked == ["Chart.yaml"] * 31


def test_a_long_chain_is_followed_to_its_end(root: Path) -> None:
    for at in range(1200):
        chart(root, f"c{at}", f"file://../c{at + 1}")
    chart(root, "c1200")
    assert tree(root / "c0", root)["c0"].level == 1201


def test_a_chart_in_the_charts_directory_is_used_as_it_is(root: Path) -> None:
    chart(root, "web", "")
    chart(root, "web/charts/base", "file://../../../other")
    chart(root, "other")
    assert list(paths(root, "web")) == ["web"]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize(
    ("older", "followed"),
    [
        (listed("file://../queue"), ["queue", "web"]),
        ("dependencies: []\n", ["web"]),
        ("dependencies:\n", ["base", "web"]),
        ("x: 1\n", ["base", "web"]),
        ("", ["base", "web"]),
        ("a: [\n", ["base", "web"]),
    ],
)
def test_requirements_count_instead_of_the_chart_s_own_list_as_for_helm(
    root: Path, version: str, older: str, followed: list[str]
) -> None:
    chart(root, "web", "file://../base", version=version)
    chart(root, "base")
    chart(root, "queue")
    (root / "web/requirements.yaml").write_text(older)
    assert list(paths(root, "web")) == followed
    assert tree(root / "web", root)["web"].lists_dependencies is (len(followed) > 1)


@pytest.mark.parametrize(
    ("content", "lists"),
    [
        ("dependencies:\n", False),
        ("dependencies: []\n", False),
        ("dependencies: {}\n", False),
        ("dependencies: x\n", False),
        ("dependencies: [null]\n", True),
        ("dependencies: [{repository: [1]}, 7]\n", True),
        ("Dependencies: [{Repository: 'file://../base'}]\n", True),
    ],
)
def test_what_a_list_of_dependencies_is(root: Path, content: str, lists: bool) -> None:
    (root / "web").mkdir()
    (root / "web/Chart.yaml").write_text(content)
    assert tree(root / "web", root)["web"].lists_dependencies is lists


def test_keys_are_found_in_any_case_as_by_go(root: Path) -> None:
    (root / "web").mkdir()
    (root / "web/Chart.yaml").write_text("NAME: shop\nDependencies: [{Repository: 'file://../base'}]\n")
    chart(root, "base")
    found = tree(root / "web", root)
    assert list(found) == ["base", "web"]
    assert found["web"].name == "shop"


def test_where_there_is_no_chart_there_is_no_tree(root: Path) -> None:
    (root / "web").mkdir()
    assert tree(root / "web", root) == {}
    assert tree(root / "gone", root) == {}
    assert tree(root.parent, root) == {}
