import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from recorder.clusters import identity
from recorder.clusters.identity import Identity

STUBBORN = (
    "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready', flush=True)\ntime.sleep(60)"
)


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        yield process
        process.kill()


def identify(process: "subprocess.Popen[bytes]") -> Identity:
    found = identity.identify(process.pid)
    assert found is not None
    return found


def test_a_process_is_alive_until_it_ends(sleeper: "subprocess.Popen[bytes]") -> None:
    who = identify(sleeper)
    assert who.alive

    sleeper.kill()
    sleeper.wait()

    assert not who.alive
    assert identity.identify(sleeper.pid) is None


def test_a_process_that_only_waits_for_its_parent_is_gone(sleeper: "subprocess.Popen[bytes]") -> None:
    who = identify(sleeper)

    assert identity.end(who)

    assert sleeper.returncode is None
    assert not who.alive


def test_another_process_with_the_same_id_is_not_touched(sleeper: "subprocess.Popen[bytes]") -> None:
    who = replace(identify(sleeper), started="at another time")

    assert not who.alive
    assert identity.end(who)
    assert sleeper.poll() is None


def test_a_process_that_does_not_listen_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()

        assert identity.end(identify(process), seconds=0.2)

        assert process.wait() == -9


def test_ps_tells_the_same_where_there_is_no_proc(sleeper: "subprocess.Popen[bytes]") -> None:
    started = identity._start_from_ps(sleeper.pid)
    assert started
    assert identity._start_from_ps(sleeper.pid) == started

    sleeper.kill()
    sleeper.wait()

    assert identity._start_from_ps(sleeper.pid) is None


def test_a_name_with_brackets_and_blanks_is_no_trouble(tmp_path: Path) -> None:
    program = tmp_path / "a) S (b"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "60"]) as process:
        assert identify(process).alive
        process.kill()


def test_identities_are_read_as_they_were_written(tmp_path: Path) -> None:
    processes = {"keeper": Identity(7, "then"), "etcd": Identity(8, "now")}
    file = tmp_path / "processes.json"

    identity.write(file, processes)

    assert list(identity.read(file).items()) == list(processes.items())
    assert file.stat().st_mode & 0o777 == 0o600
    assert identity.read(tmp_path / "none") == {}
