"""What changed outside the code, and who did it: told apart from what the code changes, and taken back on request."""

import json
from base64 import b64encode
from typing import Any

import pytest

from tests.live.repo import CANARY, SECRET, Repo, config_map, deployment, documents, secret

pytestmark = pytest.mark.live

STRIP = [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]


def holders(row: Any) -> dict[str, set[tuple[str, ...]]]:
    """Return who holds what: manager, operation, subresource and keys, by address."""
    return {
        change["address"]: {
            (held["manager"], held["operation"], held.get("subresource", ""), *held["keys"])
            for held in change["holders"]
        }
        for change in row["drift"]
    }


def encoded(value: str) -> Any:
    """Return a Secret that states its data in base64."""
    data = {"p": b64encode(f"{SECRET}-{value}".encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data}


def test_every_hand_is_told_and_taken_back(repo: Repo) -> None:
    repo.only(prune=True, forceConflicts=True)
    tolerations = {"tolerations": [{"key": "a", "operator": "Exists"}]}
    web = deployment(replicas=1)
    web["spec"]["template"]["spec"].update(tolerations)
    objects = [*map(config_map, ("edited", "gone", "patched", "ours")), encoded("1"), secret("t", p=f"{SECRET}-1")]
    repo.write("app/all.yaml", documents(web, *objects))
    repo.put_out()
    quiet = repo.drift()
    assert (quiet.row["state"], quiet.row["driftChecked"], quiet.row["drift"]) == ("in-sync", True, [])

    space, where = repo.namespace, "spec.template.spec.tolerations[0].key"
    repo.by_hand("scale", "deployment", "web", "--replicas=3")
    repo.by_hand("patch", "deployment", "web", '-p={"spec":{"template":{"spec":{"tolerations":[{"key":"b"}]}}}}')
    repo.by_hand("patch", "configmap", "patched", f'-p={{"data":{{"k":"{CANARY}-hand"}}}}')
    for name in ("s", "t"):
        repo.by_hand("patch", "secret", name, f'-p={{"stringData":{{"p":"{SECRET}-hand"}}}}')
    editor = repo.program("editor", f'sed -i "s/{CANARY}-1/{CANARY}-edited/" "$1"')
    repo.environment["EDITOR"] = str(editor)
    repo.by_hand("edit", "configmap", "edited")
    repo.by_hand("delete", "configmap", "gone")
    # The code goes on too, and that is no drift.
    objects[3] = config_map("ours", data={"k": f"{CANARY}-2"})
    repo.write("app/all.yaml", documents(web, *objects))

    seen = repo.drift()
    assert seen.row["state"] == "pending"
    assert seen.drift == {
        f"ConfigMap/{space}/edited": ["data.k"],
        f"ConfigMap/{space}/gone": "delete",
        f"ConfigMap/{space}/patched": ["data.k"],
        f"Deployment.apps/{space}/web": ["spec.replicas", where, where.replace("key", "operator")],
        f"Secret/{space}/s": ["data"],
    }
    assert holders(seen.row) == {
        f"ConfigMap/{space}/edited": {("kubectl-edit", "Update", "", "data.k")},
        f"ConfigMap/{space}/gone": set(),
        f"ConfigMap/{space}/patched": {("kubectl-patch", "Update", "", "data.k")},
        f"Deployment.apps/{space}/web": {
            ("kubectl", "Update", "scale", "spec.replicas"),
            ("kubectl-patch", "Update", "", where, where.replace("key", "operator")),
        },
        f"Secret/{space}/s": {("kubectl-patch", "Update", "", "data")},
    }
    # What a manifest states as stringData is always its own: a change, and nobody's drift (spec/kubectl.md).
    ours = {f"ConfigMap/{space}/ours": ["data.k"], f"Secret/{space}/t": ["data"]}
    assert seen.changes == {**seen.drift, **ours, f"ConfigMap/{space}/gone": "create"}
    plain = repo.preview()
    assert plain.changes == seen.changes
    assert plain.row["hash"] != seen.row["hash"]
    assert "drift" not in plain.row

    moved = repo.deploy(seen.row["hash"])
    assert (moved.code, moved.row["outcome"]) == (1, "moved")
    assert "--repair-drift" in moved.notes
    done = repo.deploy(seen.row["hash"], "--repair-drift")
    assert (done.code, done.row["outcome"]) == (0, "deployed")
    after = repo.drift()
    assert (after.row["state"], after.changes, after.drift) == ("in-sync", {}, {})
    assert repo.live("Deployment", "web", "apps/v1")["spec"]["replicas"] == 1

    # kubectl-patch is still named at a Secret's data; what the code changes there is not its doing.
    objects[4:] = [encoded("3"), secret("t", p=f"{SECRET}-3")]
    repo.write("app/all.yaml", documents(web, *objects))
    later = repo.drift()
    assert later.changes == {f"Secret/{space}/s": ["data"], f"Secret/{space}/t": ["data"]}
    assert later.drift == {}


def test_without_force_a_taken_field_is_a_conflict(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(deployment(replicas=1), config_map("gone"), secret("s", p=f"{SECRET}-1")))
    repo.put_out()
    repo.by_hand("patch", "secret", "s", f'-p={{"stringData":{{"p":"{SECRET}-hand"}}}}')
    repo.by_hand("delete", "configmap", "gone")

    # A Secret's stringData is ours and its data theirs: no conflict, and no drift.
    seen = repo.drift()
    assert seen.drift == {f"ConfigMap/{repo.namespace}/gone": "delete"}
    assert seen.changes == {f"ConfigMap/{repo.namespace}/gone": "create", f"Secret/{repo.namespace}/s": ["data"]}
    repo.by_hand("scale", "deployment", "web", "--replicas=3")

    for failed in (repo.preview(), repo.drift(), repo.deploy("0" * 16)):
        assert (failed.code, failed.row["state"]) == (1, "preview-failed")
        reason = failed.row["reason"]
        assert (reason["detail"], reason["exitCode"]) == ("conflict", 2)
        assert (reason["names"]["manager"], reason["names"]["field"]) == ("kubectl", "spec.replicas")
        assert "hash" not in failed.row


def test_a_field_manager_of_its_own(repo: Repo) -> None:
    repo.by_hand("apply", "--server-side", "-f-", content=documents(config_map("c"), config_map("alike")))
    repo.only(fieldManager="shop.deployer", prune=True)
    repo.write("app/all.yaml", documents(config_map("c", data={"k": f"{CANARY}-2"}), config_map("d")))

    failed = repo.preview()
    assert failed.row["reason"]["detail"] == "conflict"
    assert (failed.row["reason"]["names"]["manager"], failed.row["reason"]["names"]["field"]) == ("kubectl", "data.k")

    repo.only(fieldManager="shop.deployer", prune=True, forceConflicts=True)
    done = repo.put_out()
    for verb in ("diff", "apply"):
        assert {"--force-conflicts", "--field-manager=shop.deployer"} <= set(done.argv(verb)[0])
    applied = repo.live("ConfigMap", "c")["metadata"]["managedFields"]
    assert ("shop.deployer", "Apply") in {(entry["manager"], entry["operation"]) for entry in applied}

    # Someone who takes the field back as kubectl is not us any more.
    content = documents(config_map("c", data={"k": f"{CANARY}-3"}))
    repo.by_hand("apply", "--server-side", "--force-conflicts", "-f-", content=content)
    seen = repo.drift()
    assert holders(seen.row) == {f"ConfigMap/{repo.namespace}/c": {("kubectl", "Apply", "", "data.k")}}
    repo.write("app/all.yaml", documents(config_map("c", data={"k": f"{CANARY}-3"})))
    gone = repo.preview()
    assert gone.changes == {f"ConfigMap/{repo.namespace}/d": "delete"}


def test_beside_an_item_that_we_take_out_another_is_no_drift(repo: Repo) -> None:
    repo.only(forceConflicts=True)
    env = [{"name": name, "value": f"{CANARY}-{name}"} for name in ("A", "B")]
    repo.write("app/web.yaml", documents(deployment(container={"env": env})))
    repo.put_out()
    theirs = deployment(container={"env": [{"name": "Z", "value": f"{CANARY}-Z"}]})
    del theirs["spec"]["template"]["spec"]["containers"][0]["image"]
    theirs["metadata"]["namespace"] = repo.namespace
    repo.server.apply(theirs, manager="sidecar-injector")
    # Neither is what a controller sets that the file does not state.
    repo.by_hand("scale", "deployment", "web", "--replicas=4")
    assert repo.drift().row["state"] == "in-sync"

    repo.write("app/web.yaml", documents(deployment(container={"env": env[1:]})))
    seen = repo.drift()

    assert seen.row["state"] == "pending"
    assert seen.row["drift"] == []
    assert seen.row["driftChecked"] is True
    assert "without prune there is no inventory" in seen.notes
    repo.deploy(seen.row["hash"], "--repair-drift")
    names = [
        item["name"]
        for item in repo.live("Deployment", "web", "apps/v1")["spec"]["template"]["spec"]["containers"][0]["env"]
    ]
    assert sorted(names) == ["B", "Z"]


def test_what_can_not_be_told_is_said(repo: Repo) -> None:
    repo.only(forceConflicts=True)
    repo.write(
        "app/all.yaml", documents(config_map("stripped"), config_map("removed", data={"k": f"{CANARY}-1", "l": "x"}))
    )
    repo.put_out()
    change = [{"op": "replace", "path": "/data/k", "value": f"{CANARY}-hand"}]
    json_patch(repo, "stripped", [*change, *STRIP])
    json_patch(repo, "removed", [{"op": "remove", "path": "/data/l"}])
    assert "managedFields" not in repo.live("ConfigMap", "stripped")["metadata"]

    seen = repo.drift()

    assert seen.changes == {
        f"ConfigMap/{repo.namespace}/removed": ["data.l"],
        f"ConfigMap/{repo.namespace}/stripped": ["data.k"],
    }
    assert seen.drift == {}
    assert (
        f"ConfigMap/{repo.namespace}/stripped: it has no managed fields, so who changed it can't be told" in seen.notes
    )


def json_patch(repo: Repo, name: str, operations: list[dict[str, Any]]) -> None:
    repo.by_hand("patch", "configmap", name, "--type=json", f"-p={json.dumps(operations)}")


def test_a_stack_that_can_not_be_checked_is_not_called_undrifted(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))
    repo.put_out()
    repo.by_hand("delete", "configmap", "c")

    seen = repo.drift()

    assert (seen.code, seen.row["driftChecked"], seen.row["drift"]) == (0, False, [])
    assert "with prune or forceConflicts only" in seen.notes
    assert seen.changes == {f"ConfigMap/{repo.namespace}/c": "create"}
    assert len(seen.argv("diff")) == 1


def test_a_set_that_changes_under_the_check_is_no_answer(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/c.yaml", documents(config_map("c")))
    repo.put_out()
    repo.write("app/c.yaml", documents(config_map("c", data={"k": f"{CANARY}-2"})))
    other = repo.write("other.yaml", documents(config_map("c", data={"k": f"{CANARY}-3"})))
    repo.hook(f'if [ "$1" = diff ]; then cp {other} {repo.root}/app/c.yaml; fi')

    seen = repo.drift()

    assert seen.code == 1
    assert seen.row["driftReason"]["detail"] == "set-changed"
    assert seen.row["driftChecked"] is False
    assert "hash" not in seen.row


def autoscaler(version: str, replicas: int) -> Any:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"maxReplicas": replicas, "scaleTargetRef": target}
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": spec,
    }


def test_another_api_version_is_the_same_object_and_can_not_be_told(repo: Repo) -> None:
    repo.only(prune=True, forceConflicts=True)
    repo.write("app/h.yaml", documents(autoscaler("v1", 3)))
    repo.put_out()
    address = f"HorizontalPodAutoscaler.autoscaling/{repo.namespace}/h"
    # By hand it is written in the server's own version, whatever the manifest says.
    repo.by_hand("patch", "hpa", "h", "--type=merge", '-p={"spec":{"maxReplicas":5}}')

    unknown = repo.drift()
    assert (unknown.changes, unknown.drift) == ({address: ["spec.maxReplicas"]}, {})
    assert address in unknown.notes
    assert "kubectl-patch" in unknown.notes
    assert "another API version than autoscaling/v1" in unknown.notes

    repo.write("app/h.yaml", documents(autoscaler("v2", 4)))
    unknown = repo.drift()
    assert (unknown.changes, unknown.drift) == ({address: ["spec.maxReplicas"]}, {})
    assert "can't be told" in unknown.notes
    repo.deploy(unknown.row["hash"], "--repair-drift")
    (listed,) = next(iter(repo.inventories().values()))
    assert listed["apiVersion"] == "autoscaling/v2"
    repo.write("app/h.yaml", documents(autoscaler("v2", 6)))
    known = repo.drift()
    assert (known.changes, known.drift, known.notes) == ({address: ["spec.maxReplicas"]}, {}, "")


def test_an_object_of_the_cluster_and_one_in_a_set_of_items(repo: Repo) -> None:
    repo.only(prune=True)
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    kind = ("rbac.authorization.k8s.io/v1", "ClusterRole")
    name = f"shop:{repo.namespace}:reader"
    role = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": name}, "rules": rules}
    repo.write("app/x.yaml", documents(role, config_map("c", finalizers=["example.com/ours"])))
    repo.put_out()
    repo.server.delete(*kind, None, name)
    theirs = {"metadata": {"finalizers": ["example.com/ours", "example.com/theirs"]}}
    repo.server.patch("v1", "ConfigMap", repo.namespace, "c", theirs)

    seen = repo.drift()
    address = f"ClusterRole.rbac.authorization.k8s.io/{name}"
    assert (seen.changes, seen.drift) == ({address: "create"}, {address: "delete"})
    repo.deploy(seen.row["hash"], "--repair-drift")
    repo.write("app/x.yaml", documents(config_map("c")))
    seen = repo.drift()
    assert (seen.changes[address], seen.drift) == ("delete", {})
    done = repo.deploy(seen.row["hash"])
    assert done.row["done"]["deleted"] == [address]
    assert repo.live("ConfigMap", "c")["metadata"]["finalizers"] == ["example.com/theirs"]
