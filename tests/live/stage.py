"""A deploy that something strikes, and what must hold after it (issue 5, point 1); the same for every tool.

A stack is at one of two sets of objects, and its deploy goes to the other one: it changes two objects, makes two and
deletes two. A :class:`Fault` strikes at one request of that deploy (:mod:`tests.live.proxy`); :meth:`Stage.trial` runs
the deploy, then the next one of the same objects, and says what held.
"""

import base64
import contextlib
import json
import os
import re
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from tests.live.proxy import Answer, Asked, Proxy
from tests.live.repo import HURRIED, MODULE, SECONDS, SECRET, Repo, config_map, secret

VERSION = "version 1"
"""The step that reaches no server: the tool is asked for its version."""

ORPHAN_SECONDS = 10.0
"""How long a tool may go on whose sluiceway was ended by SIGKILL."""

PATIENCE_SECONDS = 45.0
"""How long a deploy may wait for a server that is gone."""

Objects = dict[tuple[str, str], Any]


@dataclass
class Strike:
    """A fault at work: the deploy it strikes, and where."""

    stage: "Stage"
    process: "subprocess.Popen[str]"
    asked: Asked | None = None

    def kill_tool(self) -> None:
        """End the tool whose request it is, and all it started."""
        verb, run = (self.asked.command, self.asked.run) if self.asked else ("version", 1)
        process = self.asked.process if self.asked else 0
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process or self.stage.tools(verb)[run - 1], signal.SIGKILL)


Blow = Callable[[Strike], Answer | None]


@dataclass(frozen=True)
class Fault:
    """``blow`` strikes at the request, ``late`` when the server has answered it already.

    ``lasts`` has it strike at each later request too. ``only`` says of which requests it makes sense.
    """

    name: str
    blow: Blow
    late: bool = False
    lasts: bool = False
    only: Callable[[Asked], bool] = lambda _asked: True
    python: tuple[str, ...] = MODULE
    version: bool = False
    silent: bool = False
    restore: Callable[["Stage"], None] = lambda _stage: None


@dataclass
class Trial:
    """How a deploy ended that a fault struck; ``wrong`` says which of ``checks`` did not hold, and why.

    ``recovered``: the next deploy was refused, and went well after what its message says to do.
    """

    fault: str
    step: str
    checks: tuple[str, ...]
    code: int = 0
    outcome: str = "-"
    said: str = ""
    recovered: bool = False
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The trial as a line of the table."""
        held = " ".join("no " + check if check in self.wrong else "yes" for check in self.checks)
        recovered = ", recovered" if self.recovered else ""
        return f"{self.fault} | {self.step} | {self.code} {self.outcome} | {self.said} | {held}{recovered}"


def steps(seen: list[Asked]) -> list[tuple[str, int]]:
    """Return where faults strike: the first request of each command, the first dry run, and each of the writers'."""
    return [(asked.step, asked.number) for asked in seen if asked.number == 1 or _strikes(asked)]


def _strikes(asked: Asked) -> bool:
    first_dry_run = asked.command == "diff" and asked.number == 2
    return asked.command in ("apply", "delete", "upgrade write") or first_dry_run


class Stage(ABC):
    """A stack of ``repo`` behind ``proxy``, and its two sets of objects. ``disk`` is what a full disk is full of.

    ``checks`` is what must hold after a fault, beside that no value and no traceback is seen; ``sayings`` what a failed
    deploy says of what was and was not done.
    """

    checks: ClassVar[tuple[str, ...]]
    sayings: ClassVar[tuple[str, ...]]

    def __init__(self, repo: Repo, proxy: Proxy, disk: Path | None = None) -> None:
        self.repo, self.proxy, self._disk = repo, proxy, disk
        self._side = "a"
        self._count = 0
        self._hashes: dict[str, str] = {}
        self.kubeconfig = proxy.kubeconfig(repo.machine / "proxied")
        repo.environment["KUBECONFIG"] = str(self.kubeconfig)
        self._sessions = repo.machine / "sessions"
        self._gate = repo.machine / "gate"
        repo.hook(
            f'echo "$$ $1" >> "{self._sessions}"\n{self.hook}\n'
            f'if [ "$1" = version ] && [ -e "{self._gate}" ]; then\n'
            f'  mv "{self._gate}" "{self._gate}.reached"; while [ -e "{self._gate}.reached" ]; do sleep 0.02; done\n'
            f"fi"
        )
        self.write()
        repo.put_out()

    @property
    def hook(self) -> str:
        """What the tool on PATH does first (sh)."""
        return ""

    @abstractmethod
    def put(self, trees: list[Any]) -> None:
        """Have the stack hold these objects."""

    @abstractmethod
    def objects(self) -> Objects:
        """Return uid and value of each object of the stack that is there."""

    @abstractmethod
    def judge(self, fault: Fault, trial: Trial, before: Objects, row: Mapping[str, Any]) -> None:
        """Note in ``trial`` what does not hold of a deploy that ended with ``row``, and found ``before``."""

    @abstractmethod
    def again(self, trial: Trial) -> str:
        """Deploy once more, which must go well, and return the outcome."""

    def write(self) -> None:
        """Write the objects of the side we are at, with values that no trial had before."""
        side, self._count = self._side, self._count + 1
        self.wanted: Objects = {
            ("Secret", "keys"): f"{SECRET}-{self._count}",
            ("ConfigMap", "both"): f"{self._count}",
            ("ConfigMap", f"only-{side}-1"): f"{self._count}",
            ("Secret", f"only-{side}-2"): f"{SECRET}-{self._count}",
        }
        self.put(
            [
                secret(name, p=value) if kind == "Secret" else config_map(name, data={"k": value})
                for (kind, name), value in self.wanted.items()
            ]
        )

    def turn(self) -> None:
        """Go to the other side."""
        self._side = "b" if self._side == "a" else "a"
        self.write()

    def rehearse(self) -> list[tuple[str, int]]:
        """Deploy the other side with no fault, and return the steps of it."""
        self.turn()
        digest = self.hash()
        self.proxy.begin()
        self.repo.deploy(digest)
        return steps(self.proxy.seen)

    def tools(self, verb: str) -> list[int]:
        """Return the process of each run of a verb, since the deploy began."""
        lines = self._sessions.read_text().splitlines() if self._sessions.exists() else []
        return [int(line.split()[0]) for line in lines if line.endswith(f" {verb}")]

    def start_server(self) -> None:
        self.repo.cluster.start_apiserver()

    def fill(self) -> None:
        """Fill the disk that holds the private files and the tool's own."""
        if self._disk is None:
            raise ValueError("there is no disk to fill")
        with contextlib.suppress(OSError), (self._disk / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(b"\0" * 4096)

    def empty(self) -> None:
        if self._disk is not None:
            (self._disk / "filler").unlink(missing_ok=True)

    def hash(self) -> str:
        """Return the hash of going to this side: no value is in it, so that each side has one."""
        if self._side not in self._hashes:
            self._hashes[self._side] = str(self.repo.preview().row["hash"])
        return self._hashes[self._side]

    def trial(self, fault: Fault, step: str, number: int = 1) -> Trial:
        """Deploy the other side, have ``fault`` strike at one request, deploy again, and say what held."""
        self.turn()
        before, digest = self.objects(), self.hash()
        self._sessions.unlink(missing_ok=True)
        process, struck = self._struck(fault, step, number, digest)
        out, err = self._ended(process, fault)
        left_running = self._running(ORPHAN_SECONDS if fault.silent else 0.5)
        self.proxy.begin()
        place = f"{step}: {struck[0] if struck else 'not reached'}"
        trial = Trial(fault.name, place, self.checks, process.returncode)
        if left_running:
            trial.wrong["processes"] = f"{len(left_running)} left"
        self._check(fault, trial, before, out, err)
        self._next(trial)
        return trial

    def _ended(self, process: "subprocess.Popen[str]", fault: Fault) -> tuple[str, str]:
        """Wait for the deploy, and undo the fault: when the deploy is over, or goes on waiting for that (Helm 4)."""
        try:
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            fault.restore(self)
            try:
                return process.communicate(timeout=SECONDS)
            finally:
                process.kill()
        fault.restore(self)
        return out, err

    def _struck(self, fault: Fault, step: str, number: int, digest: str) -> tuple["subprocess.Popen[str]", list[str]]:
        """Start the deploy and have the fault wait for it; return the list that tells what it struck."""
        struck: list[str] = []
        made: list[subprocess.Popen[str]] = []

        def meddle(asked: Asked) -> Answer | None:
            here = (asked.step, asked.number) == (step, number)
            if not here and not (struck and fault.lasts):
                return None
            if not fault.only(asked):
                return None
            struck.append(f"{asked.method} {asked.thing}")
            return fault.blow(Strike(self, made[0], asked))

        if step == VERSION:
            self._gate.touch()
            self.proxy.begin()
        else:
            self.proxy.begin(**{"after" if fault.late else "before": meddle})
        arguments = ("deploy", "app", f"--hash={digest}", "--format=json")
        limit = ("--timeout=0.5",) if fault.python is HURRIED else ()
        made.append(self.repo.start(*arguments, *limit, python=fault.python))
        if step == VERSION:
            self._at_the_gate(fault, made[0])
            struck.append("reaches no server")
        return made[0], struck

    def _at_the_gate(self, fault: Fault, process: "subprocess.Popen[str]") -> None:
        reached = self._gate.with_suffix(".reached")
        deadline = time.monotonic() + SECONDS
        while not reached.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        fault.blow(Strike(self, process))
        reached.unlink()

    def _running(self, seconds: float) -> list[int]:
        noted = {int(line.split()[0]) for line in self._sessions.read_text().splitlines()}
        deadline = time.monotonic() + seconds
        while True:
            found = [pid for pid in _processes() if _session_of(pid) in noted]
            if not found or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return found

    def _check(self, fault: Fault, trial: Trial, before: Objects, out: str, err: str) -> None:
        if not fault.silent and self.repo.left():
            trial.wrong["files"] = f"{len(self.repo.left())} left"
        if SECRET in out + err or "Traceback" in err:
            trial.wrong["message"] = "a value or a traceback"
        row = _row(out)
        trial.outcome = row.get("outcome", "-")
        said = (said for said in self.sayings if said in text_of(row))
        trial.said = next(said, trial.outcome if trial.outcome == "deployed" else "")
        self.judge(fault, trial, before, row)

    def _next(self, trial: Trial) -> None:
        """Deploy the same objects again: it must end in their state, and leave nothing."""
        try:
            ended = self.again(trial)
        except (AssertionError, ValueError) as error:
            trial.wrong["next"] = str(error).splitlines()[0]
            return
        if values(self.objects()) != self.wanted:
            trial.wrong["next"] = f"{ended}, {sorted(self.objects())}"


def values(objects: Objects) -> Objects:
    """Return the value of each object, without its uid."""
    return {key: value for key, (_, value) in objects.items()}


def value_of(item: Any) -> str:
    """Return the one value of a ConfigMap or Secret of a stage."""
    data = item["data"]
    return data["k"] if "k" in data else base64.b64decode(data["p"]).decode()


def text_of(row: Mapping[str, Any]) -> str:
    """Return what a row says in words."""
    reason = row.get("reason") or {}
    return "\n".join([reason.get("text", ""), *row.get("notes", ())]).replace("Nothing", "nothing")


def _row(out: str) -> dict[str, Any]:
    try:
        (row,) = json.loads(out)["stacks"]
    except (ValueError, KeyError):
        return {}
    return dict(row)


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if re.fullmatch(r"\d+", path.name)]


def _session_of(pid: int) -> int:
    """Return the session of a process, 0 for one that has ended and that only nobody has asked about yet."""
    try:
        ended = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return 0 if ended else os.getsid(pid)
    except (ProcessLookupError, FileNotFoundError):
        return 0
