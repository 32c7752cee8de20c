"""What large stacks cost, and how what is too large is refused: outcome, wall time and peak memory of each command.

    python benchmarks/limits.py [--minor 1.34] [case ...]

It makes its own cluster. The memory is the resident peak of the Python process, then that of the largest kubectl.
A case: ``objects`` (5,000 in one stack), ``object`` (one of 1 MB), ``inventory`` (more than a ConfigMap holds) or
``stacks`` (300 of them).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from recorder import tools
from recorder.clusters.local import LocalCluster

WANTED = {"1.34": "1.34.0", "1.37": "1.37"}
LIMIT = 900
"""Seconds that one command may take."""

_MEASURED = (
    "import atexit, resource, runpy, sys\n"
    "def peak():\n"
    "    mine, theirs = (resource.getrusage(who).ru_maxrss >> 10 for who in (0, -1))\n"
    "    open(sys.argv.pop(1), 'w').write(f'{mine} {theirs}')\n"
    "file = sys.argv.pop(1)\n"
    "atexit.register(lambda: (sys.argv.insert(1, file), peak()))\n"
    "runpy.run_module('sluiceway', run_name='__main__', alter_sys=True)\n"
)


class Repo:
    """A repo whose stacks go to one namespace of a cluster."""

    def __init__(self, cluster: LocalCluster, root: Path) -> None:
        kubectl = tools.need("kubectl", WANTED[cluster.minor]).path
        path = f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}"
        home = {"HOME": str(root), "PATH": path, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
        self.root = root
        self.environment = {**os.environ, **cluster.environment(), **home, "GITHUB_REPOSITORY": "acme/shop"}

    def configure(self, stacks: int = 1, **options: object) -> None:
        """Have this many stacks, ``s0`` and on."""
        entry = {"tool": "kubectl", "options": {"namespace": "limits", "concurrency": 8, **options}}
        listed = [{"path": f"s{number}", **entry} for number in range(stacks)]
        (self.root / "sluiceway.yaml").write_text(json.dumps({"stacks": listed}), encoding="utf-8")

    def write(self, stack: int, trees: Iterator[object]) -> None:
        """Write the manifests of a stack."""
        (self.root / f"s{stack}").mkdir(exist_ok=True)
        (self.root / f"s{stack}" / "all.yaml").write_text("\n---\n".join(map(json.dumps, trees)), encoding="utf-8")

    def run(self, title: str, *arguments: str) -> list[dict[str, object]]:
        """Run a command of the product, print its line, and return its rows."""
        begun = time.perf_counter()
        argv = [sys.executable, "-c", _MEASURED, "peak", *arguments]
        done = subprocess.run(
            argv, cwd=self.root, env=self.environment, capture_output=True, check=False, timeout=LIMIT
        )
        seconds = time.perf_counter() - begun
        mine, theirs = (self.root / "peak").read_text().split()
        rows: list[dict[str, object]] = json.loads(done.stdout)["stacks"] if done.stdout[:1] == b"{" else []
        print(f"{title}: {_outcome(rows, done)}, {seconds:.1f} s, {mine} MiB (kubectl {theirs} MiB)", flush=True)
        return rows


def _outcome(rows: list[dict[str, object]], done: "subprocess.CompletedProcess[bytes]") -> str:
    if not rows:
        return f"exit code {done.returncode}"
    words = [str(row.get("outcome") or row.get("state")) for row in rows]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    reasons = {str(row["reason"]["text"]) for row in rows if isinstance(row.get("reason"), dict)}  # type: ignore[index]
    return f"{counts}{''.join(f' ({reason})' for reason in sorted(reasons))}"


def config_map(name: str, value: str) -> dict[str, object]:
    """Return a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": value}}


def round_of(repo: Repo, title: str) -> None:
    """Preview the one stack, deploy it, and preview it again."""
    (row,) = repo.run(f"{title}, preview", "preview", "--format=json")
    if row.get("hash"):
        repo.run(f"{title}, deploy", "deploy", "s0", f"--hash={row['hash']}", "--format=json")
        repo.run(f"{title}, in sync", "preview", "--format=json")


def objects(repo: Repo) -> None:
    """Have 5,000 objects in one stack, then change every one."""
    repo.configure(prune=True)
    for value in ("1", "2"):
        repo.write(0, (config_map(f"c-{number}", value) for number in range(5000)))
        round_of(repo, f"5,000 objects, {'created' if value == '1' else 'changed'}")


def one_object(repo: Repo) -> None:
    """Have one object of 1 MB: many lines, one line, and more than the API server takes."""
    repo.configure()
    for title, value in (
        ("1 MB in one object, many lines", "some words: and more\n" * 47_600),
        ("1 MB in one object, one line", "x" * 1_000_000),
        ("1.1 MB in one object", "x" * 1_100_000),
    ):
        repo.write(0, iter([config_map("large", value)]))
        round_of(repo, title)


def inventory(repo: Repo) -> None:
    """Have more objects than an inventory can list, with long names: 4,211 of them fill it."""
    repo.configure(prune=True)
    for count in (5211, 4211):
        repo.write(0, (config_map(f"{number:05}-{'n' * 194}", "1") for number in range(count)))
        repo.run(f"an inventory of {count:,} names of 200 characters, preview", "preview", "--format=json")


def stacks(repo: Repo) -> None:
    """Have 300 stacks of one object each."""
    repo.configure(300)
    for number in range(300):
        repo.write(number, iter([config_map(f"of-{number}", "1")]))
    repo.run("300 stacks, check", "check")
    repo.run("300 stacks, preview", "preview", "--format=json")


CASES: dict[str, Callable[[Repo], None]] = {
    "objects": objects,
    "object": one_object,
    "inventory": inventory,
    "stacks": stacks,
}


def main() -> None:
    """Make a cluster and play the cases that were named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []])
    parser.add_argument("--minor", choices=WANTED, default="1.34")
    asked = parser.parse_args()
    with LocalCluster(asked.minor) as cluster:
        cluster.api.post("/api/v1/namespaces", {"metadata": {"name": "limits"}})
        for name in asked.cases or CASES:
            with tempfile.TemporaryDirectory() as scratch:
                CASES[name](Repo(cluster, Path(scratch)))


if __name__ == "__main__":
    main()
