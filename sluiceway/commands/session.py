"""A session: the tools, files and streams of one command that works on stacks, from its start to its end."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sluiceway import __version__
from sluiceway.adapters.registry import find_adapter
from sluiceway.commands.annotations import annotate
from sluiceway.commands.bugs import explained, told
from sluiceway.commands.output import Output
from sluiceway.commands.progress import Live, Plain, Quiet, Shown
from sluiceway.commands.project import Project, open_project
from sluiceway.commands.settings import Settings
from sluiceway.environment import EnvFileProblem, read_env_file
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure
from sluiceway.model.shown import ShowValues
from sluiceway.model.stacks import Stack
from sluiceway.private import keep_no_core, private_directory, sweep
from sluiceway.processes import ProcessRunner, Runner, interrupted_by, tool_environment
from sluiceway.relay import Concealed, JobLog
from sluiceway.runs.job import Job
from sluiceway.signals import Ending, ending_on_signals

if TYPE_CHECKING:
    from typing import TextIO

    from sluiceway.recordings import Replay

_MOST_AT_ONCE = 8


@dataclass(frozen=True)
class Session:
    """What one command works with. ``ending`` holds signals back while results are made and reported."""

    settings: Settings
    project: Project
    output: Output
    log: JobLog
    progress: Shown
    ending: Ending
    concealed: Concealed = field(default_factory=Concealed)
    _added: dict[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def job(self) -> Job:
        """Return the job over all stacks of the project."""
        place = self.project.place
        return Job(
            root=place.root,
            stacks=self.project.stacks,
            find_adapter=find_adapter,
            repository=place.repository,
            shows=ShowValues(self.project.config.show_values),
            open_runner=self._process_runner if place.replay is None else partial(self._replayer, place.replay),
            open_private=private_directory,
            conceal=self.concealed.add,
            concurrency=self.settings.concurrency or cores(),
            interrupted=lambda: interrupted_by() is not None,
            hindrance=self._hindrance,
            report_bug=self._report_bug,
            explain=self._explain,
        )

    def show(self, line: str) -> None:
        """Show a line of a tool's stdout that is meant for a person."""
        clean = self.concealed.clean(line)
        if self.settings.github:
            self.log.say(clean)
        else:
            self.output.text(f"{clean}\n")

    def _process_runner(self, stack: Stack, minutes: float | None, _private: Path) -> AbstractContextManager[Runner]:
        return ProcessRunner(
            environment=tool_environment(self.settings.environ, self._added.get(stack.id, {})),
            relay=self._relay(stack),
            shown=self.show,
            limit=minutes,
        )

    def _replayer(
        self, replay: "Replay", stack: Stack, _minutes: float | None, private: Path
    ) -> AbstractContextManager[Runner]:
        return replay.runner(stack, private=private, relay=self._relay(stack), shown=self.show)

    def _relay(self, stack: Stack) -> Callable[[str], None]:
        return lambda text: self.log.tool_line(stack.id, self.concealed.clean(text))

    def _hindrance(self, stack: Stack) -> Failure | None:
        """Read the stack's env file. A recording needs none: it answers for an environment that is not here."""
        if stack.env_file is None or self.project.place.replay is not None:
            return None
        found = read_env_file(self.project.place.root / stack.env_file)
        if isinstance(found, EnvFileProblem):
            return Failure(unreadable_env_file(stack.env_file, found))
        self.concealed.add(found.values())
        self._added[stack.id] = found
        return None

    def _explain(self, error: Exception) -> Reason:
        return unanswered() if self._is_unanswered(error) else explained(error)

    def _is_unanswered(self, error: Exception) -> bool:
        if self.project.place.replay is None:
            return False
        from sluiceway.recordings import RecordingError  # noqa: PLC0415 - loaded: a replay is open

        return isinstance(error, RecordingError)

    def _report_bug(self, stack: Stack, error: Exception) -> None:
        if self._is_unanswered(error):
            self.log.say(str(error))
        elif self.settings.verbose:
            self.log.say(f"{stack.id}: {told(error)}")


def unreadable_env_file(name: str, problem: EnvFileProblem) -> Reason:
    """Return the reason of a stack whose ``envFile`` can't be used; a malformed line is named by its number only."""
    return Reason(
        "preparation-failed",
        f"envFile {name}: {problem.problem}",
        "Each line is NAME=value, a comment, or blank.",
        names={"file": name},
    )


def unanswered() -> Reason:
    """Return the reason of a stack for which a recording holds no answer."""
    return Reason(
        "preparation-failed",
        "The recording has no answer for a command of this stack",
        "The log says what was asked, and what is nearest to it.",
    )


def cores() -> int:
    """Return how many stacks are previewed side by side by default: one for each CPU core we may use, 1 to 8."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, _MOST_AT_ONCE))


@contextmanager
def session(settings: Settings, output: Output, does: str) -> Iterator[Session]:
    """Open the project, and give what a command works with; on every way out nothing is left running or on disk.

    ``does`` is the command's step in a recording. Main thread only: it takes the signals. Raises what
    :func:`open_project` raises, and :class:`~sluiceway.private.PrivateDirectoryError` where there is no safe place for
    private files.
    """
    with ending_on_signals() as ending:
        project = open_project(settings, does)
        keep_no_core()
        sweep()
        with private_directory():
            pass  # said here in full, and not once a stack
        live = _live(settings)
        # What a tool wrote must stand in one stream: in a job's log, `diff` itself is a tool's words.
        stream = sys.stdout if settings.github and does == "diff" else sys.stderr
        try:
            with JobLog(cast("TextIO", live or stream), github=settings.github) as log:
                progress = live or (Quiet() if settings.quiet else Plain(log))
                _begin(settings, project, log)
                yield Session(settings, project, output, log, progress, ending)
        finally:
            if live is not None:
                live.close()


def _live(settings: Settings) -> Live | None:
    dumb = settings.quiet or settings.github or settings.environ.get("TERM") == "dumb"
    return None if dumb or not sys.stderr.isatty() else Live(sys.stderr, no_color=settings.no_color)


def _begin(settings: Settings, project: Project, log: JobLog) -> None:
    if settings.verbose:
        name = project.place.repository or "a repository without a name"
        log.say(f"sluiceway {__version__}, {name} in {project.place.root}")
    if not settings.quiet:
        annotate(log, settings, "warning", project.warnings)
    if not project.stacks and not settings.quiet:
        log.say(project.nothing())
