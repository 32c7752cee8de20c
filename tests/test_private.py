"""Private directories. A process of its own stands for another start of Sluiceway."""

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sluiceway import private
from sluiceway.private import PrivateDirectoryError, private_directory, sweep

HOLDER = """
import sys
from sluiceway.private import private_directory
with private_directory() as directory:
    (directory / "manifests.yaml").write_text("values")
    print(directory, flush=True)
    sys.stdin.read()
"""


CRASH = """
import os, resource
from sluiceway.private import keep_no_core
_, highest = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (highest, highest))
if {kept}:
    keep_no_core()
os.system("ulimit -c >&2; kill -ABRT $$")
os.abort()
"""


class Cut(BaseException):
    """What a signal's handler raises, anywhere."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def base(temporary: Path) -> Path:
    return temporary / f"sluiceway-{os.geteuid()}"


@contextmanager
def holder() -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """Another process that holds a private directory until its stdin ends."""
    argv = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())


def abandoned(base: Path, name: str = "abandoned") -> Path:
    """What a SIGKILL leaves: files, and a lock that nobody holds."""
    directory = base / name
    directory.mkdir(parents=True)
    base.chmod(0o700)
    (directory / "lock").touch()
    (directory / "manifests.yaml").touch()
    return directory


class TestDirectory:
    def test_is_its_owners_alone_and_gone_after(self, base: Path) -> None:
        before = os.umask(0)
        try:
            with private_directory() as directory:
                assert directory.parent == base
                assert stat.S_IMODE(base.stat().st_mode) == stat.S_IMODE(directory.stat().st_mode) == 0o700
                assert [path.name for path in directory.iterdir()] == ["lock"]
                assert stat.S_IMODE((directory / "lock").stat().st_mode) == 0o600
                (directory / "sub").mkdir()
                (directory / "sub" / "manifests.yaml").touch()
        finally:
            os.umask(before)
        assert list(base.iterdir()) == []

    def test_each_is_its_own(self) -> None:
        with private_directory() as one, private_directory() as other:
            assert one != other

    def test_is_absolute_where_tmpdir_is_not(self, monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
        monkeypatch.chdir(temporary)
        monkeypatch.setenv("TMPDIR", ".")
        with private_directory() as directory:
            assert directory.is_absolute()

    def test_without_tmpdir_lies_in_tmp(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TMPDIR")
        with private_directory() as directory:
            assert directory.parent == Path(f"/tmp/sluiceway-{os.geteuid()}")  # noqa: S108  # the default is the point
        assert not directory.exists()

    def test_keeps_no_file_open(self, base: Path) -> None:
        before = list(Path("/dev/fd").iterdir())
        for _ in range(5):
            with private_directory():
                abandoned(base)
                assert sweep() == 1
        assert len(list(Path("/dev/fd").iterdir())) == len(before)

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, Cut, SystemExit])
    def test_is_removed_when_an_exception_leaves_it(self, base: Path, error: type[BaseException]) -> None:
        with pytest.raises(error), private_directory() as directory:  # noqa: PT012  # it leaves a filled directory
            (directory / "manifests.yaml").touch()
            raise error
        assert list(base.iterdir()) == []

    def test_is_removed_though_a_signal_comes_while_it_is_removed(
        self, base: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def cut_short(path: Path) -> None:
            monkeypatch.undo()
            raise Cut(path.name)

        monkeypatch.setattr(private, "_remove_entry", cut_short)
        with pytest.raises(Cut), private_directory() as directory:
            (directory / "manifests.yaml").touch()
        assert list(base.iterdir()) == []

    def test_is_locked_until_it_is_empty(self, monkeypatch: pytest.MonkeyPatch) -> None:
        remove, removed = private._remove_entry, []

        def watch(path: Path) -> None:
            assert (path.parent / "lock").exists()
            removed.append(path.name)
            remove(path)

        monkeypatch.setattr(private, "_remove_entry", watch)
        with private_directory() as directory:
            for name in "abc":
                (directory / name).touch()
        assert sorted(removed) == ["a", "b", "c"]

    def test_is_removed_though_a_signal_comes_while_it_is_made(
        self, base: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def cut_short(*_: object) -> None:
            raise Cut

        monkeypatch.setattr(fcntl, "flock", cut_short)
        with pytest.raises(Cut), private_directory():
            pytest.fail("it was never made")
        assert list(base.iterdir()) == []

    def test_is_removed_with_what_a_tool_closed_to_its_owner(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        as_root = os.geteuid() == 0
        with private_directory() as directory:
            closed = directory / "cache" / "deep"
            closed.mkdir(parents=True)
            (closed / "file").touch()
            closed.chmod(0)
            closed.parent.chmod(0o500)
            if as_root:  # whom no mode keeps out: stand in for the refusal
                monkeypatch.setattr(private, "_remove_entry", refusing(closed))
        assert list(base.iterdir()) == []

    def test_a_link_in_it_is_removed_and_not_followed(self, temporary: Path) -> None:
        kept = temporary / "kept"
        kept.mkdir()
        (kept / "file").touch()
        with private_directory() as directory:
            (directory / "link").symlink_to(kept)
            (directory / "sub").mkdir()
            (directory / "sub" / "link").symlink_to(kept)
        assert (kept / "file").exists()

    def test_that_is_gone_already_is_fine(self) -> None:
        with private_directory() as directory:
            shutil.rmtree(directory)

    def test_that_a_sweep_takes_at_its_birth_is_made_again(self, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        born: list[Path] = []
        make = Path.mkdir

        def swept_at_once(path: Path, **options: int) -> None:
            make(path, **options)  # type: ignore[arg-type]
            if path.parent == base:
                born.append(path)
                if len(born) < 3:
                    assert sweep() == 1

        monkeypatch.setattr(Path, "mkdir", swept_at_once)
        with private_directory() as directory:
            assert directory == born[2]
            assert sweep() == 0
            assert directory.exists()


def refusing(closed: Path) -> Callable[[Path], None]:
    """Return a removal that fails while a directory is closed to its owner."""
    remove = private._remove_entry

    def attempt(path: Path) -> None:
        if not closed.stat().st_mode & stat.S_IXUSR or not closed.parent.stat().st_mode & stat.S_IWUSR:
            raise PermissionError(path)
        remove(path)

    return attempt


class TestBase:
    @pytest.mark.parametrize("use", [private_directory().__enter__, sweep])
    def test_that_others_may_enter_is_refused(self, base: Path, use: Callable[[], object]) -> None:
        base.mkdir()
        base.chmod(0o750)
        with pytest.raises(PrivateDirectoryError, match=r"may be entered by other users\. Remove it, or set TMPDIR"):
            use()

    @pytest.mark.parametrize("use", [private_directory().__enter__, sweep])
    def test_that_is_a_link_is_refused(self, base: Path, temporary: Path, use: Callable[[], object]) -> None:
        elsewhere = temporary / "elsewhere"
        old = abandoned(elsewhere)
        base.symlink_to(elsewhere)
        with pytest.raises(PrivateDirectoryError, match="is not a directory"):
            use()
        assert old.exists()

    @pytest.mark.parametrize("use", [private_directory().__enter__, sweep])
    def test_of_another_user_is_refused(
        self, base: Path, monkeypatch: pytest.MonkeyPatch, use: Callable[[], object]
    ) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: base.parent.stat().st_uid + 1)
        base.with_name(f"sluiceway-{os.geteuid()}").mkdir(mode=0o700)
        with pytest.raises(PrivateDirectoryError, match="belongs to another user"):
            use()

    def test_that_cannot_be_made_is_said(self, monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
        monkeypatch.setenv("TMPDIR", str(temporary / "nowhere"))
        with (
            pytest.raises(PrivateDirectoryError, match=r"can't be made: No such file or directory\. .* set TMPDIR"),
            private_directory(),
        ):
            pytest.fail("there is no place for it")
        assert sweep() == 0


class TestSweep:
    def test_finds_nothing_where_nothing_was(self, base: Path) -> None:
        assert sweep() == 0
        assert not base.exists()

    def test_removes_what_a_sigkill_left_and_not_what_is_in_use(self, base: Path) -> None:
        with private_directory() as ours, holder() as (_, theirs):
            with holder() as (process, killed):
                process.kill()
            assert killed.exists()
            assert killed.parent == base
            assert sweep() == 1
            assert not killed.exists()
            assert (theirs / "manifests.yaml").exists()
            assert ours.exists()
            assert sweep() == 0
        assert not theirs.exists()

    def test_sweeps_side_by_side_count_each_once(self, base: Path) -> None:
        for number in range(20):
            abandoned(base, str(number))
        counts: list[int] = []
        threads = [threading.Thread(target=lambda: counts.append(sweep())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        assert sum(counts) == 20
        assert list(base.iterdir()) == []

    def test_goes_on_where_one_was_cut_short(self, base: Path) -> None:
        abandoned(base, "has-its-lock-still").joinpath("manifests.yaml").unlink()
        (base / "has-lost-its-lock").mkdir()
        assert sweep() == 2
        assert list(base.iterdir()) == []

    def test_follows_no_link_and_touches_nothing_else(self, base: Path, temporary: Path) -> None:
        kept = abandoned(temporary / "elsewhere")
        abandoned(base)
        (base / "link").symlink_to(kept)
        (base / "file").touch()
        (base / "no-lock").mkdir()
        (base / "no-lock" / "file").touch()
        (base / "linked-lock").mkdir()
        (base / "linked-lock" / "lock").symlink_to(kept / "lock")
        assert sweep() == 1
        assert sorted(path.name for path in base.iterdir()) == ["file", "link", "linked-lock", "no-lock"]
        assert (kept / "manifests.yaml").exists()


def test_makers_and_sweepers_side_by_side_never_meet(base: Path) -> None:
    failures: list[BaseException] = []

    def make() -> None:
        try:
            for _ in range(40):
                with private_directory() as directory:
                    (directory / "manifests.yaml").write_text("values")
                    assert (directory / "manifests.yaml").read_text() == "values"
        except BaseException as error:  # noqa: BLE001  # asserted on below
            failures.append(error)

    makers = [threading.Thread(target=make) for _ in range(3)]
    for maker in makers:
        maker.start()
    while any(maker.is_alive() for maker in makers):
        sweep()
    assert failures == []
    assert list(base.iterdir()) == []


def test_a_stopped_process_keeps_its_directory() -> None:
    with holder() as (process, directory):
        process.send_signal(signal.SIGSTOP)
        try:
            assert sweep() == 0
            assert directory.exists()
        finally:
            process.send_signal(signal.SIGCONT)


def test_a_crash_leaves_no_core_file(tmp_path: Path) -> None:
    written = {}
    for kept in (False, True):
        room = tmp_path / str(kept)
        room.mkdir()
        argv = [sys.executable, "-c", CRASH.format(kept=kept)]
        answer = subprocess.run(argv, cwd=room, capture_output=True, text=True, timeout=60, check=False)
        assert answer.returncode == -signal.SIGABRT
        written[kept] = list(room.iterdir())
        if kept:
            assert answer.stderr.split()[0] == "0"
    if not written[False]:
        pytest.skip("this machine writes no core file beside the program")
    assert written[True] == []
