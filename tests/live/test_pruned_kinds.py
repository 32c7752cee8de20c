"""Pruning where kinds come and go, and where others are at work between the judgement and the delete."""

import json
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.repo import CANARY, Repo, config_map, documents

pytestmark = pytest.mark.live

AFTER_APPLY = 'if [ "$1" = apply ]; then "$kubectl" "$@"; code=$?; exec >/dev/null 2>&1; {script}; exit $code; fi'
"""Something that happens right after the set was applied, before what goes is deleted."""

CACHES = {"with a cache": {}, "without a cache": {"KUBECACHEDIR": "/dev/null/none"}}
"""Without its cache of kinds, kubectl learns at once that a kind is gone."""


@pytest.fixture
def widgets(repo: Repo) -> Iterator[dict[str, Any]]:
    """A CustomResourceDefinition that no other test has; it goes with the test, or every kubectl would look at it."""
    group = f"w{secrets.token_hex(3)}.example.com"
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    yield {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    kind = ("apiextensions.k8s.io/v1", "CustomResourceDefinition", None, f"widgets.{group}")
    if repo.server.get(*kind) is not None:
        repo.server.delete(*kind)


def widget(definition: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        "apiVersion": f"{definition['spec']['group']}/v1",
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": {"size": f"{CANARY}-1"},
    }


def with_widgets(repo: Repo, definition: dict[str, Any], *names: str, **environment: str) -> None:
    """Deploy the definition, and then objects of its kind."""
    repo.only(prune=True)
    repo.write("app/1.yaml", documents(definition))
    repo.write("app/2.yaml", documents(config_map("k"), config_map("c")))
    repo.put_out(**environment)
    repo.by_hand("wait", "crd", definition["metadata"]["name"], "--for=condition=Established", "--timeout=30s")
    repo.write("app/3.yaml", documents(*(widget(definition, name) for name in names)))
    repo.put_out(**environment)


def test_a_definition_goes_after_what_is_of_its_kind(repo: Repo, widgets: dict[str, Any]) -> None:
    environment = CACHES["without a cache"]
    with_widgets(repo, widgets, "w", "x", **environment)
    name = f"CustomResourceDefinition.apiextensions.k8s.io/{widgets['metadata']['name']}"
    group = widgets["spec"]["group"]

    repo.write("app/1.yaml", "# nothing\n")
    kept = repo.preview(**environment)
    assert kept.changes == {}
    assert f"{name} is no longer in the manifests and is kept: Widget w of the manifests is of its kind" in kept.notes

    repo.remove("app/3.yaml")
    seen = repo.preview(**environment)
    assert seen.changes == {
        name: "delete",
        f"Widget.{group}/{repo.namespace}/x": "delete",
        f"Widget.{group}/{repo.namespace}/w": "delete",
    }
    assert f"{name} is deleted with every object of its kind, in every namespace" in seen.notes
    done = repo.deploy(seen.row["hash"], **environment)
    assert (done.code, done.row["outcome"]) == (0, "deployed")
    assert set(done.row["done"]["deleted"]) == set(seen.changes)


@pytest.mark.parametrize("cache", CACHES)
def test_an_object_can_be_gone_with_its_kind(repo: Repo, widgets: dict[str, Any], cache: str) -> None:
    environment = CACHES[cache]
    repo.server.create(widgets)
    repo.by_hand("wait", "crd", widgets["metadata"]["name"], "--for=condition=Established", "--timeout=30s")
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(config_map("k"), config_map("c"), widget(widgets, "x")))
    repo.put_out(**environment)
    repo.by_hand("delete", "crd", widgets["metadata"]["name"], "--timeout=60s")
    repo.write("app/all.yaml", documents(config_map("k")))

    seen = repo.preview(**environment)

    assert seen.changes == {f"ConfigMap/{repo.namespace}/c": "delete"}
    if cache == "without a cache":
        assert f"Widget.{widgets['spec']['group']} x is gone with its kind" in seen.notes
    repo.deploy(seen.row["hash"], **environment)
    assert repo.config_maps() == {"k"}
    repo.deploy(None, **environment)
    assert repo.listed() == ["k"]


def test_an_unserved_version_in_the_inventory_is_the_same_object(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(config_map("k"), config_map("c")))
    repo.put_out()
    (name,) = repo.inventories()
    lines = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "c"},
        {"apiVersion": "v1beta7", "kind": "ConfigMap", "name": "k"},
        {"apiVersion": "v9.example.com/v1", "kind": "Gone", "name": "x"},
        {"apiVersion": "v9beta1", "kind": "ConfigMap", "name": "never"},
    ]
    inventory = repo.live("ConfigMap", name)
    del inventory["metadata"]["managedFields"]
    inventory["data"]["objects"] = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    repo.server.apply(inventory, manager="kubectl")
    repo.write("app/all.yaml", documents(config_map("k")))

    seen = repo.preview()

    assert seen.changes == {f"ConfigMap/{repo.namespace}/c": "delete"}
    assert seen.notes.count("is gone with its kind") == 1
    assert "Gone.v9.example.com x is gone with its kind" in seen.notes
    repo.deploy(seen.row["hash"])
    assert repo.config_maps() == {"k"}


def test_namespaces_that_are_needed_stay(repo: Repo) -> None:
    place = f"{repo.namespace}-2"
    spaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": "shop"}}}
        for name in (place, repo.namespace, "default", "kube-public")
    ]
    repo.only(prune=True)
    repo.configure({"path": "app", "tool": "kubectl", "options": {"prune": True}})
    kubeconfig = repo.home / f"{repo.namespace}.kubeconfig"
    kubeconfig.write_text(repo.cluster.kubeconfig.read_text())
    environment = {"KUBECONFIG": str(kubeconfig)}
    repo.by_hand(f"--kubeconfig={kubeconfig}", "config", "set-context", "--current", f"--namespace={repo.namespace}")
    repo.write("app/1.yaml", documents(*spaces))
    repo.write("app/2.yaml", documents(config_map("k")))
    repo.put_out(**environment)
    repo.write("app/3.yaml", documents(config_map("c", place)))
    repo.put_out(**environment)
    assert len(repo.inventories()) == 1

    repo.remove("app/1.yaml")
    kept = repo.preview(**environment)
    assert kept.changes == {}
    for name, why in (
        (place, "ConfigMap c of the manifests lives in it"),
        (repo.namespace, "the stack's inventory lives in it"),
        ("default", "never pruned"),
        ("kube-public", "never pruned"),
    ):
        assert any(note.startswith(f"Namespace/{name} ") and why in note for note in kept.row["notes"]), kept.notes

    repo.remove("app/3.yaml")
    seen = repo.preview(**environment)
    assert seen.changes == {f"Namespace/{place}": "delete", f"ConfigMap/{place}/c": "delete"}
    assert f"Namespace/{place} is deleted with everything that is in that namespace" in seen.notes
    done = repo.deploy(seen.row["hash"], **environment)
    assert set(done.row["done"]["deleted"]) == set(seen.changes)
    assert repo.server.get("v1", "Namespace", None, place) is None
    for name in ("default", "kube-public", repo.namespace):
        assert repo.server.get("v1", "Namespace", None, name) is not None


MEANWHILE = {
    "made anew": ('"$kubectl" {place} delete configmap c; "$kubectl" {place} create configmap c', "made anew"),
    "applied again": ('"$kubectl" {place} apply --server-side -f {file}', "applied it again"),
    "other inventory": (
        '"$kubectl" {place} patch configmap {inventory} -p \'{{"data":{{"objects":""}}}}\'',
        "another deploy",
    ),
}
"""What someone else does, and a word of what is said about it."""


@pytest.mark.parametrize(("script", "named"), MEANWHILE.values(), ids=MEANWHILE)
def test_what_changed_since_it_was_judged_is_not_deleted(repo: Repo, script: str, named: str) -> None:
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(config_map("k"), config_map("c"), config_map("d")))
    repo.put_out()
    (inventory,) = repo.inventories()
    repo.write("app/all.yaml", documents(config_map("k"), config_map("new")))
    seen = repo.preview()
    place = f"--namespace={repo.namespace}"
    file = repo.write("by-hand.yaml", documents(config_map("c", data={"new": "x"})))
    repo.hook(AFTER_APPLY.format(script=script.format(place=place, inventory=inventory, file=file)))

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert named in failed.row["reason"]["text"]
    assert "the set was applied, and nothing was deleted" in failed.notes
    assert failed.argv("delete") == []
    assert failed.row["done"]["applied"] == [f"ConfigMap/{repo.namespace}/k", f"ConfigMap/{repo.namespace}/new"]
    assert repo.config_maps() == {"c", "d", "k", "new"}


def test_what_is_gone_by_itself_meanwhile_is_nothing_to_do(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(config_map("k"), config_map("c"), config_map("d")))
    repo.put_out()
    repo.write("app/all.yaml", documents(config_map("k")))
    seen = repo.preview()
    script = f'"$kubectl" --namespace={repo.namespace} delete configmap c'
    repo.hook(AFTER_APPLY.format(script=script))

    done = repo.deploy(seen.row["hash"])

    assert (done.code, done.row["outcome"]) == (0, "deployed")
    assert repo.config_maps() == {"k"}


def test_nobody_says_that_nothing_was_deleted_when_nobody_could_look(repo: Repo) -> None:
    repo.only(prune=True)
    repo.write("app/all.yaml", documents(config_map("k"), config_map("c"), config_map("d")))
    repo.put_out()
    repo.write("app/all.yaml", documents(config_map("k")))
    seen = repo.preview()
    repo.hook(f'if [ "$1" = delete ]; then touch {repo.machine}/deleted; fi;'
              f'if [ "$1" = get ] && [ -e {repo.machine}/deleted ]; then echo no >&2; exit 1; fi')  # fmt: skip

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert repo.config_maps() == {"k"}
    assert "can't be told" in failed.notes
    assert "nothing was deleted" not in failed.notes
    assert "not deleted" not in failed.notes
