"""Why kubectl failed: our own words, with names cut from stderr by fixed patterns and checked (``spec/core.md``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sluiceway.model.reasons import Detail, Reason, timed_out, too_large
from sluiceway.processes import STDOUT_LIMIT_MIB, Outcome

_NAME = r"[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}"
_FIELD = re.compile(r"\.[A-Za-z0-9_.\[\]/=-]{1,200}\Z")
_SHOWN_FIELDS = 5

_HEAD = re.compile(r"^(?:Error from server|error: |The |Unable to connect |resource mapping not found )", re.MULTILINE)
"""How the line begins that says why kubectl failed. Before it stand warnings and logs, behind it texts of others (a
webhook, a manifest) that may look like another such line: so every pattern is matched there, and nowhere else."""

_PARTS = {
    "<name>": _NAME,
    "<server>": r"Error from server(?: \([A-Za-z]{1,40}\))?: (?:error when [a-z ]{1,40} \"[^\"\n]{1,400}\": )?",
    "<validating>": "error validating <path>: error validating data: failed to download openapi: ",
    "<path>": r"\"[^\"\n]{0,400}\"",
}


@dataclass(frozen=True, slots=True)
class _Pattern:
    detail: Detail | None
    expression: str
    what: str
    next_step: str


def _pattern(detail: Detail | None, expression: str, what: str, next_step: str) -> _Pattern:
    for part, meaning in _PARTS.items():
        expression = expression.replace(part, meaning)
    return _Pattern(detail, expression, what, next_step)


_PATTERNS = (
    _pattern(
        "conflict",
        r'(?:<server>|error: )Apply failed with \d+ conflicts?: (?=conflicts? with ")',
        "another field manager ({managers}) holds {fields}that the manifests set",
        "Take the field out of the manifests, or let that manager give it up, or set forceConflicts: true to take it.",
    ),
    _pattern(
        "needs-earlier-object",
        r'<server>pods "<name>" is forbidden: error looking up service account <name>/<name>: '
        r'serviceaccount "(?P<object><name>)" not found$',
        "it needs the ServiceAccount {object}, which is not there yet, and a dry run can't see what isn't there",
        "Put the ServiceAccount into a stack of its own that is deployed before, and name it in dependsOn.",
    ),
    _pattern(
        "kind-unknown",
        r"(?:error: )?(?:unable to recognize <path>: |resource mapping not found for name: <path> namespace: <path> "
        r'from <path>: )no matches for kind "(?P<kind><name>)" in version '
        r'"(?P<version>[A-Za-z0-9.-]{1,200}/?[A-Za-z0-9.-]{0,60})"',
        "the cluster serves no kind {kind} in {version}",
        "Put its CustomResourceDefinition into a stack of its own that is deployed before, and name it in dependsOn.",
    ),
    _pattern(
        "namespace-missing",
        r'<server>namespaces "(?P<namespace><name>)" not found$',
        "the namespace {namespace} is not there",
        "A Namespace belongs in a stack of its own that is deployed before (dependsOn): a dry run can't place an "
        "object in a namespace that is not there.",
    ),
    _pattern(
        None,
        r'<server><name> "<name>" is forbidden: unable to create new content in namespace (?P<namespace><name>) '
        r"because it is being terminated$",
        "the namespace {namespace} is being deleted",
        "Wait until it is gone and made anew.",
    ),
    _pattern(
        "immutable-field",
        r'The (?P<kind><name>) "(?P<object><name>)" is invalid:[^\n]*(?:\n\* [^\n]*)*?: '
        r"field is immutable(?: when `immutable` is set)?$",
        "{kind} {object} would change a field that can't be changed in place",
        "Keep the field as it is, or delete the object by hand and deploy anew: kubectl never replaces one.",
    ),
    _pattern(
        "denied",
        r'<server>(?P<resource><name>)(?: "(?P<object><name>)")? is forbidden: '
        r'User "[^"\n]{1,300}" cannot (?P<verb>[a-z]{1,20}) resource',
        "the kubeconfig's user may not {verb} {resource}",
        "Grant it (docs: rights), or take the object out of the stack.",
    ),
    _pattern(
        "denied",
        r'(?:<server>|error: |The request is invalid: )admission webhook "(?P<webhook><name>)" denied the request',
        "the admission webhook {webhook} denied it",
        "The webhook's own words are in the job log.",
    ),
    _pattern(
        "denied",
        r'(?:The <name> "<name>" is invalid: : |<server><name> "<name>" is forbidden: )'
        r"ValidatingAdmissionPolicy '(?P<policy><name>)' with binding '(?P<binding><name>)' denied request",
        "the admission policy {policy} denied it",
        "The policy's own words are in the job log.",
    ),
    _pattern(
        "denied",
        r'<server>(?P<resource><name>) "(?P<object><name>)" is forbidden',
        "the cluster forbids {object} ({resource})",
        "Why stands in the job log: a quota or an admission rule, for example.",
    ),
    _pattern(
        "denied",
        r"error: You must be logged in to the server|Error from server \(Unauthorized\)|"
        r"error: <validating>the server has asked for the client to provide credentials",
        "the cluster does not know the kubeconfig's user",
        "Log in again, or renew the credentials of the job.",
    ),
    _pattern(
        None,
        r'<server>Internal error occurred: failed calling webhook "(?P<webhook><name>)": ',
        "the admission webhook {webhook} can't be asked",
        "See that what answers for it runs; why the call failed stands in the job log.",
    ),
    _pattern(
        None,
        r'The (?P<kind><name>) "(?P<object><name>)" is invalid',
        "the cluster refuses {kind} {object} as invalid",
        "Which field and why stands in the job log.",
    ),
    _pattern(
        None,
        r"<server>failed to create typed patch object \([^;\n]{1,300}; [^,\n]{1,200}, Kind=(?P<kind><name>)\): "
        r"\.(?P<field>[A-Za-z0-9_.]{1,200}): field not declared in schema$",
        "{kind} has no field {field} in the cluster's schema",
        "Take the field out, or correct its name.",
    ),
    _pattern(
        None,
        r'error: context "(?P<context><name>)" does not exist',
        "the kubeconfig has no context {context}",
        "Name one of `kubectl config get-contexts` in options.context, or make the kubeconfig that has it.",
    ),
    _pattern(
        None,
        r'error: the namespace from the provided object "(?P<found><name>)" does not match the namespace '
        r'"(?P<namespace><name>)"',
        "an object names the namespace {found}, and the stack's option is {namespace}",
        "Leave options.namespace out where manifests write their own, or make them agree.",
    ),
    _pattern(
        None,
        r"Unable to connect to the server|The connection to the server |"
        r"error: (?:unable to recognize <path>: |<validating>)?Get <path>: ",
        "the cluster can't be reached",
        "Check the kubeconfig, the context and the network of the job.",
    ),
)  # fmt: skip

_NO_DIFF_PROGRAM = re.compile(r'error: failed to run "diff": executable file not found')


def failed(outcome: Outcome, doing: str) -> Reason:
    """Return why a command that did not end well failed; ``doing`` says what it was for (``kubectl diff``)."""
    if outcome.ended == "timed-out":
        return timed_out(outcome.limit or 0, doing)
    if outcome.ended == "too-large":
        return too_large(doing, STDOUT_LIMIT_MIB)
    if outcome.ended == "not-started":
        return missing("kubectl", outcome.stderr)
    if outcome.ended == "interrupted":
        what = f"{doing} was ended because Sluiceway was asked to end"
        return Reason("tool-error", what, "Run it again.", outcome.exit_code)
    return _exited(outcome, doing)


def missing(tool: str, cause: str = "") -> Reason:
    """Return the reason for a tool that can't be started; ``cause`` is the runner's own words, never a tool's."""
    return Reason(
        "tool-missing",
        f"{tool} can't be started: {cause.removeprefix(f'{tool}: ') or 'it is not on PATH, or not executable'}",
        f"Install {tool} and put it on PATH.",
        names={"tool": tool},
    )


def _exited(outcome: Outcome, doing: str) -> Reason:
    head = _HEAD.search(outcome.stderr)
    said = outcome.stderr[head.start() :] if head else ""
    if _NO_DIFF_PROGRAM.match(said):
        return missing("diff")
    for pattern in _PATTERNS:
        # Compiled here, once: a preview that nothing goes wrong with needs none of them.
        found = re.match(pattern.expression, said, re.MULTILINE)
        if found:
            return _reason(pattern, found, outcome, doing)
    code = outcome.exit_code or 0
    ended = f"by signal {-code}" if code < 0 else f"with code {code}"
    return Reason(
        "tool-error",
        f"{doing} exited {ended}",
        "Its own words are in the job log.",
        exit_code=outcome.exit_code,
    )


def _reason(pattern: _Pattern, found: re.Match[str], outcome: Outcome, doing: str) -> Reason:
    names: Mapping[str, str] = {key: value for key, value in found.groupdict().items() if value}
    if pattern.detail == "conflict":
        objects = list(_OBJECT.finditer(outcome.stderr.removesuffix(found.string)))
        names = _conflict_names(found.string[found.end() :], objects[-1] if objects else None)
    of_inventory = pattern.detail == "conflict" and _INVENTORY.fullmatch(names.get("object", ""))
    return Reason(
        "tool-error",
        f"{doing} exited with code {outcome.exit_code}: {pattern.what.format_map(_Words(names))}",
        _TAKE_IT_BACK if of_inventory else pattern.next_step,
        exit_code=outcome.exit_code,
        detail=pattern.detail,
        names=names,
    )


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return {"managers": self.get("manager", "unknown"), "fields": self._fields()}.get(key, "?")

    def _fields(self) -> str:
        return f"{self['field']} " if self.get("field") else "a field "


_CONFLICT = re.compile(
    rf'conflicts? with "(?:(?P<manager>{_NAME})|[^"\n]{{0,300}})"(?: with subresource "[^"\n]{{1,300}}")?'
    r"(?: using [^\s:]{1,300})?:(?: (?P<field>\.\S{1,300}))?\Z"
)
_LISTED = re.compile(r"- (?P<field>\.[^\n]{1,300})\Z")
_SELECTOR = re.compile(r'\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]')
_OBJECT = re.compile(
    rf"^W(?:\d{{4}})? [^\]\n]{{1,80}}\] "  # a recording leaves the date out
    rf"Object \([A-Za-z0-9./-]+, Kind=(?P<kind>{_NAME}): (?P<object>{_NAME})\) keeps changing",
    re.MULTILINE,
)

_INVENTORY = re.compile(r"ConfigMap sluiceway-[0-9a-f]{16}")
_TAKE_IT_BACK = "Someone edited the stack's inventory. Set forceConflicts: true until a deploy took it back."


def _conflict_names(said: str, found: re.Match[str] | None) -> Mapping[str, str]:
    """Return the managers, the fields and, where kubectl names it, the object of a conflict.

    ``said`` is what follows the number of conflicts, ``found`` names the object before the error. A key inside a list
    (``[name="web"]``) can be a value, so it is cut to ``[]``.
    """
    managers, written = _conflicts(said)
    secret = found is None or found["kind"] == "Secret"
    fields = list(dict.fromkeys(field for line in written if (field := _plain_field(line, secret=secret))))
    names = {"manager": ", ".join(managers)} if managers else {}
    if fields:
        more = f" and {len(fields) - _SHOWN_FIELDS} more" if len(fields) > _SHOWN_FIELDS else ""
        names["field"] = ", ".join(fields[:_SHOWN_FIELDS]) + more
    if found:
        names["object"] = f"{found['kind']} {found['object']}"
    return names


def _conflicts(said: str) -> tuple[list[str], list[str]]:
    """Return the managers and the fields of the lines that tell of conflicts; the first other line ends them."""
    managers: dict[str, None] = {}
    fields: list[str] = []
    for line in said.split("\n"):
        manager, listed = _CONFLICT.match(line), _LISTED.match(line)
        if manager is None and listed is None:
            break
        if manager is not None and manager["manager"]:
            managers[manager["manager"]] = None
        fields.extend(found["field"] for found in (manager, listed) if found is not None and found["field"])
    return list(managers), fields


def _plain_field(written: str, *, secret: bool) -> str | None:
    """Return a field path without its leading dot; what could be a Secret's stops at its data."""
    bare = _SELECTOR.sub("[]", written)
    if secret and bare.startswith((".data.", ".stringData.")):
        bare = "." + bare.split(".")[1]
    return bare[1:] if _FIELD.match(bare) else None
