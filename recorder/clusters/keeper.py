"""The process that owns a cluster's processes, so that none of them outlives the one that asked for them.

It is run by file path and speaks JSON lines on its stdin and stdout. When stdin ends, because its holder is done or
was killed in whatever way, it ends every process it started and removes the cluster's directory. Being their parent
it can't hit a stranger's process: a pid is not given away again before its parent has read how it ended.

Requests, each answered by one line:

- ``{"start": name, "argv": [...], "env": {...}}``: ``{"pid": n}`` or ``{"error": reason}``
- ``{"stop": name}``, which must have been started: ``{}``
- ``{"poll": true}``: ``{"ended": {name: exit code}}``
- ``{"afterwards": argv, "env": {...}}``, a command to run when all of them are ended: ``{}``
- ``{"detach": true}``: ``{}``, and from then on SIGTERM ends the keeper instead of the end of stdin
- ``{"leave": true}``: ``{}``, and the keeper ends without ending or removing anything

Its last line is ``{"afterwards": exit code}``, None when there was nothing to run.

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

AFTERWARDS_SECONDS = 120.0
"""How long the command that is run afterwards may take, in seconds."""

TIMED_OUT = 124
"""The exit code that stands for a command that did not end in time (as ``timeout`` gives it)."""


class Keeper:
    """Holds the processes of one cluster directory by name."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.afterwards: tuple[list[str], dict[str, str]] | None = None
        self.left = False

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what ``request`` asks and return the answer."""
        if "start" in request:
            return self._start(request["start"], request["argv"], request["env"])
        if "stop" in request:
            end([self.processes.pop(request["stop"])])
        if "afterwards" in request:
            self.afterwards = (request["afterwards"], request["env"])
        if "poll" in request:
            codes = {name: process.poll() for name, process in self.processes.items()}
            return {"ended": {name: code for name, code in codes.items() if code is not None}}
        return {}

    def _start(self, name: str, argv: list[str], env: dict[str, str]) -> dict[str, Any]:
        if name in self.processes:
            return {"error": "it was started already"}
        with (self.directory / f"{name}.log").open("ab") as log:
            try:
                # A session of its own, so that whatever it starts is ended with it.
                process = subprocess.Popen(
                    argv,
                    cwd=self.directory,
                    env=env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as error:
                return {"error": error.strerror}
        self.processes[name] = process
        return {"pid": process.pid}

    def close(self) -> int | None:
        """End every process, run what comes afterwards, remove the directory; return that command's exit code."""
        end(list(self.processes.values()))
        code = self._run_afterwards()
        shutil.rmtree(self.directory, ignore_errors=True)
        return code

    def _run_afterwards(self) -> int | None:
        if self.afterwards is None:
            return None
        argv, env = self.afterwards
        try:
            return subprocess.run(
                argv,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=AFTERWARDS_SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return TIMED_OUT


def end(processes: list["subprocess.Popen[bytes]"]) -> None:
    """Kill ``processes`` and wait until they are gone. There is nothing to save in a cluster that is thrown away."""
    for process in processes:
        # One whose end has been read has no pid any more: it may be a stranger's.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)


def serve(keeper: Keeper) -> None:
    """Answer requests until stdin ends, until told to leave, or until SIGTERM once detached."""
    for line in sys.stdin:
        request = json.loads(line)
        say(keeper.answer(request))
        if "leave" in request:
            keeper.left = True
            return
        if "detach" in request:
            leave_streams()
            while True:
                signal.pause()


def say(answer: dict[str, Any]) -> None:
    """Write ``answer`` as one line, without a buffer that could be left over when the holder is gone."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, (json.dumps(answer) + "\n").encode())


def leave_streams() -> None:
    """Let go of the holder's streams, so that whoever reads them to their end is not kept waiting."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)


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
        if not keeper.left:
            say({"afterwards": keeper.close()})


if __name__ == "__main__":
    main()
