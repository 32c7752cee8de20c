"""Both readings of a release: which commands are started, in which order, and what fails."""

from pathlib import Path

import pytest

from sluiceway.adapters.base import Preview
from sluiceway.adapters.helm.commands import PLUGIN_VARIABLES, RELEASE_TEMPLATE
from sluiceway.adapters.helm.plan import HelmPlan
from sluiceway.model.reasons import Kind
from sluiceway.model.results import Failure
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import exited, printed
from tests.adapters.helm.made import MISSING, Tree, config, hook, made, manifest, said, stored, structured
from tests.adapters.helm.scenes import CANARY, CHART, DIFF, NEW, OLD, PLAIN, RELEASE, RENDER, PreviewScene


@pytest.fixture
def scene(tmp_path: Path) -> PreviewScene:
    return PreviewScene(tmp_path)


# commands


GET = f"helm get all web --namespace=shop --template={RELEASE_TEMPLATE}"
DIFFS = f"{PLAIN} --no-color"


def test_three_commands_are_started_side_by_side_and_no_more(scene: PreviewScene) -> None:
    assert scene.row().diff.changes == ()
    assert scene.runner.lines == [DIFFS, f"helm template {CHART} --dry-run=server", GET]
    assert [event for event in scene.events if not event.startswith("conceal")] == [RELEASE, RENDER, DIFF]


def test_version_and_values_files_are_handed_to_the_diff_and_the_render(scene: PreviewScene) -> None:
    scene.row(version="1.2.3", valuesFiles=["a.yaml", "b.yaml"])
    chart, values = f"{CHART} --version=1.2.3", "--values=a.yaml --values=b.yaml"
    assert scene.runner.lines == [
        f"helm diff upgrade {chart} --install --reset-values --dry-run=server --output=structured --no-color {values}",
        f"helm template {chart} --dry-run=server {values}",
        GET,
    ]


def test_each_runs_in_the_stacks_directory_with_a_private_temporary_directory(scene: PreviewScene) -> None:
    scene.row()
    for command in scene.runner.asked:
        assert command.cwd == scene.root / "stack"
        assert command.env == {"TMPDIR": str(scene.root / "private")}
        assert not command.writes
        assert not command.shown
    assert [command.without for command in scene.runner.asked] == [PLUGIN_VARIABLES, (), ()]


def test_that_a_release_is_not_there_is_an_answer_and_no_trouble(scene: PreviewScene) -> None:
    scene.row()
    assert [command.answers for command in scene.runner.asked] == [set(), set(), {MISSING.strip()}]


def test_what_secrets_hold_is_concealed_before_the_diff_is_waited_for(scene: PreviewScene) -> None:
    old, new = made("Secret", stringData={"p": "old-one"}), made("Secret", data={"p": "bmV3LW9uZQ=="})
    scene.release, scene.render = printed(stored(old)), printed(manifest(new))
    scene.diff = printed(structured(said("MODIFY", new, "data.p")))
    scene.row()
    assert scene.events.index("conceal old-one") < scene.events.index(RENDER)
    assert scene.events.index(RENDER) < scene.events.index("conceal new-one") < scene.events.index(DIFF)


def test_what_the_charts_values_hold_is_concealed_before_anything_is_waited_for(scene: PreviewScene) -> None:
    scene.values = "password: of-a-file\n"
    scene.row()
    assert scene.events[0] == "conceal of-a-file"


# one more render


ONLY_INSTALL, ONLY_UPGRADE = config("of-the-install"), config("of-the-upgrade")


def test_what_only_an_install_makes_is_no_change(scene: PreviewScene) -> None:
    scene.render, scene.again = printed(manifest(OLD, ONLY_INSTALL)), printed(manifest(OLD))
    found = scene.row()
    assert (found.diff.changes, found.notes) == ((), ())
    assert scene.started[3:] == ["version --template={{.Version}}", "template web"]
    assert scene.runner.lines[-1] == "helm template web ./web --namespace=shop --is-upgrade --dry-run=server"


def test_what_only_an_upgrade_makes_is_one(scene: PreviewScene) -> None:
    scene.again = printed(manifest(OLD, ONLY_UPGRADE))
    scene.diff = printed(structured(said("ADD", ONLY_UPGRADE)))
    found = scene.row()
    assert [(change.op, change.address) for change in found.diff.changes] == [
        ("create", "ConfigMap/shop/of-the-upgrade")
    ]
    assert found.notes == ()


def test_what_the_plugin_loses_is_shown_after_one_more_render_and_told(scene: PreviewScene) -> None:
    scene.render = printed(manifest(NEW))
    found = scene.row()
    assert [change.changed_keys for change in found.diff.changes] == [("data.k",)]
    assert found.notes == ("not shown by helm's diff plugin, or not whole: ConfigMap/shop/a",)


def test_readings_that_agree_ask_for_no_more(scene: PreviewScene) -> None:
    scene.render, scene.diff = printed(manifest(NEW)), printed(structured(said("MODIFY", NEW, "data.k")))
    assert scene.changes() == ["update ConfigMap/shop/a data.k"]
    assert len(scene.started) == 3


@pytest.mark.parametrize(
    ("version", "release", "flags"),
    [
        ("v3.18.0", printed(stored(OLD)), "--is-upgrade --validate "),
        ("v3.18.0", exited(MISSING), "--validate "),
        ("v4.3.0", printed(stored(OLD)), "--is-upgrade "),
        ("v4.3.0", exited(MISSING), None),
    ],
)
def test_helm_3_is_asked_to_tell_the_chart_what_the_cluster_can_do(
    scene: PreviewScene, version: str, release: Outcome, flags: str | None
) -> None:
    scene.version, scene.release = printed(version), release
    scene.render = printed(manifest(OLD, config("other")))
    scene.row()
    renders = [line for line in scene.runner.lines if line.startswith(RENDER)][1:]
    assert renders == ([f"helm template {CHART} {flags}--dry-run=server"] if flags else [])


def test_what_helm_3_renders_only_without_the_cluster_is_no_change(scene: PreviewScene) -> None:
    """Tried: ``helm template --dry-run=server`` of Helm 3 has ``.Capabilities`` of its own (v1.20.0 and 57 APIs)."""
    scene.version = printed("v3.18.0")
    scene.render, scene.again = printed(manifest(NEW)), printed(manifest(OLD))
    assert scene.row().diff.changes == ()


def test_a_chart_that_prints_its_revision_is_rendered_twice_at_most(scene: PreviewScene) -> None:
    scene.diff = printed(structured(said("MODIFY", OLD, "data.k")))
    assert scene.row().diff.changes == ()
    assert scene.started.count("template web") == 2


# objects of one name


def test_a_chart_that_renders_one_object_twice_fails(scene: PreviewScene) -> None:
    first, second = manifest(OLD, source="web/templates/a.yaml"), manifest(NEW, source="web/templates/b.yaml")
    scene.render = printed(first + second)
    reason = scene.refusal()
    assert reason.kind == "preparation-failed"
    assert reason.what == "the chart renders ConfigMap/shop/a twice (web/templates/a.yaml and web/templates/b.yaml)"
    assert reason.names == {"object": "ConfigMap/shop/a", "file": "web/templates/b.yaml"}
    assert DIFF not in scene.events


def test_a_chart_that_renders_one_object_twice_only_as_an_upgrade_fails(scene: PreviewScene) -> None:
    scene.render, scene.again = printed(manifest(NEW)), printed(manifest(OLD, NEW))
    assert "renders ConfigMap/shop/a twice (web/templates/all.yaml)" in scene.refusal().what


@pytest.mark.parametrize("trees", [(OLD, hook(OLD)), (OLD, config("b"), made("Secret"))])
def test_a_hook_of_the_same_name_is_another_object(scene: PreviewScene, trees: tuple[Tree, ...]) -> None:
    scene.render, scene.release = printed(manifest(*trees)), printed(stored(*trees))
    assert scene.row().diff.changes == ()


DUPLICATE = '2026/11/30 21:38:52 Error: Found duplicate key "shop, a, ConfigMap (v1)" in manifest\n'


def test_a_release_that_holds_an_object_twice_is_compared_by_its_last(scene: PreviewScene) -> None:
    scene.release, scene.diff = printed(stored(NEW, OLD)), printed("[]", DUPLICATE)
    assert scene.row().diff.changes == ()


@pytest.mark.parametrize("side", ["render", "release"])
def test_a_plugin_that_drops_an_object_where_we_know_of_none_is_not_read(scene: PreviewScene, side: str) -> None:
    scene.diff = printed("[]", DUPLICATE)
    reason = scene.refusal()
    assert (reason.kind, reason.names["place"]) == ("unreadable-output", "helm diff upgrade")
    trees = (OLD, hook(OLD))
    scene.root = scene.root / side
    if side == "render":
        scene.render = printed(manifest(*trees))
    else:
        scene.release = printed(stored(*trees))
    scene.row()


# failures


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (exited(f"Error: {CANARY}\n"), "tool-error"),
        (Outcome("exited", 1, b"[]"), "tool-error"),
        (Outcome("exited", 2, b"[]"), "tool-error"),
        (Outcome("exited", -9, b"[]"), "tool-error"),
        (Outcome("timed-out", -2, b"[]", CANARY, limit=10), "timed-out"),
        (Outcome("too-large", -9, b"[]"), "output-too-large"),
        (Outcome("interrupted", -2, b"[]"), "tool-error"),
        (Outcome("not-started", stderr="helm: not found on PATH"), "tool-missing"),
    ],
)
@pytest.mark.parametrize("name", ["diff", "render", "release", "history", "version", "again"])
def test_a_command_that_does_not_end_well_is_a_failure(
    scene: PreviewScene, name: str, outcome: Outcome, kind: Kind
) -> None:
    if name == "history":
        scene.release = printed(stored(OLD, state="failed"))
    if name in ("again", "version"):
        scene.render = printed(manifest(NEW))
    setattr(scene, name, outcome)
    reason = scene.refusal()
    if name != "version" or outcome.ended != "exited":
        assert reason.kind == kind


@pytest.mark.parametrize("name", ["diff", "render", "release", "history", "again", "version"])
@pytest.mark.parametrize(
    "text", ["", f"{CANARY}\n", f"[{CANARY}", f'["{CANARY}"]', f"- {CANARY}\n", b"\xff\x00", "{}", "null"]
)
def test_an_output_that_is_not_one_is_never_in_sync(scene: PreviewScene, name: str, text: str | bytes) -> None:
    if name == "history":
        scene.release = [printed(stored(OLD, state="failed")), printed(stored(OLD))]
    if name in ("again", "version"):
        scene.render = printed(manifest(NEW))
    setattr(scene, name, printed(text))
    found = scene.run()
    assert CANARY not in repr(found)
    assert isinstance(found, Failure) or found.diff.changes


@pytest.mark.parametrize(
    ("failing", "what"),
    [
        (("diff", "render", "release"), "helm get all"),
        (("diff", "render"), "helm template"),
        (("diff", "release"), "helm get all"),
        (("render", "release"), "helm get all"),
        (("diff",), "helm diff upgrade"),
    ],
)
def test_which_failure_is_told_and_that_nothing_more_is_waited_for(
    scene: PreviewScene, failing: tuple[str, ...], what: str
) -> None:
    for name in failing:
        setattr(scene, name, exited())
    assert scene.refusal().what == f"{what} exited with code 1"
    waits = [event for event in scene.events if event.startswith("helm")]
    assert waits[-1] == what


def test_an_unknown_step_is_never_in_sync(scene: PreviewScene) -> None:
    scene.diff = printed(structured(said("OWNERSHIP", OLD)))
    assert scene.refusal().kind == "unknown-step"


def test_a_render_that_is_no_object_names_its_template(scene: PreviewScene) -> None:
    scene.render = printed(f"---\n# Source: web/templates/odd.yaml\n- {CANARY}\n")
    assert "the render: web/templates/odd.yaml: expected an object" in scene.refusal().what


KUBE_VERSION = "Error: chart requires kubeVersion: >=1.34.0-0 which is incompatible with Kubernetes v1.33.0\n"


def test_helm_3_holds_a_charts_kube_version_against_its_own_and_is_told_the_clusters(scene: PreviewScene) -> None:
    scene.render, scene.validated = exited(KUBE_VERSION), printed(manifest(OLD))
    scene.version = printed("v3.18.0")
    found = scene.run(keep=True)
    assert isinstance(found, Preview)
    assert isinstance(found.plan, HelmPlan)
    assert (found.diff.changes, found.plan.validated) == ((), True)
    assert scene.started[3:] == ["version --template={{.Version}}", "template web"]
    assert found.plan.is_of(manifest(OLD).encode())


@pytest.mark.parametrize(("version", "asked"), [("v4.3.0", 4), ("v3.18.0", 5)])
def test_a_chart_that_the_cluster_is_too_old_for_fails(scene: PreviewScene, version: str, asked: int) -> None:
    scene.render, scene.version = exited(KUBE_VERSION), printed(version)
    assert "Kubernetes" in scene.refusal().text
    assert len(scene.runner.asked) == asked
