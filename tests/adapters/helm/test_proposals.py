from pathlib import Path

from sluiceway.adapters.helm.proposals import propose, reads
from sluiceway.model.stacks import Stack


def chart(root: Path, path: str, needs: str = "") -> None:
    (root / path).mkdir(parents=True)
    listed = f"dependencies: [{{name: x, version: 1.0.0, repository: 'file://{needs}'}}]\n" if needs else ""
    (root / path / "Chart.yaml").write_text(f"apiVersion: v2\nname: {Path(path).name}\nversion: 1.0.0\n{listed}")


def test_a_release_for_each_chart_that_stands_for_itself(tmp_path: Path) -> None:
    chart(tmp_path, "charts/web", "../base")
    chart(tmp_path, "charts/base")
    chart(tmp_path, "charts/web/charts/held")
    (tmp_path / "charts/web/values-prod.yaml").write_text("a: 1\n")
    (found,) = propose(tmp_path)
    assert found.path == "charts/web"
    assert found.options == {
        "release": "web",
        "namespace": "web",
        "chart": "./",
        "valuesFiles": ["values-prod.yaml"],
    }


def test_what_a_release_reads_elsewhere_is_claimed(tmp_path: Path) -> None:
    chart(tmp_path, "charts/web", "../base")
    chart(tmp_path, "charts/base")
    (tmp_path / "envs").mkdir()
    (tmp_path / "values.yaml").write_text("a: 1\n")
    options = {"chart": "../charts/web", "valuesFiles": ["../values.yaml"]}
    assert reads(Stack("envs", "envs", "helm", options), tmp_path) == (
        "charts/base/**",
        "charts/web/**",
        "values.yaml",
    )
    assert reads(Stack("envs", "envs", "helm", {"chart": "repo/name"}), tmp_path) == ()
