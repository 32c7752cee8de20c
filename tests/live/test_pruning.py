"""What is taken out of the manifests: exactly that goes, and only when it is surely the stack's own."""

import pytest

from tests.live.repo import CANARY, Repo, config_map, documents, secret

pytestmark = pytest.mark.live

READ = {"version", "get", "diff"}
KEEP_PRUNE_FILE = 'for last; do :; done; if [ "$1" = delete ]; then cp "$last" "{copy}"; fi'


def deployed(repo: Repo, *trees: object, **options: object) -> None:
    """Deploy a stack that prunes and holds ``trees``."""
    repo.only(prune=True, **options)
    repo.write("app/all.yaml", documents(*trees))
    repo.put_out()


def holds_now(repo: Repo, *trees: object) -> None:
    repo.write("app/all.yaml", documents(*trees) if trees else "# nothing\n")


def test_nothing_but_what_was_taken_out_goes(repo: Repo) -> None:
    names = ("a", "b", "c")
    deployed(repo, *(config_map(name) for name in names), secret("a", p=f"{CANARY}-s3cr3t"))
    repo.by_hand("apply", "--server-side", "-f-", content=documents(config_map("by-hand"), config_map("d")))
    looks = repo.live("ConfigMap", next(iter(repo.inventories())))
    elsewhere = [f"{repo.namespace}-{number}" for number in (1, 2)]
    for place in elsewhere:
        repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}})
        repo.by_hand(
            "apply", "--server-side", "-f-", content=documents(*(config_map(n) for n in names)), namespace=place
        )
        alike = {key: looks["metadata"][key] for key in ("name", "labels", "annotations")}
        repo.server.create({**config_map("x", data=looks["data"]), "metadata": {**alike, "namespace": place}})
    before = {place: snapshot(repo, place) for place in (repo.namespace, *elsewhere)}

    holds_now(repo, config_map("a"))
    seen = repo.preview()
    assert seen.changes == {
        f"ConfigMap/{repo.namespace}/b": "delete",
        f"ConfigMap/{repo.namespace}/c": "delete",
        f"Secret/{repo.namespace}/a": "delete",
    }
    assert seen.argv("delete") == []
    repo.hook(KEEP_PRUNE_FILE.format(copy=repo.machine / "prune"))
    done = repo.deploy(seen.row["hash"])

    assert done.row["outcome"] == "deployed"
    assert set(done.row["done"]["deleted"]) == set(seen.changes)
    (delete,) = done.argv("delete")
    assert delete[:-1] == ("delete", f"--namespace={repo.namespace}", "--ignore-not-found", "-f")
    assert [command[0] for command in done.commands if command[0] not in READ] == ["apply", "delete"]
    assert (repo.machine / "prune").read_text() == "---\n".join(
        f'apiVersion: "v1"\nkind: "{kind}"\nmetadata:\n  name: "{name}"\n  namespace: "{repo.namespace}"\n'
        for kind, name in (("ConfigMap", "b"), ("ConfigMap", "c"), ("Secret", "a"))
    )
    gone = {("ConfigMap", "b"), ("ConfigMap", "c"), ("Secret", "a")}
    for place, held in before.items():
        expected = {key: uid for key, uid in held.items() if place != repo.namespace or key not in gone}
        assert snapshot(repo, place) == expected
    repo.put_out()
    assert repo.listed() == ["a"]


def snapshot(repo: Repo, namespace: str) -> dict[tuple[str, str], str]:
    """Return the uid of every ConfigMap and Secret of a namespace."""
    found = {}
    for kind in ("ConfigMap", "Secret"):
        for name in repo.server.names("v1", kind, namespace):
            tree = repo.server.get("v1", kind, namespace, name)
            assert tree is not None
            found[kind, name] = tree["metadata"]["uid"]
    return found


def test_a_refused_delete_stays_listed_until_it_is_done(repo: Repo) -> None:
    deployed(repo, config_map("a"), config_map("k"), secret("s", p=f"{CANARY}-s3cr3t"))
    holds_now(repo, config_map("k"))
    every = ["get", "list", "create", "patch"]
    limited = repo.cluster.user_kubeconfig(
        repo.namespace,
        [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": [*every, "delete"]},
            {"apiGroups": [""], "resources": ["secrets"], "verbs": every},
        ],
    )

    seen = repo.preview()
    failed = repo.deploy(seen.row["hash"], KUBECONFIG=str(limited))

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert failed.row["reason"]["detail"] == "denied"
    assert failed.row["reason"]["names"] == {"resource": "secrets", "object": "s", "verb": "delete"}
    assert failed.row["done"]["deleted"] == [f"ConfigMap/{repo.namespace}/a"]
    assert "still listed" in failed.notes
    assert f"Secret/{repo.namespace}/s" in failed.notes
    assert f"ConfigMap/{repo.namespace}/a" not in failed.notes
    assert repo.live("Secret", "s") is not None
    assert "s" in repo.listed()

    again = repo.preview()
    assert again.changes == {f"Secret/{repo.namespace}/s": "delete"}
    assert repo.deploy(again.row["hash"]).row["outcome"] == "deployed"
    assert repo.live("Secret", "s") is None


def test_a_finalizer_is_named_and_waited_for_no_longer_than_asked(repo: Repo) -> None:
    deployed(repo, config_map("k"), config_map("plain"), config_map("held", finalizers=["example.com/hold"]))
    holds_now(repo, config_map("k"))
    held, plain = (f"ConfigMap/{repo.namespace}/{name}" for name in ("held", "plain"))

    seen = repo.preview()
    assert seen.changes == {held: "delete", plain: "delete"}
    assert f"{held} has finalizers (example.com/hold)" in seen.notes
    failed = repo.deploy(seen.row["hash"], "--timeout=0.12")

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert failed.row["reason"]["kind"] == "timed-out"
    assert "example.com/hold" in failed.notes
    assert repo.config_maps() == {"held", "k"}
    # It is gone: nothing may say that it is not.
    assert not [note for note in failed.row["notes"] if "not deleted" in note and plain in note]

    waiting = repo.preview()
    assert waiting.row["state"] == "in-sync"
    assert f"{held} is no longer in the manifests and is kept: it is being deleted already" in waiting.notes
    assert "example.com/hold" in waiting.notes
    repo.server.patch("v1", "ConfigMap", repo.namespace, "held", {"metadata": {"finalizers": None}})
    repo.put_out()
    assert repo.listed() == ["k"]


def test_what_is_kept_is_kept_and_said(repo: Repo) -> None:
    bare = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "bare"}}
    marked = config_map("marked", annotations={"sluiceway.dev/prune": "disabled"})
    deployed(repo, config_map("k"), config_map("taken"), config_map("edited"), marked, bare)
    taken = config_map("taken", repo.namespace, data={"k": f"{CANARY}-theirs"})
    repo.server.apply(taken, manager="another-tool", force=True)
    repo.server.patch("v1", "ConfigMap", repo.namespace, "edited", {"data": {"theirs": "x"}}, manager="another-hand")
    holds_now(repo, config_map("k"))

    seen = repo.preview()

    # Someone else's field beside ours does not make it theirs.
    assert seen.changes == {f"ConfigMap/{repo.namespace}/edited": "delete"}
    kept = {note.split(" is no longer")[0]: note for note in seen.row["notes"]}
    assert set(kept) == {f"ConfigMap/{repo.namespace}/{name}" for name in ("taken", "marked")} | {
        f"ServiceAccount/{repo.namespace}/bare"
    }
    assert "annotated sluiceway.dev/prune: disabled" in kept[f"ConfigMap/{repo.namespace}/marked"]
    assert "another-tool" in kept[f"ConfigMap/{repo.namespace}/taken"]
    assert "no managed fields" in kept[f"ServiceAccount/{repo.namespace}/bare"]
    assert "can be pruned" in kept[f"ServiceAccount/{repo.namespace}/bare"]
    repo.deploy(seen.row["hash"])
    assert repo.config_maps() == {"k", "marked", "taken"}
    assert repo.live("ServiceAccount", "bare") is not None
    assert repo.listed() == ["bare", "edited", "k", "marked", "taken"]

    repo.server.patch("v1", "ConfigMap", repo.namespace, "marked", {"metadata": {"annotations": None}})
    freed = repo.preview()
    assert freed.changes == {f"ConfigMap/{repo.namespace}/marked": "delete"}


def test_a_namespace_written_or_left_out_is_the_same_object(repo: Repo) -> None:
    deployed(repo, config_map("c"), config_map("d"))
    uid = repo.live("ConfigMap", "c")["metadata"]["uid"]

    for written in (repo.namespace, None):
        holds_now(repo, config_map("c", written), config_map("d"))
        seen = repo.preview()
        assert (seen.row["state"], seen.changes) == ("in-sync", {})
        assert "inventory is behind" in seen.notes
        assert repo.deploy(None).row["outcome"] == "deployed"
        assert repo.live("ConfigMap", "c")["metadata"]["uid"] == uid
        (listed,) = repo.inventories().values()
        assert {item["name"]: item.get("namespace") for item in listed} == {"c": written, "d": None}
        assert repo.preview().notes == ""


def test_pruning_turned_on_for_a_stack_in_sync(repo: Repo) -> None:
    repo.only()
    holds_now(repo, config_map("a"), config_map("b"))
    repo.put_out()
    before = repo.preview().row
    assert before["notes"] == []

    repo.only(prune=True)
    seen = repo.preview()
    assert (seen.row["state"], seen.row["hash"]) == ("in-sync", before["hash"])
    assert "`sluiceway deploy app` brings it up to date" in seen.notes
    done = repo.deploy(None)
    assert (done.code, done.row["outcome"], done.row["hash"]) == (0, "deployed", before["hash"])

    assert repo.listed() == ["a", "b"]
    after = repo.preview()
    assert (after.row["state"], after.row["hash"], after.row["notes"]) == ("in-sync", before["hash"], [])
    assert len(done.argv("delete")) == 0


def test_an_empty_set(repo: Repo) -> None:
    deployed(repo, config_map("a"), config_map("b"))
    holds_now(repo)

    refused = repo.preview()
    assert (refused.code, refused.row["reason"]["detail"]) == (1, "empty-set")
    assert repo.deploy("0" * 16).row["reason"]["detail"] == "empty-set"
    assert repo.config_maps() == {"a", "b"}

    repo.only(prune=True, allowEmpty=True)
    done = repo.put_out()
    assert len(done.row["done"]["deleted"]) == 2
    assert repo.config_maps() == set()
    repo.deploy(None)
    assert repo.listed() == []
    assert repo.preview().row["state"] == "in-sync"

    repo.only(allowEmpty=True)
    nothing = repo.preview()
    assert (nothing.row["state"], nothing.argv("diff")) == ("in-sync", [])


def test_an_inventory_that_someone_edited_is_never_read_as_empty(repo: Repo) -> None:
    deployed(repo, config_map("a"), config_map("b"))
    (name,) = repo.inventories()
    whole = repo.live("ConfigMap", name)["data"]["objects"]
    holds_now(repo, config_map("a"))

    for number, broken in enumerate(("", f"{CANARY}\n", whole + '{"apiVersion":"v1","kind":"ConfigMap"}\n')):
        data = {"objects": broken} if number else None
        repo.server.patch("v1", "ConfigMap", repo.namespace, name, {"data": data})
        failed = repo.deploy("0" * 16)
        assert (failed.code, failed.row["state"]) == (1, "preview-failed")
        assert failed.row["reason"]["detail"] == "inventory-unreadable"
        assert failed.row["reason"]["names"]["line"] == ("0", "1", "3")[number]
        assert name in failed.row["reason"]["text"]
        assert (failed.argv("apply"), failed.argv("delete")) == ([], [])

    repo.server.patch("v1", "ConfigMap", repo.namespace, name, {"data": {"objects": whole}}, manager="kubectl-edit")
    assert repo.preview().changes == {f"ConfigMap/{repo.namespace}/b": "delete"}

    # Put right by hand it is somebody's by now: said with the way out.
    holds_now(repo, config_map("c"))
    conflict = repo.preview().row["reason"]
    assert (conflict["detail"], conflict["names"]["manager"]) == ("conflict", "kubectl-edit")
    assert "Someone edited the stack's inventory" in conflict["text"]
    repo.only(prune=True, forceConflicts=True)
    repo.put_out()
    repo.only(prune=True)
    assert repo.preview().row["state"] == "in-sync"
    assert repo.config_maps() == {"c"}


def test_an_inventory_that_may_not_be_read_is_a_failure(repo: Repo) -> None:
    deployed(repo, config_map("a"), secret("s", p=f"{CANARY}-s3cr3t"))
    holds_now(repo, secret("s", p=f"{CANARY}-s3cr3t"))
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "create", "patch", "delete"]}]
    blind = repo.cluster.user_kubeconfig(repo.namespace, rules)

    failed = repo.preview(KUBECONFIG=str(blind))

    assert (failed.code, failed.row["state"]) == (1, "preview-failed")
    assert failed.row["reason"]["detail"] == "denied"
    assert failed.row["reason"]["names"]["verb"] == "get"
    assert repo.deploy("0" * 16, KUBECONFIG=str(blind)).argv("apply") == []


def test_what_others_hold_can_be_unknown(repo: Repo) -> None:
    deployed(repo, config_map("a"), config_map("k"))
    holds_now(repo, config_map("k"))
    verbs = ["get", "create", "patch", "delete"]
    user = repo.cluster.user_kubeconfig(
        repo.namespace, [{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]
    )

    done = repo.put_out(KUBECONFIG=str(user))

    assert "can't be listed" in done.notes
    assert repo.config_maps() == {"k"}


def test_an_object_moves_between_stacks(repo: Repo) -> None:
    repo.configure(repo.stack("one", prune=True), repo.stack("two", prune=True))
    repo.write("one/all.yaml", documents(config_map("k"), config_map("c")))
    repo.write("two/all.yaml", documents(config_map("l")))
    repo.put_out(stack="one")
    repo.put_out(stack="two")
    uid = repo.live("ConfigMap", "c")["metadata"]["uid"]

    repo.write("one/all.yaml", documents(config_map("k")))
    repo.write("two/all.yaml", documents(config_map("l"), config_map("c")))
    for order in ("one", "two", "one"):
        seen = repo.preview()
        assert [change for row in seen.rows.values() for change in row["changes"]] == []
        assert f"ConfigMap/{repo.namespace}/c is no longer in the manifests and is kept" in "".join(
            seen.rows["one"]["notes"]
        )
        repo.deploy(None, stack=order)
        assert repo.live("ConfigMap", "c")["metadata"]["uid"] == uid

    # Not even when the file that says so is another repo's by now.
    repo.configure(repo.stack("one", prune=True))
    assert repo.preview().changes == {}
    assert "stack two" in repo.preview().notes


def test_a_stack_that_names_no_namespace_may_hold_it(repo: Repo) -> None:
    in_context(repo)
    repo.configure(repo.stack("one", prune=True), {"path": "two", "tool": "kubectl"})
    repo.write("one/all.yaml", documents(config_map("k"), config_map("c")))
    repo.write("two/all.yaml", documents(config_map("l")))
    repo.put_out(stack="one")
    repo.write("one/all.yaml", documents(config_map("k")))
    repo.write("two/all.yaml", documents(config_map("l"), config_map("c")))

    seen = repo.preview("one")

    assert seen.changes == {}
    assert "the stack two, which names no namespace, perhaps holds it" in seen.notes


def in_context(repo: Repo) -> None:
    """Have a kubeconfig whose context names the repo's namespace."""
    kubeconfig = repo.machine / "kubeconfig"
    kubeconfig.write_text(repo.cluster.kubeconfig.read_text())
    repo.environment["KUBECONFIG"] = str(kubeconfig)
    repo.by_hand("config", "set-context", "--current", f"--namespace={repo.namespace}")


def test_what_kubectl_says_it_did_is_looked_after(repo: Repo) -> None:
    deployed(repo, config_map("k"), config_map("c"))
    holds_now(repo, config_map("k"))
    seen = repo.preview()
    repo.hook('if [ "$1" = delete ]; then echo "deletion is cancelled"; exit 0; fi')

    failed = repo.deploy(seen.row["hash"])

    assert (failed.code, failed.row["outcome"]) == (1, "failed")
    assert f"the cluster still holds ConfigMap/{repo.namespace}/c" in failed.row["reason"]["text"]
    assert failed.row["done"]["deleted"] == []
