"""A person's repo, their machine and their shell: the product is called as they would call it, as a process."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from recorder.clusters.local import LocalCluster
from tests.live.server import Server

ROOT = Path(__file__).parents[2]
VALIDATOR = Draft202012Validator(json.loads((ROOT / "schema" / "output.schema.json").read_text(encoding="utf-8")))

SECONDS = 120.0
"""How long one command of the product may take; on a quiet machine it takes one or two."""

CANARY = "c4n4ry"
"""Stands in every value of these tests that must not be seen on stdout."""

SECRET = f"{CANARY}-s3cr3t"
"""Stands in every value of a Secret: it must not be seen on stderr either."""

REPOSITORY = "acme/shop"

MODULE = ("-m", "sluiceway")

_HURRY = (
    "import runpy, time; real = time.monotonic; time.monotonic = lambda: 10 * real();"
    "runpy.run_module('sluiceway', run_name='__main__', alter_sys=True)"
)
HURRIED = ("-c", _HURRY)
"""The same program by a clock that runs ten times as fast: a minute's limit is over after six seconds."""


@dataclass(frozen=True)
class Answer:
    """How one command of the product ended, and the kubectl command lines it ran on the way."""

    code: int
    out: str
    err: str
    commands: tuple[tuple[str, ...], ...] = ()

    @property
    def document(self) -> Any:
        """The JSON document on stdout, which keeps to the committed schema."""
        assert self.out, self.err
        document = json.loads(self.out)
        VALIDATOR.validate(document)
        return document

    @property
    def rows(self) -> dict[str, Any]:
        """The rows by stack id."""
        return {row["stack"]: row for row in self.document["stacks"]}

    @property
    def row(self) -> Any:
        """The one row there is."""
        (row,) = self.document["stacks"]
        return row

    @property
    def notes(self) -> str:
        """The notes of the one row, a line each."""
        return "\n".join(self.row["notes"])

    @property
    def changes(self) -> dict[str, Any]:
        """What the row shows: keys by address, or the op where it lists no keys."""
        return {
            change["address"]: change["changedKeys"] if change["op"] == "update" else change["op"]
            for change in self.row["changes"]
        }

    @property
    def drift(self) -> dict[str, Any]:
        """What the row shows as drift, as :attr:`changes`."""
        return {
            change["address"]: change["changedKeys"] if change["op"] == "update" else change["op"]
            for change in self.row["drift"]
        }

    def argv(self, verb: str) -> list[tuple[str, ...]]:
        """Return the command lines of one of kubectl's verbs."""
        return [command for command in self.commands if command[0] == verb]


@dataclass
class Repo:
    """A repo at ``root`` whose stacks go to ``namespace`` of ``cluster``, and the machine of the person who has it.

    ``kubectl`` is the real one; on PATH stands a script that notes each command line and passes on to it.
    """

    cluster: LocalCluster
    server: Server
    kubectl: Path
    root: Path
    namespace: str
    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    machine: Path = Path()

    def __post_init__(self) -> None:
        self.machine = self.root.parent / "machine"
        for directory in (self.root, self.machine / "bin", self.temporary):
            directory.mkdir(parents=True)
        self.environment = {
            "PATH": f"{self.machine / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
            "GITHUB_REPOSITORY": REPOSITORY,
            **self.cluster.environment(),
        }
        self.hook("")

    @property
    def temporary(self) -> Path:
        return self.machine / "tmp"

    @property
    def minor(self) -> str:
        return self.cluster.minor

    # The repo's files.

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the repo."""
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def remove(self, name: str) -> None:
        (self.root / name).unlink()

    def configure(self, *stacks: Mapping[str, Any], **more: Any) -> None:
        """Write ``sluiceway.yaml``."""
        self.write("sluiceway.yaml", json.dumps({"stacks": list(stacks), **more}))

    def stack(self, path: str = "app", entry: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """Return the entry of a stack that goes to the repo's namespace."""
        return {"path": path, "tool": "kubectl", "options": {"namespace": self.namespace, **options}, **(entry or {})}

    def only(self, **options: Any) -> None:
        """Have one stack, ``app``, with these options."""
        (self.root / "app").mkdir(exist_ok=True)
        self.configure(self.stack(**options))

    # The person's machine.

    def hook(self, script: str) -> None:
        """Have the kubectl on PATH do something of ours first; the script (sh) may read ``$@`` and exit."""
        calls = shlex.quote(str(self.machine / "calls"))
        self.program(
            "kubectl",
            f"kubectl={shlex.quote(str(self.kubectl))}\n"
            # One write a call: the diff and the read beside it run at the same time.
            f'(IFS=\'\037\'; printf \'%s\\n\' "$*" >> {calls})\n{script}\nexec "$kubectl" "$@"',
        )

    def program(self, name: str, script: str) -> Path:
        """Put a program (sh) on PATH, in front of all others."""
        file = self.machine / "bin" / name
        made = file.with_suffix(".new")
        made.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        made.chmod(0o755)
        made.rename(file)
        return file

    def calls(self) -> tuple[tuple[str, ...], ...]:
        """Return the command lines that kubectl was called with so far."""
        file = self.machine / "calls"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return tuple(tuple(line.split("\037")) for line in lines)

    def left(self) -> list[Path]:
        """Return every file in the temporary directory, and every private directory."""
        return [path for path in self.temporary.rglob("*") if path.name != f"sluiceway-{os.geteuid()}"]

    # The person.

    def start(self, *arguments: str, python: Sequence[str] = MODULE, **environment: str) -> "subprocess.Popen[str]":
        """Start a command of the product; ``python`` is how the interpreter is given it."""
        return subprocess.Popen(
            [sys.executable, *python, *arguments],
            cwd=self.root,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def run(self, *arguments: str, python: Sequence[str] = MODULE, **environment: str) -> Answer:
        """Run a command of the product, and check what must hold of each: nothing stays, no value is seen."""
        before = len(self.calls())
        with self.start(*arguments, python=python, **environment) as process:
            return self.ended(process, before, shows=arguments[0] == "diff")

    def ended(self, process: "subprocess.Popen[str]", before: int = 0, *, shows: bool = False) -> Answer:
        """Wait for a command, and check what must hold of each."""
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        answer = Answer(process.returncode, out, err, self.calls()[before:])
        assert self.left() == []
        assert "Traceback" not in err
        assert "internal-error" not in out + err
        assert shows or CANARY not in out
        assert shows or SECRET not in err
        return answer

    def preview(self, *stacks: str, **environment: str) -> Answer:
        return self.run("preview", *stacks, "--format=json", **environment)

    def drift(self, *stacks: str, **environment: str) -> Answer:
        return self.run("drift", *stacks, "--format=json", **environment)

    def deploy(self, digest: str | None, *more: str, stack: str = "app", **environment: str) -> Answer:
        """Deploy a stack with the hash that was approved."""
        given = () if digest is None else (f"--hash={digest}",)
        return self.run("deploy", stack, *given, "--format=json", *more, **environment)

    def put_out(self, *more: str, stack: str = "app", **environment: str) -> Answer:
        """Preview and deploy a stack, which must go well."""
        command = self.drift if "--repair-drift" in more else self.preview
        (row,) = (row for row in command(stack, **environment).document["stacks"])
        assert row.get("hash"), row.get("reason")
        answer = self.deploy(row["hash"], *more, stack=stack, **environment)
        assert (answer.code, answer.row["outcome"]) in ((0, "deployed"), (0, "in-sync")), answer.row.get("reason")
        return answer

    def by_hand(self, *arguments: str, content: str | None = None, namespace: str | None = None) -> str:
        """Run kubectl as a person does, in the repo's namespace; it must go well."""
        argv = [str(self.kubectl), f"--namespace={namespace or self.namespace}", *arguments]
        answer = subprocess.run(
            argv,
            cwd=self.root,
            env={**self.environment, "PATH": "/usr/bin:/bin"},
            input=content or "",
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    # What is true.

    def live(self, kind: str, name: str, api_version: str = "v1") -> Any:
        """Return an object of the repo's namespace, None where there is none."""
        return self.server.get(api_version, kind, self.namespace, name)

    def config_maps(self, namespace: str | None = None) -> set[str]:
        """Return the names of the ConfigMaps, without the cluster's own and the inventories."""
        found = self.server.names("v1", "ConfigMap", namespace or self.namespace)
        return {name for name in found if name != "kube-root-ca.crt" and not name.startswith("sluiceway-")}

    def inventories(self) -> dict[str, list[Any]]:
        """Return what each inventory of the namespace lists, by name."""
        names = self.server.names("v1", "ConfigMap", self.namespace)
        return {
            name: [json.loads(line) for line in self.live("ConfigMap", name)["data"]["objects"].splitlines()]
            for name in names
            if name.startswith("sluiceway-")
        }

    def listed(self) -> list[str]:
        """Return the names that the one inventory lists."""
        (listed,) = self.inventories().values()
        return sorted(item["name"] for item in listed)


def documents(*trees: Any) -> str:
    """Return manifests as one YAML stream."""
    return yaml.safe_dump_all(trees, sort_keys=False)


def config_map(name: str, namespace: str | None = None, data: Mapping[str, str] | None = None, **metadata: Any) -> Any:
    """Return a ConfigMap."""
    place = {"namespace": namespace} if namespace else {}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **place, **metadata},
        "data": dict(data or {"k": f"{CANARY}-1"}),
    }


def secret(name: str, **values: str) -> Any:
    """Return a Secret with ``stringData``."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": values}


def deployment(name: str = "web", **spec: Any) -> Any:
    """Return a Deployment of one container; ``spec`` is added to its spec, ``container`` to its container."""
    container = {"name": "web", "image": "nginx:1", **spec.pop("container", {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **spec},
    }


def running(sessions: Path) -> list[str]:
    """Return who is still there of the noted sessions."""
    noted = {int(line.split()[0]) for line in sessions.read_text().splitlines()}
    found = []
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            try:
                found += [directory.name] if os.getsid(int(directory.name)) in noted else []
            except ProcessLookupError:
                continue
    return found
