"""Random runs of the dashboard over the stand-in of GitHub: people, pushes, races, faults, jobs that die.

    python benchmarks/dashboard_runs.py --runs 1000
    python benchmarks/dashboard_runs.py --seed 4711        # one again, telling what happens

No stack may be deployed without a tick of an allowed person on exactly that hash, none twice for one tick; no tick may
be lost; every deployment record must get a result; and in the end each row must show what is. Exits with 1 and the
seeds of the runs in which that did not hold.
"""

import argparse
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphql import DocumentNode, execute_sync, parse

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.commands.dashboard.chance import Game  # noqa: E402 - the root has to be known first
from tests.github.standin import conforming, graph  # noqa: E402 - the same


def played(seed: int, steps: int) -> tuple[list[str], Game]:
    """Play one run and return what must not be."""
    with TemporaryDirectory() as directory:
        game = Game(seed, Path(directory))
        return game.play(steps), game


def main() -> int:
    """Play them all."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--runs", type=int, default=1000)
    asked.add_argument("--first", type=int, default=1, help="the first seed")
    asked.add_argument("--steps", type=int, default=40, help="what happens in one run")
    asked.add_argument("--seed", type=int, help="only this one, telling what happens")
    asked.add_argument("--judged", action="store_true", help="hold every exchange to GitHub's descriptions too: slow")
    given = asked.parse_args()
    if not given.judged:
        _trust()
    if given.seed is not None:
        found, game = played(given.seed, given.steps)
        print("\n".join([*game.told, "", *(found or ["Nothing is wrong."])]))
        return bool(found)
    return _many(range(given.first, given.first + given.runs), given.steps)


def _many(seeds: range, steps: int) -> int:
    failed, totals, started = [], Counter[str](), time.monotonic()
    for done, seed in enumerate(seeds, 1):
        found, game = played(seed, steps)
        totals.update(
            ticks=len(game.ticks), deploys=len(game.world.cluster.puts), faults=len(game.server.faults.happened)
        )
        totals.update(records=len(game.server.state.deployments), requests=len(game.server.exchanges))
        if found:
            failed.append(seed)
            print(f"seed {seed}: {'; '.join(found)}", flush=True)
        if done % 50 == 0:
            print(f"{done} runs, {len(failed)} failed, {time.monotonic() - started:.0f} s", flush=True)
    print(", ".join(f"{count} {what}" for what, count in totals.items()))
    print(f"{len(seeds)} runs, failed: {failed or 'none'}")
    return bool(failed)


def _trust() -> None:
    """Leave the judgement of each exchange to the tests of the port: here it would take most of the time."""
    conforming.request_problems = lambda _sent: []  # type: ignore[assignment]
    conforming.answer_problems = lambda *_given, **_more: []  # type: ignore[assignment]
    conforming.graphql_problems = lambda _query: []  # type: ignore[assignment]
    graph.graphql_sync = _executed  # type: ignore[assignment]


def _executed(schema: Any, query: str, **given: Any) -> Any:
    return execute_sync(schema, _parsed(query), **given)


@cache
def _parsed(query: str) -> DocumentNode:
    return parse(query)


if __name__ == "__main__":
    sys.exit(main())
