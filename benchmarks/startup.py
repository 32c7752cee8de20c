"""Start-up of commands that reach no cluster, against a bare typer program and ``python -c pass``.

    python benchmarks/startup.py [--rounds 15] [--stacks 300]

``check`` reads that many stacks. Aim: each in no more than a bare typer program takes for its ``--help``, ``--version``
in half of that. Bytecode is kept for both sides, as for installed packages.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from stage import product
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--stacks", type=int, default=300)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        environment = product(root)
        _write(root, asked.stacks)

        def run(name: str, *arguments: str) -> Run:
            return Run(name, [sys.executable, *arguments], environment, root)

        nothing, typer = run("python -c pass", "-c", "pass"), run("a typer program --help", "bare.py", "--help")
        for words in ("--version", "--help", "check"):
            ours = run(f"sluiceway {words}", "-m", "sluiceway", words)
            compare(words, ours, typer, asked.rounds)
        compare("--version", run("sluiceway --version", "-m", "sluiceway", "--version"), nothing, asked.rounds)


def _write(root: Path, stacks: int) -> None:
    (root / "bare.py").write_text(TYPER)
    for number in range(stacks):
        (root / f"s{number}").mkdir()
        (root / f"s{number}" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    listed = [{"path": f"s{number}", "tool": "kubectl"} for number in range(stacks)]
    (root / "sluiceway.yaml").write_text(json.dumps({"stacks": listed}))


if __name__ == "__main__":
    main()
