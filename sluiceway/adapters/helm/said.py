"""What helm said when it failed: the cause, and around it what became of the release (``spec/core.md``).

Helm wraps one error into the next. What it puts around a cause is taken off piece by piece from the start, by fixed
patterns: behind the cause stand texts of others (a webhook, a chart's ``fail``) that may look like one of helm's.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from sluiceway.adapters.kubernetes.patterns import NAME

State = Literal["rolled-back", "uninstalled", "rollback-failed", "uninstall-failed", "nothing-to-go-back-to"]
"""What became of a release whose deploy failed, where helm says it."""

FILE = r"[A-Za-z0-9_.][A-Za-z0-9_./+-]{0,300}"
"""A file of a chart, as helm names it. One with another character in its name is not named."""


@dataclass(frozen=True, slots=True)
class Said:
    """One error of helm's. ``cause`` is what is left of its text: only fixed patterns may cut from it.

    ``names`` are the object, the kind, the file and the line that helm named before the cause; ``hook`` is the event
    (``pre-upgrade``) of a failed hook.
    """

    cause: str = field(repr=False)
    state: State | None = None
    hook: str = ""
    names: tuple[tuple[str, str], ...] = ()

    @property
    def unrecorded(self) -> bool:
        """Whether all changes of an upgrade were made, and only that it is over could not be recorded."""
        return self.state is None and self.cause.startswith("update: failed to update: ")


def read(stderr: str) -> Said | None:
    """Read helm's error, or None where it can't be told from a value: then nothing is taken from the text."""
    plugin = _PLUGIN_ENDED.search(stderr)
    text = stderr[: plugin.start()] if plugin else stderr
    logged = _PLUGIN_LOG.search(text) if plugin else None
    cause = text[logged.end() :] if logged else _behind_head(text)
    return None if cause is None else _unwrapped(Said(cause))


def state_of(stderr: str) -> State | None:
    """Return what became of the release, as far as helm said it."""
    said = read(stderr)
    return said.state if said else None


_HEAD = re.compile(r"^Error: ", re.MULTILINE)
_PLUGIN_ENDED = re.compile(r'^Error: plugin "diff" exited with error\s*\Z', re.MULTILINE)
_PLUGIN_LOG = re.compile(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?!Error: Found duplicate key )", re.MULTILINE)
"""How the diff plugin logs what ended it. A whole manifest may follow."""

_LOGGED = re.compile(
    r"level=[A-Z]{1,10} |[IWEF](?:\d{4})? |coalesce\.go:\d+: warning: (?!.*\()|walk\.go:\d+: |"
    r"WARNING: Kubernetes configuration file |Flag --|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d Error: Found duplicate key |\Z"
)
"""How a log begins that is one line for sure. Helm 3 writes values of several lines into some of its warnings."""


def _behind_head(text: str) -> str | None:
    """Return what follows the head of helm's error; None where a line of a value could be taken for it."""
    heads = [found.end() for found in _HEAD.finditer(text)]
    if not heads:
        return None
    before = text[: heads[0]].splitlines()[:-1]
    sure = len(heads) == 1 or all(_LOGGED.match(line) for line in before)
    return text[heads[0] :] if sure else None


_MOST = 16
_OBJECT, _KIND = rf'"(?P<object>{NAME})"', rf"(?P<kind>{NAME})"


def _template(file: str, line: str) -> str:
    return rf'(?:template: )?{file}:{line}:\d+(?:: |\n  )executing "[^"\n]{{1,300}}" at <[^\n>]{{0,300}}>:(?: |\n    )'


INCLUDES = rf"(?:{_template(FILE, r'[0-9]+')}error calling include:(?: |\n))*"
"""The templates that included the one in which an error is."""

_OF_INNER_HELM = (
    rf"Failed to (?:render chart|get release {NAME} in namespace {NAME}): (?:exit status \d+|signal: [a-z ]+): "
)
"""Before all that the helm wrote that the diff plugin ran."""

_WRAPS: tuple[tuple[str, State | None], ...] = (
    (r"UPGRADE FAILED: ", None),
    (rf"release {NAME} failed, and has been rolled back due to [a-z-]+ being set: ", "rolled-back"),
    (rf"release {NAME} failed, and has been uninstalled due to [a-z-]+ being set: ", "uninstalled"),
    (r"an error occurred while rolling back the release\. original upgrade error: ", "rollback-failed"),
    (r"an error occurred while finding last successful release\. original upgrade error: ", "rollback-failed"),
    (r"an error occurred while uninstalling the release\. original install error: ", "uninstall-failed"),
    (
        r"unable to find a previously successful release when attempting to rollback\. original upgrade error: ",
        "nothing-to-go-back-to",
    ),
    (r"(?P<hook>(?:pre|post)-(?:upgrade|rollback)) hooks failed: ", None),
    (r"failed (?P<hook>(?:pre|post)-install): ", None),
    (rf"warning: Hook [a-z-]+ (?P<file>{FILE}) failed: ", None),
    (rf"unable to build kubernetes object for (?:deleting|[a-z-]+) hook (?P<file>{FILE}): ", None),
    (r"\d+ errors? occurred:\n\t\* ", None),
    (r"failed to create resource: ", None),
    (rf"failed to list [A-Za-z0-9./-]{{1,300}}, Kind={NAME}: ", None),
    (rf"cannot patch {_OBJECT} with kind {_KIND}: ", None),
    (rf"server-side apply failed for object (?:{NAME})?/(?P<object>{NAME}) [A-Za-z0-9./-]+, Kind={_KIND}: ", None),
    (rf"failed to delete resource namespace=(?:{NAME})?, name=(?P<object>{NAME}), kind={_KIND}: ", None),
    (rf'could not get information about the resource(?: {_KIND} {_OBJECT} in namespace "(?:{NAME})?")?: ', None),
    (r"[Uu]nable to continue with (?:install|update): ", None),
    (r"unable to generate manifests: ", None),
    (rf"failed to install CRD (?P<file>{FILE}): ", None),
    (r"cluster reachability check failed: ", None),
    (r"chart dependencies processing failed: ", None),
    (r"unable to build kubernetes objects from (?:current |new |original )?release manifest: ", None),
    (rf"{INCLUDES}{_template(f'(?P<file>{FILE})', '(?P<line>[0-9]+)')}error calling lookup:(?: |\n)", None),
)


def _unwrapped(said: Said) -> Said:
    for _ in range(_MOST):
        inner = re.match(_OF_INNER_HELM, said.cause)
        further = replace(said, cause=_behind_head(said.cause[inner.end() :]) or "") if inner else _without_one(said)
        if further is None:
            break
        said = further
    return said


def _without_one(said: Said) -> Said | None:
    """Take off the first wrap that matches, and keep what it tells; None when none does."""
    for expression, state in _WRAPS:
        found = re.match(expression, said.cause)
        if found:
            names = {key: value for key, value in found.groupdict().items() if value}
            hook = names.pop("hook", said.hook)
            told = tuple({**dict(said.names), **names}.items())
            return Said(said.cause[found.end() :], said.state or state, hook, told)
    return None
