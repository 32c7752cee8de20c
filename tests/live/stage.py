"""A deploy that something strikes, and what must hold after it (issue 5, point 1).

A stack is at one of two sets of manifests, and its deploy goes to the other one: it changes two objects, makes two and
deletes two. A :class:`Fault` strikes at one request of that deploy (:mod:`tests.live.proxy`); :meth:`Stage.trial` runs
the deploy, then the next one of the same manifests, and says what held.
"""

import base64
import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.live.proxy import Answer, Asked, Proxy
from tests.live.repo import HURRIED, MODULE, SECONDS, SECRET, Repo, config_map, documents, secret

VERSION = "version 1"
"""The step that reaches no server: ``kubectl version``."""

ORPHAN_SECONDS = 10.0
"""How long a kubectl may go on whose sluiceway was ended by SIGKILL."""

CHECKS = ("files", "processes", "inventory", "message", "next")
"""What must hold after a fault: no private file left, no process left, the inventory lists all that is ours, the
message is true and says what was not done, and the next deploy of the same manifests ends in their state."""

_SAID = (
    "nothing was deployed",
    "nothing was applied",
    "this is half a deploy",
    "nothing was deleted",
    "not deleted, and still listed",
    "can't be told",
)
_NOTHING_DONE = ("nothing was deployed", "nothing was applied")

Objects = dict[tuple[str, str], Any]


@dataclass
class Strike:
    """A fault at work: the deploy it strikes, and where."""

    stage: "Stage"
    process: "subprocess.Popen[str]"
    asked: Asked | None = None

    def kill_tool(self) -> None:
        """End the kubectl whose request it is, and all it started."""
        verb, _, run = self.asked.step.partition(" ") if self.asked else VERSION.partition(" ")
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.stage.tools(verb)[int(run) - 1], signal.SIGKILL)


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
    """How a deploy ended that a fault struck; ``wrong`` says what did not hold, by check."""

    fault: str
    step: str
    code: int = 0
    outcome: str = "-"
    said: str = ""
    wrong: dict[str, str] = field(default_factory=dict)

    @property
    def line(self) -> str:
        """The trial as a line of the table."""
        held = " ".join("no " + check if check in self.wrong else "yes" for check in CHECKS)
        return f"{self.fault} | {self.step} | {self.code} {self.outcome} | {self.said} | {held}"


def steps(seen: list[Asked]) -> list[tuple[str, int]]:
    """Return where faults strike: the first request of each command, the first dry run, and each of the writers'."""
    return [
        (asked.step, asked.number)
        for asked in seen
        if asked.number == 1 or asked.command in ("apply", "delete") or (asked.command == "diff" and asked.number == 2)
    ]


class Stage:
    """A stack of ``repo`` behind ``proxy``, and its two sets of manifests. ``disk`` is what a full disk is full of."""

    def __init__(self, repo: Repo, proxy: Proxy, disk: Path | None = None) -> None:
        self.repo, self.proxy, self._disk = repo, proxy, disk
        self._side = "a"
        self._count = 0
        self._hashes: dict[str, str] = {}
        repo.environment["KUBECONFIG"] = str(proxy.kubeconfig(repo.machine / "proxied"))
        self._sessions = repo.machine / "sessions"
        self._gate = repo.machine / "gate"
        repo.hook(
            f'echo "$$ $1" >> "{self._sessions}"\n'
            f'if [ "$1" = version ] && [ -e "{self._gate}" ]; then\n'
            f'  mv "{self._gate}" "{self._gate}.reached"; while [ -e "{self._gate}.reached" ]; do sleep 0.02; done\n'
            f"fi"
        )
        repo.only(prune=True)
        self.write()
        repo.put_out()

    def write(self) -> None:
        """Write the manifests of the side we are at, with values that no trial had before."""
        side, self._count = self._side, self._count + 1
        self.wanted: Objects = {
            ("Secret", "keys"): f"{SECRET}-{self._count}",
            ("ConfigMap", "both"): f"{self._count}",
            ("ConfigMap", f"only-{side}-1"): f"{self._count}",
            ("Secret", f"only-{side}-2"): f"{SECRET}-{self._count}",
        }
        made = [
            secret(name, p=value) if kind == "Secret" else config_map(name, data={"k": value})
            for (kind, name), value in self.wanted.items()
        ]
        self.repo.write("app/x.yaml", documents(*made))

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
        """Return the process of each kubectl of a verb, since the deploy began."""
        lines = self._sessions.read_text().splitlines() if self._sessions.exists() else []
        return [int(line.split()[0]) for line in lines if line.endswith(f" {verb}")]

    def start_server(self) -> None:
        self.repo.cluster.start_apiserver()

    def fill(self) -> None:
        """Fill the disk that holds the private files and kubectl's own."""
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
        try:
            out, err = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        left_running = self._running(ORPHAN_SECONDS if fault.silent else 0.5)
        self.proxy.begin()
        fault.restore(self)
        trial = Trial(fault.name, f"{step}: {struck[0] if struck else 'not reached'}", process.returncode)
        if left_running:
            trial.wrong["processes"] = f"{len(left_running)} left"
        self._check(fault, trial, before, out, err)
        self._next(trial)
        return trial

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

    def objects(self) -> Objects:
        """Return uid and value of each object that the stack's field manager applied, without the inventory."""
        found: Objects = {}
        for kind in ("ConfigMap", "Secret"):
            for item in self.repo.server.listed("v1", kind, self.repo.namespace):
                name, entries = item["metadata"]["name"], item["metadata"].get("managedFields", [])
                ours = any((e["manager"], e["operation"]) == ("kubectl", "Apply") for e in entries)
                if ours and not name.startswith("sluiceway-"):
                    found[kind, name] = (item["metadata"]["uid"], json.dumps(item["data"]))
        return found

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
        after = self.objects()
        row = _row(out)
        text = _text(row)
        trial.outcome = row.get("outcome", "-")
        trial.said = next(
            (said for said in _SAID if said in text), trial.outcome if trial.outcome == "deployed" else ""
        )
        self._check_inventory(trial, before, after, text)
        if not fault.silent:
            problem = self._untrue(row, text, before, after)
            if problem:
                trial.wrong.setdefault("message", problem)

    def _check_inventory(self, trial: Trial, before: Objects, after: Objects, text: str) -> None:
        (listed,) = self.repo.inventories().values()
        unlisted = after.keys() - {(item["kind"], item["name"]) for item in listed}
        created = after.keys() - before.keys()
        if unlisted - created or (unlisted and not trial.step.startswith("apply")):
            trial.wrong["inventory"] = f"lists no {sorted(unlisted)}"
        if trial.code >= 0 and sum(name not in text for _, name in unlisted) > 1:
            trial.wrong["message"] = f"does not name {sorted(unlisted)}"

    def _untrue(self, row: Mapping[str, Any], text: str, before: Objects, after: Objects) -> str:
        """Return what the row says and is not so, or is so and the row does not say."""
        if not row:
            return "none"
        applied, deleted = (set(map(_key, row["done"][each])) if "done" in row else set() for each in _DONE)
        changed = {key for key, value in after.items() if before.get(key) != value}
        gone = before.keys() - after.keys()
        if row["outcome"] == "deployed":
            return (
                "" if after.keys() == self.wanted.keys() and applied == changed and deleted == gone else "not deployed"
            )
        if not applied <= changed or not deleted <= gone:
            return "says more than was done"
        unsaid = (changed - applied) | (gone - deleted)
        if len(unsaid) > 1 and "can't be told" not in text:
            return f"does not say {sorted(unsaid)}"
        if (applied or deleted) and any(said in text for said in _NOTHING_DONE):
            return "says that nothing was done"
        return "" if any(said in text for said in _SAID) else "does not say what was not done"

    def _next(self, trial: Trial) -> None:
        """Deploy the same manifests again: it must end in their state, and leave nothing."""
        try:
            ended = self.repo.put_out().row["outcome"]
        except (AssertionError, json.JSONDecodeError) as error:
            trial.wrong["next"] = str(error).splitlines()[0]
            return
        found = {key: _value(tree) for key, (_, tree) in self.objects().items()}
        if found != self.wanted:
            trial.wrong["next"] = f"{ended}, {sorted(found)}"
        (listed,) = self.repo.inventories().values()
        if not {(item["kind"], item["name"]) for item in listed} >= self.wanted.keys():
            trial.wrong["inventory"] = "the next deploy lists too little"


_DONE = ("applied", "deleted")


def _key(address: str) -> tuple[str, str]:
    kind, _, rest = address.partition("/")
    return kind, rest.rpartition("/")[2]


def _value(data: str) -> str:
    tree = json.loads(data)
    return tree["k"] if "k" in tree else base64.b64decode(tree["p"]).decode()


def _row(out: str) -> dict[str, Any]:
    try:
        (row,) = json.loads(out)["stacks"]
    except (ValueError, KeyError):
        return {}
    return dict(row)


def _text(row: Mapping[str, Any]) -> str:
    reason = row.get("reason") or {}
    return "\n".join([reason.get("text", ""), *row.get("notes", ())]).replace("Nothing", "nothing")


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if re.fullmatch(r"\d+", path.name)]


def _session_of(pid: int) -> int:
    """Return the session of a process, 0 for one that has ended and that only nobody has asked about yet."""
    try:
        ended = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return 0 if ended else os.getsid(pid)
    except (ProcessLookupError, FileNotFoundError):
        return 0
