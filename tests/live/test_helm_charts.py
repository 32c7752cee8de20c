"""Where a release goes and what its chart is made of; and a machine on which helm or its plugin is not there."""

import shutil
from typing import Any

import pytest

from tests.live.helm_repo import HelmRepo
from tests.live.repo import CANARY, Answer, config_map, documents

pytestmark = pytest.mark.live


def test_a_namespace_is_made_where_that_was_asked_for(shop: HelmRepo) -> None:
    place = f"{shop.namespace}-2"
    shop.configure(shop.stack(namespace=place))
    shop.chart(config_map("c"))

    seen = shop.preview()
    assert seen.changes == {f"ConfigMap/{place}/c": "create"}
    refused = shop.deploy(seen.row["hash"])
    reason = refused.row["reason"]
    assert (refused.code, reason["detail"], reason["names"]["namespace"]) == (1, "namespace-missing", place)
    assert "createNamespace" in reason["text"]
    assert shop.server.get("v1", "Namespace", None, place) is None

    shop.configure(shop.stack(namespace=place, createNamespace=True))
    asked = shop.preview()
    assert asked.row["hash"] == seen.row["hash"]
    done = shop.deploy(asked.row["hash"])
    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert "--create-namespace" in done.argv("upgrade")[0]
    assert shop.config_maps(place) == {"c"}
    assert shop.preview().row["state"] == "in-sync"


def test_values_files_count_in_their_order(shop: HelmRepo) -> None:
    metadata, data = "metadata: {name: {{ .Release.Name }} }", "data: {k: {{ .Values.k | quote }} }"
    text = f"apiVersion: v1\nkind: ConfigMap\n{metadata}\n{data}\n"
    files = {"own": [], "p": ["../common.yaml", "p.yaml"], "common": ["p.yaml", "../common.yaml"]}
    shop.write("common.yaml", documents({"k": f"{CANARY}-common"}))
    shop.configure(*(shop.stack(name, valuesFiles=listed) for name, listed in files.items()))
    for name in files:
        shop.chart(text=text, values={"k": f"{CANARY}-own"}, path=name)
        shop.write(f"{name}/p.yaml", documents({"k": f"{CANARY}-p"}))

    shop.put_out_all()

    for name in files:
        assert shop.live("ConfigMap", name)["data"] == {"k": f"{CANARY}-{name}"}


def test_a_chart_beside_the_stack_and_one_out_of_the_repo(shop: HelmRepo) -> None:
    shop.chart(config_map("c"), path="charts/web")
    shop.write("app/values.yaml", documents({"k": CANARY}))
    shop.configure(shop.stack(chart="../charts/web", valuesFiles=["values.yaml"]))
    shop.put_out()
    assert shop.config_maps() == {"c"}

    outside = shop.machine / "outside"
    shutil.copytree(shop.root / "charts" / "web", outside)
    shop.configure(shop.stack(chart="../../machine/outside"))
    for command in ("check", "preview"):
        answer = shop.run(command, "--format=json")
        assert answer.code == 2
        assert "leads out of the repo" in answer.out + answer.err
    (shop.root / "app" / "linked").symlink_to(outside)
    shop.configure(shop.stack(chart="./linked"))
    linked = shop.run("check")
    assert "leads out of the repo" in linked.out + linked.err
    assert shop.preview().argv("diff") == []


def dependency(name: str, version: str = "1.0.0", repository: str = "") -> dict[str, str]:
    return {"name": name, "version": version, "repository": repository or f"file://../{name}"}


def test_local_charts_are_built_lowest_first(shop: HelmRepo) -> None:
    shop.configure(*(shop.stack(name) for name in ("app", "other", "broken", "circle")))
    shop.chart(config_map("base"), path="base")
    shop.chart(config_map("queue"), path="queue", dependencies=[dependency("base")])
    shop.chart(config_map("app"), path="app", dependencies=[dependency("queue")])
    alias = {**dependency("base"), "alias": "mine"}
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {k: x}\n"
    shop.chart(path="other", text=text, dependencies=[alias])
    shop.chart(config_map("broken"), path="broken", dependencies=[dependency("gone")])
    shop.chart(config_map("circle"), path="circle", dependencies=[dependency("round")])
    shop.chart(config_map("round"), path="round", dependencies=[dependency("circle")])

    seen = shop.preview()

    assert seen.code == 1
    space = shop.namespace
    states = {name: row["state"] for name, row in seen.rows.items()}
    assert (states["app"], states["other"], states["broken"]) == ("pending", "pending", "preview-failed")
    made = {name: {change["address"] for change in row["changes"]} for name, row in seen.rows.items()}
    assert made["app"] == {f"ConfigMap/{space}/{name}" for name in ("app", "base", "queue")}
    assert made["other"] == {f"ConfigMap/{space}/{name}" for name in ("base", "other")}
    reason = seen.rows["broken"]["reason"]
    assert (reason["kind"], reason["names"]["chart"]) == ("preparation-failed", "broken")
    assert "names a directory that is not there" in reason["text"]
    # A circle is not followed: it is left to helm, and never a row that leaves something out in silence.
    circle = seen.rows["circle"]
    assert circle["state"] == "preview-failed" or made["circle"] >= {f"ConfigMap/{space}/{name}"
                                                                     for name in ("circle", "round")}  # fmt: skip
    builds = seen.argv("dependency")
    # Each of the six that list dependencies was built once, whoever needs it.
    assert builds == [("dependency", "build", ".")] * 6

    digest = seen.rows["app"]["hash"]
    done = shop.deploy(digest)
    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row
    assert {"app", "base", "queue"} <= shop.config_maps()
    # What the lowest one says now is on the row of who depends on it.
    shop.chart(config_map("base", data={"k": f"{CANARY}-2"}), path="base")
    assert shop.preview("app").changes == {f"ConfigMap/{space}/base": ["data.k"]}


def failing(shop: HelmRepo, **environment: str) -> Any:
    """Return why nothing can be previewed, and check that nothing can be deployed or shown either."""
    seen = shop.preview(**environment)
    assert (seen.code, seen.row["state"]) == (1, "preview-failed")
    assert seen.argv("template") == []
    others: list[Answer] = [
        shop.drift(**environment),
        shop.deploy("0" * 16, **environment),
        shop.run("diff", "app", **environment),
    ]
    assert {answer.code for answer in others} == {1}
    assert all(answer.argv("upgrade") == [] for answer in others)
    return seen.row["reason"]


def test_a_machine_without_helm_or_its_plugin(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(config_map("c"))

    reason = failing(shop, PATH="/usr/bin:/bin")
    assert (reason["kind"], reason["names"]["tool"]) == ("tool-missing", "helm")

    nowhere = shop.machine / "nowhere"
    reason = failing(shop, HELM_PLUGINS=str(nowhere))
    assert (reason["kind"], reason["names"]["needed"]) == ("tool-missing", "3.15.11")
    assert "helm plugin install" in reason["text"]

    broken = shop.machine / "broken"
    shutil.copytree(shop.plugins / "diff", broken / "diff", ignore=shutil.ignore_patterns("bin"))
    reason = failing(shop, HELM_PLUGINS=str(broken))
    assert reason["kind"] == "tool-missing", reason
    assert "can't be started" in reason["text"]

    # check and stacks need no tool.
    assert shop.run("check", PATH="/usr/bin:/bin").code == 0
    assert shop.preview().code == 0


def test_a_helm_or_a_plugin_that_is_too_old(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(config_map("c"))

    shop.hook('if [ "$1" = version ]; then printf v3.17.3; exit; fi')
    reason = failing(shop)
    assert (reason["kind"], reason["names"]) == (
        "tool-too-old",
        {"tool": "helm", "found": "v3.17.3", "needed": "v3.18.0"},
    )

    shop.hook('if [ "$1 $2" = "diff version" ]; then echo 3.15.10; exit; fi')
    reason = failing(shop)
    assert reason["kind"] == "tool-too-old"
    assert (reason["names"]["found"], reason["names"]["needed"]) == ("3.15.10", "3.15.11")

    shop.hook('if [ "$1" = version ]; then echo "no version here"; exit; fi')
    assert failing(shop)["kind"] == "unreadable-output"
