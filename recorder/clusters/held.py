"""Processes held through a keeper: started, asked after and ended with their holder."""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recorder.clusters import identity, keeper
from recorder.clusters.base import ClusterError
from recorder.clusters.identity import Identity

CLOSE_SECONDS = 30.0
"""How long the keeper may take to end everything it holds, in seconds."""

_NO_KEEPER = "the process that keeps the cluster has ended"


class Held:
    """The processes of one cluster, in its private ``directory``, which goes away with them.

    Every process is owned by a keeper that ends when this process ends, in whatever way; see ``keeper``.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.identities: dict[str, Identity] = {}
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # A Ctrl-C in the terminal reaches the holder alone, which then ends the keeper in order.
            start_new_session=True,
        )

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str]) -> None:
        """Start the process ``name`` in the directory; its output goes to ``<name>.log`` there."""
        answer = self._ask({"start": name, "argv": list(argv), "env": dict(env)})
        if "error" in answer:
            raise ClusterError(f"{name} could not be started: {answer['error']}")
        process = identity.identify(answer["pid"])
        if process is not None:
            self.identities[name] = process

    def stop(self, name: str) -> None:
        """End the process ``name`` and wait until it is gone."""
        self._ask({"stop": name})
        self.identities.pop(name, None)

    def ended(self) -> dict[str, int]:
        """Return the processes that ended by themselves, with their exit codes (minus a signal's number)."""
        codes: dict[str, int] = self._ask({"poll": True})["ended"]
        return codes

    @property
    def keeper(self) -> Identity:
        """Who the keeper is."""
        kept = identity.identify(self._keeper.pid)
        if kept is None:
            raise ClusterError(_NO_KEEPER)
        return kept

    def detach(self) -> None:
        """Let the processes outlive this one: from here on a SIGTERM to the keeper ends it and all of them."""
        self._ask({"detach": True})
        self._close_streams()
        # Nobody's child to wait for any more; this silences Popen's warning about it.
        self._keeper.returncode = 0

    def close(self) -> None:
        """End every process and remove the directory."""
        self._close_streams()
        try:
            self._keeper.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait(CLOSE_SECONDS)
        # Both only count when the keeper itself was killed; otherwise there is nothing left.
        for process in self.identities.values():
            identity.end(process, seconds=1)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _close_streams(self) -> None:
        for stream in (self._keeper.stdin, self._keeper.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._keeper.stdin, self._keeper.stdout
        if stdin is None or stdout is None:
            raise ValueError("the cluster's processes are not held any more")
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        except (BrokenPipeError, ValueError):
            line = ""
        if not line:
            raise ClusterError(_NO_KEEPER)
        answer: dict[str, Any] = json.loads(line)
        return answer
