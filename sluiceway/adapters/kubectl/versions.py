"""The version check: kubectl v1.34.0 or newer (record 0060)."""

import json
from pathlib import Path

from sluiceway.adapters.kubectl import commands
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubernetes.objects import mapping, text
from sluiceway.adapters.kubernetes.versions import dotted, read
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome, Runner

FLOOR = (1, 34, 0)
"""The oldest kubectl that is served: the oldest Kubernetes release line still patched on 2026-09-22."""


def check(runner: Runner, root: Path) -> Reason | None:
    """Return why kubectl can't serve, or None: it can't be started, prints no version, or is too old."""
    running = runner.start(commands.version(root))
    import sluiceway.adapters.kubectl.preview  # noqa: F401, PLC0415 - loaded while kubectl starts, needed right after

    return _judge(running.wait())


def _judge(outcome: Outcome) -> Reason | None:
    if outcome.ended != "exited":
        return failed(outcome, "kubectl version")
    written = _written(outcome.stdout)
    found = read(written)
    if found is None:
        return Reason(
            "unreadable-output",
            "kubectl prints no version: expected clientVersion.gitVersion",
            f"Check that the kubectl on PATH is kubectl, {_floor()} or newer.",
            exit_code=outcome.exit_code,
            names={"needed": _floor()},
        )
    if found.older_than(FLOOR):
        return Reason(
            "tool-too-old",
            f"kubectl {written} is too old: {_floor()} or newer is needed",
            "Install a newer kubectl.",
            names={"found": written, "needed": _floor()},
        )
    return None


def _written(output: bytes) -> str:
    try:
        node = json.loads(output)
    except (ValueError, RecursionError):
        return ""
    return text(mapping(mapping(node).get("clientVersion")).get("gitVersion"))


def _floor() -> str:
    return f"v{dotted(FLOOR)}"
