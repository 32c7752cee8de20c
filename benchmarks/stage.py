"""A local cluster with a repo whose stacks go to one of its namespaces, and the commands that are timed there."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from sets import deployments
from timing import Run

from recorder import tools
from recorder.clusters.local import LocalCluster

WANTED = {"1.34": "v1.34", "1.37": "v1.37"}
NAMESPACE = "bench"
DIFF = ("kubectl", "diff", "--server-side", f"--namespace={NAMESPACE}")


def product(scratch: Path) -> dict[str, str]:
    """Return the environment in which this tree runs as an installed package does: with its bytecode kept."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    tree = Path(__file__).resolve().parents[1]
    return {**kept, "PYTHONPATH": str(tree), "PYTHONPYCACHEPREFIX": str(scratch / "bytecode")}


@dataclass(frozen=True)
class Stage:
    """What a benchmark times commands on."""

    cluster: LocalCluster
    root: Path
    environment: dict[str, str] = field(repr=False)

    def configure(self, stacks: int = 1, **options: object) -> None:
        """Have this many stacks, ``s0`` and on."""
        entry = {"tool": "kubectl", "options": {"namespace": NAMESPACE, **options}}
        listed = [{"path": f"s{number}", **entry} for number in range(stacks)]
        (self.root / "sluiceway.yaml").write_text(json.dumps({"stacks": listed}))

    def write(self, content: str, stack: int = 0) -> None:
        """Write the manifests of a stack."""
        (self.root / f"s{stack}").mkdir(exist_ok=True)
        (self.root / f"s{stack}" / "all.yaml").write_text(content)

    def put_out(self, objects: int) -> None:
        """Have one stack of so many Deployments, in sync with the cluster."""
        self.configure()
        self.write(deployments(objects, "1"))
        argv = ["kubectl", "apply", "--server-side", f"--namespace={NAMESPACE}", "-f", "s0/all.yaml"]
        subprocess.run(argv, env=self.environment, cwd=self.root, check=True, capture_output=True, timeout=600)

    def preview(self, *more: str, environment: dict[str, str] | None = None) -> Run:
        """Return a preview of all stacks, start-up included."""
        argv = [sys.executable, "-m", "sluiceway", "preview", "--format=json", *more]
        return Run("sluiceway preview", argv, environment or self.environment, self.root, beside=self.served)

    def diff(self, *more: str, environment: dict[str, str] | None = None) -> Run:
        """Return bare kubectl's diff of the first stack."""
        argv = [*DIFF, *more, "-f", "s0/all.yaml"]
        return Run("kubectl diff", argv, environment or self.environment, self.root, (0, 1), self.served)

    def served(self) -> float:
        """Return the processor seconds that the cluster's own processes have spent so far."""
        ticks = 0
        for identity in self.cluster.processes.values():
            spent = Path(f"/proc/{identity.pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(spent[11]) + int(spent[12])
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def opened(minor: str) -> Iterator[Stage]:
    """Make a cluster and a repo, and give both back."""
    kubectl = tools.need("kubectl", WANTED[minor]).path
    with LocalCluster(minor) as cluster, TemporaryDirectory() as scratch:
        root = Path(scratch) / "repo"
        root.mkdir()
        environment = {
            **product(Path(scratch)),
            **cluster.environment(),
            "HOME": scratch,
            "PATH": f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}",
            "KUBECTL_EXTERNAL_DIFF": "diff -N -U1000000",
        }
        cluster.api.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        yield Stage(cluster, root, environment)
