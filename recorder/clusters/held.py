"""Processes held through a keeper: started, asked after and ended with their holder."""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recorder.clusters import identity, keeper
from recorder.clusters.base import ClusterError

CLOSE_SECONDS = 2 * keeper.END_SECONDS + keeper.AFTERWARDS_SECONDS
"""How long the keeper may take to end everything it holds, in seconds."""

PROCESSES = "processes.json"
"""The file in the directory that says who the processes are."""

_NO_KEEPER = "the process that keeps the cluster has ended"


class Held:
    """The processes of one cluster and its private directory, which go away together.

    ``directory`` is that directory, which must not exist yet; a temporary one when it is None. Every process is
    owned by a keeper that ends them when this process ends, in whatever way: see ``keeper``.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = _new_directory(directory)
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(self.directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # A Ctrl-C in the terminal reaches the holder alone, which then ends the keeper in order.
            start_new_session=True,
        )
        self._asking = threading.Lock()
        self._closed = False
        self.identities: dict[str, identity.Identity] = {}
        """Who each process is, by name; the first is the keeper, and a SIGTERM to it ends the others too."""
        self._note("keeper", self._keeper.pid)

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Start the process ``name`` in the directory; its output goes to ``<name>.log`` there."""
        answer = self._ask({"start": name, "argv": list(argv), "env": dict(env)})
        if "error" in answer:
            raise ClusterError(f"{name} could not be started: {answer['error']}")
        self._note(name, answer["pid"])

    def stop(self, name: str) -> None:
        """End the process ``name``, which was started, and wait until it is gone."""
        self._ask({"stop": name})
        self.identities.pop(name, None)

    def afterwards(self, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Have ``argv`` run when everything is ended, whatever ends it."""
        self._ask({"afterwards": list(argv), "env": dict(env)})

    def ended(self) -> dict[str, int]:
        """Return the processes that ended by themselves, with their exit codes (minus a signal's number)."""
        codes: dict[str, int] = self._ask({"poll": True})["ended"]
        return codes

    def log(self, name: str) -> str:
        """Return what the process ``name`` has printed so far."""
        return (self.directory / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def detach(self) -> None:
        """Let the processes outlive this one: from here on a SIGTERM to the keeper ends it and all of them."""
        self._ask({"detach": True})
        self._let_go()

    def leave(self) -> None:
        """Let the directory outlive this process, and what ``afterwards`` would do be done by somebody else."""
        self._ask({"leave": True})
        self._keeper.wait(keeper.END_SECONDS)
        self._let_go()

    def close(self) -> None:
        """End every process, run what comes afterwards, remove the directory. ``ClusterError`` when that fails.

        Nothing happens when it was closed already, or is not this process's to close any more.
        """
        if self._closed:
            return
        self._closed = True
        last = self._last_words()
        for process in self.identities.values():
            # Only found alive when the keeper itself was killed.
            identity.end(process, seconds=1)
        shutil.rmtree(self.directory, ignore_errors=True)
        if last.get("afterwards"):
            raise ClusterError(f"what ends the cluster failed (exit code {last['afterwards']})")

    def _last_words(self) -> dict[str, Any]:
        try:
            # This closes the keeper's stdin, which is what ends it.
            said, _ = self._keeper.communicate(timeout=CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            said, _ = self._keeper.communicate()
        words: dict[str, Any] = json.loads(said.splitlines()[-1]) if said else {}
        return words

    def _note(self, name: str, pid: int) -> None:
        """Keep who ``name`` is, also in the directory: with that, what stands can be ended by another program."""
        process = identity.identify(pid)
        if process is not None:
            self.identities[name] = process
        identity.write(self.directory / PROCESSES, self.identities)

    def _let_go(self) -> None:
        for stream in (self._keeper.stdin, self._keeper.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        # Nobody's child to wait for any more; this silences Popen's warning about it.
        self._keeper.returncode = 0
        self._closed = True

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._keeper.stdin, self._keeper.stdout
        if stdin is None or stdout is None:
            raise ClusterError(_NO_KEEPER)
        # Several threads may use one cluster; an answer must reach the one that asked.
        with self._asking:
            try:
                stdin.write(json.dumps(request) + "\n")
                stdin.flush()
                line = stdout.readline()
            except BrokenPipeError:
                line = ""
        if not line:
            raise ClusterError(_NO_KEEPER)
        answer: dict[str, Any] = json.loads(line)
        return answer


def _new_directory(directory: Path | None) -> Path:
    if directory is None:
        return Path(tempfile.mkdtemp(prefix="sluiceway-cluster-"))
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        raise ClusterError(f"{directory} is there already: end that cluster first ('cluster down')") from None
    return directory
