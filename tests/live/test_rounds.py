"""The round that everything else is about: look, approve, deploy exactly that, in sync."""

import json
from typing import Any

import pytest

from tests.live.repo import CANARY, SECRET, Repo, config_map, deployment, documents, secret

pytestmark = pytest.mark.live


def test_the_first_rounds_of_a_stack(repo: Repo) -> None:
    repo.only()
    repo.write("app/all.yaml", documents(config_map("c"), secret("s", p=f"{SECRET}-1"), deployment()))
    space = repo.namespace

    seen = repo.preview()
    assert seen.code == 0
    assert seen.row["state"] == "pending"
    assert seen.row["counts"] == {"create": 3, "update": 0, "replace": 0, "delete": 0, "tracking": 0}
    assert seen.changes == {
        f"ConfigMap/{space}/c": "create",
        f"Deployment.apps/{space}/web": "create",
        f"Secret/{space}/s": "create",
    }
    assert repo.config_maps() == set()

    done = repo.deploy(seen.row["hash"])
    assert (done.code, done.row["outcome"]) == (0, "deployed")
    assert set(done.row["done"]["applied"]) == set(seen.changes)
    assert repo.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-1"}

    again = repo.preview()
    assert (again.code, again.row["state"], again.changes) == (0, "in-sync", {})
    nothing = repo.deploy(None)
    assert (nothing.code, nothing.row["outcome"], nothing.argv("apply")) == (0, "in-sync", [])

    repo.write(
        "app/all.yaml",
        documents(
            config_map("c", data={"k": f"{CANARY}-2", "l.m": ""}),
            secret("s", p=f"{SECRET}-2", q=f"{SECRET}-3"),
            deployment(replicas=2, container={"image": "nginx:2"}),
        ),
    )
    update = repo.preview("app", "--exit-code")
    assert update.code == 3
    assert update.changes == {
        f"ConfigMap/{space}/c": ["data.k", 'data["l.m"]'],
        f"Deployment.apps/{space}/web": ["spec.replicas", "spec.template.spec.containers[0].image"],
        f"Secret/{space}/s": ["data"],
    }
    repo.deploy(update.row["hash"])
    assert repo.preview("app", "--exit-code").code == 0


def test_a_hash_of_something_else_deploys_nothing(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))
    fresh = repo.preview().row["hash"]

    moved = repo.deploy("0123456789abcdef")
    assert (moved.code, moved.row["outcome"], moved.row["hash"]) == (1, "moved", fresh)
    assert "0123456789abcdef was approved" in moved.notes
    assert moved.argv("apply") == []

    repo.write("app/d.yaml", documents(config_map("d")))
    stale = repo.deploy(fresh)
    assert (stale.code, stale.row["outcome"]) == (1, "moved")
    assert repo.config_maps() == set()


def test_without_a_hash_and_a_terminal_nothing_is_deployed(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))

    refused = repo.deploy(None)

    assert (refused.code, refused.row["outcome"]) == (2, "refused")
    assert f"sluiceway deploy app --hash {refused.row['hash']}" in refused.notes
    assert repo.config_maps() == set()


def test_every_form_says_the_same(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c"), secret("s", p=f"{SECRET}-1")))
    digest = repo.preview().row["hash"]

    text, markdown = repo.run("preview"), repo.run("preview", "--format=markdown")
    shown = repo.run("diff", "app")

    for form in (text, markdown):
        assert form.code == 0
        assert digest in form.out
        assert f"{repo.namespace}/c" in form.out
    assert shown.code == 0
    assert f"+  k: {CANARY}-1" in shown.out
    assert SECRET not in shown.out + shown.err
    assert [stack["stack"] for stack in repo.run("stacks", "--format=json").document["stacks"]] == ["app"]
    assert repo.run("check", "--format=json").document["problems"] == []


def test_listed_values_are_shown_and_hashed(repo: Repo) -> None:
    repo.configure(repo.stack(), dashboard={"showValues": ["data.open", "spec.replicas", "metadata.annotations.*"]})
    applied = {"kubectl.kubernetes.io/last-applied-configuration": f'{{"{CANARY}": 1}}'}
    first = config_map("c", data={"open": "one", "shut": f"{CANARY}-1"}, annotations=applied)
    repo.write("app/c.yaml", documents(first, secret("open", open=f"{SECRET}-1")))
    repo.put_out()
    hashes = set()

    for word in ("two", "three"):
        second = config_map("c", data={"open": word, "shut": f"{CANARY}-{word}"})
        repo.write("app/c.yaml", documents(second, secret("open", open=f"{SECRET}-{word}")))
        seen = repo.preview().row
        hashes.add(seen["hash"])
        values = {change["address"]: change.get("values", []) for change in seen["changes"]}
        assert values[f"ConfigMap/{repo.namespace}/c"] == [{"path": "data.open", "old": "one", "new": word}]
        assert values[f"Secret/{repo.namespace}/open"] == []

    assert len(hashes) == 2


def test_a_namespace_comes_first_and_what_lives_in_it_afterwards(repo: Repo) -> None:
    place = f"{repo.namespace}-2"
    repo.configure(
        {"path": "space", "tool": "kubectl"},
        repo.stack("app", {"dependsOn": ["space"]}, namespace=place),
    )
    repo.write("space/ns.yaml", documents({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}}))
    repo.write("app/c.yaml", documents(config_map("c")))

    seen = repo.preview()
    assert seen.code == 1
    assert seen.rows["space"]["changes"][0]["address"] == f"Namespace/{place}"
    reason = seen.rows["app"]["reason"]
    assert (reason["detail"], reason["names"]["namespace"]) == ("namespace-missing", place)
    assert "stack of its own" in reason["text"]

    held = repo.run("deploy", "app", "space", f"--hash=space={'0' * 16}", "--format=json")
    assert (held.code, held.rows["space"]["outcome"], held.rows["app"]["outcome"]) == (1, "moved", "refused")

    repo.put_out(stack="space")
    repo.put_out(stack="app")
    assert repo.config_maps(place) == {"c"}


def test_a_kustomization_is_what_kubectl_makes_of_it(repo: Repo) -> None:
    repo.only(prune=True)
    base = {"resources": ["c.yaml"], "namePrefix": "a-"}
    overlay: dict[str, Any] = {
        "resources": ["../base"],
        "labels": [{"pairs": {"team": "shop"}}],
        "secretGenerator": [{"name": "s", "literals": [f"p={SECRET}-1"]}],
    }
    repo.write("base/kustomization.yaml", json.dumps(base))
    repo.write("base/c.yaml", documents(config_map("c")))
    repo.write("app/kustomization.yaml", json.dumps(overlay))
    first = repo.put_out()

    assert repo.config_maps() == {"a-c"}
    (old,) = (address for address in first.row["done"]["applied"] if address.startswith("Secret/"))

    overlay["secretGenerator"][0]["literals"] = [f"p={SECRET}-2"]
    repo.write("app/kustomization.yaml", json.dumps(overlay))
    seen = repo.preview()
    assert sorted(seen.changes.values()) == ["create", "delete"]
    assert seen.changes[old] == "delete"
    repo.deploy(seen.row["hash"])
    assert len(repo.server.names("v1", "Secret", repo.namespace)) == 1
    assert repo.preview().row["state"] == "in-sync"


def test_stacks_side_by_side_fail_alone(repo: Repo) -> None:
    names = [f"s{number}" for number in range(6)]
    repo.configure(*(repo.stack(name) for name in names))
    for name in names:
        repo.write(f"{name}/c.yaml", documents(config_map(name)))
    repo.write("s3/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: [c4n4ry]\n")

    seen = repo.preview()

    assert seen.code == 1
    assert list(seen.rows) == names
    assert {name for name, row in seen.rows.items() if row["state"] == "pending"} == {*names} - {"s3"}
    assert seen.rows["s3"]["reason"]["kind"] == "tool-error"
    assert len(seen.argv("version")) == 1
