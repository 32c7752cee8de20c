"""Private directories: where values are on disk while a run needs them (``spec/core.md``, Values and secrets).

Each is ``$TMPDIR/sluiceway-<uid>/<random>``, mode 0700, with a file in it that stays locked while its process lives.
It is removed on every way out. What a SIGKILL leaves behind has a free lock, and the next :func:`sweep` removes it.

A directory is born and removed without a lock over all of them. The rules that make it safe: nothing but the lock is
ever in a directory whose lock was not held; the lock goes last; and whoever took a lock looks whether the file is
still the one at its path, since a sweep may have been quicker.
"""

import fcntl
import os
import resource
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_LOCK = "lock"
_ATTEMPTS = 20
_REMEDY = "Remove it, or set TMPDIR to a directory of your own."


class PrivateDirectoryError(OSError):
    """There is no safe place for private files. The text names the place and what to do about it."""


@contextmanager
def private_directory() -> Iterator[Path]:
    """Make a private directory, and remove it with all that is in it on every way out.

    Raises :class:`PrivateDirectoryError` where the base is not ours alone, ``OSError`` where it can't be written or
    where something in the directory can't be removed.
    """
    base = _base()
    _claim_base(base)
    directory = lock = None
    try:
        for _ in range(_ATTEMPTS):
            directory = base / os.urandom(8).hex()
            if (lock := _make(directory)) is not None:
                break
        else:
            raise PrivateDirectoryError(f"no directory stayed in {base}: another program removes them. {_REMEDY}")
        yield directory
    finally:
        if directory is not None:
            _remove(directory)
        if lock is not None:
            os.close(lock)


def keep_no_core() -> None:
    """Let no crash of this process, or of the tools that it starts, write what its memory holds into a core file.

    One byte is less than the smallest core file, and the one limit at which the kernel hands none to a program either.
    """
    _, highest = resource.getrlimit(resource.RLIMIT_CORE)
    if highest != 0:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (1, highest))


def sweep() -> int:
    """Remove the private directories whose process is gone, and return how many there were.

    Those of running processes stay, and so does anything that is not a directory of ours: no link is followed.
    Raises :class:`PrivateDirectoryError` where the base is not ours alone, ``OSError`` where one can't be removed.
    """
    base = _base()
    if not os.path.lexists(base):
        return 0
    _claim_base(base)
    with os.scandir(base) as entries:
        directories = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    return sum(_sweep_one(directory) for directory in directories)


def _base() -> Path:
    parent = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # the base in it is checked to be ours alone
    return Path(parent).absolute() / f"sluiceway-{os.geteuid()}"


def _claim_base(base: Path) -> None:
    """Make the base, or check that the one that is there is ours and nobody else's."""
    try:
        base.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise PrivateDirectoryError(f"{base} can't be made: {error.strerror}. {_REMEDY}") from None
    found = base.lstat()
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a directory"
    elif found.st_uid != os.geteuid():
        problem = "belongs to another user"
    elif stat.S_IMODE(found.st_mode) & 0o077:
        problem = "may be entered by other users"
    else:
        return
    raise PrivateDirectoryError(f"{base} {problem}. {_REMEDY}")


def _make(directory: Path) -> int | None:
    """Make the directory and return its lock, held; None where a sweep took the newborn for an old one."""
    directory.mkdir(mode=0o700)
    try:
        lock = _take(directory, os.O_CREAT | os.O_EXCL)
    except FileNotFoundError:
        return None
    if lock is None:
        _clear(directory)
    return lock


def _take(directory: Path, flags: int = 0) -> int | None:
    """Return the directory's lock, held, or None where someone else holds it or has removed it."""
    lock = os.open(directory / _LOCK, os.O_RDWR | os.O_NOFOLLOW | flags, 0o600)
    with ExitStack() as unless_taken:
        unless_taken.callback(os.close, lock)
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), (directory / _LOCK).lstat()):
                unless_taken.pop_all()
                return lock
    return None


def _sweep_one(directory: Path) -> bool:
    try:
        lock = _take(directory)
    except OSError:  # no lock in it, or none that can be opened
        return _remove_empty(directory)
    if lock is None:
        return False
    try:
        return _remove(directory)
    finally:
        os.close(lock)


def _remove_empty(directory: Path) -> bool:
    """Remove a directory with no lock if it is empty. One that is in the making is made again under another name."""
    try:
        directory.rmdir()
    except OSError:
        return False
    return True


def _remove(directory: Path) -> bool:
    """Remove the directory, whatever comes in between: a signal's exception, or what a tool closed to its owner."""
    try:
        return _clear(directory)
    except OSError:
        _open_up(directory)
        return _clear(directory)
    except BaseException:
        _clear(directory)
        raise


def _clear(directory: Path) -> bool:
    """Remove what is in the directory, then its lock, then itself; tell whether nobody else was quicker."""
    try:
        for name in os.listdir(directory):  # noqa: PTH208  # names, not paths
            if name != _LOCK:
                _remove_entry(directory / name)
        (directory / _LOCK).unlink(missing_ok=True)
        directory.rmdir()
    except FileNotFoundError:
        return False
    return True


def _remove_entry(path: Path) -> None:
    with suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _open_up(directory: Path) -> None:
    """Let the owner back into directories that a tool made read-only."""
    directory.chmod(0o700)
    for parent, names, _ in os.walk(directory):
        for name in names:
            if not (path := Path(parent, name)).is_symlink():
                path.chmod(0o700)
