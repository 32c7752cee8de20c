"""The version check: kubectl v1.34.0 or newer (record 0060)."""

import json
import re
from pathlib import Path

from sluiceway.adapters.kubectl import commands
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubernetes.objects import mapping, text
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome, Runner

FLOOR = (1, 34, 0)
"""The oldest kubectl that is served: the oldest Kubernetes release line still patched on 2026-09-22."""

_VERSION = re.compile(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})([-+][0-9A-Za-z.+-]{1,100})?\Z")


def check(runner: Runner, root: Path) -> Reason | None:
    """Return why kubectl can't serve, or None: it can't be started, prints no version, or is too old."""
    running = runner.start(commands.version(root))
    import sluiceway.adapters.kubectl.preview  # noqa: F401, PLC0415 - loaded while kubectl starts, needed right after

    return _judge(running.wait())


def _judge(outcome: Outcome) -> Reason | None:
    if outcome.ended != "exited":
        return failed(outcome, "kubectl version")
    written = _written(outcome.stdout)
    found = _VERSION.match(written)
    if found is None:
        return Reason(
            "unreadable-output",
            "kubectl prints no version: expected clientVersion.gitVersion",
            f"Check that the kubectl on PATH is kubectl, {_floor()} or newer.",
            exit_code=outcome.exit_code,
            names={"needed": _floor()},
        )
    if _older(found):
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


def _older(found: re.Match[str]) -> bool:
    """Compare with the floor. A provider's build counts as its version; a pre-release of the floor is older than it."""
    version = tuple(int(found[part]) for part in (1, 2, 3))
    early = re.match(r"-(alpha|beta|rc)", found[4] or "")
    return version < FLOOR or (version == FLOOR and early is not None)


def _floor() -> str:
    return "v" + ".".join(map(str, FLOOR))
