"""Who a process is: its id and when it started, so that an id given to another process is not mistaken for it."""

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from recorder.clusters.files import replace_private

END_SECONDS = 20.0
"""How long an asked process may take to end before it is killed, in seconds."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A process: its id, and its start as the system tells it (opaque; equal only for the same process)."""

    pid: int
    started: str

    @property
    def alive(self) -> bool:
        """Whether this very process still runs."""
        return start_of(self.pid) == self.started


def write(path: Path, processes: Mapping[str, Identity]) -> None:
    """Write who ``processes`` are to ``path``, whole or not at all."""
    content = json.dumps({name: asdict(process) for name, process in processes.items()}, indent=2) + "\n"
    replace_private(path, content)


def read(path: Path) -> dict[str, Identity]:
    """Read what ``write`` wrote; nobody when there is no such file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {name: Identity(**process) for name, process in content.items()}


def identify(pid: int) -> Identity | None:
    """Return the identity of the process ``pid``, or None when there is none."""
    started = start_of(pid)
    return None if started is None else Identity(pid, started)


def start_of(pid: int) -> str | None:
    """Return when process ``pid`` started, or None when it is gone (or has ended and only waits for its parent)."""
    if Path("/proc/self/stat").exists():
        return _start_from_proc(pid)
    return _start_from_ps(pid)


def _start_from_proc(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name stands in brackets and may itself hold brackets and blanks: count from its end.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else f"{_boot()}/{fields[18]}"


def _boot() -> str:
    with contextlib.suppress(FileNotFoundError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return ""


def _start_from_ps(pid: int) -> str | None:
    argv = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    result = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)
    state, _, started = result.stdout.strip().partition(" ")
    return None if not state or state.startswith("Z") else started.strip()


def end(process: Identity, *, seconds: float = END_SECONDS) -> bool:
    """Ask ``process`` to end, kill it after ``seconds``; return whether it is gone. A stranger is left alone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not process.alive:
            return True
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)
        if _gone(process, seconds):
            return True
    return False


def _gone(process: Identity, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while process.alive:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
