"""The commands ``record`` and ``compare`` of the recorder's command line."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from recorder.clusters.base import ClusterKind

Names = Annotated[list[str] | None, typer.Argument(help="Scenarios, as prune or kubectl/prune; all by default.")]
Home = Annotated[Path, typer.Option(help="The directory that holds scenarios, examples and recordings.")]


def add_to(app: typer.Typer) -> None:
    """Add both commands to ``app``."""
    app.command()(record)
    app.command("compare")(compare_versions)


def record(
    names: Names = None,
    cluster: Annotated[ClusterKind | None, typer.Option(help="Default: as each was recorded, new ones kind.")] = None,
    version: Annotated[str | None, typer.Option(help="Only this version of the tool, as v1.34.0.")] = None,
    snapshots: Annotated[bool, typer.Option("--snapshots", help="Take the snapshots over too.")] = False,
    home: Home = Path(),
) -> None:
    """Record scenarios anew, as pytest --record-mode=rewrite does.

    Example: sluiceway-recorder record prune --cluster local
    """
    tests = [f"{file}::{version}" if version else str(file) for file in _files(home, names)]
    argv = [sys.executable, "-m", "pytest", "-p", "recorder", "--record-mode=rewrite", *tests]
    argv += [f"--cluster={cluster}"] if cluster else []
    argv += ["--snapshot-update"] if snapshots else []
    raise typer.Exit(subprocess.run(argv, cwd=home, check=False).returncode)


def compare_versions(
    one: Annotated[str, typer.Argument(metavar="A", help="A version that is recorded, as v1.34.0.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    names: Names = None,
    home: Home = Path(),
) -> None:
    """Show what differs in Sluiceway's output between two versions of a tool. Exits 1 when something does.

    Example: sluiceway-recorder compare v1.34.0 v1.37.1
    """
    from recorder.compare import compare  # noqa: PLC0415 # the other commands need none of it
    from sluiceway.recordings import RecordingError  # noqa: PLC0415 # the same

    files = [home / file for file in _files(home, names)]
    try:
        differences = list(compare(files, one, other))
    except RecordingError as error:
        _fail(str(error))
    for difference in differences:
        typer.echo(str(difference))
    summary = f"{len(differences)} differences" if len(differences) != 1 else "1 difference"
    typer.echo(f"{summary} in {len(files)} scenarios", err=True)
    raise typer.Exit(1 if differences else 0)


def _files(home: Path, names: list[str] | None) -> list[Path]:
    """Return the scenario files that ``names`` name, relative to ``home``."""
    found = [file.relative_to(home) for file in sorted(home.glob("scenarios/*/*.yaml"))]
    if not found:
        _fail(f"there are no scenarios in {home.absolute()}")
    chosen: list[Path] = []
    for name in names or []:
        matching = [file for file in found if name in (file.stem, f"{file.parent.name}/{file.stem}")]
        chosen += matching or _fail(f"there is no scenario {name}")
    return chosen or found


def _fail(problem: str) -> NoReturn:
    typer.echo(f"recorder: {problem}", err=True)
    raise typer.Exit(2)
