# ruff: noqa: PT012 - what a signal's exception leaves is a block of several steps
"""Signals to Sluiceway itself. A program of its own stands for a command of ours."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sluiceway.processes import Command, ProcessRunner, interrupted_by
from sluiceway.signals import Interrupted, ending_on_signals

PROGRAM = """
import sys, time
from pathlib import Path
from sluiceway.private import private_directory
from sluiceway.processes import Command, ProcessRunner
from sluiceway.signals import Interrupted, ending_on_signals

IGNORE = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
TOOL = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)"

def command(program):
    return Command((sys.executable, "-I", "-S", "-c", program), cwd=Path.cwd())

def runner(grace):
    return ProcessRunner(environment={}, relay=sys.stderr.write, shown=print, grace=grace)

def say(text):
    print(text, flush=True)

try:
    with ending_on_signals() as ending:
        BODY
        say("went on")
except Interrupted as error:
    say(error)
    sys.exit(error.exit_code)
"""

WAITING = """
        with private_directory() as directory, runner(grace=0.1) as at:
            running = at.start(command(IGNORE + TOOL))
            (directory / "manifests.yaml").touch()
            say(directory)
            running.wait()
            say("not reached")
"""

FINISHING = """
        with ending.finishing(), private_directory() as directory, runner(grace=0.1) as at:
            running = at.start(command(IGNORE + TOOL))
            say(directory)
            say(running.wait().ended)
            say(at.run(command("print(1)")).ended)
"""

STUBBORN = """
        with ending.finishing(), private_directory() as directory, runner(grace=60) as at:
            running = at.start(command(IGNORE + TOOL))
            say(directory)
            running.wait()
            say("not reached")
"""

LEAVING = """
        with runner(grace=20) as at:
            running = at.start(command(TOOL))
            while not Path("go").exists():
                time.sleep(0.02)
        say(running.wait().exit_code)
"""


@contextmanager
def program(body: str, directory: Path, *, before: str = "") -> Iterator["subprocess.Popen[str]"]:
    """Run a program with this body in a session of its own; it is ended in any case."""
    script = PROGRAM.replace("        BODY", body.strip("\n"))
    argv = ["/bin/sh", "-c", f'{before} exec "$0" -c "$1"', sys.executable, script]
    environment = {**os.environ, "TMPDIR": str(directory), "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    with subprocess.Popen(
        argv,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: "subprocess.Popen[str]") -> list[str]:
    return process.communicate(timeout=40)[0].split("\n")[:-1]


def tool_of(directory: Path) -> int:
    """Return the number of the tool's process, once it runs."""
    for _ in range(1000):
        if (text := (directory / "pid").read_text() if (directory / "pid").exists() else "") != "":
            return int(text)
        time.sleep(0.02)
    raise TimeoutError


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607
    return state.stdout.strip() != "" and not state.stdout.startswith("Z")


def left_in(directory: Path) -> list[Path]:
    return list((directory / f"sluiceway-{os.geteuid()}").iterdir())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_tool_and_no_private_file(tmp_path: Path, number: signal.Signals) -> None:
    with program(WAITING, tmp_path) as process:
        tool = tool_of(tmp_path)
        assert is_running(tool)
        process.send_signal(number)
        assert said(process)[1:] == [f"ended by {number.name}"]
    assert process.returncode == 128 + number
    assert not is_running(tool)
    assert left_in(tmp_path) == []


def test_a_run_that_is_finishing_returns_its_results_first(tmp_path: Path) -> None:
    with program(FINISHING, tmp_path) as process:
        tool = tool_of(tmp_path)
        process.terminate()
        assert said(process)[1:] == ["interrupted", "interrupted", "went on", "ended by SIGTERM"]
    assert process.returncode == 143
    assert not is_running(tool)
    assert left_in(tmp_path) == []


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with program(STUBBORN, tmp_path) as process:
        tool = tool_of(tmp_path)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.2)
        assert is_running(tool)
        process.send_signal(signal.SIGTERM)
        assert said(process)[1:] == ["ended by SIGTERM"]
    assert not is_running(tool)
    assert left_in(tmp_path) == []


def test_where_sigint_was_ignored_before_it_still_ends_tools(tmp_path: Path) -> None:
    with program(LEAVING, tmp_path, before="trap '' INT HUP;") as process:
        tool = tool_of(tmp_path)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        (tmp_path / "go").touch()
        assert said(process) == [str(-signal.SIGINT), "went on"]
    assert process.returncode == 0
    assert not is_running(tool)


def test_it_is_raised_at_once_and_once() -> None:
    with pytest.raises(Interrupted) as caught, ending_on_signals() as ending:
        try:
            signal.raise_signal(signal.SIGTERM)
            pytest.fail("the signal went by")
        finally:
            signal.raise_signal(signal.SIGTERM)  # while cleaning up
            signal.raise_signal(signal.SIGINT)
            seen = interrupted_by(), ending.signal_number
    assert seen == (signal.SIGTERM, signal.SIGTERM)
    assert (caught.value.signal_number, caught.value.exit_code) == (signal.SIGTERM, 143)
    assert not isinstance(caught.value, Exception)


def test_it_is_held_back_until_the_end_while_finishing() -> None:
    reported = False
    with pytest.raises(Interrupted, match="ended by SIGINT"), ending_on_signals() as ending, ending.finishing():
        signal.raise_signal(signal.SIGINT)
        reported = True
    assert reported


def test_it_is_raised_in_the_end_though_it_was_swallowed() -> None:
    with pytest.raises(Interrupted), ending_on_signals(), suppress(Interrupted):
        signal.raise_signal(signal.SIGTERM)


def test_an_exception_of_the_run_goes_first() -> None:
    with pytest.raises(ZeroDivisionError), ending_on_signals() as ending, ending.finishing():
        signal.raise_signal(signal.SIGTERM)
        raise ZeroDivisionError


def test_it_wakes_the_main_thread() -> None:
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGTERM))
    with pytest.raises(Interrupted), ending_on_signals():
        timer.start()
        threading.Event().wait(20)


def test_leaving_puts_everything_back() -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
    before = [signal.getsignal(number) for number in numbers]
    with pytest.raises(Interrupted), ending_on_signals():
        signal.raise_signal(signal.SIGHUP)
    with ending_on_signals() as ending:
        assert interrupted_by() is None
    assert ending.signal_number is None
    assert [signal.getsignal(number) for number in numbers] == before


def test_exit_codes_are_not_lost_where_sigchld_was_ignored_before(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with (
            ending_on_signals(),
            ProcessRunner(environment=dict(os.environ), relay=print, shown=print) as runner,
        ):
            assert runner.run(Command(("false",), cwd=tmp_path)).exit_code == 1
        assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)
