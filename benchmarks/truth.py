"""What a preview of a kubectl stack says against what the deploy then changes in the cluster, for generated pairs.

    python benchmarks/truth.py [--pairs 1000] [--objects 60] [--seed 1] [--minor 1.34]

It makes its own cluster. Each round has a namespace, a stack and ``--objects`` objects, each with a history: applied by
the stack, applied client-side, changed since by another field manager or by hand, not there yet, or gone from the
directory. The live objects before and after the deploy are compared, object by object and path by path, with the row;
then the stack must be in sync. What the API server refuses is left out of the new manifests and counted.
Differences are printed by seed, address and path, never with a value.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import yaml
from manifests import KINDS, Draw, Tree, crd, drawn

from recorder import tools
from recorder.clusters.api import wait_until
from recorder.clusters.local import LocalCluster
from sluiceway.adapters.base import Preview, Workplace
from sluiceway.adapters.kubectl.adapter import KubectlAdapter
from sluiceway.adapters.kubernetes.fold import comparable, cut
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.paths import write_path
from sluiceway.model.results import Deployed, Failure
from sluiceway.model.stacks import Stack
from sluiceway.model.trees import at_path, changed_paths, leaves
from sluiceway.processes import Command, Outcome, ProcessRunner

WANTED = {"1.34": "1.34.0", "1.37": "1.37"}
HISTORIES = ("applied", "applied", "client-side", "client-side then shared", "shared", "by hand", "new", "gone")
"""How an object came to be what it is when the preview is taken; in each round as often as it stands here."""

OF_CONTROLLERS = {'metadata.annotations["deployment.kubernetes.io/revision"]'}
"""Paths that a controller writes after a deploy."""

COUNTER = 'metadata.annotations["deprecated.daemonset.template.generation"]'
"""Where the API server counts the templates of a DaemonSet, also those that differ in an empty map only."""

SHOWN = 20
"""How many differences are printed."""

HTTP_OK = 200

Row = dict[str, list[str]]
"""By address: the paths, or the op in a list of one."""


@dataclass(frozen=True)
class Case:
    """One object of a round."""

    api_version: str
    kind: str
    name: str
    history: str
    seed: str

    def turn(self, number: int) -> Tree:
        """Return the object: 0 is the old one, 1 the new one, 2 another manager's or a person's."""
        share = Random(f"{self.seed} share").choice((0.0, 0.05, 0.2, 0.5))  # noqa: S311 - no secret
        return drawn(self.api_version, self.kind, self.name, Draw(self.seed, number, share))


@dataclass
class Score:
    """What came of all rounds."""

    pairs: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    paths: int = 0
    refused: int = 0
    differences: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    """The differences that ``docs/figures.md`` documents: around empty maps and lists, and the count of templates."""


def main() -> None:
    """Play the rounds and print the table; exit 1 when the row and the cluster differ anywhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first round, to play one again")
    parser.add_argument("--minor", choices=WANTED, default="1.34")
    asked = parser.parse_args()
    score, begun = Score(), time.monotonic()
    with LocalCluster(asked.minor) as cluster, tempfile.TemporaryDirectory() as scratch:
        cluster.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd())
        wait_until("the custom kind", lambda: cluster.api.exists("/apis/truth.example.com/v1/parts"), seconds=30)
        number = asked.first
        while score.pairs.total() < asked.pairs:
            seed = f"{asked.seed}-{number}"
            with runner(cluster, Path(scratch)) as running:
                Round(cluster, Path(scratch), running, seed).play(cases(seed, asked.objects), score)
            number += 1
    report(asked.minor, score, number - asked.first, time.monotonic() - begun)
    sys.exit(bool(score.differences))


@dataclass(frozen=True)
class Round:
    """One round: a repo of one stack, a namespace, and the objects that are looked at in it."""

    cluster: LocalCluster
    root: Path
    runner: ProcessRunner
    seed: str

    @property
    def namespace(self) -> str:
        """The namespace of the round."""
        return f"truth-{self.seed}"

    @property
    def place(self) -> Workplace:
        """Where the adapter works."""
        options = {"namespace": self.namespace, "prune": True, "forceConflicts": True, "concurrency": 4}
        stack = Stack("app", "app", "kubectl", {**options, "allowEmpty": True})
        return Workplace(stack, self.root, self.runner, self.root / "private", "acme/shop")

    def play(self, cases: list[Case], score: Score) -> None:
        """Bring the cluster to the old state, take the preview, deploy, and compare."""
        self.cluster.api.post("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self._old(cases)
        wanted = [case.turn(1) for case in cases if case.history != "gone"]
        accepted = self._accepted(wanted)
        score.refused += len(wanted) - len(accepted)
        self._write(accepted)
        before = self._live()
        said = self._deployed()
        after = self._live()
        if isinstance(said, Failure):
            score.differences.append(f"{self.seed}: no deploy: {said.reason.text}")
            return
        done = difference(before, after)
        self._compare(cases, said, done, score, before)
        again = KubectlAdapter().preview(self.place)
        if isinstance(again, Failure):
            score.differences.append(f"{self.seed}: no preview after the deploy: {again.reason.text}")
            return
        for address, paths in row(again).items():
            left = f"{self.seed}: {address} ({history(cases, address)}): not in sync after the deploy: {paths}"
            stated = next(LiveObject(tree) for tree in accepted if address.endswith(f"/{tree['metadata']['name']}"))
            empty = {_last(path) for path in (*_empty({}, stated.tree), *_empty([], stated.tree))}
            known = empty.issuperset(_last(path) for path in paths if path != COUNTER)
            (score.known if known else score.differences).append(left)

    def _compare(self, cases: list[Case], said: Row, done: Row, score: Score, before: dict[str, Tree]) -> None:
        for case in cases:
            score.pairs[case.kind] += 1
            score.changed[case.kind] += any(_names(address, case) for address in done)
        score.paths += sum(map(len, done.values()))
        for address in sorted(said.keys() | done.keys()):
            mine, true = set(said.get(address, ())), set(done.get(address, ()))
            if mine != true:
                only = f"said only: {sorted(mine - true)}, done only: {sorted(true - mine)}"
                line = f"{self.seed}: {address} ({history(cases, address)}): {only}"
                migrated = history(cases, address).startswith("client-side")
                known = migrated and not true - mine and mine - true <= set(_empty([], before.get(address, {})))
                (score.known if known else score.differences).append(line)

    def _old(self, cases: list[Case]) -> None:
        ours = [case.turn(0) for case in cases if case.history not in ("new", "client-side", "client-side then shared")]
        self._write(self._accepted(ours))
        said = self._deployed()
        if isinstance(said, Failure):
            raise SystemExit(f"{self.seed}: the old state can't be deployed: {said.reason.text}")
        self._by_hand(turns(cases, 0, "client-side", "client-side then shared"), "apply", "--validate=false")
        flags = ("apply", "--server-side", "--field-manager=other", "--force-conflicts")
        self._by_hand(turns(cases, 2, "shared", "client-side then shared"), *flags)
        self._by_hand(turns(cases, 2, "by hand"), "replace")

    def _write(self, trees: Iterable[Tree]) -> None:
        (self.root / "app").mkdir(exist_ok=True)
        (self.root / "app" / "all.yaml").write_text(stream(trees), encoding="utf-8")

    def _deployed(self) -> Row | Failure:
        self.place.private.mkdir(exist_ok=True)
        preview = KubectlAdapter().preview(self.place, keep=True)
        if isinstance(preview, Failure):
            return preview
        assert preview.plan is not None  # noqa: S101 - it was asked to keep it
        with preview.plan as plan:
            deployed = KubectlAdapter().deploy(self.place, plan)
        return row(preview) if isinstance(deployed, Deployed) else deployed

    def _accepted(self, trees: list[Tree]) -> list[Tree]:
        """Return those that the API server takes; kubectl goes on after one that it refuses."""
        said = self._by_hand(trees, "apply", "--server-side", "--dry-run=server", "--force-conflicts").stdout.decode()
        taken = set(re.findall(r"/(\S+) serverside-applied", said))
        return [tree for tree in trees if tree["metadata"]["name"] in taken]

    def _by_hand(self, trees: list[Tree], *flags: str) -> Outcome:
        file = self.root / "by-hand.yaml"
        file.write_text(stream(trees), encoding="utf-8")
        argv = ("kubectl", *flags, f"--namespace={self.namespace}", "-f", str(file))
        return self.runner.run(Command(argv, self.root, writes=True))

    def _live(self) -> dict[str, Tree]:
        """Return every object of the namespace, by address, straight from the API server."""
        found = {}
        for api_version, kind in KINDS:
            root = "/api/v1" if api_version == "v1" else f"/apis/{api_version}"
            status, answer = self.cluster.api.get(f"{root}/namespaces/{self.namespace}/{plural(kind)}")
            assert status == HTTP_OK, (kind, status)  # noqa: S101 - a benchmark that can't look is wrong itself
            for item in answer["items"]:
                live = LiveObject({**item, "apiVersion": api_version, "kind": kind})
                if not live.name.startswith(("sluiceway-", "kube-root-ca", "default")):
                    found[live.address] = dict(live.tree)
        return found


def cases(seed: str, objects: int) -> list[Case]:
    """Return the objects of a round: the kinds and the histories in turn, so that all pairs of them come up."""
    kinds = list(KINDS)
    start = Random(seed).randrange(10**6)  # noqa: S311 - no secret
    found = []
    for number in range(objects):
        api_version, kind = kinds[number % len(kinds)]
        history = HISTORIES[(start + number) % len(HISTORIES)]
        found.append(Case(api_version, kind, f"{kind.lower()}-{number}", history, f"{seed}-{number}"))
    return found


def history(cases: list[Case], address: str) -> str:
    """Return the history of the object at an address."""
    return next((case.history for case in cases if _names(address, case)), "unknown")


def turns(cases: list[Case], number: int, *histories: str) -> list[Tree]:
    """Return one turn of the objects that have one of these histories."""
    return [case.turn(number) for case in cases if case.history in histories]


def row(preview: Preview) -> Row:
    """Return what a preview says."""
    return {c.address: list(c.changed_keys) if c.op == "update" else [c.op] for c in preview.diff.changes}


def difference(before: dict[str, Tree], after: dict[str, Tree]) -> Row:
    """Return what changed in the cluster."""
    found = {address: ["delete"] for address in before.keys() - after.keys()}
    found |= {address: ["create"] for address in after.keys() - before.keys()}
    for address in before.keys() & after.keys():
        paths = changed_paths(comparable(before[address]), comparable(after[address]))
        written = {write_path(path) for path in cut(LiveObject(after[address]), paths)} - OF_CONTROLLERS
        if written:
            found[address] = sorted(written)
    return found


class _Quoting(yaml.SafeDumper):
    """Quotes every text: PyYAML leaves bare what kubectl takes for something else (``y``, ``1e3``)."""


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def stream(trees: Iterable[Tree]) -> str:
    """Return manifests as one YAML stream."""
    return yaml.dump_all(trees, Dumper=_Quoting, sort_keys=False, allow_unicode=True)


def plural(kind: str) -> str:
    """Return the name of a kind in a path."""
    return {"NetworkPolicy": "networkpolicies", "Ingress": "ingresses"}.get(kind, f"{kind.lower()}s")


def _empty(what: object, tree: Mapping[str, Any]) -> list[str]:
    """Return the written path of every empty map, or of every empty list."""
    return [write_path(path) for path in leaves(tree) if at_path(tree, path) == what]


def _last(path: str) -> str:
    return re.split(r"[.\[]", path)[-1]


def _names(address: str, case: Case) -> bool:
    return address.endswith(f"/{case.name}")


def report(minor: str, score: Score, rounds: int, seconds: float) -> None:
    """Print the table and the first differences."""
    print(f"{'kind':26}{'pairs':>7}{'changed':>9}")
    for kind, pairs in sorted(score.pairs.items()):
        print(f"{kind:26}{pairs:7}{score.changed[kind]:9}")
    print(
        f"{minor}: {score.pairs.total()} pairs in {rounds} rounds, {score.changed.total()} changed, "
        f"{score.paths} paths, {score.refused} refused by the API server, "
        f"{len(score.differences)} differences, {len(score.known)} documented ones, {seconds:.0f} s"
    )
    print("".join(f"  {line}\n" for line in (*score.differences[:SHOWN], *score.known[:SHOWN])), end="", flush=True)


def runner(cluster: LocalCluster, home: Path) -> ProcessRunner:
    """Return a runner whose kubectl is that of the cluster's minor."""
    kubectl = tools.need("kubectl", WANTED[cluster.minor]).path
    path = f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **cluster.environment(), "PATH": path, "HOME": str(home)}
    return ProcessRunner(environment=environment, relay=lambda _line: None, shown=lambda _line: None)


if __name__ == "__main__":
    main()
