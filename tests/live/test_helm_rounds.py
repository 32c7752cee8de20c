"""The rounds of a Helm stack: look, approve, deploy exactly that, in sync. On the chart of the example."""

import json
from typing import Any

import pytest

from tests.live.helm_repo import HelmRepo
from tests.live.repo import CANARY, SECRET, config_map, deployment, secret

pytestmark = pytest.mark.live

WEB = "charts/web"


def test_the_rounds_of_the_example(shop: HelmRepo) -> None:
    shop.example()
    space = shop.namespace
    assert shop.run("check", "--format=json").document["problems"] == []
    assert [row["stack"] for row in shop.run("stacks", "--format=json").document["stacks"]] == [WEB, "charts/worker"]

    seen = shop.preview()
    assert (seen.code, {row["state"] for row in seen.rows.values()}) == (0, {"pending"})
    web = {change["address"]: change["op"] for change in seen.rows[WEB]["changes"]}
    assert web == dict.fromkeys(
        (
            f"ConfigMap/{space}/web-released",
            f"ConfigMap/{space}/web-settings",
            f"Deployment.apps/{space}/web",
            f"Secret/{space}/web-credentials",
            f"Service/{space}/web",
        ),
        "create",
    )
    # Both dependencies of the worker were built, lowest first: what the lower one brings is on the row.
    worker = {change["address"] for change in seen.rows["charts/worker"]["changes"]}
    assert {f"ConfigMap/{space}/worker-base", f"ConfigMap/{space}/worker-queue"} < worker
    assert shop.objects(("v1", "ConfigMap")) == {}

    hashes = [f"--hash={name}={row['hash']}" for name, row in seen.rows.items()]
    done = shop.run("deploy", *seen.rows, *hashes, "--format=json")
    assert (done.code, {row["outcome"] for row in done.rows.values()}) == (0, {"deployed"})
    assert set(done.rows[WEB]["done"]["applied"]) == set(web)
    assert all("--hide-notes" in argv for argv in done.argv("upgrade"))
    assert shop.statuses("web") == shop.statuses("worker") == ["deployed"]
    again = shop.drift(WEB, "--exit-code")
    assert (again.code, again.row["state"], again.row["driftChecked"], again.notes) == (0, "in-sync", True, "")
    assert shop.preview("--exit-code").code == 0
    nothing = shop.deploy(None, stack=WEB)
    assert (nothing.code, nothing.row["outcome"], nothing.argv("upgrade")) == (0, "in-sync", [])

    values = "charts/web/values-shop.yaml"
    shop.edit(values, "replicas: 2", "replicas: 3")
    shop.edit(values, "CANARY-web-banner", "CANARY-web-banner-2")
    shop.edit(values, "token: CANARY-credentials-token", "token: CANARY-credentials-token-2")
    shop.edit("charts/web/templates/settings.yaml", "  log-level:", "  more.level:")
    shop.remove("charts/web/templates/service.yaml")
    shop.write("charts/web/templates/new.yaml", json.dumps(config_map("new")))
    mixed = shop.preview(WEB, "--exit-code")
    assert mixed.code == 3
    assert mixed.changes == {
        f"ConfigMap/{space}/new": "create",
        f"ConfigMap/{space}/web-released": ["data.banner"],
        f"ConfigMap/{space}/web-settings": ['data["log-level"]', 'data["more.level"]'],
        f"Deployment.apps/{space}/web": ["spec.replicas", "spec.template.spec.containers[0].env[1].value"],
        f"Secret/{space}/web-credentials": ["data"],
        f"Service/{space}/web": "delete",
    }
    every_form(shop, mixed.row["hash"])
    deployed = shop.deploy(mixed.row["hash"], stack=WEB)
    assert (deployed.code, deployed.row["outcome"]) == (0, "deployed")
    assert deployed.row["done"]["deleted"] == [f"Service/{space}/web"]
    assert shop.live("Service", "web") is None
    assert shop.preview("--exit-code").code == 0


def every_form(shop: HelmRepo, digest: str) -> None:
    text, markdown = shop.run("preview", WEB), shop.run("preview", WEB, "--format=markdown")
    shown = shop.run("diff", WEB)
    for form in (text, markdown):
        assert (form.code, digest in form.out, f"{shop.namespace}/web-settings" in form.out) == (0, True, True)
    assert shown.code == 0
    # A person's own diff shows the code's values, and nothing of a Secret.
    assert "web-settings, ConfigMap" in shown.out
    for hidden in ("CANARY-credentials", *encoded("CANARY-credentials-token", "CANARY-credentials-token-2")):
        assert hidden not in shown.out + shown.err


def encoded(*texts: str) -> list[str]:
    from base64 import b64encode  # noqa: PLC0415

    return [b64encode(text.encode()).decode() for text in texts]


def test_update_create_and_delete_are_each_deployed_as_approved(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    space = shop.namespace
    objects: list[Any] = [config_map("c"), secret("s", p=f"{SECRET}-1"), deployment(replicas=1)]
    shop.chart(*objects)
    assert set(shop.put_out().row["done"]["applied"]) == {
        f"ConfigMap/{space}/c",
        f"Deployment.apps/{space}/web",
        f"Secret/{space}/s",
    }

    objects[0] = config_map("c", data={"k": f"{CANARY}-2"})
    shop.chart(*objects)
    fresh = shop.preview().row["hash"]
    moved = shop.deploy("0123456789abcdef")
    assert (moved.code, moved.row["outcome"], moved.row["hash"], moved.argv("upgrade")) == (1, "moved", fresh, [])
    assert "0123456789abcdef was approved" in moved.notes
    objects.append(config_map("d"))
    shop.chart(*objects)
    stale = shop.deploy(fresh)
    assert (stale.code, stale.row["outcome"], stale.argv("upgrade")) == (1, "moved", [])
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-1"}
    assert shop.statuses() == ["deployed"]
    refused = shop.deploy(None)
    assert (refused.code, refused.row["outcome"]) == (2, "refused")
    assert f"sluiceway deploy app --hash {refused.row['hash']}" in refused.notes

    # What is put out is the whole release, as of a set of manifests.
    rest = {f"ConfigMap/{space}/d", f"Deployment.apps/{space}/web", f"Secret/{space}/s"}
    both = shop.put_out()
    assert set(both.row["done"]["applied"]) == {f"ConfigMap/{space}/c", *rest}
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-2"}
    shop.chart(*objects[1:])
    gone = shop.put_out()
    assert (set(gone.row["done"]["applied"]), gone.row["done"]["deleted"]) == (rest, [f"ConfigMap/{space}/c"])
    assert shop.config_maps() == {"d"}
    assert ("Helm 3 does not tell" in gone.notes) == (shop.major == 3)
    assert shop.statuses() == ["superseded", "superseded", "deployed"]


def test_listed_values_are_shown_and_hashed_a_secrets_never(shop: HelmRepo) -> None:
    shop.configure(shop.stack(), dashboard={"showValues": ["data.open", "spec.replicas"]})
    shop.chart(config_map("c", data={"open": "one", "shut": f"{CANARY}-1"}), secret("open", open=f"{SECRET}-1"))
    shop.put_out()
    hashes = set()
    for word in ("two", "three"):
        data = {"open": word, "shut": f"{CANARY}-{word}"}
        shop.chart(config_map("c", data=data), secret("open", open=f"{SECRET}-{word}"))
        row = shop.preview().row
        hashes.add(row["hash"])
        values = {change["address"]: change.get("values", []) for change in row["changes"]}
        assert values == {
            f"ConfigMap/{shop.namespace}/c": [{"path": "data.open", "old": "one", "new": word}],
            f"Secret/{shop.namespace}/open": [],
        }
    assert len(hashes) == 2


def test_stacks_side_by_side_fail_alone(shop: HelmRepo) -> None:
    names = [f"s{number}" for number in range(4)]
    shop.configure(*(shop.stack(name) for name in names))
    for name in names:
        shop.chart(config_map(name), path=name)
    shop.chart(path="s2", text=f'{{{{ fail "{CANARY}" }}}}\n')

    seen = shop.preview()

    assert (seen.code, list(seen.rows)) == (1, names)
    assert {name for name, row in seen.rows.items() if row["state"] == "pending"} == {*names} - {"s2"}
    assert seen.rows["s2"]["reason"]["names"]["file"] == "s2/templates/all.yaml"
    assert len(seen.argv("version")) == 1
