"""Stacks side by side against the ideal: the time of one after the other, divided by how many run at once.

    python benchmarks/pool.py [--stacks 50] [--rounds 3] [--milliseconds 0 100] [--waits 0.5] [--minor 1.34]

It makes its own cluster, and puts a proxy before it that holds back each byte for half a round trip. What a stack takes
alone is its share of a run with ``--concurrency 1``; start-up counts on both sides. The last lines are of the pool
alone: a program stands in for kubectl that only waits. Aim: 0.85 of the ideal up to the cores.
"""

import argparse
import os
import statistics

import stage
from latency import farther
from sets import deployments
from timing import Run

STAND_IN = """#!/bin/sh
case "$1" in
version) echo '{"clientVersion": {"gitVersion": "v1.34.0"}}' ;;
*) sleep SECONDS ;;
esac
"""


def main() -> None:
    """Make a cluster, and run the stacks one after the other and side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stacks", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=float, nargs="*", default=[0, 100])
    parser.add_argument("--waits", type=float, default=0.5)
    parser.add_argument("--minor", choices=stage.WANTED, default="1.34")
    asked = parser.parse_args()
    with stage.opened(asked.minor) as made:
        made.configure(asked.stacks)
        for number in range(asked.stacks):
            made.write(deployments(1, "1").replace("web-0", f"web-{number}"), number)
        for milliseconds in asked.milliseconds:
            with farther(made.cluster.kubeconfig, milliseconds, made.root.parent / "farther") as kubeconfig:
                environment = {**made.environment, "KUBECONFIG": str(kubeconfig)}
                _compare(f"{asked.stacks} stacks, {milliseconds:g} ms", made, environment, asked.rounds)
        _compare(f"{asked.stacks} stacks that only wait", made, _waiting(made, asked.waits), asked.rounds)


def _waiting(made: stage.Stage, seconds: float) -> dict[str, str]:
    directory = made.root.parent / "stand-in"
    directory.mkdir()
    (directory / "kubectl").write_text(STAND_IN.replace("SECONDS", str(seconds)))
    (directory / "kubectl").chmod(0o755)
    return {**made.environment, "PATH": f"{directory}{os.pathsep}{os.environ['PATH']}"}


def _compare(title: str, made: stage.Stage, environment: dict[str, str], rounds: int) -> None:
    def run(count: int) -> Run:
        return made.preview(f"--concurrency={count}", environment=environment)

    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, cores, 8})
    for count in counts:
        run(count).take()
    walls: dict[int, list[float]] = {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            walls[count].append(run(count).take().wall)
    alone = statistics.median(walls[1])
    for count in counts[1:]:
        wall = statistics.median(walls[count])
        ideal = alone / wall / count
        print(
            f"{title}: one after the other {alone:.1f} s, {count} at once {wall:.1f} s, {ideal:.2f} of the ideal "
            f"(medians of {rounds}, {cores} cores)",
            flush=True,
        )


if __name__ == "__main__":
    main()
