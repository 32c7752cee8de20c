"""What ``concurrency`` of a kubectl stack saves, on API servers that are near and far.

    python benchmarks/concurrency.py [--objects 100] [--rounds 3] [--milliseconds 0 20 100] [--minor 1.34]

It makes its own cluster, and puts a proxy before it that holds back each byte for half a round trip. The ratio is that
of the whole preview to bare ``kubectl diff`` with the same ``--concurrency``; the gain is bare kubectl's, against 1.
"""

import argparse
import statistics

import stage
from latency import farther
from sets import deployments
from timing import in_turn

COUNTS = (1, 4, 8, 16)


def main() -> None:
    """Make a cluster, move it away, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=float, nargs="+", default=[0, 20, 100])
    parser.add_argument("--minor", choices=stage.WANTED, default="1.34")
    asked = parser.parse_args()
    with stage.opened(asked.minor) as made:
        made.put_out(asked.objects)
        made.write(deployments(asked.objects, "2"))
        for milliseconds in asked.milliseconds:
            _compare(made, milliseconds, asked.rounds)


def _compare(made: stage.Stage, milliseconds: float, rounds: int) -> None:
    with farther(made.cluster.kubeconfig, milliseconds, made.root.parent / "farther") as kubeconfig:
        environment = {**made.environment, "KUBECONFIG": str(kubeconfig)}
        first = 0.0
        for count in COUNTS:
            made.configure(concurrency=count)
            bare = made.diff(f"--concurrency={count}", environment=environment)
            pairs = in_turn(made.preview(environment=environment), bare, rounds)
            mine, other = (statistics.median(taken.wall for taken in side) for side in zip(*pairs, strict=True))
            first = first or other
            print(
                f"{milliseconds:g} ms, concurrency {count}: preview {mine:.2f} s, kubectl diff {other:.2f} s, "
                f"ratio {mine / other:.2f}, {mine - other:+.2f} s; gain {first / other:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
