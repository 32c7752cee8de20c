"""The typer application: reads arguments, calls one function, prints one report. No logic."""

import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from recorder import building, cli_record, tools
from recorder.building import BuildError
from recorder.clusters import standing
from recorder.clusters.base import MINORS, ClusterError, ClusterKind
from recorder.tools import Found, Missing

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make recordings, on clusters made for them.",
)
cluster_app = typer.Typer(no_args_is_help=True, help="Clusters of the recorder's own, which stand until 'down'.")
app.add_typer(cluster_app, name="cluster")
cli_record.add_to(app)


class Format(StrEnum):
    """How a report is printed."""

    text = "text"
    json = "json"


@app.command("tools")
def list_tools(
    form: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.text,
    build: Annotated[bool, typer.Option("--build", help="Build what is missing, with Go; may take an hour.")] = False,
) -> None:
    """Show which tools of which versions are found, and where."""
    with _errors():
        results = [(wanted, _find(name, wanted, build=build)) for name, wanted in tools.WANTED]
    if form is Format.json:
        typer.echo(json.dumps([_as_json(wanted, result) for wanted, result in results], indent=2))
        return
    for wanted, result in results:
        typer.echo(_as_text(wanted, result))


@cluster_app.command()
def up(
    minor: Annotated[list[str] | None, typer.Option(help="Kubernetes minor, may be repeated; all by default.")] = None,
    nodes: Annotated[int, typer.Option(min=0, help="Nodes that stand in, so that pods become ready (local).")] = 0,
    cluster: Annotated[ClusterKind, typer.Option(help="Containers by kind, or plain local processes.")] = "local",
) -> None:
    """Make clusters that stand until 'down', and print how to use each."""
    with _errors():
        made = standing.up(cluster, minor or MINORS, nodes=nodes)
    for each in made:
        typer.echo(f"# {each.context} ({each.server_version})")
        typer.echo(f"export KUBECONFIG={shlex.quote(str(each.kubeconfig))}")


@cluster_app.command()
def status() -> None:
    """Show the clusters that stand."""
    with _errors():
        for each in standing.all_standing():
            missing = standing.missing(each)
            state = f"not running: {', '.join(missing)}" if missing else "running"
            typer.echo(f"{each.name}  {each.server_version or 'not finished'}  {state}  {each.kubeconfig}")


@cluster_app.command()
def down() -> None:
    """End every cluster that stands, and remove its files."""
    with _errors():
        for each in standing.all_standing():
            standing.down(each)
            typer.echo(f"ended {each.name}")


def _find(name: str, wanted: str, *, build: bool) -> Found | Missing:
    result = tools.find(name, wanted)
    recipe = building.recipe_for(name, wanted) if build and isinstance(result, Missing) else None
    return building.build(recipe) if recipe else result


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (ClusterError, BuildError) as error:
        typer.echo(f"recorder: {error}", err=True)
        raise typer.Exit(1) from None


def _as_text(wanted: str, result: Found | Missing) -> str:
    if isinstance(result, Found):
        return f"{result.tool:<24} {wanted or 'any':<10} {result.version:<10} {result.path}"
    return f"{result.tool:<24} {wanted or 'any':<10} {'missing':<10} {result.advice}"


def _as_json(wanted: str, result: Found | Missing) -> dict[str, object]:
    common: dict[str, object] = {"tool": result.tool, "wanted": wanted, "found": isinstance(result, Found)}
    if isinstance(result, Found):
        return {**common, "version": result.version, "path": str(result.path), "place": result.place}
    return {**common, "looked": list(result.looked), "home": result.home}
