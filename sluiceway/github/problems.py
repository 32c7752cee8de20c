"""Why an operation on GitHub has no value. Results are values, never exceptions (``design.md``)."""

from dataclasses import dataclass

from sluiceway.github.values import Issue


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, in one sentence for a person. It never holds the token."""

    note: str


class NotFound(Problem):
    """GitHub has no such thing, or this token may not see it (404, 410)."""

    __slots__ = ()


class Denied(Problem):
    """The token is not valid or may not do this (401, 403)."""

    __slots__ = ()


class Invalid(Problem):
    """GitHub refuses the request for what it holds (409, 422 and the like): the same one is refused again."""

    __slots__ = ()


class Unreachable(Problem):
    """GitHub gave no answer that can be used, within the tries and the time that there are.

    Of a write it may not be known whether it was made; the note says so.
    """

    __slots__ = ()


class Missing(Problem):
    """Something of ours is missing: the extra ``github``, the token, or the repository's name."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Outdated(Problem):
    """Of a body only: the issue is neither what the new body was built from, nor that body.

    Either the new body was not written, or someone has edited it since. Nothing of theirs was overwritten.
    """

    issue: Issue
    """The issue as it is now."""
