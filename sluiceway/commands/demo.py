"""``sluiceway demo``: a tour on an example, answered from recordings by the adapters that serve a real cluster."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sluiceway.commands import deploy, diff, preview
from sluiceway.commands.approval import Approval
from sluiceway.commands.output import Output
from sluiceway.commands.session import session
from sluiceway.commands.settings import Act, Exit, Settings
from sluiceway.model.rows import Row
from sluiceway.reports.lines import Line, Span, line
from sluiceway.reports.text import row_lines
from sluiceway.reports.words import deploy_command
from sluiceway.runs.deploy import Approved, Decision

_PACKAGE: Final = Path(__file__).parents[1]
PACKAGED: Final = _PACKAGE / "demo"
"""Where a wheel carries the recordings of the tour: one directory a tool, in it one a scenario."""
IN_REPO: Final = _PACKAGE.parent / "recordings"
"""Where the same recordings lie in the repo of Sluiceway itself, below the versions of the tools."""
VERSIONS: Final = {"kubectl": "v1.37.1", "helm": "v4.3.0"}
"""The version of each tool whose recordings the tour shows."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour: ``act`` on ``stack``, answered from step ``step`` of ``scenario``, and why it is shown.

    ``code`` is the exit code that a person would get.
    """

    act: Act
    scenario: str
    step: str
    words: str
    stack: str = "app"
    code: Exit = Exit.DONE
    tool: str = "kubectl"
    repair_drift: bool = False


TOUR: Final = (
    Stop(Act.PREVIEW, "new-stack", "preview", "A first preview: nothing is in the cluster yet."),
    Stop(Act.DEPLOY, "deploy", "deploy", "A deploy puts out exactly what was approved: its hash."),
    Stop(Act.PREVIEW, "changed-secret", "preview", "A Secret changed: the row says where, and never what."),
    Stop(Act.DIFF, "log-diff-changed-secret", "diff", "The tool's own diff has the values, but for a Secret's."),
    Stop(Act.DRIFT, "drift-changed", "drift", "Someone changed the cluster by hand: the row says what, and who."),
    Stop(Act.PREVIEW, "prune", "preview", "A manifest was removed: its object goes, and that is said first."),
    Stop(Act.PREVIEW, "conflict", "preview", "A preview that failed says why, and what to do.", code=Exit.FAILED),
    Stop(
        Act.PREVIEW, "dependencies-nested", "preview", "A Helm release, made of local charts: they are built first.",
        "charts/worker", tool="helm",
    ),
    Stop(
        Act.PREVIEW, "lost-empty-map", "preview", "An empty selector lets everyone in; helm's diff plugin is silent.",
        "charts/web", tool="helm",
    ),
    Stop(
        Act.DRIFT, "drift", "drift", "Someone changed objects of a release with kubectl.", "charts/web", tool="helm",
    ),
    Stop(
        Act.DEPLOY, "drift-repaired", "deploy", "A deploy that was asked to puts that right.", "charts/web",
        tool="helm", repair_drift=True,
    ),
)  # fmt: skip


def run(settings: Settings, output: Output, act: Act | None, recordings: Path | None = None) -> int:
    """Show the tour, or only the stops of ``act``. Fails where one does not end as it should."""
    codes = []
    stops = [stop for stop in TOUR if act in (None, stop.act)]
    for number, stop in enumerate(stops):
        output.lines(_opening(stop, first=not number))
        place = (recordings or _recordings(stop.tool)) / stop.scenario
        staged = replace(settings, replay=f"{place}:{stop.step}", on_stage=True, quiet=True)
        codes.append(_shown(staged, output, stop))
    output.lines(_closing())
    return Exit.DONE if codes == [stop.code for stop in stops] else Exit.FAILED


def _recordings(tool: str) -> Path:
    return PACKAGED / tool if PACKAGED.is_dir() else IN_REPO / tool / VERSIONS[tool]


def _shown(settings: Settings, output: Output, stop: Stop) -> int:
    if stop.act is Act.DIFF:
        return diff.run(settings, output, stop.stack)
    if stop.act is Act.DEPLOY:
        with session(settings, output, stop.act) as opened:
            order = deploy.Order((stop.stack,), repair_drift=stop.repair_drift)
            return deploy.put_out(opened, order, Curtain(opened, {}))
    drift = stop.act is Act.DRIFT
    return preview.run(settings, output, [stop.stack], drift=drift, exit_code=False)


class Curtain(Approval):
    """Approves the row that it shows, as a person would who has looked at it."""

    def __call__(self, row: Row) -> Decision:
        """Show ``row`` and the command that deploys it, and approve it."""
        self.seen.add(row.stack)
        self.session.output.lines([*row_lines(row), line(""), _typed(deploy_command(row)), line("")])
        return Approved(row.hash or "")


def _opening(stop: Stop, *, first: bool) -> Iterator[Line]:
    if not first:
        yield line("")
    yield line(f"# {stop.words}", hang=2)
    before = Act.DRIFT if stop.repair_drift else Act.PREVIEW
    act = before if stop.act is Act.DEPLOY else stop.act
    yield _typed(f"sluiceway {act} {stop.stack}")
    yield line("")


def _closing() -> Iterator[Line]:
    yield line("")
    yield line("# All of it was answered from recordings of a real cluster. No tool ran, and nothing changed.", hang=2)
    yield line("# In a repo of your own: write sluiceway.yaml, then `sluiceway check` and `sluiceway preview`.", hang=2)


def _typed(command: str) -> Line:
    return line(Span(f"$ {command}", "head"), whole=True)
