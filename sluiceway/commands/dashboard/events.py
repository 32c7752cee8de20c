"""What each event of GitHub's asks of ``sluiceway auto``. The event only wakes us: what stands is asked of GitHub."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sluiceway.commands.dashboard.facts import Facts
from sluiceway.dashboard import is_dashboard
from sluiceway.reports.words import visible

Work = Literal["scan", "all", "ticks", "check"]


@dataclass(frozen=True, slots=True)
class Nothing:
    """The event asks for nothing; ``why`` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class NotHere:
    """Sluiceway must not run on this event, or here; ``why`` is a sentence. The job ends red."""

    why: str


def asked(facts: Facts, ref: str) -> Work | Nothing | NotHere:
    """Return what the event asks for: ``scan`` alone, ``ticks`` alone, ``all`` of it, or ``check``."""
    if facts.event == "pull_request":
        return "check"
    if facts.event == "pull_request_target":
        return NotHere(
            "pull_request_target gives a stranger's branch this repository's token: Sluiceway doesn't run on it. "
            "Use pull_request."
        )
    repository = _mapping(facts.payload.get("repository"))
    if repository.get("fork") is True:
        return NotHere("This is a fork: its dashboard would deploy what is another repository's. Nothing was done.")
    if facts.event == "push" and facts.payload.get("deleted") is True:
        return Nothing("A branch was deleted.")
    if facts.event == "issues":
        return _edited(facts.payload)
    works: dict[str, Work] = {"push": "scan", "schedule": "all", "workflow_dispatch": "all"}
    if facts.event not in works:
        return Nothing(f"The event {visible(facts.event) or '(none)'} asks for nothing.")
    return _elsewhere(facts.event, ref, repository.get("default_branch")) or works[facts.event]


def _elsewhere(event: str, ref: str, default: Any) -> Nothing | NotHere | None:
    """Return why a branch is none of ours: the dashboard shows the default branch."""
    if not isinstance(default, str) or not ref or ref == f"refs/heads/{default}":
        return None
    words = f"The dashboard shows the branch {visible(default)}, not {visible(ref.removeprefix('refs/heads/'))}."
    return NotHere(words) if event == "workflow_dispatch" else Nothing(words)


def _edited(payload: Mapping[str, Any]) -> Work | Nothing:
    issue, sender = _mapping(payload.get("issue")), _mapping(payload.get("sender"))
    if payload.get("action") != "edited" or "body" not in _mapping(payload.get("changes")):
        return Nothing("The text of the issue wasn't edited.")
    if sender.get("type") == "Bot":
        return Nothing("A bot edited the issue: only a person's edit starts anything.")
    if _mapping(issue.get("user")).get("type") != "Bot" or not is_dashboard(str(issue.get("body") or "")):
        return Nothing("The issue that was edited is no dashboard.")
    return "ticks"


def _mapping(node: Any) -> Mapping[str, Any]:
    return node if isinstance(node, dict) else {}
