"""Timing whole commands in turn, so that a ratio holds when the machine's speed drifts. Wall seconds, medians."""

import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT = 300
"""Seconds that one timed command may take."""


@dataclass(frozen=True)
class Run:
    """A command to time, the exit codes that are right, and where it runs."""

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: Path
    codes: tuple[int, ...] = (0,)

    def seconds(self) -> float:
        """Run it once and return its wall time; another exit code ends the benchmark."""
        begun = time.perf_counter()
        done = subprocess.run(
            self.argv, env=dict(self.environment), cwd=self.cwd, capture_output=True, check=False, timeout=LIMIT
        )
        taken = time.perf_counter() - begun
        if done.returncode not in self.codes:
            raise SystemExit(f"{self.name} exited {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
        return taken


def in_turn(first: Run, second: Run, rounds: int) -> tuple[list[float], list[float]]:
    """Time two commands A B A B …, after one of each that is not counted."""
    first.seconds(), second.seconds()
    pairs = [(first.seconds(), second.seconds()) for _ in range(rounds)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def compare(title: str, ours: Run, theirs: Run, rounds: int) -> None:
    """Print the medians, the median of the ratios pair by pair, and the median of the differences."""
    mine, other = in_turn(ours, theirs, rounds)
    ratio = statistics.median(a / b for a, b in zip(mine, other, strict=True))
    more = statistics.median(a - b for a, b in zip(mine, other, strict=True))
    print(
        f"{title}: {ours.name} {statistics.median(mine):.3f} s, {theirs.name} {statistics.median(other):.3f} s, "
        f"ratio {ratio:.3f}, difference {more:+.3f} s (medians of {rounds})",
        flush=True,
    )


def best(step: Callable[[], object], rounds: int = 5) -> float:
    """Return the least CPU time of a step within this process, in seconds."""
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        step()
        taken.append(time.process_time() - begun)
    return min(taken)
