"""The deploy: which commands it runs, in which order, with which flags, and what it makes of their ends."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from sluiceway.adapters.helm import manifests
from sluiceway.adapters.helm.deploy import deploy
from sluiceway.adapters.helm.plan import HelmPlan
from sluiceway.model.changes import Change
from sluiceway.model.results import Deployed, Failure
from sluiceway.processes import End, Outcome
from tests.adapters.helm.answering import World, exited, printed, world
from tests.adapters.helm.test_failures import TEXTS

HERE = Path(__file__).parent
CANARY = "c4n4ry-v4lue"
RENDER = f"""\
---
# Source: web/templates/a.yaml
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
---
# Source: web/templates/s.yaml
apiVersion: v1
kind: Secret
metadata: {{name: token}}
stringData: {{password: {CANARY}}}
"""
CHANGES = (
    Change("ConfigMap/shop/settings", "ConfigMap", "shop/settings", "update", changed_keys=("data.k",)),
    Change("ConfigMap/shop/old", "ConfigMap", "shop/old", "delete"),
    Change("ConfigMap/shop/kept", "ConfigMap", "shop/kept", "none", tracking="forget"),
    Change("Secret/shop/token", "Secret", "shop/token", "create"),
)
NOT_DEPLOYED = ("nothing was deployed",)

TEMPLATE = "helm template web ./web --namespace=shop --dry-run=server"
VERSION = "helm version --template={{.Version}}"
METADATA = "helm get metadata web --namespace=shop --output=json"
HISTORY = "helm history web --namespace=shop --output=json"


def upgrade(*flags: str) -> str:
    return " ".join(("helm upgrade web ./web --namespace=shop --install --reset-values", *flags, "--hide-notes"))


def plan(render: str = RENDER) -> HelmPlan:
    digests = manifests.digests(render.encode(), "shop")
    whole = hashlib.sha256(render.encode()).hexdigest()
    return HelmPlan(whole, tuple(digests.objects.items()), CHANGES, tuple(digests.objects))


def metadata(name: str) -> Outcome:
    return printed((HERE / "metadata" / f"{name}.json").read_bytes())


def history(name: str) -> Outcome:
    return printed((HERE / "histories" / f"{name}.json").read_bytes())


def at(tmp_path: Path, helm: str = "v4.3.0", ended: Outcome | None = None, **answers: Outcome) -> World:
    """Set up a stack; each of ``answers`` is a command, with a line for each space (``get_metadata``)."""
    return world(
        tmp_path,
        {
            "helm template": printed(RENDER),
            "helm version": printed(helm),
            "helm get metadata": metadata("own-4.3.0"),
            "helm upgrade": ended or printed(),
            "helm history": history("deployed-4.3.0"),
        }
        | {f"helm {name.replace('_', ' ')}": outcome for name, outcome in answers.items()},
    )


def run(here: World, *, repair: bool = False, render: str = RENDER) -> Deployed | Failure:
    return deploy(here.place, plan(render), repair_drift=repair)


def failed(here: World, *, repair: bool = False, render: str = RENDER) -> Failure:
    result = run(here, repair=repair, render=render)
    assert isinstance(result, Failure)
    assert result.done == ()
    return result


# the order, and the flags


@pytest.mark.parametrize(
    ("version", "flag"),
    [
        ("v3.18.0", "--atomic"),
        ("v3.22.0", "--atomic"),
        ("v4.0.0", "--rollback-on-failure"),
        ("v5.1.0", "--rollback-on-failure"),
    ],
)
def test_the_flag_follows_the_helm_that_runs(tmp_path: Path, version: str, flag: str) -> None:
    here = at(tmp_path, version)
    assert isinstance(run(here), Deployed)
    assert here.runner.lines == [TEMPLATE, VERSION, upgrade(flag)]
    assert [command.writes for command in here.runner.asked] == [False, False, True]


@pytest.mark.parametrize(
    ("version", "release", "flags"),
    [
        ("v4.3.0", "own-4.3.0", ["--rollback-on-failure", "--force-conflicts"]),
        ("v4.3.0", "of-helm-3-4.3.0", ["--rollback-on-failure"]),
        ("v4.3.0", "of-helm-3-upgraded-4.3.0", ["--rollback-on-failure"]),
    ],
)
def test_a_repair_forces_only_what_is_applied_server_side(
    tmp_path: Path, version: str, release: str, flags: list[str]
) -> None:
    here = at(tmp_path, version, get_metadata=metadata(release))
    assert isinstance(run(here, repair=True), Deployed)
    assert here.runner.lines == [TEMPLATE, VERSION, METADATA, upgrade(*flags)]


def test_a_repair_with_helm_3_reads_no_metadata(tmp_path: Path) -> None:
    here = at(tmp_path, "v3.18.0")
    assert isinstance(run(here, repair=True), Deployed)
    assert here.runner.lines == [TEMPLATE, VERSION, upgrade("--atomic")]


def test_a_chart_that_was_rendered_for_the_clusters_version_is_again(tmp_path: Path) -> None:
    here = at(tmp_path, "v3.18.0")
    assert isinstance(deploy(here.place, replace(plan(), validated=True), repair_drift=False), Deployed)
    assert here.runner.lines[0] == TEMPLATE.replace(" --dry-run", " --validate --dry-run")


def test_the_options_of_the_stack_are_passed(tmp_path: Path) -> None:
    here = world(
        tmp_path,
        {"helm template": printed(RENDER), "helm version": printed("v4.3.0"), "helm upgrade": printed()},
        chart="oci://example.com/web",
        version="1.2.3",
        valuesFiles=["a.yaml", "b.yaml"],
        createNamespace=True,
    )
    assert isinstance(run(here), Deployed)
    chart, files = "web oci://example.com/web --namespace=shop --version=1.2.3", "--values=a.yaml --values=b.yaml"
    assert here.runner.lines == [
        f"helm template {chart} --dry-run=server {files}",
        VERSION,
        f"helm upgrade {chart} --install --reset-values --rollback-on-failure --create-namespace --hide-notes {files}",
    ]


def test_what_was_done_is_the_whole_release_and_what_the_row_deleted(tmp_path: Path) -> None:
    result = run(at(tmp_path, "v4.3.0"))
    assert isinstance(result, Deployed)
    assert result.done == (*(f"applied {it}" for it in plan().applied), "deleted ConfigMap/shop/old")


def test_helm_3_does_not_tell_of_what_it_could_not_delete(tmp_path: Path) -> None:
    result = run(at(tmp_path, "v3.18.0"))
    assert isinstance(result, Deployed)
    assert result.notes == (
        "Helm 3 does not tell of an object that it can't delete: see that ConfigMap/shop/old is gone",
    )


def test_what_the_fresh_render_holds_is_concealed_before_anything_is_deployed(tmp_path: Path) -> None:
    here = at(tmp_path)
    run(here)
    assert here.runner.lines[here.concealed[CANARY] :] == [VERSION, upgrade("--rollback-on-failure")]


def test_what_the_charts_values_hold_is_concealed_before_the_first_command(tmp_path: Path) -> None:
    here = at(tmp_path)
    (here.place.directory / "web" / "values.yaml").write_text("password: v4lue-of-the-chart\n")
    here.runner.answers = {"helm template": exited()}
    failed(here)
    assert here.concealed["v4lue-of-the-chart"] == 0


# what deploys nothing


def test_a_render_that_fails_deploys_nothing(tmp_path: Path) -> None:
    here = at(tmp_path, template=exited(TEXTS["template.required-template-4.3.0"]))
    result = failed(here)
    assert here.runner.lines == [TEMPLATE]
    assert result.reason.text.startswith("helm template exited with code 1: the chart's template ")
    assert (result.notes, result.moved) == (NOT_DEPLOYED, False)


@pytest.mark.parametrize(
    ("before", "after", "objects"),
    [
        ("name: settings", "name: other", "ConfigMap/shop/other, ConfigMap/shop/settings"),
        (CANARY, "another-v4lue", "Secret/shop/token"),
    ],
)
def test_another_render_moved_the_stack_and_deploys_nothing(
    tmp_path: Path, before: str, after: str, objects: str
) -> None:
    here = at(tmp_path)
    result = failed(here, render=RENDER.replace(before, after))
    assert here.runner.lines == [TEMPLATE]
    assert result.moved
    assert (result.reason.detail, dict(result.reason.names)) == ("random-render", {"objects": objects})
    assert f"the chart renders something else than it did for the preview: {objects}. " in result.reason.text
    assert result.notes == NOT_DEPLOYED
    assert "v4lue" not in f"{result!r} {result.reason.text}"


def test_a_render_that_differs_in_its_text_alone_is_another_one_too(tmp_path: Path) -> None:
    result = failed(at(tmp_path), render=f"# a comment\n{RENDER}")
    assert result.moved
    assert dict(result.reason.names) == {}
    assert "no object, only the text around them" in result.reason.text


def test_at_most_five_objects_are_told_and_all_are_named(tmp_path: Path) -> None:
    more = "".join(f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{number}}}\n" for number in range(7))
    result = failed(at(tmp_path), render=RENDER + more)
    assert "ConfigMap/shop/m4 and 2 more" in result.reason.text
    assert result.reason.names["objects"].endswith("ConfigMap/shop/m6")


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        (printed("v3.17.4"), "tool-too-old"),
        (printed(CANARY), "unreadable-output"),
        (exited(CANARY), "unreadable-output"),
        (Outcome("timed-out", -2, limit=1), "timed-out"),
        (Outcome("interrupted"), "tool-error"),
    ],
)
def test_a_version_that_cannot_be_read_deploys_nothing(tmp_path: Path, version: Outcome, kind: str) -> None:
    here = at(tmp_path, version=version)
    result = failed(here, repair=True)
    assert here.runner.lines == [TEMPLATE, VERSION]
    assert (result.reason.kind, result.notes) == (kind, NOT_DEPLOYED)
    assert CANARY not in f"{result!r} {result.reason.text}"


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (exited(TEXTS["not-found.metadata-4.3.0"]), "tool-error"),
        (printed(""), "unreadable-output"),
        (printed("[" * 100_000), "unreadable-output"),
        (printed("[]"), "unreadable-output"),
        (printed("{}"), "unreadable-output"),
        (printed('{"name": "other", "applyMethod": "ssa"}'), "unreadable-output"),
        (printed(f'{{"name": "web", "applyMethod": "{CANARY}"}}'), "unreadable-output"),
        (printed('{"name": "web", "applyMethod": null}'), "unreadable-output"),
        (printed('{"name": "web", "applyMethod": ["ssa"]}'), "unreadable-output"),
    ],
)
def test_a_metadata_that_cannot_be_read_deploys_nothing(tmp_path: Path, found: Outcome, kind: str) -> None:
    here = at(tmp_path, get_metadata=found)
    result = failed(here, repair=True)
    assert here.runner.lines == [TEMPLATE, VERSION, METADATA]
    assert (result.reason.kind, result.notes) == (kind, NOT_DEPLOYED)
    assert CANARY not in f"{result!r} {result.reason.text}"


# an upgrade that failed


@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
@pytest.mark.parametrize(
    ("case", "detail", "note"),
    [
        ("rolled-back-timeout.upgrade", None, "helm rolled the release back: as far as it said, nothing of this "),
        ("uninstalled-invalid.upgrade", None, "helm uninstalled what this first deploy had made: as far as it said, "),
        ("rollback-timeout.upgrade", "rollback-failed", "the deploy was half done, and so is the rollback: "),
        ("no-good-revision.upgrade", "rollback-failed", "what this deploy made is still there, in part or whole: "),
        ("kind-unknown.upgrade", "kind-unknown", "as far as helm said, nothing was deployed"),
    ],
)
def test_what_an_upgrade_that_failed_left(
    tmp_path: Path, case: str, version: str, detail: str | None, note: str
) -> None:
    here = at(tmp_path, f"v{version}", exited(TEXTS[f"{case}-{version}"]))
    result = failed(here)
    assert result.reason.detail == detail
    assert len(result.notes) == 1
    assert result.notes[0].startswith(note)
    assert not result.moved
    assert len(here.runner.asked) == 3


def test_an_uninstall_that_failed_too(tmp_path: Path) -> None:
    result = failed(at(tmp_path, "v3.18.0", exited(TEXTS["forbidden.install-3.18.0"])))
    assert result.notes[0].startswith("what this first deploy made may still be there, in part or whole. ")


@pytest.mark.parametrize(
    ("cause", "detail"),
    [
        ('Put "http://127.0.0.1:1/api/v1/namespaces/shop/secrets/sh.helm.release.v1.web.v2": EOF', None),
        ('secrets "sh.helm.release.v1.web.v2" is forbidden: User "robot" cannot update resource "secrets"', "denied"),
    ],
)
def test_an_upgrade_whose_end_could_not_be_recorded_was_deployed(
    tmp_path: Path, cause: str, detail: str | None
) -> None:
    result = failed(at(tmp_path, ended=exited(f"Error: UPGRADE FAILED: update: failed to update: {cause}\n")))
    assert result.reason.detail == detail
    (note,) = result.notes
    assert note.startswith("the deploy went on to its end, and helm could not record that")


@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
@pytest.mark.parametrize(
    ("state", "step"),
    [
        ("pending-upgrade", "`helm rollback web 1 --namespace=shop` goes back to the revision that is deployed."),
        ("pending-rollback", "`helm rollback web 1 --namespace=shop` goes back to the revision that is deployed."),
        ("pending-install", "no revision was ever deployed, and `helm uninstall web --namespace=shop` takes away "),
    ],
)
def test_a_pending_release_has_the_command_that_gets_out_of_it(
    tmp_path: Path, state: str, version: str, step: str
) -> None:
    text = TEXTS[f"pending.{state.removeprefix('pending-')}-{version}"]
    here = at(tmp_path, f"v{version}", exited(text), history=history(f"{state}-{version}"))
    result = failed(here)
    assert here.runner.lines[-1] == HISTORY
    assert result.reason.detail == "release-pending"
    assert result.reason.next_step.startswith("If nothing is at work on it: ")
    assert step in result.reason.next_step
    assert result.notes == ("as far as helm said, nothing was deployed",)


@pytest.mark.parametrize(("version", "stumbles"), [("3.18.0", True), ("4.3.0", False)])
def test_helm_3_may_fail_on_the_way_out_and_that_is_said(tmp_path: Path, version: str, *, stumbles: bool) -> None:
    text, found = TEXTS[f"pending.upgrade-{version}"], history(f"pending-upgrade-{version}")
    result = failed(at(tmp_path, f"v{version}", exited(text), history=found))
    assert ("with the name … found" in result.reason.next_step) == stumbles
    assert ("deploy again" in result.reason.next_step) == stumbles


@pytest.mark.parametrize(
    "found",
    [
        exited(),
        Outcome("timed-out", -2, limit=1),
        printed(""),
        printed("{}"),
        printed("[]"),
        printed("[1]"),
        printed('[{"revision": true, "status": "pending-upgrade"}]'),
        history("deployed-4.3.0"),
    ],
)
def test_without_a_history_the_ways_out_are_told_in_general(tmp_path: Path, found: Outcome) -> None:
    result = failed(at(tmp_path, ended=exited(TEXTS["pending.upgrade-4.3.0"]), history=found))
    assert "`helm history web --namespace=shop` shows which revision is deployed" in result.reason.next_step


@pytest.mark.parametrize("ended", ["timed-out", "interrupted"])
@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
def test_an_upgrade_that_was_ended_and_could_roll_back(tmp_path: Path, version: str, ended: End) -> None:
    stderr = TEXTS[f"interrupted.upgrade-{version}"]
    result = failed(at(tmp_path, f"v{version}", Outcome(ended, 1, b"", stderr, limit=10)))
    (note,) = result.notes
    # Helm's upgrade goes on beside its rollback: seen, objects of the deploy and objects that it had deleted.
    assert note.startswith("helm rolled the release back, as far as it said; but it was interrupted")
    assert "may be as this deploy wanted it, or gone" in note


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("timed-out", -9, limit=10),
        Outcome("interrupted", -9),
        Outcome("interrupted", 1, b"", TEXTS["kind-unknown.upgrade-4.3.0"]),
        Outcome("too-large", -2),
        exited(code=-9),
        exited(code=1),
        exited(f"{CANARY}\n", code=2),
    ],
)
def test_where_helm_did_not_say_what_it_left_the_way_to_see_it_is_told(tmp_path: Path, outcome: Outcome) -> None:
    result = failed(at(tmp_path, ended=outcome))
    (note,) = result.notes
    assert note.startswith("how far the deploy came can't be told: the release may be left pending, ")
    assert "`helm history web --namespace=shop` shows it" in note
    assert "`helm rollback web <revision> --namespace=shop` to the revision that is deployed gets out of it" in note
    assert "`helm uninstall web --namespace=shop` where none is" in note


@pytest.mark.parametrize("ended", ["interrupted", "timed-out", "not-started"])
def test_an_upgrade_that_never_started(tmp_path: Path, ended: End) -> None:
    assert failed(at(tmp_path, ended=Outcome(ended, None, limit=1))).notes == NOT_DEPLOYED


def test_a_conflict_names_the_repair(tmp_path: Path) -> None:
    result = failed(at(tmp_path, ended=exited(TEXTS["conflict.one-4.3.0"])))
    assert dict(result.reason.names) == {"manager": "kubectl-patch", "field": "data.k", "object": "ConfigMap settings"}
    assert "a deploy with --repair-drift takes it back" in result.reason.next_step
