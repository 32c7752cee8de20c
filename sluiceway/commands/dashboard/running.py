"""The commands as the command line calls them: a desk, the work, and the ends of the run."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sluiceway.commands import check
from sluiceway.commands.copies import write_whole
from sluiceway.commands.dashboard import auto as doing
from sluiceway.commands.dashboard import scan as scanning
from sluiceway.commands.dashboard.apply import apply
from sluiceway.commands.dashboard.desk import Desk, Place, open_desk
from sluiceway.commands.dashboard.events import NotHere, Nothing, asked
from sluiceway.commands.dashboard.facts import facts
from sluiceway.commands.dashboard.resolve import resolve
from sluiceway.commands.dashboard.result import Command, Result, write_result
from sluiceway.commands.dashboard.scan import Shard
from sluiceway.commands.dashboard.settle import settle
from sluiceway.commands.dashboard.trouble import Halt
from sluiceway.commands.output import Output
from sluiceway.commands.session import session
from sluiceway.commands.settings import Exit, Settings, UsageProblem
from sluiceway.dashboard import dump
from sluiceway.relay import JobLog
from sluiceway.reports.words import visible


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line gave beside the shared options. ``result`` is where the JSON file goes."""

    result: Path | None = None
    drift: bool | None = None
    shard: str | None = None
    rows: Path | None = None
    merge: Sequence[str] = ()


def run_scan(settings: Settings, output: Output, given: Asked, place: Place | None = None) -> int:
    """Scan, scan one shard without GitHub, or put shards together."""
    if given.shard is not None:
        return _shard(settings, output, given)
    if given.rows is not None:
        raise UsageProblem("--rows goes with --shard")
    if given.merge:
        return _ended(settings, output, "scan", given, lambda desk: scanning.merge(desk, given.merge).code, place)
    return _ended(settings, output, "scan", given, lambda desk: scanning.scan(desk, given.drift).code, place)


def _shard(settings: Settings, output: Output, given: Asked) -> int:
    """Preview one shard and write its rows down: no token, no issue. A failed preview is for ``--merge`` to show."""
    if given.rows is None or given.merge or given.shard is None:
        raise UsageProblem("--shard goes with --rows FILE, and not with --merge")
    shard = Shard.read(given.shard)
    with session(settings, output, "scan") as opened:
        stacks = shard.of_all(opened.project.stacks)
        try:
            rows = scanning.looked_at(opened, opened.job(), stacks, given.drift)
        except Halt as halt:
            opened.log.say(f"sluiceway: {halt}")
            return Exit.FAILED
    try:
        write_whole(given.rows, dump(rows).encode())
    except OSError as error:
        raise UsageProblem(f"--rows {visible(str(given.rows))} can't be written: {error.strerror}") from None
    return Exit.DONE


def run_resolve(settings: Settings, output: Output, given: Asked, place: Place | None = None) -> int:
    """Open records for ticks; the outputs hold the matrix of the apply jobs."""

    def work(desk: Desk) -> int:
        resolve(desk)
        return Exit.DONE

    return _ended(settings, output, "resolve", given, work, place)


def run_apply(settings: Settings, output: Output, number: int, given: Asked, place: Place | None = None) -> int:
    """Deploy one record."""
    return _ended(settings, output, "apply", given, lambda desk: apply(desk, number), place)


def run_settle(settings: Settings, output: Output, given: Asked, place: Place | None = None) -> int:
    """Give records their results, and start what waited; the outputs hold the matrix of the apply jobs."""

    def work(desk: Desk) -> int:
        settle(desk)
        return Exit.DONE

    return _ended(settings, output, "settle", given, work, place)


def run_auto(settings: Settings, output: Output, given: Asked, place: Place | None = None) -> int:
    """Do what the event asks for."""
    work = asked(facts(settings), settings.environ.get("GITHUB_REF", ""))
    if isinstance(work, Nothing | NotHere):
        with JobLog(sys.stderr, github=settings.github) as log:
            log.annotate("error" if isinstance(work, NotHere) else "notice", visible(work.why))
        return Exit.FAILED if isinstance(work, NotHere) else Exit.DONE
    if work == "check":
        return check.run(settings, output)
    return _ended(settings, output, "auto", given, lambda desk: doing.auto(desk, work), place)


def _ended(  # noqa: PLR0913, PLR0917 - a command: its options, its work, its world
    settings: Settings, output: Output, command: Command, given: Asked, work: Callable[[Desk], int], place: Place | None
) -> int:
    """Do ``work`` at a desk; whatever came of it, write the outputs and the result file."""
    result, code = Result(), int(Exit.FAILED)
    with JobLog(sys.stderr, github=settings.github) as log:
        try:
            with open_desk(settings, output, command, place, result) as desk:
                code = work(desk)
        except Halt as halt:
            result.problems.append(str(halt))
            log.annotate("error", visible(str(halt)))
        finally:
            for problem in write_result(settings, result.document(command, code), given.result):
                log.say(f"sluiceway: {problem}")
                code = code or Exit.FAILED
    return code
