"""The rules for single texts of ``sluiceway.yaml``: each returns the text made plain, or raises ``ValueError``."""

import re

from sluiceway.config.findings import printable

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:/")
_SHOWS_ALL = re.compile(r"""[*.\[\]"]*""")
_ROLES = ("write", "maintain", "admin")


def path(value: str) -> str:
    """Return a path below the root of the repo, without a leading ``./`` and a trailing ``/``; ``.`` is the root."""
    if not value:
        raise ValueError("is empty: write `.` for the root of the repo")
    if _CONTROL.search(value):
        raise ValueError("holds a control character or a line break: take it out")
    if "\\" in value:
        raise ValueError("holds a backslash: write forward slashes")
    if value.startswith("/") or _DRIVE.match(value):
        raise ValueError("is absolute: write it relative to the root of the repo")
    if ".." in value.split("/"):
        raise ValueError("holds `..`: write it relative to the root of the repo")
    plain = "/".join(name for name in value.split("/") if name not in ("", ".")) or "."
    if plain != (value.removeprefix("./").rstrip("/") or "."):
        raise ValueError(f"is not written plainly: write `{printable(plain)}`")
    return plain


def file_path(value: str) -> str:
    """Return the path of a file below the root of the repo."""
    plain = path(value)
    if plain == "." or value.endswith("/"):
        raise ValueError("names a directory, expected a file")
    return plain


def glob(value: str) -> str:
    """Return a glob over stack ids or paths; see ``sluiceway.model.globs``."""
    if bad := re.search(r"[{}\[\]]|^!", value):
        raise ValueError(f"holds `{bad.group()}`, which no glob here knows: only `*`, `**` and `?` are special")
    plain = path(value)
    if any("**" in name and name != "**" for name in plain.split("/")):
        raise ValueError("has `**` beside other characters: `**` stands alone between slashes, `*` within a name")
    return plain


def shown_value(value: str) -> str:
    """Return a glob over property paths; it must name something (``spec/core.md``, Values and secrets)."""
    if _CONTROL.search(value):
        raise ValueError("holds a control character or a line break: take it out")
    if "**" in value:
        raise ValueError("holds `**`: `*` stands for one name, so that a list shows what it names and no more")
    if _SHOWS_ALL.fullmatch(value):
        raise ValueError("names nothing, so it would show every value of some depth: name a property")
    return value


def time_zone(value: str) -> str:
    """Return the name of a time zone that this machine's IANA database holds."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones  # noqa: PLC0415 - few files set it

    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        if available_timezones() or not re.fullmatch(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*", value):
            raise ValueError("expected the name of an IANA time zone, such as `UTC` or `Europe/Berlin`") from None
    return value


def role(value: str) -> str:
    """Return the least right on the repo that may tick."""
    if value not in _ROLES:
        raise ValueError("expected `write`, `maintain` or `admin`, or a list of logins")
    return value


def login(value: str) -> str:
    """Return a GitHub login."""
    if value in _ROLES:
        raise ValueError(f"is a right and no login: write `tickers: {value}`, without a list")
    if value.startswith("@"):
        raise ValueError("starts with `@`: write the login alone")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", value):
        raise ValueError("expected a GitHub login: letters, digits and `-`")
    return value


def logins(value: list[str]) -> list[str]:
    """Return who may tick; a list of nobody would be a stack that can't be deployed."""
    if not value:
        raise ValueError("lists nobody: to turn deploys off, write `deploys: false` at the top of the file")
    return value


def label(value: str) -> str:
    """Return the name of a GitHub label."""
    if _CONTROL.search(value) or not value.strip() or "," in value or len(value) > 50:  # noqa: PLR2004 - GitHub's limit
        raise ValueError("expected the name of a label: one line of at most 50 characters, without a comma")
    return value
