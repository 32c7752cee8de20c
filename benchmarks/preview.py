"""``sluiceway preview`` against bare ``kubectl diff`` of the same set, in sync and changed, on a local API server.

    python benchmarks/preview.py [--objects 10 100 1000] [--rounds 5] [--milliseconds 0] [--minor 1.34]

It makes its own cluster; with ``--milliseconds``, a proxy before it holds back each byte for half a round trip. What is
compared is the whole command, start-up included. Aim: at most 5 % and 0.25 s over. The processor time counts the API
server's too.
"""

import argparse

import stage
from latency import farther
from sets import deployments
from timing import compare

ALLOWED = 0.25


def main() -> None:
    """Make a cluster, put each set out, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=0)
    parser.add_argument("--minor", choices=stage.WANTED, default="1.34")
    asked = parser.parse_args()
    with (
        stage.opened(asked.minor) as made,
        farther(made.cluster.kubeconfig, asked.milliseconds, made.root.parent / "farther") as kubeconfig,
    ):
        environment = (
            made.environment if not asked.milliseconds else {**made.environment, "KUBECONFIG": str(kubeconfig)}
        )
        for objects in asked.objects:
            made.put_out(objects)
            for state, tag in (("in sync", "1"), ("changed", "2")):
                made.write(deployments(objects, tag))
                ours, bare = made.preview(environment=environment), made.diff(environment=environment)
                compare(f"{objects} {state}, {asked.milliseconds:g} ms", ours, bare, asked.rounds, ALLOWED)


if __name__ == "__main__":
    main()
