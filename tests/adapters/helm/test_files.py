import os
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.helm import files
from sluiceway.model.stacks import Stack


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for directory in ("repo/web", "repo/charts/api", "outside"):
        (tmp_path / directory).mkdir(parents=True)
    root = tmp_path / "repo"
    for directory in ("repo/web", "repo/charts/api", "outside"):
        (tmp_path / directory / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 0.1.0\n")
    (tmp_path / "outside/values.yaml").write_text("a: 1\n")
    return root


def told(root: Path, **options: Any) -> list[str]:
    stack = Stack("web", "web", "helm", options)
    return [
        f"{problem.file or ''}:{problem.line} {problem.key}: {problem.problem}" for problem in files.check(stack, root)
    ]


def test_nothing_is_wrong_with_a_chart_and_its_values_files(root: Path) -> None:
    (root / "web/values.yaml").write_text("a: 1\n")
    (root / "common.yaml").write_text("a: 1\n")
    assert told(root, chart="./", valuesFiles=["values.yaml", "../common.yaml", "./../web/values.yaml"]) == []
    assert told(root, chart="../charts/api") == []
    assert told(root, chart=".") == []


def test_options_that_are_wrong_themselves_are_missing(root: Path) -> None:
    assert told(root) == []
    assert told(root, valuesFiles=["gone.yaml"]) == [
        ":0 options.valuesFiles[0]: there is no such file: mend the path, or write it"
    ]


@pytest.mark.parametrize(
    ("chart", "expected"),
    [
        ("./gone", "there is no such directory: mend the path, or make it"),
        ("./Chart.yaml/x", "there is no such directory: mend the path, or make it"),
        ("./" + "x" * 300, "there is no such directory: mend the path, or make it"),
        ("./empty", "is no chart, for it holds no Chart.yaml: name the directory of one"),
        ("./x.tgz", "is a file, expected the directory of a chart"),
        ("./nowhere", "is a link to nothing: mend it, or remove it"),
        ("./round", "is a link to nothing: mend it, or remove it"),
        ("../../outside", "leads out of the repo: name one in it"),
        ("../..", "leads out of the repo: name one in it"),
        ("./linked", "leads out of the repo: name one in it"),
        ("./linked/..", "leads out of the repo: name one in it"),
        ("./dangling", "Chart.yaml is a link to nothing: mend it, or remove it"),
        ("./foreign", "Chart.yaml leads out of the repo: name one in it"),
        ("./directory", "Chart.yaml is a directory, expected a file"),
        ("./pipe", "Chart.yaml is no regular file: put one there"),
    ],
)
def test_what_is_no_chart_of_this_repo(root: Path, chart: str, expected: str) -> None:
    web = root / "web"
    for name in ("empty", "dangling", "foreign", "directory/Chart.yaml", "pipe"):
        (web / name).mkdir(parents=True)
    (web / "x.tgz").touch()
    (web / "nowhere").symlink_to("gone")
    (web / "round").symlink_to("round")
    (web / "linked").symlink_to("../../outside")
    (web / "dangling/Chart.yaml").symlink_to("gone")
    (web / "foreign/Chart.yaml").symlink_to("../../../outside/Chart.yaml")
    os.mkfifo(web / "pipe/Chart.yaml")
    assert told(root, chart=chart) == [f":0 options.chart: {expected}"]


def test_a_chart_of_another_name_in_another_case_is_none(root: Path) -> None:
    (root / "web/other").mkdir()
    (root / "web/other/Chart.yml").touch()
    assert told(root, chart="./other") == [
        ":0 options.chart: is no chart, for it holds no Chart.yaml: name the directory of one"
    ]


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"name: web\nx: [\n", 3, "can't be read as YAML"),
        (b"a: *x\n", 1, "can't be read as YAML"),
        (b"a: 1\n\tb: 1\n", 2, "can't be read as YAML"),
        (b"a: .inf\n", 1, "can't be read as YAML: expected a number that JSON can hold"),
        (b"# a chart\n---\n- name: web\n", 3, "holds no mapping: write keys with their values"),
        (b"c4n4ry\n", 1, "holds no mapping: write keys with their values"),
        (b"false\n", 1, "holds no mapping: write keys with their values"),
        (b'""\n', 1, "holds no mapping: write keys with their values"),
        (b"a: 1\nb: \xe9\n", 2, "is not UTF-8 text: save it as UTF-8"),
        (b"\xff\xfea\x00", 1, "is not UTF-8 text: save it as UTF-8"),
    ],
)
def test_a_file_that_is_not_what_helm_reads(root: Path, content: bytes, line: int, expected: str) -> None:
    (root / "web/Chart.yaml").write_bytes(content)
    assert told(root, chart="./") == [f"web/Chart.yaml:{line} options.chart: {expected}"]
    (root / "values").mkdir()
    (root / "values/prod.yaml").write_bytes(content)
    assert told(root, valuesFiles=["../web/../values/prod.yaml"]) == [
        f"values/prod.yaml:{line} options.valuesFiles[0]: {expected}"
    ]


# Tried with helm v3.18.0 and v4.3.0, which take each of them.
@pytest.mark.parametrize(
    "content",
    [b"", b"# nothing\n", b"---\n", b"null\n", b"~", b"a: 1\r\n", b"\xef\xbb\xbfa: 1\n", b'{"a": 1}', b"a: 1\na: 2\n"],
)
def test_a_values_file_may_say_nothing(root: Path, content: bytes) -> None:
    (root / "web/values.yaml").write_bytes(content)
    assert told(root, valuesFiles=["values.yaml"]) == []


def test_a_second_document_is_helm_s_own_affair(root: Path) -> None:
    (root / "web/values.yaml").write_text("a: 1\n---\nb: [\n")  # Helm 3 never reads it, Helm 4 refuses it
    assert told(root, valuesFiles=["values.yaml"]) == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("gone.yaml", "there is no such file: mend the path, or write it"),
        ("Chart.yaml/x", "can't be read (Not a directory): see who may read it"),
        ("x" * 300, "can't be read (File name too long): see who may read it"),
        ("../charts", "is a directory, expected a file"),
        ("pipe", "is no regular file: put one there"),
        ("nowhere.yaml", "is a link to nothing: mend it, or remove it"),
        ("linked.yaml", "leads out of the repo: name one in it"),
        ("linked/values.yaml", "leads out of the repo: name one in it"),
        ("../../outside/values.yaml", "leads out of the repo: name one in it"),
        ("../../outside/gone.yaml", "leads out of the repo: name one in it"),
    ],
)
def test_what_is_no_values_file_of_this_repo(root: Path, file: str, expected: str) -> None:
    web = root / "web"
    os.mkfifo(web / "pipe")
    (web / "nowhere.yaml").symlink_to("gone.yaml")
    (web / "linked.yaml").symlink_to("../../outside/values.yaml")
    (web / "linked").symlink_to("../../outside")
    (web / "values.yaml").write_text("a: 1\n")
    assert told(root, valuesFiles=["values.yaml", file]) == [f":0 options.valuesFiles[1]: {expected}"]


def test_a_link_inside_the_repo_is_a_file(root: Path) -> None:
    (root / "common.yaml").write_text("- a\n")
    (root / "web/values.yaml").symlink_to("../common.yaml")
    assert told(root, valuesFiles=["values.yaml"]) == [
        "common.yaml:1 options.valuesFiles[0]: holds no mapping: write keys with their values"
    ]


def test_a_file_that_may_not_be_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (root / "web/values.yaml").touch()
    monkeypatch.setattr(Path, "read_bytes", denied)  # a test may run as root, whom no mode keeps out
    expected = "can't be read (Permission denied): see who may read it"
    assert told(root, chart="./", valuesFiles=["values.yaml"]) == [
        f":0 options.chart: Chart.yaml {expected}",
        f":0 options.valuesFiles[0]: {expected}",
    ]


@pytest.mark.parametrize("there", ["directory", "file"])
def test_a_reference_that_stands_in_the_stack_s_directory_too(root: Path, there: str) -> None:
    (root / "web/charts").mkdir()
    (root / "web/charts/redis").mkdir() if there == "directory" else (root / "web/charts/redis").touch()
    (problem,) = told(root, chart="charts/redis", version="1.2.3")
    assert problem == (
        ":0 options.chart: charts/redis stands in the stack's directory too, and helm would take that: write "
        "`./charts/redis` and no version for it, or rename it"
    )
    assert told(root, chart="bitnami/redis", version="1.2.3") == []


def test_a_reference_of_a_registry_may_be_a_path_too(root: Path) -> None:
    assert told(root, chart="oci://host/redis", version="1.2.3") == []
    (root / "web/oci:/host/redis").mkdir(parents=True)  # helm v3.18.0 and v4.3.0 take it for the chart
    assert len(told(root, chart="oci://host/redis", version="1.2.3")) == 1
