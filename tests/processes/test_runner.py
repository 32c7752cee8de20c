"""The real Runner: small Python programs stand for the tools."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sluiceway import processes
from sluiceway.processes import (
    Command,
    Outcome,
    ProcessRunner,
    interrupt_all,
    interrupted_by,
    supervision,
    tool_environment,
)
from sluiceway.processes import commands as commands_module
from sluiceway.processes.interrupts import forget_interrupt
from sluiceway.processes.streams import MIB, Kept

CANARY = "c4n4ry-v4lue"
IGNORE_SIGINT = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
SLEEP = "import time; open('began', 'w').write('1'); time.sleep(60)"
HOUR = 3600.0


@pytest.fixture(autouse=True)
def no_interrupt() -> Iterator[None]:
    yield
    forget_interrupt()


class Bench:
    """Makes runners and commands, and keeps what they relay."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.relayed: list[str] = []
        self.shown: list[str] = []

    def runner(
        self,
        *,
        environment: dict[str, str] | None = None,
        relay: Callable[[str], None] | None = None,
        limit: float = 1.0,
        grace: float = 5.0,
        write_grace: float = 5.0,
    ) -> ProcessRunner:
        return ProcessRunner(
            environment=dict(os.environ) if environment is None else environment,
            relay=relay or self.relayed.append,
            shown=self.shown.append,
            limit=limit,
            grace=grace,
            write_grace=write_grace,
        )

    def command(self, program: str, *arguments: str, shown: bool = False, writes: bool = False) -> Command:
        argv = (sys.executable, "-I", "-S", "-c", program, *arguments)
        return Command(argv, cwd=self.directory, shown=shown, writes=writes)

    def run(self, program: str, *arguments: str) -> Outcome:
        with self.runner() as runner:
            return runner.run(self.command(program, *arguments))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not; waits a moment for it."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607
        if state.stdout.startswith("Z") or not state.stdout:
            return True
        time.sleep(0.02)
    return False


def wait_for(path: Path) -> str:
    """Return what is in a file once a program has written it."""
    for _ in range(1000):
        if path.exists() and (text := path.read_text()):
            return text
        time.sleep(0.02)
    raise TimeoutError(path.name)


class TestOutcome:
    def test_holds_what_the_tool_wrote_and_its_exit_code(self, bench: Bench) -> None:
        outcome = bench.run(
            r"import sys; sys.stdout.buffer.write(b'out\0\xff'); sys.stderr.write('err\n'); sys.exit(3)"
        )
        assert (outcome.ended, outcome.exit_code, outcome.limit) == ("exited", 3, None)
        assert outcome.stdout == b"out\0\xff"
        assert outcome.stderr == "err\n"

    def test_of_a_tool_that_a_signal_ended_has_minus_its_number(self, bench: Bench) -> None:
        outcome = bench.run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
        assert (outcome.ended, outcome.exit_code) == ("exited", -signal.SIGKILL)

    def test_waiting_again_gives_the_same(self, bench: Bench) -> None:
        with bench.runner() as runner:
            running = runner.start(bench.command("print(1)"))
            assert running.wait() is running.wait()

    def test_shows_no_value_in_its_repr(self, bench: Bench) -> None:
        outcome = bench.run("import sys; print(sys.argv[1]); sys.exit(sys.argv[1])", CANARY)
        assert CANARY in outcome.stderr
        assert CANARY.encode() in outcome.stdout
        assert CANARY not in repr(outcome)


class TestStart:
    def test_gives_an_empty_stdin_and_no_shell(self, bench: Bench) -> None:
        outcome = bench.run("import sys; print(repr(sys.stdin.read()), sys.argv[1])", "$HOME; *")
        assert outcome.stdout == b"'' $HOME; *\n"

    def test_gives_each_command_a_session_of_its_own(self, bench: Bench) -> None:
        outcome = bench.run("import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())")
        assert outcome.stdout == b"True\n"

    def test_passes_on_no_open_file(self, bench: Bench) -> None:
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)
        try:
            outcome = bench.run(
                "import os, sys\ntry: os.fstat(int(sys.argv[1]))\nexcept OSError: print(1)", str(writing)
            )
        finally:
            os.close(reading)
            os.close(writing)
        assert outcome.stdout == b"1\n"

    def test_applies_the_commands_changes_to_the_environment(self, bench: Bench) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "KEEP": "1",
            "KUBE_A": "1",
            "KUBE_B": "1",
            "GONE": "1",
            "OTHER": "old",
        }
        program = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), os.environ['OTHER'])"
        command = Command(
            (sys.executable, "-I", "-S", "-c", program),
            cwd=bench.directory,
            env={"KUBE_A": "new", "OTHER": "new"},
            without=("KUBE_*", "GONE", "KEE"),
        )
        with bench.runner(environment=environment) as runner:
            assert runner.run(command).stdout == b"['KEEP', 'KUBE_A', 'OTHER', 'PATH'] new\n"

    def test_starts_commands_at_once_and_side_by_side(self, bench: Bench) -> None:
        meet = (
            "import os, sys, time\nmine, other = sys.argv[1:]\nopen(mine, 'w')\n"
            "while not os.path.exists(other): time.sleep(.01)"
        )
        with bench.runner() as runner:
            running = [runner.start(bench.command(meet, *names)) for names in (("a", "b"), ("b", "a"))]
            assert [it.wait().ended for it in running] == ["exited", "exited"]


class TestNotStarted:
    def tool(self, path: Path, text: str = "#!/bin/sh\necho ran\n", mode: int = 0o755) -> Path:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def run(self, bench: Bench, name: str, search: str, cwd: Path | None = None) -> Outcome:
        with bench.runner(environment={"PATH": search}) as runner:
            return runner.run(Command((name, CANARY), cwd=cwd or bench.directory))

    def test_a_tool_is_looked_up_on_the_path_of_its_own_environment(self, bench: Bench) -> None:
        self.tool(bench.directory / "bin" / "deployer")
        search = f"/nowhere:{bench.directory}/bin"
        assert self.run(bench, "deployer", search).stdout == b"ran\n"

    def test_one_that_is_missing_is_told_apart(self, bench: Bench) -> None:
        outcome = self.run(bench, "deployer", "/nowhere")
        assert outcome == Outcome("not-started", stderr="deployer: not found on PATH")

    @pytest.mark.parametrize("search", ["", ".", "bin", "./bin:", ":/nowhere"])
    def test_nothing_runs_out_of_the_stacks_directory(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch, search: str
    ) -> None:
        monkeypatch.chdir(bench.directory)
        self.tool(bench.directory / "deployer")
        self.tool(bench.directory / "bin" / "deployer")
        assert self.run(bench, "deployer", search).ended == "not-started"
        assert self.run(bench, "./deployer", search).ended == "not-started"
        assert self.run(bench, "bin/deployer", search).ended == "not-started"

    def test_a_file_that_may_not_be_executed_is_passed_over(self, bench: Bench) -> None:
        self.tool(bench.directory / "first" / "deployer", mode=0o644)
        (bench.directory / "second" / "deployer").mkdir(parents=True)
        self.tool(bench.directory / "third" / "deployer")
        search = ":".join(f"{bench.directory}/{name}" for name in ("first", "second"))
        assert self.run(bench, "deployer", search).ended == "not-started"
        assert self.run(bench, "deployer", f"{search}:{bench.directory}/third").stdout == b"ran\n"

    def test_a_file_that_is_no_program_is_not_given_to_a_shell(self, bench: Bench) -> None:
        tool = self.tool(bench.directory / "deployer", text="echo ran\n")
        outcome = self.run(bench, str(tool), "")
        assert outcome.ended == "not-started"
        assert outcome.stderr.endswith(": Exec format error")
        assert outcome.exit_code is None

    @pytest.mark.parametrize("word", ["a\0b", "a\ud800b"])
    def test_a_word_that_no_program_can_be_given_is_an_outcome(self, bench: Bench, word: str) -> None:
        with bench.runner() as runner:
            outcome = runner.run(Command((sys.executable, "-c", "", word), cwd=bench.directory))
        assert outcome.ended == "not-started"
        assert outcome.stderr.endswith("a character that no program can be given")

    def test_a_missing_directory_is_not_a_missing_tool(self, bench: Bench) -> None:
        outcome = self.run(bench, sys.executable, "", cwd=bench.directory / "nowhere")
        assert outcome.ended == "not-started"
        assert outcome.stderr.endswith("its working directory is missing")


class Clock:
    """The clock by which time limits are judged; a test sets it ahead once its program has begun."""

    ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(supervision, "time", clock)
    return clock


class TestTimeLimit:
    def over_the_limit(
        self, bench: Bench, clock: Clock, program: str, *arguments: str, limit: float = 1, grace: float = 20
    ) -> Outcome:
        with bench.runner(limit=limit, grace=grace) as runner:
            running = runner.start(bench.command(program, *arguments))
            wait_for(bench.directory / "began")
            clock.ahead = HOUR
            return running.wait()

    def test_ends_a_command_with_sigint_first(self, bench: Bench, clock: Clock) -> None:
        program = f"try: {SLEEP}\nexcept KeyboardInterrupt: print('cleaned up')"
        outcome = self.over_the_limit(bench, clock, program, limit=7.5)
        assert outcome == Outcome("timed-out", exit_code=0, stdout=b"cleaned up\n", limit=7.5)

    def test_kills_one_that_stays_past_the_grace(self, bench: Bench, clock: Clock) -> None:
        outcome = self.over_the_limit(bench, clock, f"{IGNORE_SIGINT} print(1, flush=True); {SLEEP}", grace=0.1)
        assert outcome == Outcome("timed-out", exit_code=-signal.SIGKILL, stdout=b"1\n", limit=1)

    @pytest.mark.parametrize(("writes", "nap", "said"), [(True, 0.3, b"finished\n"), (False, 20, b"")])
    def test_gives_a_command_that_writes_a_longer_grace(
        self, bench: Bench, clock: Clock, writes: bool, nap: float, said: bytes
    ) -> None:
        program = f"try: {SLEEP}\nexcept KeyboardInterrupt: time.sleep({nap}); print('finished')"
        with bench.runner(grace=0.05, write_grace=20) as runner:
            running = runner.start(bench.command(program, writes=writes))
            wait_for(bench.directory / "began")
            clock.ahead = HOUR
            assert running.wait().stdout == said

    def test_ends_grandchildren_that_ignore_sigint_and_hold_the_pipes(
        self, bench: Bench, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(supervision, "DRAIN", 0.1)
        grandchild = f"{IGNORE_SIGINT} import os; print(os.getpid(), flush=True); {SLEEP}"
        program = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(60)"
        began = time.monotonic()
        outcome = self.over_the_limit(bench, clock, program, sys.executable, "-I", "-S", "-c", grandchild, grace=40)
        assert time.monotonic() - began < 20
        assert outcome.ended == "timed-out"
        assert is_gone(int(outcome.stdout))

    def test_is_one_for_all_commands_of_a_runner(self, bench: Bench, clock: Clock) -> None:
        with bench.runner(limit=2) as runner:
            assert runner.run(bench.command("pass")).ended == "exited"
            clock.ahead = HOUR
            assert runner.run(bench.command("open('started', 'w')")) == Outcome("timed-out", limit=2)
        assert not (bench.directory / "started").exists()

    def test_is_in_minutes(self, bench: Bench) -> None:
        with bench.runner(limit=0.1 / 60) as runner:
            outcome = runner.run(bench.command("import time; time.sleep(60)"))
        assert (outcome.ended, outcome.limit) == ("timed-out", 0.1 / 60)

    def test_is_kept_while_nobody_waits(self, bench: Bench, clock: Clock) -> None:
        with bench.runner() as runner:
            runner.start(bench.command(f"import os; open('pid', 'w').write(str(os.getpid())); {SLEEP}"))
            wait_for(bench.directory / "began")
            clock.ahead = HOUR
            assert is_gone(int(wait_for(bench.directory / "pid")))


class TestLeftBehind:
    def test_what_a_tool_leaves_running_is_left_alone_and_not_waited_for(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(supervision, "DRAIN", 0.1)
        program = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).pid)"
        began = time.monotonic()
        outcome = bench.run(program, sys.executable, "-I", "-S", "-c", "import time; time.sleep(30)")
        left = int(outcome.stdout)
        try:
            assert time.monotonic() - began < 20
            assert (outcome.ended, outcome.exit_code) == ("exited", 0)
            os.kill(left, 0)
        finally:
            os.kill(left, signal.SIGKILL)

    def test_what_it_still_writes_within_the_drain_is_kept(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervision, "DRAIN", 20)
        program = "import subprocess, sys; print('first', flush=True); subprocess.Popen(sys.argv[1:])"
        outcome = bench.run(program, sys.executable, "-I", "-S", "-c", "import time; time.sleep(.1); print('last')")
        assert outcome.stdout == b"first\nlast\n"

    def test_a_tool_that_closes_its_output_is_waited_for(self, bench: Bench) -> None:
        outcome = bench.run("import os, time; os.close(1); os.close(2); time.sleep(.1); os._exit(7)")
        assert (outcome.ended, outcome.exit_code) == ("exited", 7)


class TestStdout:
    WRITE = "import os, sys\nleft = int(sys.argv[1])\nwhile left: left -= os.write(1, bytes(min(left, 1 << 20)))"

    def test_is_whole_at_the_limit_and_gone_above(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(commands_module, "STDOUT_LIMIT_MIB", 1)
        assert len(bench.run(self.WRITE, str(MIB)).stdout) == MIB
        above = bench.run(self.WRITE, str(MIB + 1))
        assert (above.ended, above.stdout) == ("too-large", b"")

    def test_limit_is_128_mib_and_ends_the_tool(self, bench: Bench) -> None:
        endless = "import os\nchunk = bytes(1 << 20)\nwhile True: os.write(1, chunk)"
        outcome = bench.run(endless)
        assert processes.STDOUT_LIMIT_MIB == 128
        assert (outcome.ended, outcome.exit_code) == ("too-large", -signal.SIGINT)

    def test_of_a_shown_command_goes_to_the_person_too(self, bench: Bench) -> None:
        program = r"print('\033[31mred\033[0m \033]0;title\a\033[2Jplain'); print('two', end='')"
        with bench.runner() as runner:
            outcome = runner.run(bench.command(program, shown=True))
            runner.run(bench.command("print('not shown')"))
        assert bench.shown == ["\033[31mred\033[0m plain", "two"]
        assert outcome.stdout == b"\033[31mred\033[0m \033]0;title\a\033[2Jplain\ntwo"


class TestStderr:
    def test_is_relayed_while_the_tool_runs(self, bench: Bench) -> None:
        def relay(line: str) -> None:
            (bench.directory / line).touch()

        program = "import os, sys, time\nsys.stderr.write('seen\\n')\nwhile not os.path.exists('seen'): time.sleep(.01)"
        with bench.runner(relay=relay) as runner:
            assert runner.run(bench.command(program)).ended == "exited"

    def test_is_relayed_from_the_first_wait_on(self, bench: Bench) -> None:
        with bench.runner() as runner:
            first = runner.start(bench.command("import sys; sys.stderr.write('first')"))
            second = runner.run(bench.command("import sys; sys.stderr.write('second')"))
            assert bench.relayed == ["second"]
            assert (first.wait().stderr, second.stderr) == ("first", "second")
        assert bench.relayed == ["second", "first"]

    def test_of_a_command_that_nobody_waits_for_is_not_relayed(self, bench: Bench) -> None:
        with bench.runner() as runner:
            program = "import sys; sys.stderr.write('said\\n'); sys.stderr.flush(); open('seen', 'w').close()"
            runner.start(bench.command(program))
            while not (bench.directory / "seen").exists():
                time.sleep(0.01)
        assert bench.relayed == []

    def test_that_answers_what_was_asked_is_kept_and_not_relayed(self, bench: Bench) -> None:
        command = bench.command("import sys; sys.stderr.write('not found\\nmore\\n')")
        with bench.runner() as runner:
            outcome = runner.run(replace(command, answers=frozenset({"not found"})))
        assert outcome.stderr == "not found\nmore\n"
        assert bench.relayed == ["more"]

    def test_is_relayed_as_plain_lines(self, bench: Bench) -> None:
        bench.run(r"import os; os.write(2, b'10%\r20%\r\n\033[1mbold\033[m\0\n\xff\xfe\nlast')")
        assert bench.relayed == ["10%", "20%", "bold", "\ufffd\ufffd", "last"]

    def test_keeps_its_ends_only_and_relays_all_the_same(self, bench: Bench) -> None:
        outcome = bench.run("import sys\nfor n in range(30_000): sys.stderr.write(f'line {n}' + 99 * ' ' + '\\n')")
        assert len(bench.relayed) == 30_000
        assert outcome.stderr.startswith("line 0 ")
        assert outcome.stderr.rstrip().endswith("\nline 29999")
        assert " bytes left out)\n" in outcome.stderr
        assert len(outcome.stderr) < 2 * MIB + 100

    def test_a_relay_that_fails_is_heard_of_after_the_tool_has_finished(self, bench: Bench) -> None:
        def relay(_line: str) -> None:
            raise ZeroDivisionError

        program = "import sys\nfor n in range(9999): sys.stderr.write('x\\n')\nopen('finished', 'w')"
        with bench.runner(relay=relay) as runner:
            running = runner.start(bench.command(program))
            with pytest.raises(ZeroDivisionError):
                running.wait()
        assert (bench.directory / "finished").exists()


class TestInterrupt:
    def test_ends_what_runs_and_starts_nothing_more(self, bench: Bench) -> None:
        assert interrupted_by() is None
        with bench.runner() as one, bench.runner() as other:
            running = [one.start(bench.command(SLEEP)), other.start(bench.command(SLEEP))]
            wait_for(bench.directory / "began")
            interrupt_all(signal.SIGTERM)
            assert {it.wait().ended for it in running} == {"interrupted"}
            assert one.run(bench.command("open('started', 'w')")) == Outcome("interrupted")
        assert interrupted_by() == signal.SIGTERM
        assert not (bench.directory / "started").exists()

    def test_at_once_forgoes_the_grace(self, bench: Bench) -> None:
        with bench.runner(write_grace=40) as runner:
            running = runner.start(bench.command(IGNORE_SIGINT + SLEEP, writes=True))
            wait_for(bench.directory / "began")
            interrupt_all(signal.SIGINT)
            interrupt_all(signal.SIGTERM, at_once=True)
            began = time.monotonic()
            outcome = running.wait()
        assert time.monotonic() - began < 20
        assert (outcome.ended, outcome.exit_code) == ("interrupted", -signal.SIGKILL)
        assert interrupted_by() == signal.SIGINT

    def test_keeps_what_was_written_so_far(self, bench: Bench) -> None:
        with bench.runner() as runner:
            running = runner.start(bench.command("print('done a', flush=True); " + SLEEP))
            wait_for(bench.directory / "began")
            interrupt_all(signal.SIGTERM)
            assert running.wait().stdout == b"done a\n"


class TestLeaving:
    def test_ends_whatever_still_runs(self, bench: Bench) -> None:
        with bench.runner() as runner:
            runner.start(bench.command("pass"))
            running = runner.start(
                bench.command("import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)")
            )
            pid = int(wait_for(bench.directory / "pid"))
        assert is_gone(pid)
        assert running.wait().ended == "interrupted"
        assert runner.run(bench.command("open('started', 'w')")) == Outcome("interrupted")
        assert not (bench.directory / "started").exists()

    def test_hundreds_of_commands_leave_no_open_file_thread_or_zombie(self, bench: Bench) -> None:
        def held() -> tuple[int, int]:
            return len(list(Path("/dev/fd").iterdir())), threading.active_count()

        before = held()
        for _ in range(10):
            with bench.runner() as runner:
                running = [runner.start(Command(("true",), cwd=bench.directory)) for _ in range(20)]
                assert {it.wait() for it in running} == {Outcome("exited", exit_code=0)}
                assert runner.run(Command(("nothing-of-this-name",), cwd=bench.directory)).ended == "not-started"
        assert held() == before
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


def test_a_bug_of_ours_leaves_no_process(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Kept, "feed", break_down)
    with bench.runner() as runner:
        running = runner.start(bench.command("import time; print(1, flush=True); time.sleep(60)"))
        with pytest.raises(ZeroDivisionError):
            running.wait()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_an_exit_code_that_the_system_threw_away_is_never_read_as_success(bench: Bench) -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with bench.runner() as runner:
            running = runner.start(bench.command("raise SystemExit(1)"))
            with pytest.raises(RuntimeError, match="SIGCHLD is ignored"):
                running.wait()
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_the_tools_environment_is_the_jobs_without_inputs() -> None:
    environ = {"HOME": "/h", "INPUT_TOKEN": "x", "INPUT": "kept", "A": "1"}
    assert tool_environment(environ) == {"HOME": "/h", "INPUT": "kept", "A": "1"}
    assert tool_environment(environ, {"A": "2", "B": "3"}) == {"HOME": "/h", "INPUT": "kept", "A": "2", "B": "3"}


def test_a_replay_does_not_load_the_means_to_start_processes() -> None:
    program = (
        "import sys, sluiceway.processes as it; it.Command; it.interrupt_all\n"
        "assert not {'subprocess', 'selectors', 'signal'} & set(sys.modules)\n"
        "it.ProcessRunner; assert 'subprocess' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_room_says_what_is_public() -> None:
    assert all(hasattr(processes, name) for name in processes.__all__)
    assert not hasattr(processes, "nothing_of_this_name")
