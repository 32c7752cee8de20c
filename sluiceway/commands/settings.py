"""What every command is told by its command line and environment, and how it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path


class Format(StrEnum):
    """The form of a report."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    JUNIT = "junit"


class Which(StrEnum):
    """What a schema is of: ``sluiceway.yaml``, what is printed with ``--format json``, or a file of ``--result``."""

    CONFIG = "config"
    OUTPUT = "output"
    RESULT = "result"


class Act(StrEnum):
    """A command that the tour of ``demo`` shows."""

    PREVIEW = "preview"
    DRIFT = "drift"
    DIFF = "diff"
    DEPLOY = "deploy"


class Exit(IntEnum):
    """The exit codes (``spec/core.md``, Commands of the runtime)."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    DIFFERENT = 3


class UsageProblem(Exception):
    """The command line can't be followed; the text says why and what would work. Ends with ``Exit.USAGE``."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that all commands share. None stands for an option that was not given.

    ``environ`` is the environment of the process. ``output`` holds ``FORMAT=FILE`` as it was typed. ``replay`` is
    ``DIR`` or ``DIR:STEP``. ``on_stage`` is a tour: other commands are shown as in a repo of one's own.
    """

    root: Path | None = None
    repository: str | None = None
    format: Format = Format.TEXT
    output: Sequence[str] | None = None
    no_summary: bool = False
    quiet: bool = False
    verbose: bool = False
    concurrency: int | None = None
    no_color: bool = False
    replay: str | None = None
    on_stage: bool = False
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def github(self) -> bool:
        """Whether this runs in a GitHub Actions job, whose log takes commands."""
        return self.environ.get("GITHUB_ACTIONS") == "true"

    @property
    def repeated(self) -> tuple[str, ...]:
        """The options that another command has to repeat to speak of the same stacks."""
        if self.on_stage:
            return ()
        given = {"--root": self.root, "--repository": self.repository, "--replay": self.replay}
        return tuple(word for option, value in given.items() if value is not None for word in (option, str(value)))
