"""Failures: what is said, what is not given away, and what the next deploy makes of half a deploy."""

import json
import threading
import time
from base64 import b64encode
from typing import Any

import pytest

from tests.live.repo import CANARY, SECRET, Repo, config_map, deployment, documents, secret

pytestmark = pytest.mark.live


def reason(repo: Repo, name: str = "app") -> Any:
    """Return why the preview of a stack fails; a deploy of it runs nothing either."""
    seen = repo.preview(name)
    assert (seen.code, seen.row["state"]) == (1, "preview-failed")
    assert "hash" not in seen.row
    assert seen.changes == {}
    return seen.row["reason"]


def test_what_the_dry_run_can_not_see_yet(repo: Repo) -> None:
    names = ("kind", "brought", "account")
    repo.configure(*(repo.stack(name) for name in names))
    part = {"apiVersion": f"{repo.namespace}.example.com/v1", "kind": "Part", "metadata": {"name": "x"}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"parts.{repo.namespace}.example.com"},
        "spec": {
            "group": f"{repo.namespace}.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Part", "plural": "parts"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
            ],
        },
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
    containers = [{"name": "web", "image": "nginx"}]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"serviceAccountName": "robot", "containers": containers},
    }
    repo.write("kind/x.yaml", documents(part))
    repo.write("brought/x.yaml", documents(definition, part))
    repo.write("account/x.yaml", documents(account, pod))

    seen = repo.preview()

    assert seen.code == 1
    why = {name: row["reason"] for name, row in seen.rows.items()}
    assert {name: each["detail"] for name, each in why.items()} == {
        "kind": "kind-unknown",
        "brought": "needs-earlier-object",
        "account": "needs-earlier-object",
    }
    assert why["kind"]["names"] == {"kind": "Part", "version": part["apiVersion"]}
    assert why["account"]["names"]["object"] == "robot"
    for name in ("brought", "account"):
        assert "dependsOn" in why[name]["text"]


def test_refused_values_stay_inside(repo: Repo) -> None:
    names = ("immutable", "sealed", "number", "base64", "shape", "type", "generated")
    repo.configure(*(repo.stack(name) for name in names))
    for name in names[:-1]:
        repo.write(f"{name}/x.yaml", "# nothing yet")
    repo.write("generated/kustomization.yaml", "")
    env = [{"name": "A", "value": f"{CANARY}-1"}]
    repo.write("immutable/x.yaml", documents(deployment(container={"env": env})))
    sealed = {**secret("sealed", p=f"{SECRET}-1"), "immutable": True}
    repo.write("sealed/x.yaml", documents(sealed))
    for name in names[:2]:
        repo.put_out(stack=name)
    moved = deployment(container={"env": env})
    moved["spec"]["selector"]["matchLabels"] = moved["spec"]["template"]["metadata"]["labels"] = {"app": "other"}
    repo.write("immutable/x.yaml", documents(moved))
    repo.write("sealed/x.yaml", documents({**sealed, "stringData": {"p": f"{SECRET}-2"}}))
    number = 98765432.125
    repo.write("number/x.yaml", documents({**secret("num"), "stringData": {"p": number, "q": f"{SECRET}-3"}}))
    repo.write("shape/x.yaml", documents({**secret("shape"), "stringData": {"p": {"q": [f"{SECRET}-5"]}}}))
    data = {"p": f"{SECRET} is not base64", "q": b64encode(f"{SECRET}-4".encode()).decode()}
    repo.write("base64/x.yaml", documents({**secret("b"), "stringData": {}, "data": data}))
    literals = {"name": "s", "literals": [f"{SECRET}-6"]}
    repo.write("generated/kustomization.yaml", json.dumps({"secretGenerator": [literals]}))
    docker = {"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": f"{SECRET} {{ no json"}}
    repo.write("type/x.yaml", documents({**secret("t"), **docker}))

    seen = repo.preview("--verbose")

    assert seen.code == 1
    why = {name: row["reason"] for name, row in seen.rows.items()}
    assert all(each["kind"] == "tool-error" for each in why.values())
    assert (why["immutable"]["detail"], why["immutable"]["names"]["object"]) == ("immutable-field", "web")
    assert (why["sealed"]["detail"], why["sealed"]["names"]["object"]) == ("immutable-field", "sealed")
    said = seen.out + seen.err
    assert str(number) not in said
    assert "9.8765432125e+07" not in said
    assert data["q"] not in said
    # The tool's own words are in the log, so that a person can find the field: with what is secret taken out.
    assert "spec.selector" in seen.err
    assert "***" in seen.err
    for form in ("text", "markdown"):
        answer = repo.run("deploy", *names, *(f"--hash={name}={'0' * 16}" for name in names), f"--format={form}")
        assert answer.code == 1


def test_who_may_not_is_told_what(repo: Repo) -> None:
    repo.only()
    repo.write("app/x.yaml", documents(config_map("c"), secret("s", p=f"{SECRET}-1")))
    rules = [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "patch", "create"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "patch"]},
    ]
    repo.environment["KUBECONFIG"] = str(repo.cluster.user_kubeconfig(repo.namespace, rules))

    why = reason(repo)

    # A server-side apply that creates needs the right to create (spec/kubectl.md, rights).
    assert why["detail"] == "denied"
    assert (why["names"]["resource"], why["names"]["verb"]) == ("secrets", "create")
    repo.environment["KUBECONFIG"] = "/nonexistent/kubeconfig"
    assert "can't be reached" in reason(repo)["text"]
    repo.environment["KUBECONFIG"] = str(repo.cluster.kubeconfig)
    repo.only(context="nobody-s")
    assert "no context nobody-s" in reason(repo)["text"]
    repo.only()
    repo.write("app/x.yaml", documents(config_map("c", "another")))
    assert reason(repo)["names"] == {"found": "another", "namespace": repo.namespace}


def test_half_a_deploy_is_called_that_and_made_whole(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/x.yaml", documents(config_map("k"), config_map("old")))
    repo.put_out()
    limit(repo, secrets=1)
    parts = [secret("a", p=f"{SECRET}-1"), secret("b", p=f"{SECRET}-2"), config_map("k", data={"k": f"{CANARY}-2"})]
    repo.write("app/x.yaml", documents(*parts))
    seen = repo.preview()
    assert f"ConfigMap/{repo.namespace}/old" in seen.changes

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert failed.row["reason"]["detail"] == "denied"
    assert failed.row["reason"]["names"]["object"] == "b"
    assert set(failed.row["done"]["applied"]) == {f"ConfigMap/{repo.namespace}/k", f"Secret/{repo.namespace}/a"}
    assert failed.row["done"]["deleted"] == []
    assert "this is half a deploy" in failed.notes
    assert f"not applied: Secret/{repo.namespace}/b" in failed.notes
    assert failed.argv("delete") == []
    assert repo.config_maps() == {"k", "old"}

    limit(repo, secrets=9)
    rest = repo.preview()
    assert rest.changes == {f"Secret/{repo.namespace}/b": "create", f"ConfigMap/{repo.namespace}/old": "delete"}
    repo.deploy(rest.row["hash"])
    assert repo.preview().row["state"] == "in-sync"
    assert repo.config_maps() == {"k"}


def limit(repo: Repo, *, secrets: int) -> None:
    """Allow the namespace this many Secrets: each dry run alone passes, and not all of them together."""
    count = {"count/secrets": str(secrets)}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": count}}
    repo.by_hand("apply", "--server-side", "-f-", content=documents(quota))
    used = "--for=jsonpath={.status.hard.count/secrets}=" + str(secrets)
    repo.by_hand("wait", "resourcequota/few", used, "--timeout=60s")


def test_two_of_one_name_are_told_apart(repo: Repo) -> None:
    other = f"{repo.namespace}-2"
    repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other}})
    repo.configure({"path": "app", "tool": "kubectl"})
    full, free = config_map("c", repo.namespace), config_map("c", other)
    more = [{**secret(name, p=f"{SECRET}-1"), "metadata": {"name": name, "namespace": other}} for name in ("a", "b")]
    repo.write("app/x.yaml", documents(full, free, *more))
    seen = repo.preview()
    # A namespace that is on its way out takes no new object, and a dry run before that sees nothing of it.
    repo.hook(
        f'if [ "$1" = apply ]; then "$kubectl" delete namespace {repo.namespace} --wait=false >/dev/null;'
        f'"$kubectl" wait namespace/{repo.namespace} --for=jsonpath={{.status.phase}}=Terminating >/dev/null; fi'
    )

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert repo.config_maps(other) == {"c"}
    assert set(failed.row["done"]["applied"]) == {f"Secret/{other}/a", f"Secret/{other}/b"}
    assert "3 of 4 objects were applied" in failed.notes
    assert f"only some of ConfigMap/{repo.namespace}/c, ConfigMap/{other}/c were applied" in failed.notes


def test_the_server_goes_away_half_way(repo: Repo) -> None:
    count = 80
    repo.only(prune=True)
    repo.write("app/x.yaml", documents(*(config_map(f"c{number:03}") for number in range(count))))
    digest = repo.preview().row["hash"]
    stopped = threading.Event()

    def stop() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and repo.live("ConfigMap", "c005") is None:
            time.sleep(0.005)
        repo.cluster.stop_apiserver()
        stopped.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        failed = repo.deploy(digest)
    finally:
        stopper.join(90)
        repo.cluster.start_apiserver()

    assert stopped.is_set()
    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert "can't be reached" in failed.row["reason"]["text"]
    said = {address.rpartition("/")[2] for address in failed.row["done"]["applied"]}
    there = repo.config_maps()
    assert 0 < len(said) < count
    # The last one may have been stored without an answer.
    assert said <= there
    assert len(there - said) <= 1
    assert f"{len(said)} of {count + 1} objects were applied" in failed.notes
    assert "the inventory was not reached" in failed.notes
    assert repo.inventories() == {}

    rest = repo.preview()
    assert {change["name"].rpartition("/")[2] for change in rest.row["changes"]} == {
        f"c{number:03}" for number in range(count)
    } - there
    repo.deploy(rest.row["hash"])
    assert len(repo.listed()) == count
    assert repo.preview().row["state"] == "in-sync"


@pytest.mark.parametrize(("file", "verb"), [("manifests.yaml", "diff"), ("prune.yaml", "apply")])
def test_a_set_that_someone_touched_is_not_deployed(repo: Repo, file: str, verb: str) -> None:
    repo.only(prune=True)
    repo.write("app/x.yaml", documents(config_map("k"), config_map("c")))
    repo.put_out()
    repo.write("app/x.yaml", documents(config_map("k", data={"k": f"{CANARY}-2"})))
    seen = repo.preview()
    touch = f'for file in {repo.temporary}/sluiceway-*/*/{file}; do printf "\n" >> "$file"; done'
    repo.hook(f'if [ "$1" = {verb} ]; then "$kubectl" "$@"; code=$?; {touch}; exit $code; fi')

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert failed.row["reason"]["detail"] == "set-changed"
    assert failed.argv("delete") == []
    assert repo.config_maps() == {"c", "k"}
    if verb == "diff":
        assert failed.argv("apply") == []
        assert "nothing was deployed" in failed.row["reason"]["text"]
    else:
        assert failed.row["done"]["applied"] == [f"ConfigMap/{repo.namespace}/k"]
        assert "nothing was deployed" not in failed.row["reason"]["text"]
        assert "nothing was deleted" in failed.notes


def test_an_object_that_is_being_deleted_is_never_in_sync(repo: Repo) -> None:
    repo.only()
    repo.write("app/x.yaml", documents(config_map("c", finalizers=["example.com/hold"]), config_map("d")))
    repo.put_out()
    repo.by_hand("delete", "configmap", "c", "--wait=false")
    address = f"ConfigMap/{repo.namespace}/c"

    seen = repo.preview("app", "--exit-code")

    assert (seen.code, seen.row["state"]) == (3, "pending")
    assert seen.changes == {address: ["metadata.deletionTimestamp"]}
    assert f"{address} is being deleted since" in seen.notes
    assert "example.com/hold" in seen.notes
    repo.server.patch("v1", "ConfigMap", repo.namespace, "c", {"metadata": {"finalizers": None}})
    assert repo.preview().changes == {address: "create"}
