"""``sluiceway init``: a workflow and a first ``sluiceway.yaml``. Writes two files, and commits nothing."""

import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from sluiceway.adapters.base import Proposal, Proposes
from sluiceway.adapters.registry import find_adapter, known_tools
from sluiceway.commands.copies import write_whole
from sluiceway.commands.output import Output
from sluiceway.commands.settings import Exit, Settings, UsageProblem
from sluiceway.config.file import NAMES
from sluiceway.model.stacks import Stack
from sluiceway.reports.words import number, visible

WORKFLOW = ".github/workflows/sluiceway.yml"
ACTION = "your-org/sluiceway@main"
"""What stands in the template for the repository that holds the action."""

_ACTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+@[A-Za-z0-9._/-]+")
_HEAD = """\
# What Sluiceway previews and deploys. `sluiceway check` tells what is wrong with this file, `sluiceway stacks` what it
# declares, `sluiceway preview` what a deploy would change. All keys: docs/configuration.md.
"""
_TAIL = """
# Who may deploy by a tick on the dashboard: everyone with write access to the repo. It can be narrowed.
# tickers: maintain

# Files that belong to no stack: a push that changes only these previews nothing.
scan:
  unrelated: ["**/*.md", ".github/**"]
"""


def run(settings: Settings, output: Output, *, force: bool, action: str | None) -> int:
    """Write both files, or none: one that is there and no ``force`` raise :class:`UsageProblem`."""
    root = settings.root or Path()
    if action is not None and not _ACTION.fullmatch(action):
        raise UsageProblem(f"--action {visible(action)}: it takes OWNER/NAME@REF")
    there = [name for name in (WORKFLOW, *NAMES) if (root / name).exists()]
    if there and not force:
        raise UsageProblem(f"{', '.join(there)} is there already: move it away, or write over it with --force")
    proposals = proposed(root)
    config = next((name for name in NAMES if (root / name).exists()), NAMES[0])
    texts = {config: config_text(root, proposals), WORKFLOW: workflow_text(action)}
    for name, text in texts.items():
        _write(root / name, text)
    _tell(output, texts, proposals, named=action is not None)
    return Exit.DONE


def proposed(root: Path) -> list[tuple[str, Proposal]]:
    """Return the stacks that the files look like, each with its tool, by path; one directory is one tool's."""
    found: dict[str, tuple[str, Proposal]] = {}
    for tool in known_tools():
        adapter = find_adapter(tool)
        proposals: list[Proposal] = adapter.propose(root) if isinstance(adapter, Proposes) else []
        for proposal in proposals:
            found.setdefault(proposal.path, (tool, proposal))
    return [found[path] for path in sorted(found)]


def workflow_text(action: str | None = None) -> str:
    """Return the workflow."""
    text = files("sluiceway.commands.dashboard").joinpath("template", "workflow.yml").read_text(encoding="utf-8")
    return text if action is None else text.replace(ACTION, action)


def config_text(root: Path, proposals: Sequence[tuple[str, Proposal]]) -> str:
    """Return a ``sluiceway.yaml``; a stack that ``check`` would refuse stands in it as a comment that says why."""
    entries = [(_entry(tool, proposal), _refused(root, tool, proposal)) for tool, proposal in proposals]
    parts = [_commented(entry, problem) if problem else entry for entry, problem in entries]
    stacks = "stacks:\n" if any(not problem for _entry, problem in entries) else "stacks: []\n"
    return f"{_HEAD}{stacks}{''.join(parts)}{_TAIL}"


def _refused(root: Path, tool: str, proposal: Proposal) -> str:
    adapter = find_adapter(tool)
    stack = Stack(proposal.path, proposal.path, tool, proposal.options)
    problems = adapter.check_files(stack, root) if adapter else []
    return problems[0].problem if problems else ""


def _entry(tool: str, proposal: Proposal) -> str:
    keys: dict[str, Any] = {"path": proposal.path, "tool": tool}
    if proposal.options:
        keys["options"] = dict(proposal.options)
    text = yaml.safe_dump([keys], sort_keys=False, allow_unicode=True)
    return "".join(
        f"  {line}\n" for line in [*([f"# Look: {proposal.unsure}."] if proposal.unsure else []), *text.splitlines()]
    )


def _commented(entry: str, problem: str) -> str:
    lines = [f"  # Left out: {visible(problem)}", *(f"  # {line[2:]}" for line in entry.splitlines())]
    return "".join(f"{line}\n" for line in lines)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode())
    except OSError as error:
        raise UsageProblem(f"{visible(str(path))} can't be written: {error.strerror}") from None


def _tell(output: Output, texts: dict[str, str], proposals: Sequence[tuple[str, Proposal]], *, named: bool) -> None:
    for name in texts:
        output.text(f"Wrote {name}\n")
    output.text(f"\n{number(len(proposals), 'stack')} found. Next:\n")
    steps = [
        "Look at sluiceway.yaml, and run `sluiceway check` and `sluiceway preview`.",
        *([] if named else [f"Name the repository that holds Sluiceway's action in {WORKFLOW}: {ACTION}."]),
        f"Give the job in {WORKFLOW} its tools and its cluster.",
        "Commit both. The first run makes the dashboard issue.",
    ]
    output.text("".join(f"  {number}. {step}\n" for number, step in enumerate(steps, 1)))
