"""The keys of ``sluiceway.yaml``: what a person can write, and the words an editor shows beside it.

Source: ``spec/core.md``, ``sluiceway.yaml``; ``spec/dashboard.md``.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from sluiceway.adapters.options import Line, Maybe, Options, Text, Whole, text_of
from sluiceway.config import rules

_RELATIVE = r"(?!/)(?!(?:.*/)?\.\.(?:/|$))[^\\\u0000-\u001f]+"
MOST_MINUTES = 7 * 24 * 60

StackPath = Annotated[str, Text(rules.path, _RELATIVE)]
FilePath = Annotated[str, Text(rules.file_path, _RELATIVE)]
Glob = Annotated[str, Text(rules.glob, r"(?!/)(?!!)(?!(?:.*/)?\.\.(?:/|$))[^\\{}\[\]\u0000-\u001f]+")]
ValueGlob = Annotated[str, Text(rules.shown_value, r"(?!.*\*\*)(?![*.\[\]\"]*$)[^\u0000-\u001f]+")]
Name = Annotated[str, text_of(r"[A-Za-z0-9._-]+", "letters, digits, `.`, `_` and `-`")]
Id = Annotated[str, text_of(r"[A-Za-z0-9._/:@+-]+", "letters, digits and `. _ / : @ + -`")]
Environment = Annotated[str, text_of(r"(?=.*\S)[^\u0000-\u001f\u007f-\u009f]{1,255}", "one line, at most 255 long")]
Minutes = Annotated[int, Whole(1, MOST_MINUTES)]
Login = Annotated[str, Text(rules.login, r"(?!(?:write|maintain|admin)$)[A-Za-z0-9][A-Za-z0-9_-]{0,99}")]
TimeZone = Annotated[str, Text(rules.time_zone, r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")]
Label = Annotated[str, Text(rules.label, r"(?=.*\S)[^,\u0000-\u001f]{1,50}")]
Title = Annotated[str, text_of(r"(?=.*\S)[^\u0000-\u001f\u007f-\u009f]{1,256}", "one line, at most 256 long")]

# A tag in angle brackets is dropped from the path of a problem: it names a form, no key of the file.
TEXT, LIST, MAPPING = "<text>", "<list>", "<mapping>"


def _ticker_form(value: Any) -> str:
    return LIST if isinstance(value, list) else TEXT


def _ignore_form(value: Any) -> str:
    return MAPPING if isinstance(value, (dict, Options)) else TEXT


Tickers = Annotated[
    Annotated[Literal["write", "maintain", "admin"], BeforeValidator(rules.role), Tag(TEXT)]
    | Annotated[list[Login], AfterValidator(rules.logins), Field(json_schema_extra={"minItems": 1}), Tag(LIST)],
    Discriminator(_ticker_form),
]


class StackDrift(Options):
    """Settings of the drift check of one stack."""

    enabled: Maybe[bool] = Field(
        default=None, description="Whether scans check this stack for drift. Without it what the file says for all."
    )


class StackKeys(Options):
    """One stack: a directory that is previewed and deployed alone."""

    path: StackPath = Field(
        description="The stack's directory, relative to the root of the repo, with forward slashes; `.` is the root.",
        examples=["apps/web", "."],
    )
    name: Maybe[Name] = Field(
        default=None,
        description="A second part of the stack's id, for several stacks in one directory: the id is `path:name`.",
    )
    id: Maybe[Id] = Field(default=None, description="The stack's id, in place of `path` or `path:name`.")
    tool: str = Field(
        description="The tool that deploys the stack. No tool finds stacks by itself yet, so each entry names one.",
        examples=["kubectl"],
    )
    options: Maybe[dict[str, Any]] = Field(default=None, description="The options of the tool.")
    inputs: list[Glob] = Field(
        default=[],
        description="Globs of more files that belong to the stack: a push that changes one previews it.",
        examples=[["base/**"]],
    )
    preview_timeout: Minutes = Field(
        default=10,
        description="Minutes for one preview, all its commands together. The drift check has its own, as long.",
    )
    deploy_timeout: Maybe[Minutes] = Field(
        default=None, description="Minutes for the deploy's commands together. None by default."
    )
    depends_on: list[Line] = Field(
        default=[], description="The ids of the stacks that are deployed before this one.", examples=[["namespaces"]]
    )
    drift: Maybe[StackDrift] = Field(default=None, description="Settings of the drift check of this stack.")
    env_file: Maybe[FilePath] = Field(
        default=None,
        description=(
            "A file of `NAME=value` lines for the tool's environment, relative to the root of the repo. "
            "Every value in it is masked in logs."
        ),
    )
    environment: Maybe[Environment] = Field(
        default=None, description="The GitHub environment of the stack's deployment records."
    )
    tickers: Maybe[Tickers] = Field(
        default=None,
        description="Who may deploy this stack from the dashboard, in place of what the file says for all.",
    )


class IgnoredKeys(Options):
    """Stack ids to leave out, and why."""

    glob: Glob = Field(description="A glob of stack ids.")
    reason: Line = Field(description="Why they are left out.")


class DriftKeys(Options):
    """Settings of the drift check of all stacks."""

    enabled: bool = Field(
        default=False, description="Whether scans check for drift. The command `drift` always checks."
    )


class ScanKeys(Options):
    """Settings of scans."""

    unrelated: list[Glob] = Field(
        default=[],
        description="Globs of files that belong to no stack: a push that changes only these previews nothing.",
        examples=[["docs/**", "**/*.md"]],
    )
    log_diff: bool = Field(
        default=False,
        description="Print the tool's own diff of each pending stack to the job log. It holds values in clear text.",
    )


class DashboardKeys(Options):
    """Settings of the dashboard issue."""

    title: Title = Field(default="Sluiceway", description="The title of the dashboard issue.")
    label: Label = Field(default="sluiceway", description="The label by which the dashboard issue is found.")
    pin: bool = Field(default=False, description="Pin the dashboard issue.")
    redact: bool = Field(default=False, description="Leave the names of objects out of the dashboard.")
    read_only: bool = Field(default=False, description="Show the stacks without boxes to tick.")
    show_values: list[ValueGlob] = Field(
        default=[],
        description=(
            "Globs of property paths whose values are shown as `old → new`. `*` stands for one name. "
            "Everything else is shown without its value."
        ),
        examples=[["spec.replicas", "spec.template.spec.containers[*].image"]],
    )
    recently_deployed: Annotated[int, Whole(0, 100)] = Field(
        default=10, description="How many of the latest deploys are listed."
    )
    time_zone: TimeZone = Field(
        default="UTC", description="The IANA time zone in which times are written.", examples=["Europe/Berlin"]
    )
    in_sync_section: bool = Field(default=True, description="List the stacks that are in sync.")


class FileKeys(Options):
    """What Sluiceway previews and deploys."""

    stacks: list[StackKeys] = Field(default=[], description="The stacks of this repo.")
    drift: DriftKeys = Field(default=DriftKeys(), description="Settings of the drift check of all stacks.")
    ignore: list[
        Annotated[
            Annotated[Glob, Tag(TEXT)] | Annotated[IgnoredKeys, Tag(MAPPING)],
            Discriminator(_ignore_form),
        ]
    ] = Field(
        default=[],
        description="Globs of stack ids that get no row and no preview, each alone or with the reason why.",
        examples=[["sandbox/**", {"glob": "legacy/*", "reason": "Moves to Helm first"}]],
    )
    deploys: bool = Field(default=True, description="Whether a tick on the dashboard deploys.")
    tickers: Tickers = Field(
        default="write",
        description=(
            "Who may deploy from the dashboard: everyone with `write`, `maintain` or `admin` rights on the repo, "
            "or a list of logins. Whoever ticks needs write access besides."
        ),
    )
    scan: ScanKeys = Field(default=ScanKeys(), description="Settings of scans.")
    dashboard: DashboardKeys = Field(default=DashboardKeys(), description="Settings of the dashboard issue.")
