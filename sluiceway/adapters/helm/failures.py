"""Why helm failed: our own words, with names cut from stderr by fixed patterns and checked (``spec/core.md``)."""

import re
from collections.abc import Mapping

from sluiceway.adapters.helm import floors
from sluiceway.adapters.helm import said as saying
from sluiceway.adapters.helm.said import Said, State
from sluiceway.adapters.kubernetes import conflicts
from sluiceway.adapters.kubernetes.ends import not_exited, unexplained
from sluiceway.adapters.kubernetes.patterns import NAME, Match, Words, first_match, listed
from sluiceway.adapters.kubernetes.versions import dotted
from sluiceway.model.reasons import Detail, Reason
from sluiceway.processes import Outcome

_NO_PLUGIN = 'Error: unknown command "diff" for "helm"'
_BROKEN_PLUGIN = re.compile(r"Error: fork/exec [^\n]*: ([a-z ]{1,60})$", re.MULTILINE)

_ENDS: dict[State, str] = {
    "rolled-back": "; the release was rolled back",
    "uninstalled": "; what it had installed was uninstalled",
    "rollback-failed": "; the rollback failed too",
    "uninstall-failed": "; the uninstall of what it had installed failed too",
    "nothing-to-go-back-to": "; no revision was ever deployed, so there was none to go back to",
}
_LEFT: dict[State, str] = {
    "rollback-failed": "Then deploy again: that puts out all of the release, which is failed now.",
    "uninstall-failed": "Then take away what is left: `helm uninstall <release> --namespace=<namespace>`.",
    "nothing-to-go-back-to": "Then deploy again, or begin anew: `helm uninstall <release> --namespace=<namespace>`.",
}


def failed(outcome: Outcome, doing: str, *, release: str = "", namespace: str = "") -> Reason:
    """Return why a command that did not end well failed; ``doing`` says what it was for (``helm upgrade``).

    ``release`` and ``namespace`` are what the command was about: the next step names them.
    """
    early = not_exited(outcome, doing, "helm") or _no_plugin(outcome, doing)
    if early is not None:
        return early
    said = saying.read(outcome.stderr) if (outcome.exit_code or 0) > 0 else None
    return _reason(outcome, doing, said, release, namespace) if said else unexplained(outcome, doing)


def no_plugin(cause: str) -> Reason:
    """Return the reason for a diff plugin that helm can't run; ``cause`` is in our words."""
    needed = dotted(floors.PLUGIN)
    return Reason(
        "tool-missing",
        f"{floors.PLUGIN_NAME} can't be started: {cause}",
        f"`helm plugin install` databus23/helm-diff, {needed} or newer; helm looks for it in HELM_PLUGINS.",
        names={"tool": floors.PLUGIN_NAME, "needed": needed},
    )


def _no_plugin(outcome: Outcome, doing: str) -> Reason | None:
    if not doing.startswith("helm diff"):
        return None
    if _NO_PLUGIN in outcome.stderr.splitlines():
        return no_plugin("helm knows no command diff")
    broken = _BROKEN_PLUGIN.match(outcome.stderr)
    return no_plugin(broken[1]) if broken else None


def _reason(outcome: Outcome, doing: str, said: Said, release: str, namespace: str) -> Reason:
    from sluiceway.adapters.helm.causes import CAUSES, PARTS  # noqa: PLC0415 - only what fails needs them

    match = first_match(CAUSES, PARTS, said.cause)
    if match is None and said.state is None:
        return unexplained(outcome, doing)
    names = _names(match, said)
    if match is not None and match.pattern.detail == "release-pending":
        names = {**names, **_own(release, namespace)}
    words = _Words({**_own(release, namespace), **names})
    cause = match.pattern.what.format_map(words) if match else _unknown(names)
    step = match.pattern.next_step if match else "Mend what it was."
    return Reason(
        "tool-error",
        f"{doing} exited with code {outcome.exit_code}: {_where(said)}{cause}{_ENDS[said.state] if said.state else ''}",
        _filled(_next_step(match, said, step), release, namespace),
        exit_code=outcome.exit_code,
        detail=_detail(match, said),
        names=names,
    )


def _own(release: str, namespace: str) -> dict[str, str]:
    return {key: name for key, name in (("release", release), ("namespace", namespace)) if name}


def _where(said: Said) -> str:
    names = dict(said.names)
    line = f" (line {names['line']})" if "line" in names else ""
    place = f"{names['file']}{line}" if "file" in names else ""
    if said.hook:
        return f"in its {said.hook} hooks{f' ({place})' if place else ''}, "
    return f"in {place}, " if place else ""


def _unknown(names: Mapping[str, str]) -> str:
    return (
        f"it failed at {names['kind']} {names['object']}"
        if {"kind", "object"} <= names.keys()
        else "it failed for a reason that stands in the job log"
    )


def _detail(match: Match | None, said: Said) -> Detail | None:
    if said.state in ("rollback-failed", "uninstall-failed", "nothing-to-go-back-to"):
        return "rollback-failed"
    return match.pattern.detail if match else None


def _next_step(match: Match | None, said: Said, step: str) -> str:
    if said.state is None or said.state not in _LEFT or (match and match.pattern.detail == "conflict"):
        return step  # a repair puts out all of the release by itself
    return f"{step} {_LEFT[said.state]}"


def _filled(text: str, release: str, namespace: str) -> str:
    text = text.replace("<tool>", "helm")
    for key, name in _own(release, namespace).items():
        text = text.replace(f"<{key}>", name)
    return text


def _names(match: Match | None, said: Said) -> dict[str, str]:
    names = {**_before(match, said), **(match.names if match else {})}
    if match is not None and match.pattern.detail == "conflict":
        names |= _conflict_names(match.rest)
    if "below" in names:  # of a registry: its host and the chart's path
        names["chart"] += names.pop("below")
    return {**names, "hook": said.hook} if said.hook else names


def _before(match: Match | None, said: Said) -> dict[str, str]:
    """Return what helm named before the cause; its object only where the cause does not tell of another one."""
    names = dict(said.names)
    told = match.names if match else {}
    if "object" in told or told.get("kind", names.get("kind")) != names.get("kind"):
        names = {key: name for key, name in names.items() if key not in ("kind", "object")}
    return names


_SECTION = re.compile(
    rf"conflict occurred while applying object (?:{NAME})?/(?:(?P<object>{NAME})|[^\s]{{1,300}}) [A-Za-z0-9./-]+, "
    rf"Kind=(?P<kind>{NAME}): Apply failed with \d+ conflicts?: "
)
_LINE = re.compile(r"(?P<told>[^\n]*?)(?P<end> && |: (?!\.)|\n|\Z)")


def _conflict_names(said: str) -> dict[str, str]:
    """Return the managers, the fields and the objects of the conflicts; what follows them is not read."""
    objects, found = [], []
    at = 0
    while section := _SECTION.match(said, at):
        lines, at = _lines(said, section.end())
        found.append(conflicts.read(lines, secret=section["kind"] == "Secret"))
        if section["object"]:
            objects.append(f"{section['kind']} {section['object']}")
    return {**conflicts.joined(found).names(), **({"object": listed(list(dict.fromkeys(objects)))} if objects else {})}


def _lines(said: str, at: int) -> tuple[list[str], int]:
    """Return the lines that tell of one object's conflicts, and where the next object's begin."""
    lines: list[str] = []
    while line := _LINE.match(said, at):
        if not conflicts.tells(line["told"]):
            break
        lines.append(line["told"])
        at = line.end()
        if line["end"] != "\n":
            break
    return lines, at


class _Words(Words):
    """What a pattern of helm's may ask for besides its names."""

    def __missing__(self, key: str) -> str:
        get = self.get
        if key == "template":
            line = f" (line {self['line']})" if get("line") else ""
            return f"the chart's template {self['file']}{line}" if get("file") else f"a template of the chart{line}"
        if key == "owned":
            return f"it belongs to the release {self['owner']}" if get("owner") else "it is not marked as helm's"
        if key == "in_object":
            return f"in {self['object']}, " if get("object") else ""
        if key == "named":
            return f" {self['object']}" if get("object") else ""
        if key == "the_release":
            return f"the release {self['release']}" if get("release") else "the release"
        if key == "reference":
            return f"{self['chart']} {self['version']}"
        return super().__missing__(key)
