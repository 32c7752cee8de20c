"""What the row says is what a deploy does in the cluster, also where the diff plugin shows nothing of it."""

from typing import Any

import pytest

from tests.live.helm_repo import HelmRepo, annotated, custom_kind, difference
from tests.live.repo import CANARY, SECRET, Answer, config_map, deployment, secret

pytestmark = pytest.mark.live

KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "CronJob"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io/v1", "Role"),
)
CUSTOM = ("AllowList", "Part", "Secret")
PAST_53_BITS = 2**53


def a(api_version: str, kind: str, **rest: Any) -> Any:
    """Return an object that is called as its kind."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": kind.lower()}, **rest}


def cron(deadline: int) -> Any:
    pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox:1"}]}}
    job = {"spec": {"activeDeadlineSeconds": deadline, "template": pod}}
    return a("batch/v1", "CronJob", spec={"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": job})


def policy(**peer: Any) -> Any:
    ingress = [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}, **peer}]}]
    return a("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}, "ingress": ingress})


def service(port: int) -> Any:
    ports = [{"name": "http", "port": port, "targetPort": 8080}]
    return a("v1", "Service", spec={"selector": {"app": "web"}, "ports": ports})


def role(*resources: str) -> Any:
    rules = [{"apiGroups": [""], "resources": list(resources), "verbs": ["get"]}]
    return a("rbac.authorization.k8s.io/v1", "Role", rules=rules)


def ingress(host: str) -> Any:
    path = {"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"name": "http"}}}}
    return a("networking.k8s.io/v1", "Ingress", spec={"rules": [{"host": host, "http": {"paths": [path]}}]})


def first_version(group: str) -> list[Any]:
    digits = config_map("c", data={"k": f"{CANARY}-1", "l.m": "x", "12": f"{CANARY}-1"})
    keep = annotated(config_map("kept"), {"helm.sh/resource-policy": "keep"})
    return [
        digits, keep, config_map("gone"), config_map("same"),
        secret("s", p=f"{SECRET}-1"), {**secret("t"), "stringData": {"p": f"{SECRET}-1"}},
        a("v1", "ServiceAccount"), deployment(replicas=2), service(80), policy(), role("pods"),
        ingress("a.example.com"), cron(PAST_53_BITS + 1),
        a(f"{group}/v1", "AllowList", spec={"a": f"{CANARY}-1"}),
        a(f"{group}/v1", "Part", spec={"lists": [["x"], ["y", "z"]], "scalar": f"{CANARY}-1", "holds": {"some": "x"}}),
        a(f"{group}/v1", "Secret", data={"p": f"{SECRET}-1"}),
    ]  # fmt: skip


def second_version(group: str) -> list[Any]:
    digits = config_map("c", data={"k": f"{CANARY}-2", "12": f"{CANARY}-2", "e": ""})
    web = deployment(container={"image": "nginx:2", "securityContext": {}, "env": [{"name": "A", "value": CANARY}]})
    web["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "emptyDir": {}}]
    labelled = {**secret("t"), "stringData": {"p": f"{SECRET}-1"}}
    labelled["metadata"]["labels"] = {"example.com/tier": CANARY}
    return [
        digits, config_map("new"), config_map("same"), secret("s", p=f"{SECRET}-2"), labelled,
        annotated(a("v1", "ServiceAccount"), {"example.com/a": CANARY}), web, service(81),
        policy(namespaceSelector={}), role("pods", "services"), ingress("b.example.com"), cron(PAST_53_BITS),
        a(f"{group}/v1", "AllowList", spec={"a": f"{CANARY}-2"}),
        a(f"{group}/v1", "Part", spec={"lists": [["x"], ["y"]], "scalar": {"now": CANARY}, "holds": {"some": "x"},
                                       "empty": []}),
        a(f"{group}/v1", "Secret", data={"p": f"{SECRET}-2"}),
    ]  # fmt: skip


def custom(shop: HelmRepo) -> tuple[str, list[tuple[str, str]]]:
    """Have the custom kinds; return their group and each of them."""
    group = f"{shop.namespace}.example.com"
    for kind in CUSTOM:
        shop.server.create(custom_kind(group, kind))
    kinds = [(f"{group}/v1", kind) for kind in CUSTOM]
    for api_version, kind in kinds:
        shop.served(api_version, kind)
    return group, kinds


def alike(said: list[str], done: list[str]) -> bool:
    """Tell whether two lists of paths are of the same changes: an item that is new is said once, not field by field."""
    return all(any(path == key or path.startswith((f"{key}.", f"{key}[")) for key in said) for path in done) and all(
        any(path == key or path.startswith((f"{key}.", f"{key}[")) for path in done) for key in said
    )


def stays(answer: Answer) -> set[str]:
    """Return the addresses that the row says are forgotten."""
    return {change["address"] for change in answer.row["changes"] if change.get("tracking") == "forget"}


def test_a_deploy_changes_in_the_cluster_what_the_row_says(shop: HelmRepo) -> None:
    group, kinds = custom(shop)
    shop.configure(shop.stack())
    space = shop.namespace
    shop.chart(*first_version(group))
    installed = shop.preview()
    shop.put_out()
    before = shop.objects(*KINDS, *kinds)
    assert difference({}, before) == installed.changes
    assert shop.drift().row["state"] == "in-sync"

    shop.chart(*second_version(group))
    seen = shop.preview()
    said = {address: keys for address, keys in seen.changes.items() if address not in stays(seen)}
    shop.deploy(seen.row["hash"])

    done = difference(before, shop.objects(*KINDS, *kinds))
    assert done.keys() == said.keys()
    for address, keys in said.items():
        assert keys == done[address] if isinstance(keys, str) else alike(keys, done[address]), address
    container = "spec.template.spec.containers[0]"
    assert {f"{container}.securityContext", f"{container}.image", "spec.replicas"} < set(
        said[f"Deployment.apps/{space}/web"]
    )
    assert said[f"NetworkPolicy.networking.k8s.io/{space}/networkpolicy"] == [
        "spec.ingress[0].from[0].namespaceSelector"
    ]
    assert said[f"ConfigMap/{space}/c"] == ["data.e", "data.k", 'data["12"]', 'data["l.m"]']
    assert said[f"Secret/{space}/s"] == ["data"]
    # What the plugin leaves out is on the row, and told apart.
    for loser in ("CronJob.batch", f"AllowList.{group}", f"Secret.{group}", "NetworkPolicy.networking.k8s.io"):
        assert f"{loser}/{space}" in seen.notes.partition("not shown by helm's diff plugin")[2]
    assert stays(seen) == {f"ConfigMap/{space}/kept"}
    assert shop.live("ConfigMap", "kept")["data"] == {"k": f"{CANARY}-1"}
    settled = shop.drift()
    assert (settled.row["state"], settled.changes, settled.drift) == ("in-sync", {}, {})


def test_each_loss_alone_is_never_called_in_sync(shop: HelmRepo) -> None:
    group, kinds = custom(shop)
    keep = annotated(config_map("kept"), {"helm.sh/resource-policy": "keep"})
    losses: dict[str, tuple[list[Any], list[Any]]] = {
        "map": ([policy()], [policy(namespaceSelector={})]),
        "number": ([cron(PAST_53_BITS + 1)], [cron(PAST_53_BITS)]),
        "list": ([a(f"{group}/v1", "AllowList", spec={"a": "x"})], [a(f"{group}/v1", "AllowList", spec={"a": "y"})]),
        "other": ([a(f"{group}/v1", "Secret", data={"p": "x"})], [a(f"{group}/v1", "Secret", data={"p": "y"})]),
        "keep": ([keep, config_map("c")], [config_map("c")]),
    }
    shop.configure(*(shop.stack(name) for name in losses))
    for name, (first, _) in losses.items():
        shop.chart(*first, path=name)
    shop.put_out_all()
    before = shop.objects(*KINDS, *kinds)
    for name, (_, second) in losses.items():
        shop.chart(*second, path=name)

    seen = shop.put_out_all()

    assert {row["state"] for row in seen.rows.values()} == {"pending"}
    said = {change["address"]: change["changedKeys"] for row in seen.rows.values() for change in row["changes"]}
    forgotten = f"ConfigMap/{shop.namespace}/kept"
    assert seen.rows["keep"]["changes"][0]["tracking"] == "forget"
    assert "stays in the cluster" in "".join(seen.rows["keep"]["notes"])
    assert difference(before, shop.objects(*KINDS, *kinds)) == {
        address: sorted(keys) for address, keys in said.items() if address != forgotten
    }
    assert {row["state"] for row in shop.preview().rows.values()} == {"in-sync"}


def test_what_is_written_otherwise_is_in_sync(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(text="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: x, b: 'z'}\n")
    shop.put_out()
    space = shop.namespace

    shop.chart(
        text=f'# a comment\nkind: "ConfigMap"\napiVersion: v1\nbinaryData: null\n'
        f"metadata:\n  name: c\n  namespace: {space}\ndata:\n  b: z\n  a: |-\n    x\n"
    )

    seen = shop.drift()
    assert (seen.row["state"], seen.changes, seen.drift) == ("in-sync", {}, {})
    nothing = shop.deploy(None)
    assert (nothing.row["outcome"], nothing.argv("upgrade")) == ("in-sync", [])


def test_an_object_that_stands_twice_is_no_preview(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(config_map("c"))
    shop.put_out()
    twice = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {k: other}\n"
    shop.write("app/templates/more.yaml", f"--- # a separator that says more\n{twice}")

    seen = shop.preview()

    reason = seen.row["reason"]
    assert (seen.code, seen.row["state"], "hash" in seen.row) == (1, "preview-failed", False)
    assert reason["names"]["object"] == f"ConfigMap/{shop.namespace}/c"
    for file in ("app/templates/all.yaml", "app/templates/more.yaml"):
        assert file in reason["text"]


def test_a_chart_that_renders_otherwise_at_an_install(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
        "data:\n  at: {{ if .Release.IsInstall }}install{{ else }}upgrade{{ end }}\n"
        '  there: {{ if lookup "v1" "ConfigMap" .Release.Namespace "c" }}"yes"{{ else }}"no"{{ end }}\n'
        '  has: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}\n'
        "  server: {{ .Capabilities.KubeVersion.Version }}\n"
    )
    shop.chart(text=text)
    first = shop.put_out()
    assert first.code == 0
    address = f"ConfigMap/{shop.namespace}/c"
    assert shop.live("ConfigMap", "c")["data"] == {
        "at": "install", "there": "no", "has": "true", "server": shop.cluster.server_version,
    }  # fmt: skip

    seen = shop.preview()
    assert seen.changes == {address: ["data.at", "data.there"]}
    shop.put_out()
    assert shop.live("ConfigMap", "c")["data"]["at"] == "upgrade"
    assert shop.live("ConfigMap", "c")["data"]["there"] == "yes"
    settled = shop.drift()
    assert (settled.row["state"], settled.changes, settled.drift) == ("in-sync", {}, {})
