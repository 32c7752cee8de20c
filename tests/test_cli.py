"""The program as a process: streams, signals, start-up."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from sluiceway import __version__
from sluiceway.cli import app, run
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from tests.fakes import CANARY, UPDATE

HERE = Path(__file__).parents[1]
COMMANDS = [command.callback.__name__ for command in app.registered_commands if command.callback]
CONFIG = "stacks:\n  - {path: db, tool: fake}\n  - {path: web, tool: fake}\n"
PATIENCE = 20
HASHES = [f"{name}={diff_hash(Diff(name, (UPDATE,)))}" for name in ("db", "web")]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("db", "web", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "sluiceway.yaml").write_text(CONFIG)
    return tmp_path


def environment(root: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": str(HERE), "TMPDIR": str(root / "tmp"), "PYTHONWARNINGS": "error", **more}


def python(root: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=environment(root, **more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def loaded(root: Path, *arguments: str) -> set[str]:
    """Return the modules that the program has loaded when it ends."""
    code = (
        "import sys, json, atexit\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = ['sluiceway', *{list(arguments)!r}]\n"
        "from sluiceway.__main__ import main\n"
        "sys.exit(main())\n"
    )
    ended = python(root, "-c", code)
    return set(json.loads(ended.stderr.splitlines()[-1]))


def test_version_is_answered_without_loading_anything(root: Path) -> None:
    ended = python(root, "-m", "sluiceway", "--version")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"sluiceway {__version__}\n", "")
    ours = {name for name in loaded(root, "--version") if name.startswith("sluiceway")}
    assert ours == {"sluiceway", "sluiceway.__main__"}
    assert loaded(root, "--version").isdisjoint({"typer", "rich", "pydantic", "yaml", "importlib.metadata"})


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["--help"], {"rich.console", "pydantic", "yaml", "concurrent.futures", "sluiceway.runs"}),
        (["check"], {"rich.console", "concurrent.futures", "sluiceway.runs", "sluiceway.signals"}),
        (["stacks", "--format=json"], {"rich.console", "sluiceway.runs", "sluiceway.private"}),
        (["preview"], {"rich.console", "sluiceway.reports.document", "sluiceway.reports.markdown", "asyncio"}),
        (["preview", "--format=json"], {"rich.console", "sluiceway.reports.markdown", "sluiceway.recordings"}),
    ],
)
def test_what_a_command_does_not_use_it_does_not_load(root: Path, arguments: list[str], spared: set[str]) -> None:
    (root / "sluiceway.yaml").unlink()
    assert loaded(root, *arguments) & spared == set()


def test_version_beside_other_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version", "check"]) == 0
    assert capsys.readouterr().out == f"sluiceway {__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capsys.readouterr().out
    dashboard = {"scan", "resolve", "apply", "settle", "auto", "init"}
    assert set(COMMANDS) == {"check", "stacks", "preview", "drift", "diff", "deploy", "schema", "demo", *dashboard}
    listed = {line.split()[0] for line in out.partition("Commands:\n")[2].splitlines() if line}
    assert listed == set(COMMANDS)
    assert "..." not in out.partition("Commands:\n")[2]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_of_every_command_has_an_example(name: str, asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, asked]) == 0
    out = capsys.readouterr().out
    example = out.partition("Examples:\n")[2].splitlines()[0].strip()
    assert f"sluiceway {name}" in example
    options = out.partition("Options:\n")[2]
    assert all(len(line.split("  ")) > 1 for line in options.splitlines() if line.startswith("  -"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["previw"], "No such command"),
        (["preview", "--formt", "json"], "--format"),
        (["preview", "--format", "xml"], "xml"),
        (["preview", "--concurrency", "0"], "--concurrency"),
        (["preview", "--replay", "nowhere"], "nowhere holds no recording"),
        (["preview", "--replay", "x", "--root", "y"], "leave out --root and --repository"),
    ],
)
def test_usage_problems(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    captured = capsys.readouterr()
    assert "Commands:" in captured.out + captured.err


def test_the_shell_completes_stack_ids(root: Path) -> None:
    words = {"_SLUICEWAY_COMPLETE": "complete_bash", "COMP_WORDS": "sluiceway preview w", "COMP_CWORD": "2"}
    ended = python(root, "-m", "tests.program", "pending", **words)
    assert ended.stdout.split() == ["web"]


def test_a_completion_never_fails(root: Path) -> None:
    (root / "sluiceway.yaml").write_text("stacks: [")
    words = {"_SLUICEWAY_COMPLETE": "complete_bash", "COMP_WORDS": "sluiceway preview w", "COMP_CWORD": "2"}
    ended = python(root, "-m", "tests.program", "pending", **words)
    assert (ended.stdout.strip(), ended.stderr) == ("", "")


def test_a_bug_of_ours_shows_no_traceback_and_no_value(root: Path) -> None:
    code = (
        "import sys\n"
        "from tests import program, fakes\n"
        "from sluiceway.adapters import registry\n"
        "class Broken(fakes.FakeAdapter):\n"
        "    def check_files(self, stack, root): raise ValueError(fakes.CANARY)\n"
        "fakes.INSTALLED = Broken()\n"
        "registry.BUILT_IN['fake'] = 'tests.fakes:INSTALLED'\n"
        "sys.exit(program.run(sys.argv[1:]))\n"
    )
    for name in ("check", "preview"):
        ended = python(root, "-c", code, name)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == (
            "sluiceway: Sluiceway itself failed (ValueError). Please report it, with the command and the version.\n"
        )
        ended = python(root, "-c", code, name, "--verbose")
        assert "ValueError\n  sluiceway/commands/" in ended.stderr
        assert CANARY not in ended.stderr
        assert "Traceback" not in ended.stderr


def writing_to(root: Path, stdout: int | IO[str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.program", "pending", *arguments],
        cwd=root,
        env=environment(root),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def gone_reader() -> Iterator[int]:
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def test_a_bug_below_the_commands_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_given: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr("sluiceway.cli.app", broken)
    assert run(["check"]) == 1
    assert capsys.readouterr().err == (
        "sluiceway: Sluiceway itself failed (ValueError). Please report it, with the command and the version.\n"
    )
    assert run(["check", "-v"]) == 1
    err = capsys.readouterr().err
    assert "ValueError\n  sluiceway/cli.py:" in err
    assert CANARY not in err


@pytest.mark.parametrize("arguments", [["preview"], ["preview", "--format=json"], ["check"], ["--help"], ["schema"]])
def test_a_full_disk_is_said(root: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = writing_to(root, full, *arguments)
    assert ended.returncode == 1
    assert ended.stderr.endswith("sluiceway: stdout can't be written: No space left on device\n")
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


@pytest.mark.parametrize("arguments", [["preview", "-q"], ["stacks"], ["--help"], ["schema"]])
def test_a_reader_that_is_gone_is_no_news(root: Path, arguments: list[str]) -> None:
    with gone_reader() as stdout:
        ended = writing_to(root, stdout, *arguments)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_reader_that_is_gone_does_not_stop_a_deploy(root: Path) -> None:
    with gone_reader() as stdout:
        ended = writing_to(root, stdout, "deploy", "web", "-q", "--hash", HASHES[1], "--output", "text=report.txt")
    assert (ended.returncode, ended.stderr) == (1, "web | deploys\n")
    assert (root / "report.txt").read_text().startswith("DEPLOYED  web")


def test_closed_streams(root: Path) -> None:
    shell = f"exec {sys.executable} -m tests.program pending preview web >&- 2>&- <&-"
    ended = subprocess.run(["/bin/sh", "-c", shell], cwd=root, env=environment(root), timeout=PATIENCE, check=False)
    assert ended.returncode == 0


def test_an_encoding_that_can_not_hold_a_name(root: Path) -> None:
    (root / "dé").mkdir()
    (root / "sluiceway.yaml").write_text("stacks: [{path: dé, tool: fake}]\n", "utf-8")
    ended = python(root, "-m", "tests.program", "pending", "stacks", PYTHONIOENCODING="ascii")
    assert ended.stdout.startswith("d\\xe9\n")


@contextmanager
def started(root: Path, script: str, *arguments: str, stdin: int | None = None) -> "Iterator[subprocess.Popen[str]]":
    with subprocess.Popen(
        [sys.executable, "-m", "tests.program", script, *arguments],
        cwd=root,
        env=environment(root),
        stdin=stdin if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(stream: IO[str] | None, text: str) -> None:
    assert stream is not None
    until = time.monotonic() + PATIENCE
    while text not in (line := stream.readline()):
        assert line
        assert time.monotonic() < until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_preview_ends_the_tool_and_leaves_nothing(root: Path, number: signal.Signals) -> None:
    with started(root, "slow-preview", "preview", "web") as process:
        wait_for(process.stderr, "web | at work")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert "web | asked to end\n" in err
    assert "The tool was interrupted" in out
    assert err.endswith(f"sluiceway: ended by {number.name}\n")
    assert [path for path in (root / "tmp").rglob("*") if path.is_file()] == []


def test_a_signal_in_a_deploy_says_what_was_and_was_not_deployed(root: Path) -> None:
    arguments = ["deploy", "db", "web", "--hash", HASHES[0], "--hash", HASHES[1], "--format", "json"]
    arguments += ["--output", "markdown=report.md"]
    with started(root, "slow-deploy", *arguments) as process:
        wait_for(process.stderr, "db | at work")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signal.SIGTERM
    db, web = json.loads(out)["stacks"]
    assert (db["outcome"], db["reason"]["text"]) == ("failed", "The tool was interrupted.")
    assert web["outcome"] == "refused"
    assert "was interrupted before this stack's deploy began" in web["notes"][0]
    copied = (root / "report.md").read_text()
    assert ("### `db`: failed" in copied, "### `web`: refused" in copied) == (True, True)
    assert "deploys" not in err
    assert [path for path in (root / "tmp").rglob("*") if path.is_file()] == []


def test_an_interrupt_at_the_question_deploys_nothing(root: Path) -> None:
    master, slave = os.openpty()
    try:
        command = [sys.executable, "-m", "tests.program", "pending", "deploy", "web"]
        with subprocess.Popen(
            command,
            cwd=root,
            env=environment(root, TERM="dumb"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        ) as process:
            os.close(slave)
            shown = b""
            while b"[y/N]" not in shown:
                shown += os.read(master, 1024)
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
            shown = os.read(master, 4096)
    finally:
        os.close(master)
    assert process.returncode == 128 + signal.SIGINT
    assert b"REFUSED   web" in shown
    assert b"deploys" not in shown


def test_the_tour_needs_no_tool(root: Path) -> None:
    """On a machine with nothing but Python: an empty PATH, no kubeconfig, no network that anything would ask."""
    (root / "sluiceway.yaml").unlink()
    ended = python(root, "-m", "sluiceway", "demo", PATH="", HOME=str(root), KUBECONFIG="/nowhere")
    assert ended.returncode == 0, ended.stderr
    typed = [
        line.removeprefix("$ sluiceway ").split()[0] for line in ended.stdout.splitlines() if line.startswith("$ ")
    ]
    assert {"preview", "drift", "diff", "deploy"} <= set(typed)
    assert "DELETE" in ended.stdout
    assert "by kubectl (Update, subresource scale" in ended.stdout
    assert "Secret shop/credentials\n              data\n" in ended.stdout
    assert "FAILED " in ended.stdout
    assert sorted(path.name for path in root.iterdir()) == ["db", "tmp", "web"]


def test_one_command_of_the_tour(root: Path) -> None:
    ended = python(root, "-m", "sluiceway", "demo", "drift", PATH="")
    assert ended.returncode == 0
    typed = [line for line in ended.stdout.splitlines() if line.startswith("$ ")]
    assert typed == ["$ sluiceway drift app", "$ sluiceway drift charts/web"]
