"""The version checks of helm and its diff plugin (records 0058 and 0069)."""

from pathlib import Path

from sluiceway.adapters.helm import commands, floors
from sluiceway.adapters.helm.failures import failed
from sluiceway.adapters.kubernetes.versions import Version, dotted, read
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome, Runner


def check(runner: Runner, root: Path) -> Reason | None:
    """Return why helm or its diff plugin can't serve, or None: can't be started, prints no version, or is too old."""
    helm, plugin = (runner.start(command) for command in (commands.helm_version(root), commands.plugin_version(root)))
    outcomes = helm.wait(), plugin.wait()
    return unfit(outcomes[0]) or _unfit_plugin(outcomes[1])


def unfit(outcome: Outcome) -> Reason | None:
    """Return why the helm that printed its version can't serve, or None."""
    if outcome.ended != "exited":
        return failed(outcome, "helm version")
    version = _version(outcome)
    needed = f"v{dotted(floors.HELM)}"
    if version is None:
        return _unreadable("helm", needed, "Check that the helm on PATH is helm", outcome)
    if version.older_than(floors.HELM):
        return _too_old("helm", version, needed, "Install a newer helm.")
    return None


def major_of(outcome: Outcome) -> int | None:
    """Return the major version of the helm that printed its version; None where it can't serve."""
    version = _version(outcome)
    return None if version is None or version.older_than(floors.HELM) else version.major


def _unfit_plugin(outcome: Outcome) -> Reason | None:
    version = _version(outcome)
    needed = dotted(floors.PLUGIN)
    if version is None:
        reason = failed(outcome, "helm diff version")
        if outcome.ended != "exited" or reason.kind == "tool-missing":
            return reason
        return _unreadable(floors.PLUGIN_NAME, needed, "Check that HELM_PLUGINS holds databus23/helm-diff", outcome)
    if version.older_than(floors.PLUGIN):
        return _too_old(floors.PLUGIN_NAME, version, needed, "`helm plugin update diff` installs a newer one.")
    return None


def _version(outcome: Outcome) -> Version | None:
    if outcome.ended != "exited" or outcome.exit_code != 0:
        return None
    return read(outcome.stdout.decode("utf-8", "replace").strip())


def _unreadable(tool: str, needed: str, check_that: str, outcome: Outcome) -> Reason:
    return Reason(
        "unreadable-output",
        f"{tool} prints no version: expected one like {needed}",
        f"{check_that}, {needed} or newer.",
        exit_code=outcome.exit_code,
        names={"tool": tool, "needed": needed},
    )


def _too_old(tool: str, version: Version, needed: str, fix: str) -> Reason:
    return Reason(
        "tool-too-old",
        f"{tool} {version.written} is too old: {needed} or newer is needed",
        fix,
        names={"tool": tool, "found": version.written, "needed": needed},
    )
