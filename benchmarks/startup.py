"""Start-up: ``sluiceway --version`` and friends against ``python -c pass`` and a bare typer program.

    python benchmarks/startup.py [--rounds 15]

Aim: ``--version`` in less than half of what a bare typer program takes.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from timing import Run, compare

TYPER = """import typer
app = typer.Typer()
@app.command()
def one(): pass
@app.command()
def two(): pass
app()
"""


def main() -> None:
    """Compare each command with the bare interpreter, and ``--version`` with a bare typer program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "bare.py").write_text(TYPER)
        (root / "app").mkdir()
        (root / "app" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        (root / "sluiceway.yaml").write_text("stacks:\n- path: app\n  tool: kubectl\n")

        def run(name: str, *arguments: str) -> Run:
            return Run(name, [sys.executable, *arguments], environment, root)

        nothing, typer = run("python -c pass", "-c", "pass"), run("a typer program --help", "bare.py", "--help")
        compare("version", run("sluiceway --version", "-m", "sluiceway", "--version"), typer, rounds)
        for words in (["--version"], ["--help"], ["stacks"], ["check"]):
            compare("start", run(f"sluiceway {' '.join(words)}", "-m", "sluiceway", *words), nothing, rounds)


if __name__ == "__main__":
    main()
