import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from sluiceway import dashboard
from sluiceway.dashboard.settings import stamp, stamped
from tests.dashboard.boards import AT, SETTINGS


@pytest.mark.parametrize(
    ("zone", "at", "written"),
    [
        ("UTC", AT, "2026-11-30 12:30 UTC"),
        ("Europe/Berlin", AT, "2026-11-30 13:30 CET"),
        ("Europe/Berlin", datetime(2026, 7, 1, 22, 30, 59, tzinfo=UTC), "2026-07-02 00:30 CEST"),
        ("America/Sao_Paulo", AT, "2026-11-30 09:30 -03"),
    ],
)
def test_times_are_absolute_to_the_minute_and_in_the_zone(zone: str, at: datetime, written: str) -> None:
    assert replace(SETTINGS, zone=ZoneInfo(zone)).when(at) == written


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    twice = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert [SETTINGS.when(at) for at in (twice, twice + timedelta(hours=1))] == [
        "2026-10-25 02:30 CEST",
        "2026-10-25 02:30 CET",
    ]


def test_a_marker_holds_the_minute_in_utc() -> None:
    assert stamp(datetime(2026, 11, 30, 13, 30, 59, tzinfo=ZoneInfo("Europe/Berlin"))) == "2026-11-30T12:30Z"
    assert stamped("2026-11-30T12:30Z") == AT


@pytest.mark.parametrize("text", ["", "today", "2026-11-30", "2026-13-30T12:30Z", "2026-11-30T12:30Z "])
def test_what_is_no_time(text: str) -> None:
    assert stamped(text) is None


def test_links_to_runs_and_commits() -> None:
    assert SETTINGS.run("4711") == "[run](https://github.example/o/r/actions/runs/4711)"
    assert SETTINGS.run("x/../y") == "run"
    sha = "0123abc" + "0" * 33
    assert SETTINGS.commit(sha) == f"[`0123abc`](https://github.example/o/r/commit/{sha})"
    assert SETTINGS.commit("](x)") == "an unknown commit"


@pytest.mark.parametrize(
    ("deploys", "read_only", "boxes"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_when_rows_have_boxes(deploys: bool, read_only: bool, boxes: bool) -> None:
    assert replace(SETTINGS, deploys=deploys, read_only=read_only).boxes is boxes


def test_no_module_reads_the_clock() -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in Path(dashboard.__path__[0]).glob("*.py")}
    assert "settings.py" in sources
    assert [name for name, source in sources.items() if re.search(r"\.(now|utcnow|today)\(", source)] == []
