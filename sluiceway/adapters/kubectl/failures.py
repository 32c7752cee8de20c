"""Why kubectl failed: our own words, with names cut from stderr by fixed patterns and checked (``spec/core.md``)."""

import re
from collections.abc import Mapping

from sluiceway.adapters.kubernetes.conflicts import read
from sluiceway.adapters.kubernetes.ends import missing, not_exited, unexplained
from sluiceway.adapters.kubernetes.patterns import NAME, Match, Pattern, Words, first_match
from sluiceway.adapters.kubernetes.refusals import KIND_FIRST, NO_SUCH_KIND, REFUSALS
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome

_HEAD = re.compile(r"^(?:Error from server|error: |The |Unable to connect |resource mapping not found )", re.MULTILINE)
"""How the line begins that says why kubectl failed. Before it stand warnings and logs, behind it texts of others (a
webhook, a manifest) that may look like another such line: so every pattern is matched there, and nowhere else."""

_PARTS = {
    "<modified>": "(?:<server>|error: )Operation cannot be fulfilled on <name>",
    "<invalid>": r'The (?P<kind><name>) "(?P<object><name>)" is invalid',
    "<refuses>": r'The <name> "<name>" is invalid',
    "<denies>": "(?:<server>|error: |The request is invalid: )",
    "<server>": r"Error from server(?: \([A-Za-z]{1,40}\))?: (?:error when [a-z ]{1,40} \"[^\"\n]{1,400}\": )?",
    "<validating>": "error validating <path>: error validating data: failed to download openapi: ",
    "<path>": r"\"[^\"\n]{0,400}\"",
    "<name>": NAME,
    "<end>": "$",
}

_PATTERNS = (
    Pattern(
        "conflict",
        r'(?:<server>|error: )Apply failed with \d+ conflicts?: (?=conflicts? with ")',
        "another field manager ({managers}) holds {fields}that the manifests set",
        "Take the field out of the manifests, or let that manager give it up, or set forceConflicts: true to take it.",
    ),
    Pattern(
        "kind-unknown",
        r"(?:error: )?(?:unable to recognize <path>: |resource mapping not found for name: <path> namespace: <path> "
        r'from <path>: )no matches for kind "(?P<kind><name>)" in version '
        r'"(?P<version>[A-Za-z0-9.-]{1,200}/?[A-Za-z0-9.-]{0,60})"',
        NO_SUCH_KIND,
        KIND_FIRST,
    ),
    Pattern(
        None,
        r'<modified> "(?P<inventory>sluiceway-[0-9a-f]{16})": the object has been modified',
        "the stack's inventory {inventory} was written in between: another deploy of the stack ran",
        "Preview again.",
    ),
    Pattern(
        None,
        r'<modified> "(?P<object><name>)": the object has been modified',
        "{object} was written by someone else in between",
        "Preview again.",
    ),
    *REFUSALS,
    Pattern(
        "denied",
        r"error: You must be logged in to the server|Error from server \(Unauthorized\)|"
        r"error: <validating>the server has asked for the client to provide credentials",
        "the cluster does not know the kubeconfig's user",
        "Log in again, or renew the credentials of the job.",
    ),
    Pattern(
        None,
        r'error: context "(?P<context><name>)" does not exist',
        "the kubeconfig has no context {context}",
        "Name one of `kubectl config get-contexts` in options.context, or make the kubeconfig that has it.",
    ),
    Pattern(
        None,
        r'error: the namespace from the provided object "(?P<found><name>)" does not match the namespace '
        r'"(?P<namespace><name>)"',
        "an object names the namespace {found}, and the stack's option is {namespace}",
        "Leave options.namespace out where manifests write their own, or make them agree.",
    ),
    Pattern(
        None,
        r"error: open [^\n]{1,1000}/(?:LIVE|MERGED)-\d+/(?P<file>[A-Za-z0-9.:_-]{1,1000}): file name too long<end>",
        "kubectl diff writes each object to a file, and a name of the set is too long for one: {file}",
        "Shorten the object's name: together with its group, version, kind and namespace it may have 255 characters.",
    ),
    Pattern(
        None,
        r"Unable to connect to the server|The connection to the server |"
        r"error: (?:unable to recognize <path>: |<validating>)?Get <path>: ",
        "the cluster can't be reached",
        "Check the kubeconfig, the context and the network of the job.",
    ),
)

_NO_DIFF_PROGRAM = re.compile(r'error: failed to run "diff": executable file not found')

_OBJECT = re.compile(
    rf"^W(?:\d{{4}})? [^\]\n]{{1,80}}\] "  # a recording leaves the date out
    rf"Object \([A-Za-z0-9./-]+, Kind=(?P<kind>{NAME}): (?P<object>{NAME})\) keeps changing",
    re.MULTILINE,
)

_INVENTORY = re.compile(r"ConfigMap sluiceway-[0-9a-f]{16}")
_TAKE_IT_BACK = "Someone edited the stack's inventory. Set forceConflicts: true until a deploy took it back."


def failed(outcome: Outcome, doing: str) -> Reason:
    """Return why a command that did not end well failed; ``doing`` says what it was for (``kubectl diff``)."""
    return not_exited(outcome, doing, "kubectl") or _exited(outcome, doing)


def _exited(outcome: Outcome, doing: str) -> Reason:
    head = _HEAD.search(outcome.stderr)
    if head is None:
        return unexplained(outcome, doing)
    said = outcome.stderr[head.start() :]
    if _NO_DIFF_PROGRAM.match(said):
        return missing("diff")
    match = first_match(_PATTERNS, _PARTS, said)
    return (
        _reason(match, outcome, doing, before=outcome.stderr[: head.start()]) if match else unexplained(outcome, doing)
    )


def _reason(match: Match, outcome: Outcome, doing: str, *, before: str) -> Reason:
    pattern, names = match.pattern, match.names
    if pattern.detail == "conflict":
        objects = list(_OBJECT.finditer(before))
        names = _conflict_names(match.rest, objects[-1] if objects else None)
    of_inventory = pattern.detail == "conflict" and _INVENTORY.fullmatch(names.get("object", ""))
    return Reason(
        "tool-error",
        f"{doing} exited with code {outcome.exit_code}: {pattern.what.format_map(Words(names))}",
        _TAKE_IT_BACK if of_inventory else pattern.next_step.replace("<tool>", "kubectl"),
        exit_code=outcome.exit_code,
        detail=pattern.detail,
        names=names,
    )


def _conflict_names(said: str, found: re.Match[str] | None) -> Mapping[str, str]:
    """Return the managers, the fields and, where kubectl names it, the object of a conflict.

    ``said`` is what follows the number of conflicts, ``found`` names the object before the error.
    """
    conflicts = read(said.split("\n"), secret=found is None or found["kind"] == "Secret")
    return {**conflicts.names(), **({"object": f"{found['kind']} {found['object']}"} if found else {})}
