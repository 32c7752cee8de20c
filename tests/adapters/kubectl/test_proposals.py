from pathlib import Path

from sluiceway.adapters.kubectl.proposals import propose, reads
from sluiceway.model.stacks import Stack


def write(root: Path, name: str, text: str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def test_what_a_kustomization_reads_elsewhere_is_claimed_through_its_bases(tmp_path: Path) -> None:
    write(tmp_path, "over/kustomization.yaml", "resources: [../base, own.yaml]\npatches: [{path: ../patches/p.yaml}]\n")
    write(tmp_path, "over/own.yaml")
    write(tmp_path, "patches/p.yaml")
    write(tmp_path, "base/kustomization.yml", "configMapGenerator: [{name: a, files: [key=../files/a.txt]}]\n")
    write(tmp_path, "files/a.txt", "a")
    stack = Stack("over", "over", "kubectl")
    assert {"base/**", "patches/p.yaml", "files/a.txt"} <= set(reads(stack, tmp_path))
    assert reads(Stack("patches", "patches", "kubectl"), tmp_path) == ()


def test_what_a_push_took_away_is_claimed_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, "over/kustomization.yaml", "resources: [../gone, ../other/gone.yaml, own-gone.yaml]\n")
    write(tmp_path, "other/all.yaml")
    found = set(reads(Stack("over", "over", "kubectl"), tmp_path))
    assert found == {"gone", "gone/**", "other/gone.yaml", "other/gone.yaml/**"}


def test_circles_and_what_leads_out_of_the_repo_are_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    write(root, "a/kustomization.yaml", "resources: [../b, ../../outside, https://example.com/x]\n")
    write(root, "b/kustomization.yaml", "resources: [../a]\n")
    write(tmp_path, "outside/kustomization.yaml", "resources: []\n")
    assert set(reads(Stack("a", "a", "kubectl"), root)) == {"b/**"}


def test_plain_manifests_are_proposed_and_values_and_charts_are_not(tmp_path: Path) -> None:
    write(tmp_path, "app/all.yaml")
    write(tmp_path, "values/a.yaml", "replicas: 2\n")
    write(tmp_path, "chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n")
    write(tmp_path, "chart/templates/all.yaml")
    write(tmp_path, ".hidden/all.yaml")
    write(tmp_path, "broken/all.yaml", "{")
    assert [one.path for one in propose(tmp_path)] == ["app"]
