"""Stable stand-ins for what differs between two runs of the same behaviour (``spec/recordings.md``, A recording).

Numbered by first appearance, so that equality within a recording is kept. A stand-in is of the kind that it replaces
(text stays text, the number of a temporary directory a number), so that a document reads as it did.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from recorder.timeline import Timeline

DRY_RUN_ADDRESS = "10.96.0.0"
"""The clusterIP that a dry run gives a new Service: the same in every run, so it stays."""

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_UID = re.compile(rf"\buid\\?[\"']?: ?\\?[\"']?({_UUID})\b")
_CLUSTER_ADDRESS = re.compile(r'\bclusterIP"?: "?(\d+(?:\.\d+){3})\b')
_RESOURCE_VERSION = re.compile(r"(?P<before>\bresourceVersion\\?[\"']?: ?\\?[\"'])(?P<value>\d+)(?=\\?[\"'])")
_TEMPORARY = re.compile(
    r"(?P<before><tmp>/(?:LIVE-|MERGED-|existing-values|new-values)|\btmpcharts-)(?P<value>\d+)",
)
_PORT = re.compile(r"(?P<before>(?:127\.0\.0\.1|localhost|\[::1\]):)(?P<value>\d+)\b")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)")
_HELM_TIME = re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\b")
_EPOCH = re.compile(r"(?P<before>\bmodifiedAt\\?[\"']?: ?\\?[\"'])(?P<value>\d+)(?=\\?[\"'])")
_HEADER_TIME = re.compile(r"(?m)^((?:---|\+\+\+) [^\t\n]+)\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [-+]\d{4}$")
_LOG_PREFIX = re.compile(r"(?m)^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=\S+:\d+\])")
_PLUGIN_PREFIX = re.compile(r"(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?=\S)")


class StandIns:
    """The stand-ins of one recording. ``texts`` are all its texts: a uid is known by one place and replaced in all."""

    def __init__(self, timeline: Timeline, texts: Iterable[str]) -> None:
        self._timeline = timeline
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}
        self._by_value = {value: name for text in texts for name, value in _found(text)}
        values = "|".join(map(re.escape, self._by_value))
        # A name may hold a uid (job-<uid>); an address is one only where no digit or dot goes on.
        self._values = re.compile(rf"(?<![0-9a-f.])(?:{values})(?![0-9a-f]|\.\d)") if values else None

    def replace(self, text: str) -> str:
        """Return ``text`` with stand-ins. Call it for the texts of a recording in their order."""
        text = _LOG_PREFIX.sub(r"\1 ", _PLUGIN_PREFIX.sub("", _HEADER_TIME.sub(r"\1", text)))
        text = _TIME.sub(lambda found: self._time(found[0], datetime.fromisoformat(found[0])), text)
        # The zone of recorded processes is UTC.
        text = _HELM_TIME.sub(lambda found: self._time(found[0], _helm_time(found[0])), text)
        text = _EPOCH.sub(lambda found: found["before"] + self._time(found["value"], _epoch(found["value"])), text)
        if self._values is not None:
            text = self._values.sub(lambda found: self._named(self._by_value[found[0]], found[0]), text)
        text = _RESOURCE_VERSION.sub(
            lambda found: found["before"] + self._named("resource-version", found["value"]), text
        )
        text = _TEMPORARY.sub(lambda found: f"{found['before']}{self._number('temporary', found['value'])}", text)
        return _PORT.sub(lambda found: found["before"] + self._named("port", found["value"]), text)

    def _time(self, text: str, time: datetime) -> str:
        step = self._timeline.step_of(time.timestamp())
        return text if step is None else f"<time-step-{step}>"

    def _named(self, name: str, value: str) -> str:
        return f"<{name}-{self._number(name, value)}>"

    def _number(self, name: str, value: str) -> int:
        if (name, value) not in self._numbers:
            self._counts[name] = self._counts.get(name, 0) + 1
            self._numbers[name, value] = self._counts[name]
        return self._numbers[name, value]


def _helm_time(text: str) -> datetime:
    return datetime.strptime(f"{text} +0000", "%a %b %d %H:%M:%S %Y %z")


def _epoch(text: str) -> datetime:
    return datetime.fromtimestamp(int(text), UTC)


def _found(text: str) -> Iterable[tuple[str, str]]:
    yield from (("uid", value) for value in _UID.findall(text))
    yield from (("cluster-ip", value) for value in _CLUSTER_ADDRESS.findall(text) if value != DRY_RUN_ADDRESS)
