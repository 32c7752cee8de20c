"""The preview: what the row says of what helm printed."""

from pathlib import Path

import pytest

from sluiceway.adapters.base import Preview
from sluiceway.adapters.helm.commands import RELEASE_TEMPLATE
from sluiceway.adapters.helm.plan import HelmPlan
from sluiceway.model.changes import Change
from tests.adapters.helm.answering import exited, printed
from tests.adapters.helm.made import (
    MISSING,
    Tree,
    config,
    history,
    hook,
    kept,
    made,
    manifest,
    said,
    stored,
    structured,
)
from tests.adapters.helm.scenes import CANARY, NEW, OLD, PreviewScene

STATUS = Change("Release/shop/web", "Release", "shop/web", "update", changed_keys=("status",))


@pytest.fixture
def scene(tmp_path: Path) -> PreviewScene:
    return PreviewScene(tmp_path)


# releases


def test_a_new_release_is_all_made(scene: PreviewScene) -> None:
    scene.release = exited(MISSING)
    scene.diff = printed(structured(said("ADD", OLD)))
    found = scene.row()
    assert found.diff.changes == (Change("ConfigMap/shop/a", "ConfigMap", "shop/a", "create"),)
    assert found.notes == ()
    assert scene.started == ["diff upgrade", "template web", "get all"]


def test_of_a_new_release_the_kinds_of_the_chart_are_told(scene: PreviewScene) -> None:
    scene.release, scene.diff = exited(MISSING), printed(structured(said("ADD", OLD)))
    scene.directories = ("crds",)
    (note,) = scene.row().notes
    assert note.startswith("the kinds in the chart's directory crds are on no row")


def test_of_a_release_that_is_there_they_are_not(scene: PreviewScene) -> None:
    scene.directories = ("crds",)
    assert scene.row().notes == ()


def test_an_uninstalled_release_is_made_anew_whatever_the_plugin_says(scene: PreviewScene) -> None:
    scene.release = printed(stored(OLD, state="uninstalled", revision=3))
    found = scene.row()
    assert found.diff.changes == (Change("ConfigMap/shop/a", "ConfigMap", "shop/a", "create"),)
    assert found.notes == ("the release web is uninstalled since revision 3: a deploy installs it anew",)
    assert scene.started == ["diff upgrade", "template web", "get all", "version --template={{.Version}}"]


def test_a_failed_release_is_compared_with_the_deployed_revision(scene: PreviewScene) -> None:
    scene.release = [
        printed(stored(NEW, state="failed", revision=3)),
        printed(stored(OLD, revision=2, state="superseded")),
    ]
    scene.history = printed(history((1, "superseded"), (2, "deployed"), (3, "failed")))
    scene.render = printed(manifest(NEW))
    found = scene.row()
    assert found.diff.changes == (
        Change("ConfigMap/shop/a", "ConfigMap", "shop/a", "update", changed_keys=("data.k",)),
        STATUS,
    )
    (note,) = found.notes
    assert note.startswith(
        "the release web is failed since revision 3: revision 2 is deployed, and the row compares with"
    )
    assert scene.runner.lines[3:] == [
        "helm history web --namespace=shop --output=json",
        f"helm get all web --namespace=shop --revision=2 --template={RELEASE_TEMPLATE}",
        "helm version --template={{.Version}}",
        "helm template web ./web --namespace=shop --is-upgrade --dry-run=server",
    ]


def test_what_the_plugin_says_of_a_failed_release_does_not_count(scene: PreviewScene) -> None:
    scene.release = [printed(stored(NEW, state="failed", revision=3)), printed(stored(OLD, revision=2))]
    scene.history = printed(history((2, "deployed"), (3, "failed")))
    scene.diff = printed(structured(said("REMOVE", config("other")), said("MODIFY", OLD, "data.k")))
    found = scene.row()
    assert found.diff.changes == (STATUS,)
    assert "not shown" not in "".join(found.notes)


def test_a_failed_release_that_never_was_deployed_is_compared_with_its_last_revision(scene: PreviewScene) -> None:
    scene.release = printed(stored(OLD, state="failed"))
    scene.history = printed(history((1, "failed")))
    scene.again = printed(manifest(NEW))
    found = scene.row()
    assert [change.address for change in found.diff.changes] == ["ConfigMap/shop/a", "Release/shop/web"]
    assert "the release web is failed since revision 1: no revision was ever deployed" in found.notes[0]
    assert scene.started.count("get all") == 1


@pytest.mark.parametrize(
    ("state", "revisions", "way_out"),
    [
        ("pending-upgrade", [(2, "deployed"), (3, "pending-upgrade")], "`helm rollback web 2 --namespace=shop`"),
        ("pending-rollback", [(2, "deployed"), (3, "pending-rollback")], "`helm rollback web 2 --namespace=shop`"),
        ("pending-install", [(3, "pending-install")], "`helm uninstall web --namespace=shop`"),
    ],
)
def test_a_pending_release_names_the_way_out(
    scene: PreviewScene, state: str, revisions: list[tuple[int, str]], way_out: str
) -> None:
    scene.release = [printed(stored(OLD, state=state, revision=3)), printed(stored(OLD, revision=2))]
    scene.history = printed(history(*revisions))
    found = scene.row()
    assert found.diff.changes == (STATUS,)
    (note,) = found.notes
    assert note.startswith(f"the release web is {state} since revision 3: a deploy is at work on it, or was killed")
    assert way_out in note


@pytest.mark.parametrize("state", ["failed", "superseded", "uninstalling", "unknown", "pending-upgrade"])
def test_a_release_that_is_not_deployed_is_never_in_sync(scene: PreviewScene, state: str) -> None:
    scene.release = printed(stored(OLD, state=state))
    scene.history = printed("[]")
    assert STATUS in scene.row().diff.changes


def test_the_deployed_revision_can_be_gone(scene: PreviewScene) -> None:
    """Someone deletes it between the two commands: then nothing is installed."""
    scene.release = [printed(stored(OLD, state="failed", revision=3)), exited(MISSING)]
    scene.history = printed(history((2, "deployed"), (3, "failed")))
    assert {change.op for change in scene.row().diff.changes} == {"create", "update"}


# what stays in the cluster


def test_what_helm_leaves_behind_is_forgotten_and_told(scene: PreviewScene) -> None:
    scene.release = printed(stored(OLD, kept(config("k")), hook(config("h")), config("gone")))
    scene.diff = printed(structured(said("REMOVE", config("gone")), said("REMOVE", config("h"))))
    assert scene.changes() == [
        "delete ConfigMap/shop/gone",
        "forget ConfigMap/shop/h",
        "forget ConfigMap/shop/k",
    ]


def test_the_notes_say_why_it_stays(scene: PreviewScene) -> None:
    scene.release = printed(stored(OLD, kept(config("k")), hook(config("h"))))
    lost, of_kept, of_hook = scene.row().notes
    assert lost == "not shown by helm's diff plugin, or not whole: ConfigMap/shop/h, ConfigMap/shop/k"
    assert of_kept.startswith("ConfigMap/shop/k is no longer in the chart and stays in the cluster: its annotation")
    assert of_hook.startswith("ConfigMap/shop/h is no longer in the chart and stays in the cluster: a hook")


# what is kept for the deploy


def test_a_plan_is_kept_only_when_it_is_asked_for(scene: PreviewScene) -> None:
    assert scene.row().plan is None


def test_the_plan_is_of_the_plain_render_and_of_the_row(scene: PreviewScene) -> None:
    only_install = config("of-the-install")
    scene.render, scene.again = printed(manifest(NEW, only_install)), printed(manifest(NEW))
    scene.diff = printed(structured(said("MODIFY", NEW, "data.k")))
    found = scene.run(keep=True)
    assert isinstance(found, Preview)
    assert isinstance(found.plan, HelmPlan)
    assert found.plan.is_of(manifest(NEW, only_install).encode())
    assert found.plan.changes == found.diff.changes
    assert dict(found.plan.objects).keys() == {"ConfigMap/shop/a", "ConfigMap/shop/of-the-install"}


def test_the_fingerprint_tells_renders_apart(scene: PreviewScene, tmp_path: Path) -> None:
    other, third = PreviewScene(tmp_path / "other"), PreviewScene(tmp_path / "third")
    third.render = printed(manifest(NEW))
    first = scene.row().fingerprint
    assert first == other.row().fingerprint != third.row().fingerprint


def test_the_shape_names_what_is_rendered_in_its_order(scene: PreviewScene) -> None:
    role = made("ClusterRole", "r", "rbac.authorization.k8s.io/v1")
    scene.render = printed(manifest(OLD, role, hook(config("h"))))
    assert scene.row().shape == (
        "v1 ConfigMap shop a",
        "rbac.authorization.k8s.io/v1 ClusterRole - r",
        "v1 ConfigMap shop h (hook)",
    )


# values


@pytest.mark.parametrize("tree", [config("a", k=CANARY), made("Secret", stringData={"k": CANARY}), made(spec=CANARY)])
@pytest.mark.parametrize("keep", [False, True])
def test_no_value_leaves(scene: PreviewScene, tree: Tree, keep: bool) -> None:
    scene.release = printed(stored(tree), CANARY)
    scene.render = printed(manifest(config("a", k=f"{CANARY}2"), hook(config("h", k=CANARY))), CANARY)
    scene.diff = printed(structured(said("MODIFY", OLD, "data.k", note=CANARY)), f"{CANARY}\n")
    found = scene.run(keep=keep)
    assert isinstance(found, Preview)
    assert found.diff.changes
    assert CANARY not in f"{found!r}{found.notes}{found.shape}"


def test_values_that_are_asked_for_are_shown(scene: PreviewScene) -> None:
    scene.render, scene.diff = printed(manifest(NEW)), printed(structured(said("MODIFY", NEW, "data.k")))
    scene.shows = True
    ((value,),) = (change.values for change in scene.row().diff.changes)
    assert (value.path, value.old, value.new) == ("data.k", "one", "two")
