"""Where recordings stand: read as a whole, written as a whole or not at all (``spec/recordings.md``, A recording)."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from recorder.scenario import Scenario


def place(scenario: Scenario, version: str) -> Path:
    """Return the directory of ``scenario``'s recording with the tool's ``version``."""
    return scenario.home / "recordings" / scenario.tool / version / scenario.name


def read(directory: Path) -> dict[str, bytes]:
    """Return every file under ``directory`` by its relative path; none where there is no such directory."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


def save(files: Mapping[str, bytes], directory: Path) -> None:
    """Make ``files`` all that is in ``directory``: written aside, moved into place when whole."""
    if read(directory) == files:
        return
    aside = directory.with_name(f".{directory.name}.new")
    former = directory.with_name(f".{directory.name}.old")
    for left_over in (aside, former):
        shutil.rmtree(left_over, ignore_errors=True)
    for path, data in files.items():
        (aside / path).parent.mkdir(parents=True, exist_ok=True)
        (aside / path).write_bytes(data)
    if directory.exists():
        directory.rename(former)
    aside.rename(directory)
    shutil.rmtree(former, ignore_errors=True)
