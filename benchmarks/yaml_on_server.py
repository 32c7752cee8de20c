"""Generated manifests as Sluiceway reads them, against what kubectl sends to a real API server and prints of it.

    python benchmarks/yaml_on_server.py [--files 500] [--seed 1] [--minor 1.34]

It makes its own cluster. The files are those of ``yaml_as_kubectl.py``, joined to one set, of a custom kind that keeps
every field. The set is read by ``kubectl create --dry-run=client`` and ``kubectl apply --server-side
--dry-run=server``, both with ``--output=json``, and printed by ``kubectl diff --server-side``: which objects there are,
in which order, and every value, is compared with what Sluiceway reads in the set and in the diff. Then the set is
applied, and the diff of another set of the same names is read: both sides of it, against the live objects and the
server's dry run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml_as_kubectl as local
from yaml_as_kubectl import FIRST, LIMIT, SHOWN, WANTED, Tree, Writer, alike, ours

from recorder import tools
from recorder.clusters.api import wait_until
from recorder.clusters.local import LocalCluster
from sluiceway.adapters.kubectl import rendered
from sluiceway.adapters.kubectl.commands import DIFF_PROGRAM
from sluiceway.adapters.kubectl.diff_output import read_diff
from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.model.trees import Float

NAMESPACE = "shop"
OWN = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
"""What the API server writes into an object's metadata."""

Names = tuple[str, str]


def definition() -> Tree:
    """Return the definition of a kind that keeps every field as it is."""
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"kind": "Asked", "listKind": "AskedList", "plural": "askeds", "singular": "asked"}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "askeds.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }


class Kubectl:
    """One kubectl and its cluster."""

    def __init__(self, cluster: LocalCluster, home: Path) -> None:
        self._path = tools.need("kubectl", WANTED[cluster.minor]).path
        self.alone = local.Kubectl(self._path, home)
        self._environment = {
            **cluster.environment(), "HOME": str(home), "TMPDIR": str(home), "PATH": os.environ["PATH"],
            "KUBERC": "off", "KUBECTL_EXTERNAL_DIFF": DIFF_PROGRAM,
        }  # fmt: skip

    def __call__(self, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
        """Run a command in the namespace."""
        return subprocess.run(
            [self._path, *words, f"--namespace={NAMESPACE}"], env=self._environment,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False,
        )  # fmt: skip

    def diff(self, file: Path) -> bytes:
        """Return what the adapter's diff program prints."""
        return self("diff", "--server-side", "--force-conflicts", "-f", file).stdout

    def objects(self, *words: str | Path) -> list[Tree]:
        """Return the objects that a command prints as JSON: one by one, or in a list."""
        return list(_objects(self(*words, "--output=json").stdout.decode("utf-8")))


def _objects(content: str) -> Iterator[Tree]:
    at = 0
    while at < len(content):
        tree, at = JSON.raw_decode(content, at)
        yield from tree["items"] if tree.get("kind") == "List" else [tree]
        while at < len(content) and content[at].isspace():
            at += 1


def stated(tree: Tree) -> Tree:
    """Return an object without what the API server wrote into it, with the namespace that it goes to."""
    metadata = {key: node for key, node in tree["metadata"].items() if key not in OWN}
    return {**tree, "metadata": {**metadata, "namespace": NAMESPACE}}


def as_sent(tree: Any) -> Any:
    """Return an object as the API server reads an apply of it: as YAML, where a NEL breaks the line and is a space."""
    if isinstance(tree, dict):
        return {key.replace("\x85", " "): as_sent(node) for key, node in tree.items()}
    if isinstance(tree, list):
        return [as_sent(node) for node in tree]
    return tree.replace("\x85", " ") if isinstance(tree, str) and not isinstance(tree, Float) else tree


def name(tree: Tree) -> str:
    """Return what the object is called."""
    return str(tree["metadata"]["name"])


def written(kubectl: Kubectl, room: Path, seed: str, files: int) -> rendered.Rendered:
    """Return the set of those generated files that Sluiceway and kubectl take."""
    (room / "one").mkdir(parents=True)
    (room / "set").mkdir()
    for number in range(files):
        whole = room / "one" / f"f{number}.yaml"
        whole.write_text(Writer(f"{seed}-{number}").file(f"f{number}"), encoding="utf-8", newline="")
        taken = isinstance(ours(room / "one"), list) and isinstance(ours(room / "one", first=FIRST), list)
        whole.rename(room / "set" / whole.name) if taken else whole.unlink()
    for refused in kubectl.alone.reads(room / "set")[1]:
        (room / "set" / f"{refused}.yaml").unlink()
    found = rendered.from_directory(room / "set", room / "set", recursive=False)
    (room / "set.yaml").write_bytes(found.content)
    return found


def differing(mine: Iterable[Tree], theirs: Iterable[Tree], same: Callable[[Any, Any], bool] = alike) -> list[str]:
    """Return the names of the objects that one side has and the other has not, or has otherwise, or elsewhere."""
    left, right = ([(name(tree), stated(tree)) for tree in side] for side in (mine, theirs))
    if [each for each, _ in left] != [each for each, _ in right]:
        return sorted({each for each, _ in left} ^ {each for each, _ in right}) or ["their order"]
    return [each for (each, a), (_, b) in zip(left, right, strict=True) if not same(a, b)]


def main() -> None:
    """Ask for both sets, and print what was compared; exit 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minor", choices=WANTED, default="1.34")
    asked = parser.parse_args()
    with LocalCluster(asked.minor) as cluster, tempfile.TemporaryDirectory() as scratch:
        cluster.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition())
        cluster.api.post(
            "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
        )
        wait_until("the custom kind", lambda: cluster.api.exists("/apis/example.com/v1/askeds"), seconds=30)
        found = compare(Kubectl(cluster, Path(scratch)), Path(scratch), asked.seed, asked.files)
    for what, (objects, names) in found.items():
        print(
            f"{objects:6}  {what}: {len(names)} differ{''.join(f'{chr(10)}        {each}' for each in names[:SHOWN])}"
        )
    sys.exit(any(names for _, names in found.values()))


def compare(kubectl: Kubectl, room: Path, seed: int, files: int) -> dict[str, tuple[int, list[str]]]:
    """Return, for each command, how many objects were compared and the names of those that differ."""
    sets = [written(kubectl, room / turn, f"{seed}-{turn}", files) for turn in ("first", "second")]
    file = room / "first" / "set.yaml"
    trees = [manifest.tree for manifest in sets[0].manifests]
    client = kubectl.objects("create", "--dry-run=client", "--validate=ignore", "-f", file)
    found = {"kubectl create --dry-run=client": (len(trees), differing(trees, client))}
    mine = [as_sent(tree) for tree in trees]
    server = dry_run(kubectl, file)
    found["kubectl apply --dry-run=server"] = (len(mine), differing(mine, server))
    sides = read_diff(kubectl.diff(file))
    shown = [side.merged.tree for side in sides if side.merged is not None and side.live is None]
    found["kubectl diff, all new"] = (len(shown), differing(by_name(server), by_name(shown)))
    kubectl("apply", "--server-side", "-f", file)
    return found | changed(kubectl, room / "changed.json", mine, [as_sent(m.tree) for m in sets[1].manifests])


def changed(kubectl: Kubectl, file: Path, before: list[Tree], other: list[Tree]) -> dict[str, tuple[int, list[str]]]:
    """Compare both sides of the diff of other objects under the names of those that were applied."""
    after = [{**new, "metadata": {"name": name(old)}} for old, new in zip(before, other, strict=False)]
    file.write_text("".join(json.dumps(_numbers(tree)) + "\n" for tree in after), encoding="utf-8")
    live = {name(tree): tree for tree in kubectl.objects("get", "askeds.example.com")}
    merged = {name(tree): tree for tree in dry_run(kubectl, file)}
    shown = {side.either.name: side.whole() for side in read_diff(kubectl.diff(file))}
    differs = {each for each, tree in merged.items() if not alike(stated(live[each]), stated(tree))}
    return {
        "kubectl diff, which objects changed": (len(merged), sorted(differs ^ shown.keys())),
        "kubectl diff, the live side": (len(shown), wrong({each: old for each, (old, _) in shown.items()}, live)),
        "kubectl diff, the merged side": (len(shown), wrong({each: new for each, (_, new) in shown.items()}, merged)),
    }


def _numbers(tree: Any) -> Any:
    """Return a tree that can be written as JSON: a number with a point is kept as its text otherwise."""
    if isinstance(tree, dict):
        return {key: _numbers(node) for key, node in tree.items()}
    if isinstance(tree, list):
        return [_numbers(node) for node in tree]
    return float(tree) if isinstance(tree, Float) else tree


def wrong(shown: dict[str, Tree], real: dict[str, Tree]) -> list[str]:
    """Return the names of the objects that were read otherwise than the server holds them."""
    return [each for each, tree in shown.items() if not alike(stated(tree), stated(real[each]))]


def by_name(trees: Iterable[Tree]) -> list[Tree]:
    """Return objects in the order of their names: the diff program sorts files."""
    return sorted(trees, key=name)


def dry_run(kubectl: Kubectl, file: Path) -> list[Tree]:
    """Return what the API server makes of a set."""
    return kubectl.objects("apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", file)


if __name__ == "__main__":
    main()
