"""What changed outside the chart: told apart from what the chart changes, and taken back on request, by both helms."""

import json
from base64 import b64encode
from typing import Any

import pytest

from recorder import tools
from tests.live.conftest import HELMS
from tests.live.helm_repo import HelmRepo, custom_kind, difference, hook
from tests.live.repo import CANARY, SECRET, config_map, deployment, secret

pytestmark = pytest.mark.live

KINDS = (("v1", "ConfigMap"), ("v1", "Secret"), ("apps/v1", "Deployment"))


def encoded(value: str, **metadata: Any) -> Any:
    """Return a Secret that states its data in base64."""
    data = {"p": b64encode(f"{SECRET}-{value}".encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", **metadata}, "data": data}


def web(replicas: int) -> Any:
    made = deployment(replicas=replicas)
    made["spec"]["template"]["spec"]["tolerations"] = [{"key": "a", "operator": "Exists"}]
    return made


def test_every_hand_is_told_and_taken_back(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    space = shop.namespace
    maps = [config_map(name) for name in ("edited", "gone", "patched", "ours")]
    objects = [web(1), encoded("1"), *maps, hook(config_map("hooked")),
               hook(config_map("brief"), delete="before-hook-creation,hook-succeeded")]  # fmt: skip
    shop.chart(*objects)
    shop.put_out()
    assert shop.live("ConfigMap", "brief") is None
    quiet = shop.drift()
    assert (quiet.row["state"], quiet.row["driftChecked"], quiet.row["drift"]) == ("in-sync", True, [])
    before = shop.objects(*KINDS)

    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    shop.by_hand("patch", "deployment", "web", '-p={"spec":{"template":{"spec":{"tolerations":[{"key":"b"}]}}}}')
    # Fields that the chart does not set are no drift; neither is what a hook is made of.
    shop.by_hand("label", "deployment", "web", f"ours={CANARY}")
    shop.by_hand("patch", "deployment", "web", '-p={"spec":{"minReadySeconds":1}}')
    shop.by_hand("patch", "configmap", "hooked", f'-p={{"data":{{"k":"{CANARY}-hand"}}}}')
    shop.by_hand("patch", "configmap", "patched", f'-p={{"data":{{"k":"{CANARY}-hand"}}}}')
    shop.by_hand("patch", "secret", "s", f'-p={{"stringData":{{"p":"{SECRET}-hand"}}}}')
    shop.environment["EDITOR"] = str(shop.program("editor", f'sed -i "s/{CANARY}-1/{CANARY}-edited/" "$1"'))
    shop.by_hand("edit", "configmap", "edited")
    shop.by_hand("delete", "configmap", "gone")
    # The code goes on too, and that is no drift.
    objects[5] = config_map("ours", data={"k": f"{CANARY}-2"})
    shop.chart(*objects)

    seen = shop.drift()
    tolerations = "spec.template.spec.tolerations[0]"
    assert (seen.row["state"], seen.changes) == ("pending", {f"ConfigMap/{space}/ours": ["data.k"]})
    assert seen.drift.pop(f"Deployment.apps/{space}/web")[0] == "spec.replicas"
    assert all(key.startswith(tolerations) for key in seen.drift[f"Deployment.apps/{space}/web"][1:])
    assert {**seen.drift, f"Deployment.apps/{space}/web": []} == {
        f"ConfigMap/{space}/edited": ["data.k"],
        f"ConfigMap/{space}/gone": "delete",
        f"ConfigMap/{space}/patched": ["data.k"],
        f"Deployment.apps/{space}/web": [],
        f"Secret/{space}/s": ["data"],
    }
    plain = shop.preview()
    assert plain.row["hash"] != seen.row["hash"]
    assert "drift" not in plain.row or not plain.row["drift"]

    moved = shop.deploy(seen.row["hash"])
    assert (moved.code, moved.row["outcome"], moved.argv("upgrade")) == (1, "moved", [])
    assert "--repair-drift" in moved.notes
    done = shop.deploy(seen.row["hash"], "--repair-drift")
    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert ("--force-conflicts" in done.argv("upgrade")[0]) == (shop.major == 4)
    after = shop.objects(*KINDS)
    label, seconds = "metadata.labels.ours", "spec.minReadySeconds"
    assert difference(before, after) == {
        f"ConfigMap/{space}/ours": ["data.k"],
        f"Deployment.apps/{space}/web": [label, seconds],
    }
    settled = shop.drift()
    assert (settled.row["state"], settled.changes, settled.drift) == ("in-sync", {}, {})


def test_a_field_that_code_and_hand_change_is_the_codes(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(deployment(replicas=1), config_map("c", data={"k": f"{CANARY}-1", "l": f"{CANARY}-1"}))
    shop.put_out()
    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    shop.by_hand("patch", "configmap", "c", f'-p={{"data":{{"k":"{CANARY}-hand","l":"{CANARY}-hand"}}}}')
    shop.chart(deployment(replicas=2), config_map("c", data={"k": f"{CANARY}-2", "l": f"{CANARY}-1"}))

    seen = shop.drift()

    address = f"ConfigMap/{shop.namespace}/c"
    assert seen.changes == {
        address: ["data.k"],
        f"Deployment.apps/{shop.namespace}/web": ["spec.replicas"],
    }
    assert seen.drift == {address: ["data.l"]}
    assert shop.deploy(seen.row["hash"], "--repair-drift").code == 0
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 2
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-2", "l": f"{CANARY}-1"}


def test_a_field_that_both_change_and_nothing_else_drifts(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    address = f"Deployment.apps/{shop.namespace}/web"
    shop.chart(deployment(replicas=1))
    shop.put_out()
    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    shop.chart(deployment(replicas=2))
    seen = shop.drift()
    assert (seen.changes, seen.drift) == ({address: ["spec.replicas"]}, {})

    answer = shop.deploy(seen.row["hash"], "--repair-drift")

    if shop.major == 3:
        assert (answer.code, answer.row["outcome"]) == (0, "deployed")
        assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 2
        return
    # Nothing was approved that takes the field from its holder (record 0069).
    assert (answer.code, answer.row["outcome"]) == (1, "failed")
    assert (answer.row["reason"]["names"]["manager"], answer.row["reason"]["names"]["field"]) == (
        "kubectl",
        "spec.replicas",
    )
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 3
    # The way out: the value as it was is drift, and taken back; then the code's change goes through.
    shop.chart(deployment(replicas=1))
    shop.put_out("--repair-drift")
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1
    shop.chart(deployment(replicas=2))
    shop.put_out()
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 2
    assert shop.drift().row["state"] == "in-sync"


def test_without_a_repair_a_taken_field_is_kept_or_a_conflict(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    space = shop.namespace
    shop.chart(deployment(replicas=1), config_map("c"))
    shop.put_out()
    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    shop.chart(deployment(replicas=1), config_map("c", data={"k": f"{CANARY}-2"}))

    seen = shop.preview()
    assert seen.changes == {f"ConfigMap/{space}/c": ["data.k"]}
    answer = shop.deploy(seen.row["hash"])

    if shop.major == 3:
        # Helm 3 merges into what is there on every upgrade: it puts drift back without being asked.
        assert (answer.code, answer.row["outcome"]) == (0, "deployed")
        assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1
        return
    assert (answer.code, answer.row["outcome"]) == (1, "failed")
    reason = answer.row["reason"]
    assert reason["detail"] in ("rollback-failed", "conflict")
    assert "conflict" in reason["text"] or "holds" in reason["text"]
    names = reason["names"]
    assert (names["manager"], names["field"]) == ("kubectl", "spec.replicas"), names
    assert "web" in names["object"]
    assert "--repair-drift" in reason["text"]
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 3
    # The drift check tells of it, and the repair is the way out.
    told = shop.drift()
    assert told.drift == {f"Deployment.apps/{space}/web": ["spec.replicas"]}
    assert told.row["state"] == "pending"
    done = shop.deploy(told.row["hash"], "--repair-drift")
    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-2"}
    settled = shop.drift()
    assert (settled.row["state"], settled.drift) == ("in-sync", {})


def test_a_release_that_helm_3_made_is_never_forced(shop: HelmRepo) -> None:
    if shop.major == 3:
        pytest.skip("it takes a Helm 4 that meets such a release")
    older = tools.need("helm", HELMS["1.34"]).path
    shop.configure(shop.stack())
    shop.chart(deployment(replicas=1), config_map("c"), secret("s", p=f"{SECRET}-1"))
    shop.by_hand_helm("install", "app", "./app", helm=older)
    assert shop.drift().row["state"] == "in-sync"

    shop.chart(deployment(replicas=1), config_map("c", data={"k": f"{CANARY}-2"}), secret("s", p=f"{SECRET}-1"))
    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    shop.by_hand("patch", "secret", "s", f'-p={{"stringData":{{"p":"{SECRET}-hand"}}}}')
    seen = shop.drift()
    assert seen.changes == {f"ConfigMap/{shop.namespace}/c": ["data.k"]}
    assert seen.drift == {f"Deployment.apps/{shop.namespace}/web": ["spec.replicas"],
                          f"Secret/{shop.namespace}/s": ["data"]}  # fmt: skip

    done = shop.deploy(seen.row["hash"], "--repair-drift")

    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert "--force-conflicts" not in done.argv("upgrade")[0]
    assert len([argv for argv in done.argv("get") if argv[1] == "metadata"]) == 1
    assert shop.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1
    assert shop.drift().row["state"] == "in-sync"


def test_a_chart_of_hooks_alone_has_no_drift(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    hooks = [hook(config_map("a")), hook(secret("b", p=f"{SECRET}-1"), delete="before-hook-creation")]
    tested = hook(config_map("tested"), events="test")
    shop.chart(*hooks, tested)
    first = shop.preview()
    assert first.changes == {f"ConfigMap/{shop.namespace}/a": "create", f"Secret/{shop.namespace}/b": "create"}
    shop.put_out()
    shop.by_hand("delete", "configmap", "a")
    shop.by_hand("patch", "secret", "b", f'-p={{"stringData":{{"p":"{SECRET}-hand"}}}}')

    seen = shop.drift()
    assert (seen.code, seen.row["state"], seen.row["driftChecked"], seen.drift) == (0, "in-sync", True, {})

    shop.chart(*hooks, tested, config_map("plain"))
    shop.put_out()
    shop.by_hand("delete", "configmap", "plain")
    assert shop.drift().drift == {f"ConfigMap/{shop.namespace}/plain": "delete"}


def test_what_can_not_be_told_of_a_custom_object_is_said(shop: HelmRepo) -> None:
    group = f"{shop.namespace}.example.com"
    shop.server.create(custom_kind(group, "Part"))
    shop.served(f"{group}/v1", "Part")
    shop.configure(shop.stack())
    parts = [{"apiVersion": f"{group}/v1", "kind": "Part", "metadata": {"name": name}, "spec": {"a": f"{CANARY}-1"}}
             for name in ("changed", "gone")]  # fmt: skip
    shop.chart(*parts)
    shop.put_out()
    address = f"Part.{group}/{shop.namespace}"
    patch = json.dumps({"spec": {"a": f"{CANARY}-hand"}})
    shop.by_hand("patch", f"parts.{group}", "changed", "--type=merge", f"-p={patch}")
    shop.by_hand("delete", f"parts.{group}", "gone")

    seen = shop.drift()

    assert seen.drift == {f"{address}/gone": "delete"}
    assert "can't be told" in seen.notes
    assert f"{address}/changed" in seen.notes
    done = shop.deploy(seen.row["hash"], "--repair-drift")
    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert shop.live("Part", "gone", f"{group}/v1")["spec"] == {"a": f"{CANARY}-1"}


def test_a_release_that_is_not_there_has_no_drift(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(config_map("c"))
    shop.server.create(config_map("other", shop.namespace))
    seen = shop.drift()
    assert (seen.row["state"], seen.row["driftChecked"], seen.drift) == ("pending", True, {})

    # An object of the chart's name that someone else made: there is no row to approve, and nothing is taken over.
    shop.chart(config_map("c"), config_map("other"))
    failed = shop.preview()
    assert (failed.code, failed.row["state"], failed.row["reason"]["names"]["object"]) == (1, "preview-failed", "other")
    assert "never takes" in failed.row["reason"]["text"]
    assert shop.deploy(seen.row["hash"]).argv("upgrade") == []
    assert shop.config_maps() == {"other"}


def test_a_persons_settings_of_the_plugin_change_nothing(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(deployment(replicas=1), config_map("c"), secret("s", p=f"{SECRET}-1"))
    shop.put_out()
    shop.by_hand("scale", "deployment", "web", "--replicas=3")
    objects = [deployment(replicas=1), config_map("c", data={"k": f"{CANARY}-2"}), secret("s", p=f"{SECRET}-2")]
    shop.chart(*objects)
    plain, drifted = shop.preview().row, shop.drift().row
    settings = {
        "HELM_DIFF_THREE_WAY_MERGE": "true",
        "HELM_DIFF_SHOW_SECRETS": "true",
        "HELM_DIFF_OUTPUT": "json",
        "HELM_DIFF_COLOR": "true",
        "HELM_DIFF_USE_UPGRADE_DRY_RUN": "true",
        "HELM_DIFF_IGNORE_UNKNOWN_FLAGS": "true",
        "HELM_DIFF_NORMALIZE_MANIFESTS": "true",
    }

    for with_them, without in ((shop.preview(**settings).row, plain), (shop.drift(**settings).row, drifted)):
        for key in ("hash", "changes", "drift", "notes"):
            assert with_them.get(key) == without.get(key)
    # A person's own diff is made with their own settings.
    assert "Deployment" not in shop.run("diff", "app").out
    assert "Deployment" in shop.run("diff", "app", HELM_DIFF_THREE_WAY_MERGE="true").out
