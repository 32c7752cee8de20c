"""The rules for the texts of a Helm stack's options, as helm v3.18.0 and v4.3.0 read them (``spec/core.md``).

Each returns the text, or raises ``ValueError`` with the problem. They take no library, so that a right
``sluiceway.yaml`` is read without one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sluiceway.adapters.helm.target import is_local

RELEASE = r"(?!.{54})[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
"""A release name: between two dots helm wants a name that could stand alone, and refuses ``a..b`` and ``a.-b``."""

LOCAL_CHART = r"\.\.?(?:/[^\\\u0000-\u001f]*)?"
REFERENCE = (
    r"[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*"
    r"|oci://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[a-z0-9][a-z0-9._-]*)+(?:@sha256:[0-9a-f]{64})?"
)
"""A chart of a repository that helm knows by name, or of a registry; a digest pins it beside its version."""

_NUMBER = "(?:0|[1-9][0-9]*)"
_PART = f"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_PART}(?:\.{_PART})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
"""One version in full: to helm ``1.2`` is a range, as ``1.x`` is."""

VALUES_FILE = r"""(?![-/])(?![^/]*:)[^\\,"\u0000-\u001f]*[^/\\,"\u0000-\u001f]"""

_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TAGGED = re.compile(r"oci://[^@]*/[^/@]*:[^/@]*")


def chart(value: str) -> str:
    """Return a local chart (``./x``, ``../x``) or the reference of one (``repo/name``, ``oci://…``)."""
    _check_plain(value)
    if is_local(value):
        if value != value.strip():
            raise ValueError("ends in white space, which helm drops: take it out")
        return value
    if re.fullmatch(REFERENCE, value):
        return value
    if value.startswith("/"):
        raise ValueError("is absolute: write a chart of this repo as `./path`, relative to the stack's directory")
    if value.startswith(("http://", "https://")):
        raise ValueError("is a URL: let `helm repo add` name its repository, and write `repo/name`")
    if _TAGGED.fullmatch(value):
        raise ValueError("holds a tag: write the version as `version`")
    raise ValueError(
        "expected `./path` or `../path` for a chart of this repo, or `repo/name` or `oci://host/path` for any other"
    )


def values_file(value: str) -> str:
    """Return the path of a values file, relative to the stack's directory.

    Helm reads each as a URL first, and splits the flag as a line of CSV.
    """
    _check_plain(value)
    if value.strip() == "-":
        raise ValueError("is `-`, which helm takes for its standard input: name a file")
    if value.startswith("-"):
        raise ValueError("starts with `-`, as a flag does: write it with `./` before it")
    if value.startswith("/"):
        raise ValueError("is absolute: write it relative to the stack's directory")
    if ":" in value.partition("/")[0]:
        raise ValueError("holds a `:`, so that helm takes it for a URL: name a file of this repo, without a `:`")
    if bad := re.search('[,"]', value):
        raise ValueError(f"holds `{bad.group()}`, at which helm splits the flag: rename the file")
    if _BAD_ESCAPE.search(value):
        raise ValueError("holds a `%` that helm takes for an escape of a URL and can't read: rename the file")
    if value.endswith("/") or value.rpartition("/")[2] in (".", ".."):
        raise ValueError("names a directory, expected a file")
    return value


def misfits(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key that does not fit the others, and what is wrong: a reference has a version, a local chart none.

    ``given`` holds the options as they are written, right or wrong.
    """
    where = given.get("chart")
    if not isinstance(where, str):
        return
    if is_local(where):
        if "version" in given:
            yield "version", "a chart of this repo is deployed as it stands here: leave `version` out"
    elif "version" not in given and re.fullmatch(REFERENCE, where):
        yield "version", "is required for a chart that is not of this repo: write one exact version"


def _check_plain(value: str) -> None:
    if not value:
        raise ValueError("is empty: write it, or leave it out")
    if not value.isprintable():
        raise ValueError("holds a line break or another character that can't be seen: take it out")
    if "\\" in value:
        raise ValueError("holds a backslash: write forward slashes")
