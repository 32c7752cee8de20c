"""The whole product with a kubectl that is missing, old, broken, loud, stuck: a program of our own in its place."""

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sluiceway.adapters.kubectl import inventory
from sluiceway.cli import run

CANARY = "c4n4ry-v4lue"

MANIFEST = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{k: {CANARY}}}\n"

GOOD = """echo '{"clientVersion":{"gitVersion":"v1.37.1"}}'"""


@dataclass(frozen=True)
class Machine:
    """A repo with one stack, and a machine that has nothing but a few programs and the kubectl of a test."""

    root: Path
    capfd: pytest.CaptureFixture[str]

    @property
    def kubectl(self) -> Path:
        return self.root / "bin" / "kubectl"

    def is_said(self, version: str = GOOD, diff: str = "exit 0", get: str = "exit 0", apply: str = "exit 0") -> None:
        """Have a kubectl whose commands are these scripts (sh)."""
        verbs = {"version": version, "diff": diff, "get": get, "apply": apply}
        cases = "\n".join(f"{verb})\n{script}\n;;" for verb, script in verbs.items())
        self.install(f'#!/bin/sh\ncase "$1" in\n{cases}\nesac\n')

    def install(self, content: str | bytes, mode: int = 0o755) -> None:
        self.kubectl.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.kubectl.chmod(mode)

    def preview(self, *arguments: str) -> Any:
        """Return the row of a preview; nothing of it may hold a value, or stay on disk."""
        return self.row("preview", *arguments)

    def row(self, *arguments: str) -> Any:
        self.capfd.readouterr()
        code = run([*arguments, "--format=json", "--root", str(self.root / "repo")])
        out, err = self.capfd.readouterr()
        assert CANARY not in out
        assert "Traceback" not in err
        assert not [path for path in (self.root / "tmp").rglob("*") if path.is_file()]
        (row,) = json.loads(out)["stacks"]
        assert code == (1 if "reason" in row else 0)
        return row


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Machine:
    for name in ("repo/app", "bin", "system", "tmp"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("cat", "diff", "head", "sleep", "yes"):
        program = shutil.which(name)
        assert program is not None
        (tmp_path / "system" / name).symlink_to(program)
    (tmp_path / "repo" / "sluiceway.yaml").write_text("stacks: [{path: app, tool: kubectl}]\n")
    (tmp_path / "repo" / "app" / "c.yaml").write_text(MANIFEST)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{tmp_path}/system")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return Machine(tmp_path, capfd)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that runs a hundred times as fast: a minute's limit is over in less than a second."""
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: 100 * real())


BROKEN: dict[str, Callable[[Machine], None]] = {
    "missing": lambda _machine: None,
    "not executable": lambda machine: machine.install("#!/bin/sh\n", mode=0o644),
    "no program": lambda machine: machine.install(b"\x7fELF\x00rubbish"),
    "no interpreter": lambda machine: machine.install("#!/of/nowhere\n"),
    "a directory": lambda machine: machine.kubectl.mkdir(),
}


@pytest.mark.parametrize("how", BROKEN)
def test_one_that_can_not_be_started(machine: Machine, how: str) -> None:
    BROKEN[how](machine)

    reason = machine.preview()["reason"]

    assert (reason["kind"], reason["names"]) == ("tool-missing", {"tool": "kubectl"})
    assert "Install kubectl" in reason["text"]


@pytest.mark.parametrize(
    "script",
    [
        "exit 0",
        f"echo {CANARY}",
        "echo '{}'",
        "echo '[]'",
        """echo '{"clientVersion": "v1.37.1"}'""",
        f"""echo '{{"clientVersion": {{"gitVersion": "{CANARY}"}}}}'""",
        "yes '[' | head -n 100000",
        "exit 3",
        "kill -9 $$",
    ],
)
def test_one_that_says_no_version(machine: Machine, script: str) -> None:
    machine.is_said(version=script)

    reason = machine.preview()["reason"]

    assert reason["kind"] == "unreadable-output"
    assert "v1.34.0 or newer" in reason["text"]


@pytest.mark.parametrize("version", ["v1.33.9", "v1.9.0", "v0.99.0", "v1.34.0-rc.1", "v1.33.11-eks-1234567"])
def test_one_that_is_too_old(machine: Machine, version: str) -> None:
    machine.is_said(version=f"""echo '{{"clientVersion": {{"gitVersion": "{version}"}}}}'""")

    reason = machine.preview()["reason"]

    assert (reason["kind"], reason["names"]) == ("tool-too-old", {"found": version, "needed": "v1.34.0"})


@pytest.mark.parametrize("version", ["v1.34.0", "v1.35.2-eks-1234567", "v1.34.0+k3s1", "v1.100.0", "v2.0.0", "1.40.1"])
def test_one_that_is_new_enough(machine: Machine, version: str) -> None:
    machine.is_said(version=f"""echo '{{"clientVersion": {{"gitVersion": "{version}"}}}}'""")

    assert machine.preview()["state"] == "in-sync"


def shown(*lines: str) -> str:
    """Return a script that prints a diff of one object with these lines, and says that there are differences."""
    text = "\n".join(("diff -N a b", "--- a", "+++ b", f"@@ -0,0 +1,{len(lines)} @@", *(f"+{line}" for line in lines)))
    return f"cat <<'END'\n{text}\nEND\nexit 1"


HEAD = ("apiVersion: v1", "kind: ConfigMap", "metadata: {name: c, namespace: d}")


@pytest.mark.parametrize(
    "diff",
    [
        f"echo {CANARY}; exit 0",
        f"echo {CANARY}; exit 1",
        f"printf 'diff -N a b\\n--- a\\n'; echo {CANARY}; exit 1",
        shown(*HEAD).replace("END\nexit 1", f"+{CANARY}\nEND\nexit 1"),
        shown(*HEAD, f"data: {{k: {CANARY}"),
        shown(*HEAD, f"data: {{k: &a {CANARY}, l: *a}}"),
        shown(*HEAD, f"data: {{k: !secret {CANARY}}}"),
        shown(f"- {CANARY}"),
        shown(f"kind: {CANARY}"),
        shown("null"),
        shown(*HEAD).replace("@@ -0,0 +1,3 @@", "@@ -0,0 +2,3 @@"),
        shown(*HEAD).replace("exit 1", "") + shown(*HEAD),
        "printf '\\377\\n'; exit 1",
        "cat <<'END'\n" + "[" * 5000 + "\nEND\nexit 1",
    ],
)
def test_a_diff_that_can_not_be_read_is_never_in_sync(machine: Machine, diff: str) -> None:
    machine.is_said(diff=diff)

    row = machine.preview()

    assert row["state"] == "preview-failed"
    assert row["reason"]["kind"] == "unreadable-output"
    assert "hash" not in row


@pytest.mark.parametrize(
    ("script", "code"), [("exit 1", 1), ("exit 2", 2), (f"echo {CANARY}; exit 2", 2), ("kill -9 $$", -9)]
)
def test_a_diff_that_fails_is_never_in_sync(machine: Machine, script: str, code: int) -> None:
    machine.is_said(diff=script)

    reason = machine.preview()["reason"]

    assert (reason["kind"], reason["exitCode"]) == ("tool-error", code)


@pytest.mark.parametrize(
    "get", [f"echo {CANARY}", "echo '[]'", "echo '{}'", """echo '{"items": [1]}'""", "printf '{'", "printf '\\377'"]
)
def test_live_objects_that_can_not_be_read_are_never_in_sync(machine: Machine, get: str) -> None:
    machine.is_said(get=get)

    assert machine.preview()["reason"]["kind"] == "unreadable-output"


@pytest.mark.parametrize("verb", ["version", "diff", "get"])
def test_more_than_is_kept_is_never_read(machine: Machine, verb: str) -> None:
    machine.is_said(**{verb: "head -c 209715200 /dev/zero; exit 0"})

    reason = machine.preview()["reason"]

    assert reason["kind"] == "output-too-large"
    assert "128 MiB" in reason["text"]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("deaf", [False, True])
def test_one_that_never_ends_is_ended(machine: Machine, deaf: bool) -> None:
    ids = machine.root / "ids"
    machine.is_said(diff=f"{'trap : INT;' if deaf else ''} echo $$ > {ids}; while :; do sleep 1; done")
    (machine.root / "repo" / "sluiceway.yaml").write_text("stacks: [{path: app, tool: kubectl, previewTimeout: 1}]\n")

    reason = machine.preview()["reason"]

    assert (reason["kind"], reason["names"]["minutes"]) == ("timed-out", "1")
    with pytest.raises(ProcessLookupError):
        os.kill(int(ids.read_text()), 0)


def test_one_that_leaves_something_running_is_not_waited_for(machine: Machine) -> None:
    machine.is_said(diff=f"sleep 30 & echo $! > {machine.root}/id; exit 0")
    began = time.monotonic()
    try:
        assert machine.preview()["state"] == "in-sync"
        assert time.monotonic() - began < 20
    finally:
        os.kill(int((machine.root / "id").read_text()), 9)


def test_what_it_says_reaches_the_log_and_nothing_else(machine: Machine) -> None:
    words = f"\\033[31mred\\033[0m {CANARY}\\r::add-mask::x\\n"
    machine.is_said(diff=f"printf '{words}' >&2; exit 2")

    machine.capfd.readouterr()
    assert run(["preview", "--root", str(machine.root / "repo")]) == 1
    out, err = machine.capfd.readouterr()

    assert CANARY not in out
    lines = [line for line in err.splitlines() if "red" in line or "add-mask" in line]
    assert lines
    assert all(line.startswith("app | ") for line in lines)
    assert "\033" not in err


def test_an_apply_that_ends_well_and_says_nothing_of_an_object(machine: Machine) -> None:
    text = "diff -N a b\n--- a\n+++ b\n@@ -0,0 +1,3 @@\n" + "".join(f"+{line}\n" for line in HEAD)
    machine.is_said(
        diff=f"cat <<'END'\n{text}END\nexit 1", apply=f"echo {CANARY}; echo configmap/other serverside-applied"
    )
    digest = machine.preview()["hash"]

    row = machine.row("deploy", "app", f"--hash={digest}")

    assert row["outcome"] == "deployed"
    assert row["done"] == {"applied": [], "deleted": []}


def test_an_inventory_that_no_config_map_holds_is_refused_before_anything_is_sent(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.root / "repo" / "sluiceway.yaml").write_text(
        "stacks: [{path: app, tool: kubectl, options: {prune: true, namespace: n}}]\n"
    )
    machine.is_said(diff=f"echo asked > {machine.root}/diffed")
    assert machine.preview()["state"] == "in-sync"
    (machine.root / "diffed").unlink()
    monkeypatch.setattr(inventory, "CONFIG_MAP_LIMIT", 10)

    reason = machine.preview()["reason"]

    assert "the 1 objects of the manifests make an inventory of more than 1 MiB" in reason["text"]
    assert "Split the stack, or take prune out of it." in reason["text"]
    assert not (machine.root / "diffed").exists()
