"""Stable stand-ins for what differs between two runs of the same behaviour (``spec/recordings.md``, A recording).

Numbered by first appearance, so that equality within a recording is kept. A stand-in is of the kind that it replaces
(text stays text, a temporary directory's number stays a number), so a document reads as it did.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from recorder.timeline import Timeline

DRY_RUN_ADDRESS = "10.96.0.0"
"""The clusterIP that a dry run gives a new Service: the same in every run."""

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"

_UID = re.compile(rf'\buid\\?"?: \\?"?({_UUID})\b')
_CLUSTER_ADDRESS = re.compile(rf'\bclusterIPs?"?:\s+(?:[-+ ]?\s*(?:- |\[\s*))?"?({_ADDRESS})\b')
_RESOURCE_VERSION = re.compile(r'(\bresourceVersion\\?"?: \\?")(\d+)(?=\\?")')
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_HEADER_TIME = re.compile(r"(?m)^((?:---|\+\+\+) [^\t\n]+)\t\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [-+]\d{4}$")
_TEMPORARY = re.compile(r"(?<=<tmp>/)(LIVE|MERGED)-(\d+)")
_LOG_PREFIX = re.compile(r"(?m)^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=\S+:\d+\])")
_PORT = re.compile(r"(?<=127\.0\.0\.1:|localhost:|\[::1\]:)\d+\b".replace("(?<=127", "(?:(?<=127", 1)) if False else None
