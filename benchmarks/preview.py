"""``sluiceway preview`` against bare ``kubectl diff`` of the same set, in sync and changed, on a local API server.

    python benchmarks/preview.py [--objects 500] [--rounds 5] [--minor 1.34]

It makes its own cluster. What is compared is the whole command, start-up included. Aim: at most 5 % and 0.25 s over.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sets import deployments
from timing import Run, compare

from recorder import tools
from recorder.clusters.base import Cluster, open_cluster

WANTED = {"1.34": "v1.34", "1.37": "v1.37"}


def main() -> None:
    """Make a cluster, put the set out, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minor", choices=WANTED, default="1.34")
    asked = parser.parse_args()
    with open_cluster("local", asked.minor) as cluster, tempfile.TemporaryDirectory() as scratch:
        root, environment = Path(scratch), _environment(cluster, asked.minor)
        _prepare(root, environment, asked.objects)
        _compare(f"{asked.objects} in sync", root, environment, asked.rounds, bare_code=0)
        (root / "app" / "all.yaml").write_text(deployments(asked.objects, "2"))
        _compare(f"{asked.objects} changed", root, environment, asked.rounds, bare_code=1)


def _environment(cluster: Cluster, minor: str) -> dict[str, str]:
    kubectl = tools.need("kubectl", WANTED[minor]).path
    return {
        **os.environ,
        **cluster.environment(),
        "PATH": f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        "KUBECTL_EXTERNAL_DIFF": "diff -N -U1000000",
    }


def _prepare(root: Path, environment: dict[str, str], objects: int) -> None:
    (root / "app").mkdir()
    (root / "app" / "all.yaml").write_text(deployments(objects, "1"))
    (root / "sluiceway.yaml").write_text("stacks:\n- path: app\n  tool: kubectl\n  options: {namespace: bench}\n")
    for argv in (["create", "namespace", "bench"], ["apply", "--server-side", "-n", "bench", "-f", "app/all.yaml"]):
        subprocess.run(["kubectl", *argv], env=environment, cwd=root, check=True, capture_output=True, timeout=300)


def _compare(title: str, root: Path, environment: dict[str, str], rounds: int, *, bare_code: int) -> None:
    ours = Run(
        "sluiceway preview", [sys.executable, "-m", "sluiceway", "preview", "--format", "json"], environment, root
    )
    argv = ["kubectl", "diff", "--server-side", "--namespace=bench", "-f", "app/all.yaml"]
    compare(title, ours, Run("kubectl diff", argv, environment, root, (bare_code,)), rounds)


if __name__ == "__main__":
    main()
