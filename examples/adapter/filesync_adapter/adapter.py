"""The adapter: filesync's command lines, and what it prints, in Sluiceway's words."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sluiceway.adapters.base import FileProblem, Plan, Preview, Workplace
from sluiceway.model.changes import Change, Diff
from sluiceway.model.reasons import Reason, timed_out, too_large, unreadable
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure, ToolDiff
from sluiceway.model.stacks import Stack
from sluiceway.processes import STDOUT_LIMIT_MIB, Command, Outcome, Runner

MOVED = 3
"""The exit code by which filesync says that something else would be done than what was planned."""


@dataclass(frozen=True)
class FilesyncPlan:
    """What a deploy puts out: a copy of the files that were previewed, and the digest of what would be done."""

    files: Path
    digest: str
    changes: tuple[Change, ...]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_ended: object) -> None:
        shutil.rmtree(self.files, ignore_errors=True)


class FilesyncAdapter:
    """``tool: filesync``. All it knows of the world is the Runner and the stack's directory."""

    tool = "filesync"

    def options(self) -> Any:
        """Return the model of the options. Loaded late: a right file of other tools needs no pydantic."""
        from filesync_adapter.options import FilesyncOptions  # noqa: PLC0415

        return FilesyncOptions

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        """Say what is wrong with the files of a stack; no tool is started."""
        if any(path.is_file() for path in (root / stack.path).rglob("*")):
            return []
        return [FileProblem("path", f"{stack.path} holds no file: put some into it, or take the stack out")]

    def check_version(self, runner: Runner, root: Path) -> Reason | None:
        """Return why filesync can't serve, or None."""
        outcome = runner.run(Command(("filesync", "--version"), root))
        return None if outcome.exit_code == 0 else failed(outcome, "filesync --version")

    def prepare(self, stacks: Sequence[Stack], root: Path, runner: Runner) -> dict[str, Failure]:
        """Prepare nothing: filesync needs nothing that several stacks share."""
        del stacks, root, runner
        return {}

    def preview(self, place: Workplace, *, keep: bool = False) -> Preview | Failure:
        """Ask filesync what it would do with a copy of the files, so that nobody changes them meanwhile."""
        files = copied(place)
        outcome = place.runner.run(command(place, "plan", files))
        if outcome.exit_code != 0:
            return Failure(failed(outcome, "filesync plan"))
        try:
            document = json.loads(outcome.stdout)
            changes = tuple(change(file["name"], file["op"]) for file in document["files"])
            digest = str(document["digest"])
        except (ValueError, KeyError, TypeError):
            return Failure(unreadable("stdout of filesync plan", "a JSON object with digest and files"))
        plan = FilesyncPlan(files, digest, changes) if keep else None
        shape = tuple(f"{each.op} {each.address}" for each in changes)
        return Preview(Diff(place.stack.id, changes), fingerprint=digest, plan=plan, shape=shape)

    def drift(self, place: Workplace, preview: Preview) -> DriftFound | CannotCheck | Failure:
        """Say that drift can't be told."""
        del place, preview
        return CannotCheck("filesync keeps no account of what it wrote, so nobody can tell who changed a file.")

    def tool_diff(self, place: Workplace) -> ToolDiff | Failure:
        """Show filesync's own diff; it holds what the files hold."""
        outcome = place.runner.run(command(place, "diff", copied(place), shown=True))
        if outcome.exit_code != 0:
            return Failure(failed(outcome, "filesync diff"))
        return ToolDiff(differs=bool(outcome.stdout))

    def deploy(self, place: Workplace, plan: Plan, *, repair_drift: bool = False) -> Deployed | Failure:
        """Put out exactly ``plan``."""
        del repair_drift
        if not isinstance(plan, FilesyncPlan):
            raise TypeError("a plan of another adapter")
        outcome = place.runner.run(command(place, "sync", plan.files, "--digest", plan.digest, writes=True))
        if outcome.ended == "exited" and outcome.exit_code == MOVED:
            step = "Preview again, and approve what it shows."
            return Failure(Reason("tool-error", "the target changed after the preview", step), moved=True)
        if outcome.exit_code != 0:
            return Failure(failed(outcome, "filesync sync"))
        verbs = {"create": "applied", "update": "applied", "delete": "deleted"}
        return Deployed(tuple(f"{verbs[each.op]} {each.address}" for each in plan.changes))


def copied(place: Workplace) -> Path:
    """Copy the stack's files into the private directory, which goes on every way out."""
    files = place.private / "files"
    shutil.copytree(place.directory, files, dirs_exist_ok=True)
    return files


def command(place: Workplace, does: str, files: Path, *more: str, shown: bool = False, writes: bool = False) -> Command:
    """Return a command line. The copy's place is private, so a recording holds a placeholder for it."""
    argv = ("filesync", does, str(files), place.stack.options["target"], *more)
    return Command(argv, place.root, placeholders={"<files>": str(files)}, shown=shown, writes=writes)


def change(name: str, op: Any) -> Change:
    """Return the change of one file. What it holds is nobody's business: one path stands for all of it."""
    return Change(name, "File", name, op, changed_keys=("content",) if op == "update" else ())


def failed(outcome: Outcome, doing: str) -> Reason:
    """Return why a command failed, from a fixed list; filesync's own words are in the job log."""
    match outcome.ended:
        case "timed-out":
            return timed_out(outcome.limit or 0, doing)
        case "too-large":
            return too_large(doing, STDOUT_LIMIT_MIB)
        case "not-started":
            return Reason("tool-missing", "filesync can't be started", "Install it: it comes with filesync-adapter.")
        case "interrupted":
            return Reason("tool-error", f"{doing} was ended because Sluiceway was asked to end", "Run it again.")
    what = f"{doing} exited with code {outcome.exit_code}"
    return Reason("tool-error", what, "Its own words are in the job log.", exit_code=outcome.exit_code)


adapter = FilesyncAdapter()
