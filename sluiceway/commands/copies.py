"""Copies of the report in files, each in a form of its own: ``--output FORMAT=FILE``."""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from sluiceway.commands.output import Output
from sluiceway.commands.settings import Format, Settings, UsageProblem
from sluiceway.reports.words import visible


@dataclass(frozen=True, slots=True)
class Copy:
    """One file that the report goes to. ``path`` is as it was typed, relative to the current directory."""

    form: Format
    path: Path


def copies(settings: Settings) -> tuple[Copy, ...]:
    """Return the copies that were asked for. Raises :class:`UsageProblem` for those that can't be made.

    Asked before anything is run: a deploy must not find out afterwards that its report has no place.
    """
    found = tuple(_copy(typed) for typed in settings.output or ())
    places = [os.path.realpath(copy.path) for copy in found]
    for copy, place in zip(found, places, strict=True):
        if places.count(place) > 1:
            raise UsageProblem(f"--output: two reports for {visible(str(copy.path))}: name another file")
    return found


def write_copies(output: Output, asked: Sequence[Copy], made: Callable[[Format], str]) -> None:
    """Write what ``made`` gives for each form. What can't be written is remembered in ``output.unwritten``."""
    for copy in asked:
        text = made(copy.form)
        try:
            write_whole(copy.path, text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            output.unwritten.append(f"{visible(str(copy.path))} can't be written: {error.strerror}")


def _copy(typed: str) -> Copy:
    form, equals, file = typed.partition("=")
    forms = [known.value for known in Format]
    if not equals or form not in forms or not file:
        raise UsageProblem(f"--output {visible(typed)}: it takes FORMAT=FILE; the formats are {', '.join(forms)}")
    path = Path(file)
    if file == "-":
        raise UsageProblem(f"--output {visible(typed)}: it takes a file; for stdout there is --format {form}")
    try:
        _check_place(typed, path)
    except OSError as error:
        raise UsageProblem(
            f"--output {visible(typed)}: this can't be written: {error.strerror}; name another file"
        ) from error
    return Copy(Format(form), path)


def _check_place(typed: str, path: Path) -> None:
    """Raise :class:`UsageProblem` or OSError for what is known to keep a report from ``path``."""
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        raise UsageProblem(f"--output {visible(typed)}: this is a directory; name a file in it")
    directory = Path(os.path.realpath(path)).parent
    if not mode and not directory.is_dir():
        raise UsageProblem(
            f"--output {visible(typed)}: there is no directory {visible(str(path.parent))}: make it first"
        )
    written_to = mode and not stat.S_ISREG(mode)
    if not (os.access(path, os.W_OK) if written_to else os.access(directory, os.W_OK | os.X_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _mode(path: Path) -> int:
    """Return the mode of what is there, 0 for nothing. Raises OSError where it can't be told."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return 0


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, with the rights that a new file has here; a link keeps leading to it.

    What is there and is no plain file (a pipe, ``/dev/stderr``) is written to as it is.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".{place.name[:64]}.{token_hex(8)}")
    try:
        with beside.open("xb") as stream:
            stream.write(content)
        beside.replace(place)
    finally:
        with suppress(OSError):
            beside.unlink()
