"""The version that is stated is the one that is rendered, or the preview fails."""

from pathlib import Path

import pytest

from sluiceway.adapters.base import Preview
from sluiceway.model.results import Failure
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import exited, printed
from tests.adapters.helm.made import config, manifest, stored
from tests.adapters.helm.scenes import PreviewScene

OCI = "oci://charts.example.com/web"
CHART = "apiVersion: v2\nname: web\nversion: {}\n"
OLD = config("a", k="one")


@pytest.fixture
def scene(tmp_path: Path) -> PreviewScene:
    return PreviewScene(tmp_path, render=printed(manifest(OLD)), release=printed(stored(OLD)))


def told(scene: PreviewScene, version: str, shown: Outcome) -> Preview | Failure:
    scene.shown = shown
    return scene.run(chart=OCI, version=version)


@pytest.mark.parametrize(
    ("stated", "found"),
    [("1.2.3", "1.2.3"), ("v1.2.3", "1.2.3"), ("1.2.3", "v1.2.3"), ("1.2.3+b.1", "1.2.3+b.1"), ("1.2.3", '"1.2.3"')],
)
def test_the_version_that_is_stated_is_taken(scene: PreviewScene, stated: str, found: str) -> None:
    assert isinstance(told(scene, stated, printed(CHART.format(found))), Preview)
    assert scene.runner.lines[3] == f"helm show chart {OCI} --version={stated}"


def test_another_one_fails_the_preview(scene: PreviewScene) -> None:
    found = told(scene, "1.2.3+b", printed(CHART.format("1.2.3")))
    assert isinstance(found, Failure)
    assert found.reason.kind == "preparation-failed"
    assert found.reason.what == f"the version 1.2.3+b of {OCI} is not there: helm takes 1.2.3 in its place"


@pytest.mark.parametrize(
    "shown", [exited("Error: no network\n"), printed(""), printed("a: ["), printed("- a"), printed("version: [1]")]
)
def test_nothing_is_concluded_where_helm_can_not_tell(scene: PreviewScene, shown: Outcome) -> None:
    assert isinstance(told(scene, "1.2.3", shown), Preview)


def test_a_local_chart_is_the_one_that_is_there(scene: PreviewScene) -> None:
    scene.row()
    assert not any("show" in line for line in scene.runner.lines)
