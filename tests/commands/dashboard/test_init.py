import io
import shutil
from pathlib import Path

import pytest
import yaml

from sluiceway.commands.dashboard.init import ACTION, WORKFLOW, run, workflow_text
from sluiceway.commands.output import Output
from sluiceway.commands.settings import Settings, UsageProblem
from sluiceway.discovery import Discovered, discover

ROOT = Path(__file__).parents[3]


def begun(root: Path, *, force: bool = False, action: str | None = None) -> dict[str, str]:
    """Write both files and return the tool of each stack of the new ``sluiceway.yaml``, which has no problem."""
    assert run(Settings(root=root), Output(io.StringIO()), force=force, action=action) == 0
    found = discover(root)
    assert isinstance(found, Discovered), found
    return {stack.path: stack.tool for stack in found.stacks}


def copied(name: str, place: Path) -> Path:
    shutil.copytree(ROOT / "examples" / name, place / "repo")
    (place / "repo" / "sluiceway.yaml").unlink()
    return place / "repo"


def test_manifests_and_a_kustomization_are_found(tmp_path: Path) -> None:
    assert begun(copied("kubernetes-basic", tmp_path)) == {"app": "kubectl", "tools": "kubectl"}


def test_charts_that_no_other_depends_on_are_found(tmp_path: Path) -> None:
    assert begun(copied("helm-basic", tmp_path)) == {"charts/web": "helm", "charts/worker": "helm"}


def test_a_base_is_no_stack_and_its_overlays_are(tmp_path: Path) -> None:
    for name, reads in {"base": "all.yaml", "overlays/a": "../../base", "overlays/b": "../../base"}.items():
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "kustomization.yaml").write_text(f"resources: [{reads}]\n")
    (tmp_path / "base" / "all.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    assert begun(tmp_path) == {"overlays/a": "kubectl", "overlays/b": "kubectl"}


def test_a_repo_with_nothing_gets_a_file_without_stacks(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("a: 1\n")
    assert begun(tmp_path) == {}


def test_what_check_would_refuse_is_a_comment_that_says_why(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (tmp_path / "app" / "b.yaml").symlink_to("/etc/hostname")
    assert begun(tmp_path) == {}
    assert "# Left out: app/b.yaml" in (tmp_path / "sluiceway.yaml").read_text()


@pytest.mark.parametrize("name", ["sluiceway.yaml", "sluiceway.yml", WORKFLOW])
def test_nothing_is_written_over_without_force(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine: 1\n")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageProblem, match="is there already"):
        run(Settings(root=tmp_path), Output(io.StringIO()), force=False, action=None)
    assert sorted(tmp_path.rglob("*")) == before
    begun(tmp_path, force=True)
    assert "mine" not in (tmp_path / name).read_text()


def test_the_action_is_named_where_it_was_given(tmp_path: Path) -> None:
    begun(tmp_path, action="acme/sluiceway@v1")
    text = (tmp_path / WORKFLOW).read_text()
    assert (text.count("acme/sluiceway@v1"), ACTION in text) == (2, False)
    with pytest.raises(UsageProblem, match="OWNER/NAME@REF"):
        run(Settings(root=tmp_path), Output(io.StringIO()), force=True, action="a b")


def test_the_example_is_what_init_writes() -> None:
    assert (ROOT / "examples" / "dashboard" / WORKFLOW).read_text("utf-8") == workflow_text()


def test_the_workflow_gives_each_job_the_least_that_works() -> None:
    workflow = yaml.safe_load(workflow_text())
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert jobs["check"]["permissions"] == {"contents": "read"}
    assert jobs["dashboard"]["permissions"] == {
        "contents": "read",
        "issues": "write",
        "deployments": "write",
        "actions": "read",
    }
    assert jobs["dashboard"]["concurrency"]["cancel-in-progress"] is False
    assert "pull_request_target" not in workflow[True]  # YAML reads `on` as true
    assert "env" not in workflow
    assert all("env" not in part for job in jobs.values() for part in (job, *job["steps"]))
    assert all(step["with"] == {"persist-credentials": False} for job in jobs.values() for step in job["steps"][:1])


def test_the_docs_name_each_permission() -> None:
    docs = (ROOT / "docs" / "dashboard.md").read_text("utf-8")
    for name, level in yaml.safe_load(workflow_text())["jobs"]["dashboard"]["permissions"].items():
        assert f"`{name}: {level}`" in docs


def test_the_action_hands_the_token_over_by_one_name_and_no_input_into_a_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    install, start = action["runs"]["steps"]
    assert "env" not in install
    assert start["env"]["INPUT_TOKEN"] == "${{ inputs.token }}"  # noqa: S105 - how GitHub writes it
    assert {name for name in start["env"] if "TOKEN" in name} == {"INPUT_TOKEN"}
    assert all("${{" not in step["run"] for step in (install, start))
    outputs = {"outcome", "dashboard-url", "matrix", "rescan", "pending", "preview-failed", "in-sync", "result-file"}
    assert set(action["outputs"]) == outputs
