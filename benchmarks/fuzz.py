"""Fuzz the readers of outside text, one by one: coverage-guided by atheris, from seeds that real tools printed.

    python benchmarks/fuzz.py [--inputs 1000000] [--seconds 600] [--large] [reader ...]

A line a reader: how many inputs, seconds, the edges that were covered, the most memory. It fails on an exception that
is not the reader's own, on an input that takes longer than ``LIMIT``, on memory beyond ``MEMORY``, and on a canary in
what a person may see of an error. The canaries are words of the fuzzer's dictionary, of characters that no name has, so
they come to stand anywhere. ``--large`` tries texts of ``LARGE`` bytes instead: a seed with one word of the dictionary
repeated in it, which shows what takes more than linear time. Where something is found, the input is kept.

atheris has wheels for CPython 3.11 to 3.13 on Linux.
"""

import argparse
import faulthandler
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LIMIT = 10
"""Seconds that one input may take."""

MEMORY = 1024
"""MiB that a process may hold, the interpreter and the fuzzer's own corpus included."""

LONGEST = 4096
LARGE = 64 * 1024
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a directory of our own below it

CANARIES = ("Zq7~§w9", "flpxN8Knfj4+PT4=", "{§7~}")
"""Plain, one in base64, and one that YAML reads as a map. No pattern of a name lets one of them through."""

WORDS = (
    *CANARIES, *"[]{}&*!|>%@`'\"#,:?-~<=\\\0\r\t\n", " ", "\n  ", "\n- ", ": ", "---\n", "...\n", "<<: ", "&a ", "*a",
    "!!binary ", "!!float ", "!!timestamp ", "!!int ", "!!set ", "? ", "|\n", ">-\n", "\ufeff", "\u2028", "\x85", "é",
    "1e999", "0x1F", "-0b1", "1_000", ".inf", ".nan", "08", "12:30:45", "2001-12-14", "9" * 30, "null", "true",
    "@@ -1,3 +1,3 @@\n", "@@ -0,0 +1,2 @@\n", "diff -u\n--- a\n+++ b\n", "\\ No newline at end of file\n", "\n+", "\n-",
    "apiVersion: v1\n", "kind: Secret\n", "kind: List\nitems:\n", "metadata:\n  name: a\n", "data:\n  a: ",
    '{"a":', '"changes":[', '"kind":"', '"\\ud800"', '"\\u0000"', '"f:spec":{', '"k:{\\"name\\":\\"a\\"}":{', '"v:1":{',
    '"i:0":{', "\\ud800", "\\u0000", "stringData", "# Source: a/b.yaml\n", " has changed:\n", " has been added:\n",
    "\nError: ", "UPGRADE FAILED: ",
    "1 error occurred:\n\t* ", 'conflict with "a" using v1: .spec.a', "conflicts with ", "- .spec.a\n", " && ",
    "Error from server (Forbidden): ", "error: ", 'The Pod "a" is invalid: ', ": field is immutable", "\n* ",
    'admission webhook "a" denied the request: ', 'template: a/b.yaml:1:2: executing "a" at <b>: ', "dependencies:\n",
    "repository: file://", "stacks:\n- id: a\n", "export A=", "A='", 'B="', "REDACTED # (1 bytes)", "deployed 1\n",
)  # fmt: skip
"""The dictionary: what the formats are made of, and the canaries."""


class Leak(Exception):
    """A canary stood in a text that a person may see."""


def main() -> None:
    """Fuzz the readers that were named, or all of them; each in a process of its own, which ends as it ends."""
    from fuzz_readers import READERS  # noqa: PLC0415 - the child instruments what it imports

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=600, help="for each reader, at most")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-found"), help="where inputs that fail are kept")
    parser.add_argument("readers", nargs="*", metavar="reader", help=", ".join(reader.name for reader in READERS))
    given = parser.parse_args()
    unknown = set(given.readers) - {reader.name for reader in READERS}
    if unknown:
        parser.error(f"no such reader: {', '.join(sorted(unknown))}")
    given.kept.mkdir(parents=True, exist_ok=True)
    print("| reader | inputs | seconds | slowest | edges | MiB | found |", "| --- " * 7 + "|", sep="\n", flush=True)
    bad = [
        reader.name
        for reader in READERS
        if reader.name in (given.readers or [reader.name]) and _failed(reader.name, given)
    ]
    if not any(given.kept.iterdir()):
        given.kept.rmdir()
    sys.exit(f"found something: {', '.join(bad)}" if bad else 0)


def _failed(name: str, given: argparse.Namespace) -> bool:
    """Run one reader's child, print its line, and tell whether it found something."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as room:
        argv = [sys.executable, __file__, "child", name, room, str(given.kept.resolve())]
        argv += [str(given.inputs), str(given.seconds), "large" if given.large else "small"]
        begun = time.monotonic()
        done = subprocess.run(
            argv, env={**os.environ, "TMPDIR": room}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
    said = done.stdout.decode("utf-8", "replace")
    inputs = _last(r"number_of_executed_units: +(\d+)|^#(\d+)\s", said)
    slowest, edges, peak = (
        _last(pattern, said) for pattern in (r"slowest_unit_time_sec: +([\d.]+)", r"cov: (\d+)", r"peak_rss_mb: +(\d+)")
    )
    row = (inputs, f"{time.monotonic() - begun:.0f}", slowest, edges, peak)
    failed = done.returncode != 0
    print(f"| {name} | {' | '.join(row)} | {'yes' if failed else 'nothing'} |", flush=True)
    if failed:
        print(said[said.find("=== Uncaught") :][-4000:], file=sys.stderr, flush=True)
    return failed


def _last(pattern: str, said: str) -> str:
    found = list(re.finditer(pattern, said, re.MULTILINE))
    return next(filter(None, found[-1].groups()), "") if found else ""


def child(name: str, room: Path, kept: Path, inputs: int, seconds: int, *, large: bool) -> None:  # noqa: PLR0913
    """Fuzz one reader in this process; libFuzzer ends it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY << 20, 4 * MEMORY << 20))
    import atheris  # noqa: PLC0415 - only here, before what it instruments

    with atheris.instrument_imports(include=["sluiceway"]):
        import fuzz_readers  # noqa: PLC0415

    reader = next(reader for reader in fuzz_readers.READERS if reader.name == name)

    def test_one(data: bytes) -> None:
        for text in reader.read(data):
            if not reader.quotes and any(canary in text for canary in CANARIES):
                raise Leak(text)

    if large:
        _large(test_one, list(reader.seeds()), kept, seconds)
        return
    seeds = room / "seeds"
    seeds.mkdir()
    for number, seed in enumerate(reader.seeds()):
        (seeds / str(number)).write_bytes(seed)
    words = room / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in WORDS))
    limits = [f"-runs={inputs}", f"-max_total_time={seconds}", f"-timeout={LIMIT}", f"-rss_limit_mb={MEMORY}"]
    rest = [f"-max_len={LONGEST}", f"-dict={words}", f"-artifact_prefix={kept}/{name}-", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *limits, *rest, str(seeds)], test_one)
    atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


def _large(test_one: Callable[[bytes], None], seeds: list[bytes], kept: Path, seconds: int) -> None:
    chance = random.Random(5)  # noqa: S311 - the same texts in every run
    end = time.monotonic() + seconds
    count, slowest = 0, 0.0
    for data in _blown_up(chance, seeds):
        count += 1
        (kept / "large").write_bytes(data)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        begun = time.monotonic()
        test_one(data)
        taken = time.monotonic() - begun
        faulthandler.cancel_dump_traceback_later()
        slowest = max(slowest, taken)
        if time.monotonic() > end:
            break
    (kept / "large").unlink()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"number_of_executed_units: {count}\nslowest_unit_time_sec: {slowest:.2f}\npeak_rss_mb: {peak}")
    if peak > MEMORY:
        raise MemoryError(f"{peak} MiB")


def _blown_up(chance: random.Random, seeds: list[bytes]) -> Iterator[bytes]:
    """Yield some seeds repeated; then a word repeated, alone and at chance places of seeds."""
    for seed in chance.sample(seeds, min(len(seeds), 5)):
        yield (seed * (LARGE // max(len(seed), 1) + 1))[:LARGE]
    words = [word.encode() for word in WORDS]
    words += [first + second for first in words[3:] for second in chance.sample(words, 2)]
    for word in chance.sample(words, len(words)):
        many = word * (LARGE // len(word))
        yield many
        for seed in chance.sample(seeds, min(len(seeds), 4)):
            at = chance.randrange(len(seed) + 1)
            yield seed[:at] + many + seed[at:]


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        _, _, _name, _room, _kept, _inputs, _seconds, _size = sys.argv
        child(_name, Path(_room), Path(_kept), int(_inputs), int(_seconds), large=_size == "large")
    else:
        main()
