"""What must not stand in a recording: anything that another run, or another machine, would print differently."""

import re
from collections.abc import Iterator

_KINDS = {
    "a uid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "a time": r"(?<!\"buildDate\": \")\b\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d"
    r"|\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b"
    r"|\bmodifiedAt\\?[\"']?: ?\\?[\"']?\d",
    "a resource version": r'\bresourceVersion\\?"?: \\?"\d+',
    "a temporary directory": r"\b(?:LIVE-|MERGED-|tmpcharts-|existing-values|new-values)\d{4,}",
    "a crash": r"(?m)^goroutine \d+ \[|^panic: |\[signal SIG[A-Z]+",
    "a port": r"(?:127\.0\.0\.1|localhost|\[::1\]):\d+",
    "a cluster address": r"\b10\.96\.(?!0\.0\b)\d+\.\d+\b",
    "a log prefix": r"(?m)^[IWEF]\d{4} \d\d:\d\d:\d\d",
    "a path of a machine": r"(?<![\w.<>/-])/(?:tmp|home|root|Users|private|var/folders)/",
    "a token": r"\beyJ[\w-]{8,}\.|\bBearer [\w.-]{8,}|-----BEGIN ",
}
_PATTERNS = {what: re.compile(pattern) for what, pattern in _KINDS.items()}


def find(text: str, *, stated: str = "") -> Iterator[tuple[int, str]]:
    """Yield the line (from 1) and the kind of each volatile thing in ``text``, never the thing itself.

    What the manifests state themselves (it occurs in ``stated``) is constant.
    """
    for what, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            if found[0] not in stated:
                yield text.count("\n", 0, found.start()) + 1, what
