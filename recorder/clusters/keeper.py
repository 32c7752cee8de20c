"""The process that owns a cluster's processes, so that none of them outlives the one that asked for them.

It is run by file path and speaks JSON lines on its stdin and stdout. When stdin ends, because its holder is done or
was killed in whatever way, it ends every process it started and removes the cluster's directory. Being their parent
it can't hit a stranger's process: a pid is not given away again before its parent has read how it ended.

Requests: ``{"start": name, "argv": [...], "env": {...}}`` answers ``{"pid": n}`` or ``{"error": reason}``;
``{"stop": name}`` answers ``{}``; ``{"poll": true}`` answers ``{"ended": {name: exit code}}``; ``{"detach": true}``
answers ``{}``, after which the keeper waits for SIGTERM instead of the end of stdin.

Only the standard library, and nothing of this package: it must start fast, and from any directory.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

END_SECONDS = 10.0
"""How long an ended process may take to be gone, in seconds."""


class Keeper:
    """Holds the processes of one cluster directory by name."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what ``request`` asks and return the answer."""
        if "start" in request:
            return self._start(request["start"], request["argv"], request["env"])
        if "stop" in request:
            end([self.processes.pop(request["stop"])])
            return {}
        if "poll" in request:
            codes = {name: process.poll() for name, process in self.processes.items()}
            return {"ended": {name: code for name, code in codes.items() if code is not None}}
        return {}

    def _start(self, name: str, argv: list[str], env: dict[str, str]) -> dict[str, Any]:
        if name in self.processes:
            return {"error": "it was started already"}
        with (self.directory / f"{name}.log").open("ab") as log:
            try:
                process = subprocess.Popen(
                    argv,
                    cwd=self.directory,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            except OSError as error:
                return {"error": error.strerror}
        self.processes[name] = process
        return {"pid": process.pid}

    def close(self) -> None:
        """End every process, the last started first, and remove the directory."""
        end(list(reversed(self.processes.values())))
        self.processes.clear()
        shutil.rmtree(self.directory, ignore_errors=True)


def end(processes: list["subprocess.Popen[bytes]"]) -> None:
    """Kill ``processes`` and wait until they are gone. There is nothing to save in a cluster that is thrown away."""
    for process in processes:
        process.kill()
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def serve(keeper: Keeper) -> None:
    """Answer requests until stdin ends, or until SIGTERM once detached."""
    for line in sys.stdin:
        request = json.loads(line)
        answer = keeper.answer(request)
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(answer), flush=True)  # noqa: T201  # the answer's way back
        if "detach" in request:
            _leave_streams()
            while True:
                signal.pause()


def _leave_streams() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout):
        os.dup2(null, stream.fileno())


def _terminated(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


def main() -> None:
    """Keep the cluster in the directory that the only argument names."""
    # The holder decides when this ends: a Ctrl-C or a closing terminal is for the holder.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminated)
    keeper = Keeper(Path(sys.argv[1]))
    try:
        serve(keeper)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        keeper.close()


if __name__ == "__main__":
    main()
