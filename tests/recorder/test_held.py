import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder.clusters import identity
from recorder.clusters.base import ClusterError
from recorder.clusters.held import PROCESSES, Held
from tests.recorder.programs import until

ROOT = Path(__file__).parents[2]
SLEEP = ["/bin/sleep", "60"]


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    made = Held(tmp_path / "clusters" / "one")
    yield made
    made.close()


def test_the_directory_is_private_and_new(held: Held) -> None:
    assert held.directory.stat().st_mode & 0o777 == 0o700

    with pytest.raises(ClusterError, match=r"is there already: end that cluster first \('cluster down'\)"):
        Held(held.directory)


def test_processes_end_and_the_directory_goes_with_the_end(held: Held) -> None:
    held.start("one", SLEEP, {})
    held.start("two", SLEEP, {})
    assert list(held.identities) == ["keeper", "one", "two"]
    assert all(process.alive for process in held.identities.values())
    assert identity.read(held.directory / PROCESSES) == held.identities

    held.close()

    assert not any(process.alive for process in held.identities.values())
    assert not held.directory.exists()


def test_what_a_process_started_ends_with_it(held: Held) -> None:
    held.start("parent", ["/bin/sh", "-c", "sleep 60 & echo $! ; wait"], {"PATH": "/usr/bin:/bin"})
    until(lambda: held.log("parent").endswith("\n"))
    child = identity.identify(int(held.log("parent")))
    assert child is not None

    held.stop("parent")

    until(lambda: not child.alive)


def test_a_process_that_ended_by_itself_is_told_with_its_code_and_log(held: Held) -> None:
    held.start("one", ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], {})
    held.start("two", SLEEP, {})

    until(lambda: bool(held.ended()))

    assert held.ended() == {"one": 3}
    assert held.log("one") == "out\nerr\n"


def test_a_stopped_process_can_be_started_again(held: Held) -> None:
    held.start("one", SLEEP, {})
    first = held.identities["one"]
    held.stop("one")
    assert not first.alive
    assert held.ended() == {}

    held.start("one", SLEEP, {})

    assert held.identities["one"].alive
    assert held.identities["one"] != first


def test_one_name_is_one_process(held: Held) -> None:
    held.start("one", SLEEP, {})

    with pytest.raises(ClusterError, match="one could not be started: it was started already"):
        held.start("one", SLEEP, {})


def test_what_can_not_be_run_is_named(held: Held) -> None:
    with pytest.raises(ClusterError, match="one could not be started: No such file or directory"):
        held.start("one", ["/nowhere/program"], {})


def test_a_process_sees_only_the_environment_it_is_given(held: Held) -> None:
    held.start("one", ["/usr/bin/env"], {"ONLY": "this"})
    until(lambda: bool(held.ended()))

    assert held.log("one") == "ONLY=this\n"


def test_a_command_runs_afterwards_when_nothing_else_does(held: Held, tmp_path: Path) -> None:
    held.start("one", SLEEP, {})
    pid = held.identities["one"].pid
    held.afterwards(["/bin/sh", "-c", f"kill -0 {pid} 2>/dev/null; echo $? > {tmp_path}/alive"], {})

    held.close()

    assert (tmp_path / "alive").read_text(encoding="utf-8") == "1\n"


def test_a_command_that_fails_afterwards_is_told(tmp_path: Path) -> None:
    held = Held(tmp_path / "one")
    held.afterwards(["/bin/false"], {})

    with pytest.raises(ClusterError, match=r"what ends the cluster failed \(exit code 1\)"):
        held.close()

    assert not held.directory.exists()


def test_a_killed_keeper_leaves_nothing_either(held: Held) -> None:
    held.start("one", SLEEP, {})
    os.kill(held.identities["keeper"].pid, signal.SIGKILL)
    until(lambda: not held.identities["keeper"].alive)

    with pytest.raises(ClusterError, match="the process that keeps the cluster has ended"):
        held.ended()
    held.close()

    assert not held.identities["one"].alive
    assert not held.directory.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_killed_holder(tmp_path: Path, number: signal.Signals) -> None:
    directory = tmp_path / "one"
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom recorder.clusters.held import Held\n"
        f"held = Held(Path({str(directory)!r}))\nheld.start('one', {SLEEP!r}, {{}})\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        processes = identity.read(directory / PROCESSES)
        holder.send_signal(number)
        holder.wait(10)

    until(lambda: not directory.exists())
    until(lambda: not any(process.alive for process in processes.values()))


def test_what_is_detached_stands_until_its_keeper_is_asked_to_end(held: Held) -> None:
    held.start("one", SLEEP, {})
    keeper, one = held.identities["keeper"], held.identities["one"]

    held.detach()

    time.sleep(0.2)
    assert one.alive
    os.kill(keeper.pid, signal.SIGTERM)
    until(lambda: not held.directory.exists())
    assert not one.alive


def test_nobody_who_reads_the_output_of_a_detached_holder_is_kept_waiting(tmp_path: Path) -> None:
    directory = tmp_path / "one"
    script = (
        "from pathlib import Path\nfrom recorder.clusters.held import Held\n"
        f"held = Held(Path({str(directory)!r}))\nheld.start('one', {SLEEP!r}, {{}})\nheld.detach()"
    )

    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, timeout=20, check=False)

    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    processes = identity.read(directory / PROCESSES)
    assert processes["one"].alive
    assert identity.end(processes["keeper"])
    assert not processes["one"].alive


def test_what_is_left_keeps_its_directory(tmp_path: Path) -> None:
    held = Held(tmp_path / "one")
    held.afterwards(["/bin/sh", "-c", f"touch {tmp_path}/ran"], {})
    keeper = held.identities["keeper"]

    held.leave()

    assert held.directory.exists()
    assert not keeper.alive
    assert not (tmp_path / "ran").exists()
