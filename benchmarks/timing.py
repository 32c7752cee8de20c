"""Timing whole commands in turn, so that a ratio holds when the machine's speed drifts.

Of each command: the wall time, the processor time of it and all it waited for, and its resident peak.
"""

import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT = 300
"""Seconds that one timed command may take."""


@dataclass(frozen=True)
class Taken:
    """What one run of a command took: wall and processor seconds, and MiB of its largest process."""

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True)
class Run:
    """A command to time, the exit codes that are right, and where it runs.

    ``beside`` gives the processor seconds that others have spent so far on its behalf (the API server).
    """

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: Path
    codes: tuple[int, ...] = (0,)
    beside: Callable[[], float] = lambda: 0.0

    def take(self) -> Taken:
        """Run it once; another exit code ends the benchmark."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            before, begun = self.beside(), time.perf_counter()
            with subprocess.Popen(
                self.argv, env=dict(self.environment), cwd=self.cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err
            ) as process:
                limit = threading.Timer(LIMIT, process.kill)
                limit.start()
                _, status, used = os.wait4(process.pid, 0)
                limit.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.perf_counter() - begun
            if process.returncode not in self.codes:
                err.seek(0)
                raise SystemExit(
                    f"{self.name} exited {process.returncode}: {err.read().decode(errors='replace')[-2000:]}"
                )
        return Taken(wall, used.ru_utime + used.ru_stime + self.beside() - before, used.ru_maxrss / 1024)


def in_turn(first: Run, second: Run, rounds: int) -> list[tuple[Taken, Taken]]:
    """Time two commands A B A B …, after one of each that is not counted."""
    first.take(), second.take()
    return [(first.take(), second.take()) for _ in range(rounds)]


def compare(title: str, ours: Run, theirs: Run, rounds: int, allowed: float = 0.0) -> None:
    """Print wall times and processor times, and their ratios: of the medians, and of the fastest.

    ``allowed`` are seconds that ours may take on top; the last ratio is without them.
    """
    pairs = in_turn(ours, theirs, rounds)
    print(f"{title} ({rounds} rounds, in turn)")
    for name, of in (("wall", _wall), ("processor", _cpu)):
        mine, other = [of(a) for a, _ in pairs], [of(b) for _, b in pairs]
        middle = statistics.median(a / b for a, b in zip(mine, other, strict=True))
        print(
            f"  {name}: {ours.name} {statistics.median(mine):.3f} s, {theirs.name} {statistics.median(other):.3f} s, "
            f"ratio {middle:.3f}; fastest {min(mine):.3f} s, {min(other):.3f} s, ratio {min(mine) / min(other):.3f}"
            + (f", less {allowed} s {(min(mine) - allowed) / min(other):.3f}" if allowed and of is _wall else "")
        )
    mine, other = (max(taken.peak for taken in side) for side in zip(*pairs, strict=True))
    print(f"  peak: {mine:.0f} MiB, {other:.0f} MiB", flush=True)


def _wall(taken: Taken) -> float:
    return taken.wall


def _cpu(taken: Taken) -> float:
    return taken.cpu


def best(step: Callable[[], object], rounds: int = 5) -> float:
    """Return the least CPU time of a step within this process, in seconds."""
    taken = []
    for _ in range(rounds):
        begun = time.process_time()
        step()
        taken.append(time.process_time() - begun)
    return min(taken)
