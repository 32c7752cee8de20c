"""What the second reading of a Helm upgrade costs, and what running the diffs of a drift check side by side saves.

    python benchmarks/helm.py [--objects 100] [--rounds 5] [--minor 1.34]

It makes its own cluster; the diff plugin is looked for in HELM_PLUGINS and the recorder's cache. Aim: the second
reading takes at most 10 % of a preview's wall time.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sets import deployments

from recorder import tools
from recorder.clusters.base import open_cluster
from sluiceway.adapters.base import Preview, Workplace
from sluiceway.adapters.helm import drift, preview
from sluiceway.adapters.helm.session import Session
from sluiceway.adapters.helm.structured import read_structured
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, ProcessRunner

HELMS = {"1.34": "3.18", "1.37": "4.3"}
NAMESPACE = "bench"
STACK = Stack("chart", "chart", "helm", {"release": "bench", "namespace": NAMESPACE, "chart": "./"})


def main() -> None:
    """Make a cluster, deploy a chart, change it, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minor", choices=HELMS, default="1.34")
    asked = parser.parse_args()
    with open_cluster("local", asked.minor) as cluster, tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "private").mkdir()
        with _runner(cluster.environment(), asked.minor) as runner:
            place = Workplace(STACK, root, runner, root / "private")
            _write(root, asked.objects, "1")
            flags = ("--namespace=bench", "--create-namespace")
            runner.run(Command(("helm", "install", "bench", ".", *flags), root / "chart", writes=True))
            _write(root, asked.objects, "2")
            _compare(place, asked.objects, asked.rounds)


def _runner(cluster: Mapping[str, str], minor: str) -> ProcessRunner:
    helm, plugin = tools.need("helm", HELMS[minor]).path, tools.need(tools.PLUGIN, ">=3.15.11").path
    path = f"{helm.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **cluster, "PATH": path, "HELM_PLUGINS": str(plugin.parent)}
    return ProcessRunner(environment=environment, relay=lambda _line: None, shown=lambda _line: None)


def _write(root: Path, objects: int, version: str) -> None:
    templates = root / "chart" / "templates"
    templates.mkdir(parents=True, exist_ok=True)
    (root / "chart" / "Chart.yaml").write_text("apiVersion: v2\nname: bench\nversion: 0.1.0\n")
    (templates / "all.yaml").write_text(deployments(objects, version))


def _compare(place: Workplace, objects: int, rounds: int) -> None:
    session = Session.at(place)
    commands, run = session.commands, place.runner.run

    def diff_alone() -> None:
        read_structured(run(commands.diff()).stdout, NAMESPACE)

    def both_readings() -> Preview:
        found = preview.preview(place)
        if not isinstance(found, Preview):
            raise SystemExit(found.reason.text)
        return found

    def in_turn() -> None:
        for command in (commands.diff(), commands.three_way(), commands.three_way("diff"), commands.release()):
            run(command)

    row = both_readings()
    _print(f"{objects} objects, a preview against the plugin's diff alone", both_readings, diff_alone, rounds)
    _print(f"{objects} objects, drift side by side against in turn", lambda: drift.drift(place, row), in_turn, rounds)


def _print(title: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> None:
    pairs = [(_seconds(ours), _seconds(theirs)) for _ in range(rounds + 1)][1:]
    ratio = statistics.median(a / b for a, b in pairs)
    medians = ", ".join(f"{statistics.median(side):.3f} s" for side in zip(*pairs, strict=True))
    print(f"{title}: {medians}, ratio {ratio:.3f} (medians of {rounds})", flush=True)


def _seconds(step: Callable[[], object]) -> float:
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
