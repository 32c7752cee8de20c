"""What a command of the dashboard ends with beside the issue: outputs of the step, and a JSON file."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from sluiceway.commands.copies import write_whole
from sluiceway.commands.settings import Exit, Settings
from sluiceway.reports.document import Says

Command = Literal["scan", "resolve", "apply", "settle", "auto"]
Fate = Literal["queued", "waiting", "deployed", "in-sync", "moved", "refused", "failed", "error"]

_Stack = Annotated[str, Says("A stack's id. It is opaque: never split it.")]
_Count = Annotated[int, Says("How many stacks.", minimum=0)]
_Sentence = Annotated[str, Says("A sentence for a person.")]
_Login = Annotated[str, Says("The login of the person.")]
_Record = Annotated[int, Says("The id of the deployment record.", minimum=1)]


class CountsDocument(TypedDict):
    """How many rows of the dashboard are in which state."""

    deploying: _Count
    queued: _Count
    pending: _Count
    drift: _Count
    previewFailed: _Count
    inSync: _Count


class DeploymentDocument(TypedDict):
    """A deployment record that the command opened, deployed, or gave a result."""

    deployment: _Record
    stack: _Stack
    hash: Annotated[str, Says("What was approved.", pattern="^[0-9a-f]{16}$")]
    ticker: _Login
    outcome: Annotated[
        Fate,
        Says("queued: an apply job follows; waiting: for other stacks; else how it ended (error: the run died)."),
    ]
    note: NotRequired[_Sentence]


class RefusalDocument(TypedDict):
    """A tick that deploys nothing, and why. Its box was cleared."""

    stack: _Stack
    ticker: NotRequired[_Login]
    why: _Sentence


class GoDocument(TypedDict):
    """One apply job: ``sluiceway apply --deployment-id``."""

    deployment: _Record
    stack: _Stack


class ResultDocument(TypedDict):
    """What one command of the dashboard came to."""

    version: Annotated[Literal[1], Says("The version of this form.")]
    command: Annotated[Command, Says("The command.")]
    outcome: Annotated[Literal["ok", "failed"], Says("ok: the exit code is 0.")]
    dashboardUrl: NotRequired[Annotated[str, Says("The page of the dashboard issue.")]]
    counts: NotRequired[CountsDocument]
    deployments: Annotated[list[DeploymentDocument], Says("In the order in which they were dealt with.")]
    refused: Annotated[list[RefusalDocument], Says("Ticks that deploy nothing.")]
    matrix: Annotated[list[GoDocument], Says("What is to be deployed by apply jobs.")]
    rescan: Annotated[bool, Says("Someone ticked the box that asks for a scan of all stacks.")]
    problems: Annotated[list[_Sentence], Says("Why the outcome is failed, as far as no row says it.")]


@dataclass(frozen=True, slots=True)
class Go:
    """A deployment record to apply."""

    deployment: int
    stack: str


@dataclass
class Result:
    """What is known so far. ``counts`` is None until a dashboard was read or written."""

    url: str = ""
    counts: CountsDocument | None = None
    deployments: list[DeploymentDocument] = field(default_factory=list)
    refused: list[RefusalDocument] = field(default_factory=list)
    matrix: list[Go] = field(default_factory=list)
    rescan: bool = False
    problems: list[str] = field(default_factory=list)

    def document(self, command: Command, code: int) -> ResultDocument:
        """Return the JSON document."""
        document: ResultDocument = {
            "version": 1,
            "command": command,
            "outcome": "ok" if code == Exit.DONE else "failed",
            "deployments": self.deployments,
            "refused": self.refused,
            "matrix": [{"deployment": go.deployment, "stack": go.stack} for go in self.matrix],
            "rescan": self.rescan,
            "problems": self.problems,
        }
        if self.url:
            document["dashboardUrl"] = self.url
        if self.counts:
            document["counts"] = self.counts
        return document


def write_result(settings: Settings, document: ResultDocument, file: Path | None) -> list[str]:
    """Write the outputs of the step (``GITHUB_OUTPUT``) and the JSON file; return what could not be written."""
    problems = []
    try:
        if name := settings.environ.get("GITHUB_OUTPUT"):
            with Path(name).open("a", encoding="utf-8") as stream:
                stream.writelines(f"{key}={value}\n" for key, value in outputs(document).items())
    except OSError as error:
        problems.append(f"the outputs of this step can't be written: {error.strerror}")
    try:
        if file is not None:
            write_whole(file, (json.dumps(document, indent=2) + "\n").encode())
    except OSError as error:
        problems.append(f"the result file can't be written: {error.strerror}")
    return problems


def outputs(document: ResultDocument) -> dict[str, str]:
    """Return the outputs of the step. ``matrix`` is empty where there is nothing to deploy: a job can ask for that."""
    counts = document.get("counts")
    found = {
        "outcome": document["outcome"],
        "dashboard-url": document.get("dashboardUrl", ""),
        "matrix": json.dumps({"include": document["matrix"]}) if document["matrix"] else "",
        "rescan": "true" if document["rescan"] else "",
    }
    if counts:
        words = {"pending": "pending", "preview-failed": "previewFailed", "in-sync": "inSync"}
        found |= {name: str(counts[key]) for name, key in words.items()}  # type: ignore[literal-required]  # its keys
    return found


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema of the result file: draft 2020-12, strict."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - heavy, and needed only where a schema is made

    from sluiceway.reports.schema import strict_schema  # noqa: PLC0415 - the same

    title = "What a command of the dashboard writes with --result, version 1"
    return strict_schema(TypeAdapter(ResultDocument).json_schema(), title)
