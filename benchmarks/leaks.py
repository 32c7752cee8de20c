"""Whether a value, or a command to GitHub Actions, gets out on any surface: canaries everywhere, then look everywhere.

    python benchmarks/leaks.py [--minor 1.37] [--tool kubectl] [--all]

It makes its own cluster. ``--all`` takes every format with each of ``--verbose``, ``--quiet`` and neither, in a GitHub
job and out of one; without it each format is taken in both, the other flag in turn. It prints a table: of how many
canaries how many were found on a surface, in how many texts of it. Some surfaces hold values by design
(docs/what-is-shown.md): those are counted apart. The rows of Helm are left out where its diff plugin
is not found. The exit code is 1 when something was found; what, and where, goes to stderr.
"""

import argparse
import itertools
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from canaries import COMMANDS, Canary, hostile_lines, obeyed
from leak_scenes import Helm, Kubectl, policies

from recorder import tools
from recorder.clusters.local import LocalCluster
from tests.live import helm_repo
from tests.live.conftest import CLIENTS, HELMS
from tests.live.helm_repo import HelmRepo
from tests.live.repo import Repo, documents
from tests.live.server import Server

LIMIT = 180
"""Seconds that one command may take."""

IN_PRIVATE = 2
"""How many names lead from the base to what is in a private directory."""

FORMATS = ("text", "json", "markdown", "html", "junit")
FLAGS = ((), ("--verbose",), ("--quiet",))
GITHUB = {False: {}, True: {"GITHUB_ACTIONS": "true"}}


@dataclass
class Surface:
    """What was looked through, and what was found there."""

    texts: int = 0
    size: int = 0
    canaries: int = 0
    found: set[Canary] = field(default_factory=set)
    by_design: set[Canary] = field(default_factory=set)
    commands: int = 0

    def told(self) -> str:
        """Return the figures in words."""
        many = f" of {self.canaries}" if self.canaries else ""
        design = f"; by design {len(self.by_design)}" if self.by_design else ""
        return f"found {len(self.found) + self.commands}{many} in {self.texts}{design}"


class Table:
    """All surfaces, in the order they were met."""

    def __init__(self) -> None:
        self.surfaces: dict[str, Surface] = {}

    def look(self, name: str, text: str, scene: Kubectl, *, design: str = "") -> None:
        """Look for canaries; ``design`` is ``values`` where those outside Secrets may be, ``all`` where all may."""
        surface = self.surfaces.setdefault(name, Surface())
        surface.texts += 1
        surface.size += len(text)
        surface.canaries = max(surface.canaries, len(scene.flock))
        for canary in scene.flock.found_in(text):
            fine = design == "all" or (design == "values" and scene.rule(canary) == "not in reports")
            (surface.by_design if fine else surface.found).add(canary)
            if not fine:
                _tell(name, canary, text)

    def count(self, name: str, lines: Sequence[str], tried: int = 0) -> None:
        """Count what must not be there: commands that are not ours, of ``tried`` texts that could be one."""
        surface = self.surfaces.setdefault(name, Surface())
        surface.texts += 1
        surface.canaries = max(surface.canaries, tried)
        surface.commands += len(lines)
        for line in lines[:5]:
            print(f"FOUND {name}: {line[:200]!r}", file=sys.stderr)

    def rows(self) -> Iterator[str]:
        """Return the table as Markdown: a row for each surface, a column for each tool."""
        kinds = list(dict.fromkeys(name.partition(": ")[2] for name in self.surfaces))
        of_tools = list(dict.fromkeys(name.partition(": ")[0] for name in self.surfaces))
        yield f"| surface | {' | '.join(of_tools)} |"
        yield "| --- |" + " --- |" * len(of_tools)
        for kind in kinds:
            cells = (self.surfaces.get(f"{tool}: {kind}") for tool in of_tools)
            yield f"| {kind} | {' | '.join(cell.told() if cell else '' for cell in cells)} |"

    @property
    def leaks(self) -> int:
        """How much was found where it must not be."""
        return sum(len(surface.found) + surface.commands for surface in self.surfaces.values())


def _tell(name: str, canary: Canary, text: str) -> None:
    line = next((line for line in text.splitlines() if canary.is_in(line)), "")
    at = min((line.find(mark) for mark in canary.marks if mark in line), default=0)
    print(
        f"FOUND {name}: {canary.place}, {canary.shape}, {canary.side}: {line[max(0, at - 90) : at + 60]!r}",
        file=sys.stderr,
    )


class Watch(threading.Thread):
    """Looks at the temporary directory and at the tools' processes, again and again, while a command runs."""

    def __init__(self, repo: Repo) -> None:
        super().__init__(daemon=True)
        self._repo = repo
        self._over = threading.Event()
        self.open: set[str] = set()
        self.files: dict[str, str] = {}
        self.arguments: set[str] = set()
        self.environments: set[str] = set()

    def run(self) -> None:
        """Look until it is over."""
        while not self._over.wait(0.02):
            with suppress(OSError):  # a directory that goes while it is looked through
                for path in self._repo.left():
                    self._look_at(path)
            for process in Path("/proc").iterdir():
                if process.name.isdigit():
                    self._look_into(process)

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()

    def _look_at(self, path: Path) -> None:
        try:
            mode = path.lstat().st_mode & 0o777
        except OSError:
            return
        base, *inside = path.relative_to(self._repo.temporary).parts
        name = re.sub(r"\d{2,}", "N", "/".join(inside[1:2]))
        # What a tool writes for itself keeps the tool's own mode: nobody gets to it through a directory of ours.
        closed = path.is_dir() or name.endswith((".yaml", ".yml", "lock"))
        if base != f"sluiceway-{os.geteuid()}" or (mode & 0o077 and closed and not inside[2:]):
            self.open.add(f"{path.name} {mode:o}")
        if len(inside) == IN_PRIVATE:
            self.files[name] = f"{mode:04o}"

    def _look_into(self, process: Path) -> None:
        try:
            environment = (process / "environ").read_bytes()
            if str(self._repo.machine).encode() in environment:
                self.arguments.add((process / "cmdline").read_bytes().decode(errors="replace"))
                self.environments.add(environment.decode(errors="replace"))
        except OSError:
            return


@dataclass
class Search:
    """One scene, and the table that it fills."""

    scene: Kubectl
    table: Table

    def run(self, *arguments: str, surface: str, design: str = "", github: bool = False) -> tuple[str, str, int]:
        """Run a command of the product, and look at all that it leaves."""
        repo, tool = self.scene.repo, self.scene.tool
        watch = Watch(repo)
        watch.start()
        summary = repo.machine / "summary.md"
        summary.write_text("")
        job = {**GITHUB[github], **({"GITHUB_STEP_SUMMARY": str(summary)} if github else {})}
        try:
            with repo.start(*arguments, **job) as process:
                out, err = process.communicate(timeout=LIMIT)
        finally:
            watch.end()
        if written := summary.read_text():
            self.table.look(f"{tool}: a GitHub job's summary", written, self.scene)
        self.table.look(f"{tool}: `{surface}`, stdout", out, self.scene, design=design)
        self.table.look(f"{tool}: `{surface}`, the job log", err, self.scene, design="values")
        self._look_at(watch)
        left = [str(path) for path in repo.left()]
        self.table.look(f"{tool}: temporary directory, after", "\n".join(left), self.scene)
        if left or watch.open:
            print(f"LEFT {left} OPEN {sorted(watch.open)}", file=sys.stderr)
        if "Traceback" in err or "internal error" in (out + err).lower():
            print(f"BROKEN {arguments}: {err[-2000:]}", file=sys.stderr)
        return out, err, process.returncode

    def _look_at(self, watch: Watch) -> None:
        tool = self.scene.tool
        self.table.look(f"{tool}: arguments of every process, while it runs", "\n".join(watch.arguments), self.scene)
        environments = "\n".join(watch.environments)
        self.table.look(f"{tool}: environment of the tools (`envFile`)", environments, self.scene, design="all")
        self.table.count(f"{tool}: temporary directory, others may enter or it is not ours", sorted(watch.open))
        self.kept = {**getattr(self, "kept", {}), **watch.files}

    kept: dict[str, str] = field(default_factory=dict)

    def begin(self) -> None:
        """Put out what is good, for the first time."""
        self.scene.write(0)
        self._deploy((), github=False)

    def everything(self, *, thorough: bool) -> None:
        """Run every command in every way."""
        for number, (format_, github) in enumerate(itertools.product(FORMATS, (False, True))):
            for flags in FLAGS if thorough else FLAGS[number % 3 : number % 3 + 1]:
                started = time.monotonic()
                self._round((f"--format={format_}", *flags), github=github)
                print(
                    f"{self.scene.tool} {format_} {flags} {github} {time.monotonic() - started:.0f} s", file=sys.stderr
                )

    def _round(self, options: tuple[str, ...], *, github: bool) -> None:
        self.scene.write(1 - self.scene.side)
        self.scene.drift()
        # JUnit XML has no form for the list of stacks.
        for command in ("check", *(["stacks"] if options[0] != "--format=junit" else []), "preview", "drift"):
            self.run(command, *options, surface=command, github=github)
        for stack in ("app", "late", self.scene.bad[0], self.scene.bad[-1]):
            self.run("diff", stack, *options[1:], surface="diff", design="values", github=github)
        self._deploy(options, github=github)
        if self.scene.tool == "kubectl":
            self._without_a_tool(options, github=github)

    def _without_a_tool(self, options: tuple[str, ...], *, github: bool) -> None:
        for arguments in (("schema",), ("schema", "output")):
            self.run(*arguments, surface="schema", github=github)
        for act in ("preview", "drift", "diff", "deploy"):
            self.run("demo", act, *options[1:], surface="demo", github=github)

    def _deploy(self, options: tuple[str, ...], *, github: bool) -> None:
        out, err, _ = self.run("drift", "--format=json", surface="drift")
        rows = {row["stack"]: row.get("hash", "0" * 16) for row in json.loads(out)["stacks"]}
        failed = [row["stack"] for row in json.loads(out)["stacks"] if row["state"] == "preview-failed"]
        if set(failed) & set(self.scene.good):
            print(f"FAILED {failed}\n{err}", file=sys.stderr)
        hashes = [f"--hash={stack}={digest}" for stack, digest in rows.items()]
        self.run("deploy", *rows, *hashes, "--repair-drift", *options, surface="deploy", github=github)

    def home(self) -> None:
        """Look at what the tools keep in the home directory."""
        text = "\n".join(
            path.read_bytes().decode(errors="replace") for path in self.scene.repo.home.rglob("*") if path.is_file()
        )
        self.table.look(f"{self.scene.tool}: caches in the home directory, after", text, self.scene)

    def bugs(self) -> None:
        """Let each place in the adapter fail with every canary in the text of its exception."""
        self.scene.write(1 - self.scene.side)
        held = self.scene.repo.root / "app"
        canaries = "\n".join(path.read_text() for path in held.rglob("*") if path.is_file())
        (self.scene.repo.machine / "held").write_text(canaries)
        for command, places in BUGS[self.scene.tool].items():
            for place in places:
                self._bug(command, place)

    def _bug(self, command: str, place: str) -> None:
        repo = self.scene.repo
        file = str(repo.machine / "held")
        more = ("--hash=" + "0" * 16,) if command == "deploy" else ()
        with repo.start(file, place, command, "app", *more, "--verbose", python=("-c", BROKEN)) as process:
            out, err = process.communicate(timeout=LIMIT)
        if "RuntimeError" not in err + out or process.returncode != 1:
            print(f"NO BUG {command} {place}: {process.returncode} {err[-500:]}", file=sys.stderr)
        surface = f"{self.scene.tool}: a bug in our code, its traceback with `--verbose`"
        self.table.look(surface, out + err, self.scene)

    def commands(self) -> None:
        """Let the tool print every workflow command there is, and name objects so."""
        repo = self.scene.repo
        self.scene.name_as_commands()
        hostile = repo.write("hostile.txt", "\n".join(hostile_lines()) + "\n")
        repo.hook(f'cat "{hostile}" >&2')
        try:
            for format_, flags in zip(FORMATS, itertools.cycle(FLAGS)):
                hashes = [f"--hash={stack}={'0' * 16}" for stack in self.scene.good]
                for command in (["check"], ["stacks"], ["drift"], ["deploy", *self.scene.good, *hashes]):
                    if (command, format_) == (["stacks"], "junit"):
                        continue
                    self._commanded((*command, f"--format={format_}", *flags))
                if format_ == "text":
                    self._commanded(("diff", "app", *flags))
        finally:
            repo.hook("")
            self.scene.arrange()
            self.scene.write(self.scene.side)

    def _commanded(self, arguments: Sequence[str]) -> None:
        with self.scene.repo.start(*arguments, **GITHUB[True]) as process:
            out, err = process.communicate(timeout=LIMIT)
        if process.returncode not in (0, 1):
            print(f"NOT RUN {arguments}: {err}", file=sys.stderr)
        for stream, text in (("stdout", out), ("the job log", err)):
            lines = [line for line in obeyed(text) if not _is_ours(line)]
            tried = sum(text.lower().count(name) for name in COMMANDS)
            self.table.count(f"{self.scene.tool}: workflow commands in {stream} of a GitHub job", lines, tried)


def _is_ours(line: str) -> bool:
    return line.startswith(
        ("::error::", "::warning::", "::notice::", "::error file=", "::warning file=", "::stop-commands::")
    )


BROKEN = """
import importlib, pathlib, runpy, sys
text, place = pathlib.Path(sys.argv.pop(1)).read_text(), sys.argv.pop(1)
def broken(*given, **named):
    try:
        raise ValueError(text, given, named)
    except ValueError as error:
        raise RuntimeError(text) from error
module, _, name = place.partition(':')
owner = importlib.import_module(module)
*path, name = name.split('.')
for part in path:
    owner = getattr(owner, part)
setattr(owner, name, broken)
runpy.run_module('sluiceway', run_name='__main__', alter_sys=True)
"""

_SHARED = (
    "sluiceway.relay:Concealed.add",
    "sluiceway.processes.streams:Kept.feed",
    "sluiceway.runs.preview:diff_hash",
    "sluiceway.private:_remove",
    "sluiceway.commands.reporting:report",
)
_K, _H = "sluiceway.adapters.kubectl", "sluiceway.adapters.helm"
BUGS = {
    "kubectl": {
        "preview": (
            *_SHARED, f"{_K}.rendered:secret_values", f"{_K}.readings:read_diff", f"{_K}.live_set:read_objects",
            f"{_K}.preview:pair", f"{_K}.preview:_change", f"{_K}.session:Session.conceal_live",
        ),
        "drift": (f"{_K}.drift:_found", f"{_K}.drift:_on_the_row", f"{_K}.drift:save_set"),
        "deploy": (f"{_K}.preview:_plan", f"{_K}.preview:write_private"),
        "diff": (f"{_K}.tool_diff:_shown", f"{_K}.tool_diff:read_live_outcome"),
    },
    "helm": {
        "preview": (
            *_SHARED, f"{_H}.readings:_entries", f"{_H}.readings:compare", f"{_H}.preview:merge",
            f"{_H}.manifests:secret_values", f"{_H}.values:values_of", f"{_H}.readings:_rendered",
        ),
        "drift": (f"{_H}.drift:_read", f"{_H}.drift:judge", f"{_H}.drift:_drifted"),
        "deploy": (f"{_H}.preview:_plan",),
        "diff": (f"{_H}.tool_diff:_conceal_both_sides",),
    },
}  # fmt: skip


def core(search: Search) -> None:
    """Let it crash in the middle of a preview where the shell allows core files, and look at what that leaves."""
    scene, repo = search.scene, search.scene.repo
    scene.write(1 - scene.side)
    repo.hook('case "$1" in diff|template) kill -ABRT $PPID; sleep 1;; esac')
    shell = ["/bin/sh", "-c", f'ulimit -c unlimited; exec "{sys.executable}" -m sluiceway preview app']
    ended = subprocess.run(shell, cwd=repo.root, env=repo.environment, capture_output=True, check=False, timeout=LIMIT)
    repo.hook("")
    if ended.returncode != -signal.SIGABRT:
        print(f"NO CRASH {ended.returncode}", file=sys.stderr)
    name = f"{scene.tool}: core file of a crash, where the shell allows one"
    search.table.count(name, [])
    for file in (path for path in repo.root.rglob("core*") if path.is_file()):
        search.table.look(name, file.read_bytes().decode(errors="replace"), scene)
        file.unlink()
    left = "\n".join(path.read_text(errors="replace") for path in repo.left() if path.is_file())
    search.table.look(f"{scene.tool}: private directory after a SIGABRT or SIGKILL", left, scene, design="all")
    with repo.start("preview", "app", "--format=json") as process:
        process.communicate(timeout=LIMIT)
    search.table.count(f"{scene.tool}: private directory after the next run", list(map(str, repo.left())))


@contextmanager
def scenes(minor: str, wanted: str) -> Iterator[list[Kubectl]]:
    """Give the repos, on a cluster of their own."""
    with LocalCluster(minor, nodes=1) as cluster, tempfile.TemporaryDirectory() as scratch:
        room = Path(scratch)
        made: list[Kubectl] = []
        if wanted in ("", "kubectl"):
            repo = Repo(*_machine(cluster, room, "kubectl"))
            _begin(repo)
            made.append(Kubectl(repo))
        missing = helm_repo.missing()
        if wanted in ("", "helm") and not missing:
            plugin = tools.need(tools.PLUGIN, tools.PLUGIN_WANTED).path.parent
            helm = tools.need("helm", HELMS[minor]).path
            shop = HelmRepo(*_machine(cluster, room, "helm"), helm=helm, plugins=plugin)
            _begin(shop)
            made.append(Helm(shop))
        elif wanted in ("", "helm"):
            print(f"The rows of Helm are left out: {missing}")
        yield made


def _machine(cluster: LocalCluster, room: Path, name: str) -> tuple[LocalCluster, Server, Path, Path, str, Path]:
    (room / name / "home").mkdir(parents=True)
    kubectl = tools.need("kubectl", CLIENTS[cluster.minor]).path
    namespace = f"leaks-{name}-{secrets.token_hex(2)}"
    return cluster, Server(cluster), kubectl, room / name / "repo", namespace, room / name / "home"


def _begin(repo: Repo) -> None:
    repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": repo.namespace}})
    repo.by_hand("apply", "--server-side", "-f-", content=documents(*policies()))
    time.sleep(2)  # until the API server keeps to the policies


def main() -> int:
    """Search, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minor", choices=CLIENTS, default="1.37")
    parser.add_argument("--tool", choices=("kubectl", "helm"), default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", choices=("bugs", "core", "commands", "everything"), default="")
    asked = parser.parse_args()
    table = Table()
    signal.signal(signal.SIGTERM, _cut_short)
    try:
        with scenes(asked.minor, asked.tool) as made:
            for scene in made:
                _search(Search(scene, table), asked)
    finally:  # cut short, it prints what it has come to
        print("\n".join(table.rows()))
    return int(table.leaks > 0)


def _cut_short(_number: int, _frame: object) -> None:
    sys.exit(1)


def _search(search: Search, asked: argparse.Namespace) -> None:
    parts: dict[str, Callable[[], None]] = {
        "bugs": search.bugs,
        "core": lambda: core(search),
        "commands": search.commands,
        "everything": lambda: search.everything(thorough=asked.all),
    }
    search.begin()
    for name, part in parts.items():
        if asked.only in ("", name):
            part()
    search.home()
    print(f"{search.scene.tool}, in a private directory while it runs: {search.kept}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
