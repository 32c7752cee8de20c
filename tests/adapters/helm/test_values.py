import os
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.helm.values import values_of
from sluiceway.model.stacks import Stack
from tests.fakes import FakeRunner


def values(root: Path, **options: Any) -> list[str]:
    chosen = {"release": "web-eu", "namespace": "shop", "chart": "../charts/web", **options}
    (root / "apps").mkdir(exist_ok=True)
    return values_of(Workplace(Stack("apps", "apps", "helm", chosen), root, FakeRunner(), root))


def write(root: Path, path: str, content: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(content)


def chart(root: Path, name: str, *needs: str, content: str | None = None) -> None:
    listed = "".join(f"- {{name: {need}, version: 0.1.0, repository: 'file://../{need}'}}\n" for need in needs)
    write(root, f"charts/{name}/Chart.yaml", f"name: {name}\ndependencies:\n{listed}")
    if content is not None:
        write(root, f"charts/{name}/values.yaml", content)


def test_the_values_files_the_chart_and_the_charts_it_needs(tmp_path: Path) -> None:
    chart(tmp_path, "web", "base", content="password: of-the-chart\n")
    chart(tmp_path, "base", "deep", content="base: {token: [of-the-base, {a: of-a-list}]}\n")
    chart(tmp_path, "deep", content="a: of-the-deepest\n")
    chart(tmp_path, "other", content="a: of-no-concern\n")
    write(tmp_path, "apps/one.yaml", "a: of-a-file\nb: of-the-chart\n")
    write(tmp_path, "two.yaml", "a: |\n  of two\n  lines\n")
    found = values(tmp_path, valuesFiles=["one.yaml", "../two.yaml"])
    assert sorted(found) == [
        "of two\nlines\n",
        "of-a-file",
        "of-a-list",
        "of-the-base",
        "of-the-chart",
        "of-the-deepest",
    ]


def test_a_chart_that_is_not_of_this_repo_has_only_the_values_files(tmp_path: Path) -> None:
    chart(tmp_path, "web", content="password: of-the-chart\n")
    write(tmp_path, "apps/one.yaml", "a: of-a-file\n")
    write(tmp_path, "apps/values.yaml", "a: of-no-concern\n")
    assert values(tmp_path, chart="charts/web", version="1.2.3", valuesFiles=["one.yaml"]) == ["of-a-file"]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("text", ["text"]),
        ("abc", []),
        ("'on'", []),
        ("true", []),
        ("yes", []),
        ("2001-01-01", ["2001-01-01"]),
        ("12345", []),
        ("123456", ["123456", "1.23456e+05"]),
        ("'123456'", ["123456"]),
        ("1234567", ["1234567", "1.234567e+06"]),
        ("-1000000", ["-1000000", "-1e+06"]),
        ("18446744073709551615", ["18446744073709551615", "1.8446744073709552e+19"]),
        ("123456.5", ["123456.5", "1.234565e+05"]),
        ("0.00123456", ["0.00123456", "1.23456e-03"]),
        ("1.5", []),
        ("~", []),
        ("{secret-key: 1}", []),
        ("!!binary aGVsbG8=", ["hello"]),
    ],
)
def test_texts_and_long_numbers(tmp_path: Path, written: str, found: list[str]) -> None:
    write(tmp_path, "apps/one.yaml", f"a: {written}\n")
    assert values(tmp_path, valuesFiles=["one.yaml"]) == found


@pytest.mark.parametrize("name", ["web-eu", "shop", "../charts/web", "website"])
def test_the_stack_s_own_names_are_no_secret_where_they_stand_alone(tmp_path: Path, name: str) -> None:
    chart(tmp_path, "web", content=f"a: {name}\nb: {name}-more\n")
    write(tmp_path, "charts/web/Chart.yaml", "name: website\n")
    assert values(tmp_path) == [f"{name}-more"]


def test_every_document_counts_as_helm_4_reads_them_all(tmp_path: Path) -> None:
    write(tmp_path, "apps/one.yaml", "%YAML 1.1\n---\na: first\n--- # x\nb: [\n---\n- third\n--- {d: fourth}\n---")
    assert values(tmp_path, valuesFiles=["one.yaml"]) == ["first", "third", "fourth"]


def test_what_cannot_be_read_holds_nothing(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    chart(root, "web", content="a: [\n")
    write(root, "apps/right.yaml", "a: right\n")
    write(tmp_path, "outside.yaml", "a: outside\n")
    (root / "apps/linked.yaml").symlink_to("../../outside.yaml")
    os.mkfifo(root / "apps/pipe")
    (root / "apps/latin.yaml").write_bytes(b"a: text\xe9\n")
    files = ["gone.yaml", "linked.yaml", "pipe", "latin.yaml", "../charts", "right.yaml"]
    assert values(root, valuesFiles=files) == ["right"]


def test_a_chart_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    write(tmp_path, "apps/one.yaml", "a: of-a-file\n")
    assert values(tmp_path, chart="./gone", valuesFiles=["one.yaml"]) == ["of-a-file"]
