"""The command line: reads arguments, calls one command, returns its exit code. No logic.

A command's modules are imported when it is called: what a command doesn't use, it doesn't pay for.
"""

import errno
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sluiceway import __version__
from sluiceway.commands.settings import Act, Exit, Format, Settings, Which

app = typer.Typer(
    help="See what a deploy would change, what drifted and who did it; approve exactly that; deploy exactly that.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)

_SHARED: Final[dict[str, tuple[Any, Any]]] = {
    "root": (
        Annotated[
            Path | None,
            typer.Option(metavar="DIR", help="The root of the repo. [default: the current directory]"),
        ],
        None,
    ),
    "repository": (
        Annotated[
            str | None,
            typer.Option(metavar="OWNER/NAME", help="The name of the repo. [default: $GITHUB_REPOSITORY]"),
        ],
        None,
    ),
    "format": (Annotated[Format, typer.Option(help="The form of the report on stdout.")], Format.TEXT),
    "output": (
        Annotated[
            list[str] | None,
            typer.Option(metavar="FORMAT=FILE", help="Write the report into a file too, in this form. Repeatable."),
        ],
        None,
    ),
    "no_summary": (
        Annotated[bool, typer.Option("--no-summary", help="In a GitHub job: leave the step's summary alone.")],
        False,
    ),
    "concurrency": (
        Annotated[
            int | None,
            typer.Option(min=1, metavar="N", help="Stacks previewed side by side. [default: CPU cores, at most 8]"),
        ],
        None,
    ),
    "replay": (
        Annotated[
            str | None,
            typer.Option(metavar="DIR[:STEP]", help="Answer every tool command from a recording: no tool, no cluster."),
        ],
        None,
    ),
    "quiet": (Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no warnings on stderr.")], False),
    "verbose": (
        Annotated[bool, typer.Option("--verbose", "-v", help="More on stderr, should something break.")],
        False,
    ),
    "no_color": (Annotated[bool, typer.Option("--no-color", help="No colours. The same as NO_COLOR=1.")], False),
}


def command(*examples: str, without: Sequence[str] = ()) -> Callable[[Callable[..., int]], Callable[..., None]]:
    """Make a function a command, with the shared options as its ``settings`` and ``examples`` in its help."""

    def made(function: Callable[..., int]) -> Callable[..., None]:
        shared = {name: option for name, option in _SHARED.items() if name not in without}

        @wraps(function)
        def called(**given: Any) -> None:
            options = {name: given.pop(name) for name in shared}
            raise typer.Exit(function(Settings(**options, environ=os.environ), **given))

        _describe(called, function, shared)
        text = "\n\n".join([inspect.getdoc(function) or "", "\b\nExamples:\n  " + "\n  ".join(examples)])
        app.command(help=text)(called)
        return called

    return made


def _describe(called: Callable[..., None], function: Callable[..., int], shared: dict[str, tuple[Any, Any]]) -> None:
    """Let typer read the function's own parameters and the shared ones from the signature of ``called``."""
    own = [parameter for name, parameter in inspect.signature(function).parameters.items() if name != "settings"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        for name, (annotation, default) in shared.items()
    ]
    parameters = [*(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own), *more]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # a function takes any
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def _stack_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Return the ids that a shell may complete ``incomplete`` to; none where sluiceway.yaml has a problem."""
    from sluiceway.discovery import Discovered, discover  # noqa: PLC0415 - only in a completion

    found = discover(Path(context.params.get("root") or "."))
    stacks = found.stacks if isinstance(found, Discovered) else ()
    return [stack.id for stack in stacks if stack.id.startswith(incomplete)]


Stack = Annotated[str, typer.Argument(metavar="STACK", help="A stack's id.", autocompletion=_stack_ids)]
Stacks = Annotated[
    list[str] | None,
    typer.Argument(metavar="STACK", help="Ids of stacks. [default: all]", autocompletion=_stack_ids),
]
SomeStacks = Annotated[list[str], typer.Argument(metavar="STACK", help="Ids of stacks.", autocompletion=_stack_ids)]
ExitCode = Annotated[
    bool, typer.Option("--exit-code", help="Exit with 3 when there is something to deploy and nothing failed.")
]


@app.callback()
def _main(
    *, version: Annotated[bool, typer.Option("--version", is_eager=True, help="Show the version and exit.")] = False
) -> None:
    if version:
        typer.echo(f"sluiceway {__version__}")
        raise typer.Exit


@command("sluiceway check", "sluiceway check --format json | jq -r '.problems[].problem'", without=["no_summary"])
def check(settings: Settings) -> int:
    """Show every problem of sluiceway.yaml and its files.

    Needs no tool, no cluster and no credentials.
    """
    from sluiceway.commands import check, conclusion  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: check.run(settings, output))


@command("sluiceway stacks", "sluiceway stacks --format json | jq -r '.stacks[].stack'", without=["no_summary"])
def stacks(settings: Settings) -> int:
    """Show the stacks, their tools and options.

    Needs no tool, no cluster and no credentials.
    """
    from sluiceway.commands import conclusion, stacks  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: stacks.run(settings, output))


@command(
    "sluiceway preview",
    "sluiceway preview web --format json",
    "sluiceway preview --output html=preview.html --output junit=preview.xml",
    "sluiceway preview --exit-code --quiet",
)
def preview(settings: Settings, stacks: Stacks = None, *, exit_code: ExitCode = False) -> int:
    """Show what a deploy would change now.

    Deletes come first. A stack that has something to deploy has a hash: approve that, and exactly that is deployed.
    """
    from sluiceway.commands import conclusion, preview  # noqa: PLC0415

    return conclusion.concluded(
        settings, lambda output: preview.run(settings, output, stacks or [], drift=False, exit_code=exit_code)
    )


@command("sluiceway drift", "sluiceway drift web --format json | jq '.stacks[].drift'")
def drift(settings: Settings, stacks: Stacks = None, *, exit_code: ExitCode = False) -> int:
    """Show what changed outside the code, and who did it.

    It stands beside the preview, and one hash covers both: deploy it with --repair-drift.
    """
    from sluiceway.commands import conclusion, preview  # noqa: PLC0415

    return conclusion.concluded(
        settings, lambda output: preview.run(settings, output, stacks or [], drift=True, exit_code=exit_code)
    )


@command(
    "sluiceway diff web",
    "KUBECTL_EXTERNAL_DIFF='diff -u' sluiceway diff web | less",
    without=["format", "output", "no_summary", "concurrency"],
)
def diff(settings: Settings, stack: Stack) -> int:
    """Show the tool's own diff of one stack.

    It may hold values in clear text, which sluiceway's own reports never do.
    """
    from sluiceway.commands import conclusion, diff  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: diff.run(settings, output, stack))


@command(
    "sluiceway deploy web",
    "sluiceway deploy web --hash 0123456789abcdef",
    "sluiceway deploy net web --hash net=0123456789abcdef --hash web=fedcba9876543210",
    without=["concurrency"],
)
def deploy(
    settings: Settings,
    stacks: SomeStacks,
    *,
    hash: Annotated[  # noqa: A002 - the option's name
        list[str] | None,
        typer.Option(
            metavar="[ID=]HASH", help="What was approved, as preview showed it. Without it, a terminal is asked."
        ),
    ] = None,
    repair_drift: Annotated[
        bool, typer.Option("--repair-drift", help="Check for drift first; the hash is the one that drift showed.")
    ] = False,
    timeout: Annotated[
        float | None, typer.Option(min=0.01, metavar="MINUTES", help="Time limit of each stack's deploy.")
    ] = None,
) -> int:
    """Deploy exactly what was approved.

    Each stack is previewed afresh. If that does not hash to what was approved, it has moved: nothing is deployed.
    """
    from sluiceway.commands import conclusion, deploy  # noqa: PLC0415

    order = deploy.Order(tuple(stacks), tuple(hash or ()), repair_drift, timeout)
    return conclusion.concluded(settings, lambda output: deploy.run(settings, output, order))


@command(
    "sluiceway schema > sluiceway.schema.json",
    "sluiceway schema output",
    "sluiceway schema result",
    without=list(_SHARED),
)
def schema(
    settings: Settings,
    which: Annotated[
        Which, typer.Argument(help="Of sluiceway.yaml, of what --format json prints, or of a --result file.")
    ] = Which.CONFIG,
) -> int:
    """Print the JSON Schema of sluiceway.yaml, for an editor."""
    from sluiceway.commands import conclusion, schema  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: schema.run(output, which))


@command(
    "sluiceway demo",
    "sluiceway demo drift",
    without=["root", "repository", "format", "output", "no_summary", "concurrency", "replay"],
)
def demo(
    settings: Settings,
    act: Annotated[
        Act | None, typer.Argument(metavar="COMMAND", help="Only this command: preview, drift, diff or deploy.")
    ] = None,
) -> int:
    """Show all this on an example, with no tool and no cluster.

    It is answered from recordings of a real cluster, by the code that serves a real one. Nothing is changed.
    """
    from sluiceway.commands import conclusion, demo  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: demo.run(settings, output, act))


ResultFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write what came of it into a JSON file (`sluiceway schema result`)."),
]
Drift = Annotated[
    bool | None, typer.Option("--drift/--no-drift", help="Check for drift or not. [default: as sluiceway.yaml says]")
]
_QUIET_END: Final = ("format", "output", "no_summary", "replay")


@command(
    "sluiceway scan",
    "sluiceway scan --shard 1/5 --rows rows-1.json",
    "sluiceway scan --merge rows-1.json --merge rows-2.json",
    without=["replay"],
)
def scan(  # noqa: PLR0913 - each an option of the command line
    settings: Settings,
    *,
    drift: Drift = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Preview one part of N, and write no issue: needs --rows.")
    ] = None,
    rows: Annotated[Path | None, typer.Option(metavar="FILE", help="Where a shard's rows go.")] = None,
    merge: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Write the issue from the rows of a shard. Repeatable.")
    ] = None,
    result: ResultFile = None,
) -> int:
    """Preview the stacks and write the dashboard issue.

    In a job of a push, only the stacks that the pushed files belong to.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import running  # noqa: PLC0415

    given = running.Asked(result, drift, shard, rows, tuple(merge or ()))
    return conclusion.concluded(settings, lambda output: running.run_scan(settings, output, given))


@command("sluiceway resolve --result result.json", without=[*_QUIET_END, "concurrency"])
def resolve(settings: Settings, *, result: ResultFile = None) -> int:
    """Open a deployment record for each tick of the dashboard.

    Only for those who may. All other boxes are cleared, and a comment says why. The output `matrix` is for apply jobs.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import running  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: running.run_resolve(settings, output, running.Asked(result)))


@command("sluiceway apply --deployment-id 123456", without=["replay", "concurrency"])
def apply(
    settings: Settings,
    *,
    deployment_id: Annotated[int, typer.Option(min=1, metavar="N", help="The deployment record.")],
    result: ResultFile = None,
) -> int:
    """Deploy one deployment record, exactly as it was ticked.

    The stack is previewed afresh. If that is not what was ticked, it has moved: nothing is deployed.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import running  # noqa: PLC0415

    given = running.Asked(result)
    return conclusion.concluded(settings, lambda output: running.run_apply(settings, output, deployment_id, given))


@command("sluiceway settle", without=[*_QUIET_END, "concurrency"])
def settle(settings: Settings, *, result: ResultFile = None) -> int:
    """End the records of runs that died, start stacks that waited.

    The output `matrix` is for the apply jobs.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import running  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: running.run_settle(settings, output, running.Asked(result)))


@command("sluiceway auto", without=["replay"])
def auto(settings: Settings, *, result: ResultFile = None) -> int:
    """Do what the event of a GitHub job asks for.

    It scans, deploys what was ticked, or checks. It is what the action runs.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import running  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: running.run_auto(settings, output, running.Asked(result)))


@command(
    "sluiceway init",
    "sluiceway init --action acme/sluiceway@v1 --force",
    without=["repository", "format", "output", "no_summary", "concurrency", "replay"],
)
def init(
    settings: Settings,
    *,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    action: Annotated[
        str | None,
        typer.Option(metavar="OWNER/NAME@REF", help="The repository that holds Sluiceway's action.yml, and its ref."),
    ] = None,
) -> int:
    """Write a workflow and a first sluiceway.yaml.

    The stacks are those that the files of the repo look like. Nothing is committed.
    """
    from sluiceway.commands import conclusion  # noqa: PLC0415
    from sluiceway.commands.dashboard import init  # noqa: PLC0415

    return conclusion.concluded(settings, lambda output: init.run(settings, output, force=force, action=action))


def run(arguments: Sequence[str]) -> int:
    """Do what ``arguments`` say and return the exit code. No exception but ``KeyboardInterrupt`` leaves it."""
    _open_closed_streams()
    try:
        app(args=list(arguments), prog_name="sluiceway")
    except SystemExit as ended:
        return _flushed(ended.code if isinstance(ended.code, int) else Exit.DONE)
    except OSError as error:
        return _lost(error)
    except Exception as error:  # noqa: BLE001 - in typer or in a completion: a command has caught its own
        return _broken(error, verbose="--verbose" in arguments or "-v" in arguments)
    except BaseException as ended:
        from sluiceway.signals import Interrupted  # noqa: PLC0415 - loaded, if it was raised

        if not isinstance(ended, Interrupted):
            raise
        sys.stderr.write(f"sluiceway: {ended}\n")
        return _flushed(ended.exit_code)
    return Exit.DONE


def _broken(error: Exception, *, verbose: bool) -> int:
    from sluiceway.commands.bugs import told  # noqa: PLC0415 - only for a bug
    from sluiceway.model.reasons import internal_error  # noqa: PLC0415

    sys.stderr.write(f"sluiceway: {internal_error(error).text}\n" + (f"{told(error)}\n" if verbose else ""))
    return Exit.FAILED


def _open_closed_streams() -> None:
    """Give the program streams where it was started with closed ones: Python has None there."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115 - open for good


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError as error:
        return code or _lost(error)
    return code


def _lost(error: OSError) -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if error.errno != errno.EPIPE:
        sys.stderr.write(f"sluiceway: stdout can't be written: {os.strerror(error.errno or errno.EIO)}\n")
    return Exit.FAILED
