"""Programs that stand in for tools: shell scripts that say a version, note how they were called, and end as told."""

import json
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: {context}
clusters: [{{name: {context}, cluster: {{server: "https://127.0.0.1:6443"}}}}]
contexts: [{{name: {context}, context: {{cluster: {context}, user: {context}}}}}]
users: [{{name: {context}, user: {{}}}}]
"""


def until(done: Callable[[], bool]) -> None:
    """Wait until ``done``, for 20 seconds at most."""
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def write_program(path: Path, script: str) -> Path:
    """Write an executable of ``script`` (sh) to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@dataclass(frozen=True)
class Machine:
    """A machine with nothing on it but what a test installs; ``calls`` tells what was called, one line each."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def system(self) -> Path:
        return self.root / "system"

    @property
    def assets(self) -> Path:
        return self.root / "cache" / "sluiceway" / "assets"

    @property
    def clusters(self) -> Path:
        return self.root / "cache" / "sluiceway" / "clusters"

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}:{self.system}", "XDG_CACHE_HOME": str(self.root / "cache")}

    def set_up(self) -> None:
        """Make its directories, with what the scripts themselves call and nothing else of the real machine."""
        for directory in (self.temporary, self.bin, self.system):
            directory.mkdir(parents=True)
        for name in ("cat", "chmod", "env", "sed", "seq", "sleep"):
            program = shutil.which(name)
            assert program is not None
            (self.system / name).symlink_to(program)

    def says(self, tool: str, output: str, *, folder: str = "", script: str = "") -> Path:
        """Install ``tool``, which prints ``output`` when asked for its version and runs ``script`` otherwise."""
        place = self.assets / folder if folder else self.bin
        asked = '--version*|"version "|"version --"*|"info "*'
        answer = f'case "$1 $2" in {asked}) printf %s {shlex.quote(output)}; exit;; esac'
        return write_program(place / tool, f"{answer}\n{script}")

    def calls(self) -> list[str]:
        file = self.root / "calls"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def left_in_temporary(self) -> list[str]:
        return [path.name for path in self.temporary.iterdir()]

    def with_kind(self, *, create: int = 0, delete: int = 0, context: str = "kind-$name") -> None:
        """Install a Docker engine, a kubectl, and a kind whose commands end with these exit codes."""
        self.says("docker", "29.0.1")
        for client, server in (("v1.34.0", "v1.34.11"), ("v1.37.1", "v1.37.0")):
            versions = {"clientVersion": {"gitVersion": client}, "serverVersion": {"gitVersion": server}}
            self.says("kubectl", json.dumps(versions), folder=f"kubectl/{client}")
        kubeconfig = KUBECONFIG.format(context="CONTEXT")
        self.says(
            "kind",
            "kind v0.33.0 go1.26.8 linux/amd64",
            script=f"""
echo "$@ KUBECONFIG=$KUBECONFIG" >> {shlex.quote(str(self.root / "calls"))}
for word in "$@"; do
  case "$word" in --name=*) name=${{word#--name=}};; --kubeconfig=*) file=${{word#--kubeconfig=}};; esac
done
case "$1" in
  get) cat {shlex.quote(str(self.root / "names"))};;
  delete) exit {delete};;
  create)
    echo "$name" >> {shlex.quote(str(self.root / "names"))}
    echo "making nodes" >&2
    umask 077
    echo {shlex.quote(kubeconfig)} | sed "s/CONTEXT/{context}/g" > "$file"
    exit {create};;
esac""",
        )
