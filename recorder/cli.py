"""The typer application: reads arguments, calls one function, prints."""

from typing import Annotated

import typer

from recorder.clusters.base import MINORS, ClusterError
from recorder.tools import MissingToolError

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
cluster_app = typer.Typer(no_args_is_help=True, help="Clusters of the recorder's own, standing until 'down'.")
app.add_typer(cluster_app, name="cluster")


@cluster_app.command()
def up(
    minor: Annotated[list[str], typer.Option(help="Kubernetes minor; may be given again.")] = list(MINORS),
    nodes: Annotated[int, typer.Option(min=0, help="Nodes played by kwok, so that pods become ready.")] = 0,
) -> None:
    """Make clusters and print how to use each."""
    from recorder.clusters import standing

    try:
        for each in minor:
            made = standing.up_local(each, nodes=nodes)
            typer.echo(f"# {made.context} ({made.server_version})\nexport KUBECONFIG={made.kubeconfig}")
    except (ClusterError, MissingToolError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


@cluster_app.command()
def status() -> None:
    """Show the clusters that stand."""
    from recorder.clusters import standing

    for each in standing.all_standing():
        state = f"gone: {', '.join(each.gone)}" if each.gone else "running"
        typer.echo(f"{each.context}\t{each.server_version}\t{state}\t{each.kubeconfig}")


@cluster_app.command()
def down() -> None:
    """End every cluster that stands and remove its files."""
    from recorder.clusters import standing

    for each in standing.all_standing():
        standing.down(each)
        typer.echo(f"ended {each.context}")
