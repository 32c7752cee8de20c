"""A person who follows a page: writes the files that it shows, types its commands, and compares what they print."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.pages import ROOT, Block, blocks

SECONDS = 180.0
"""How long one command of a page may take. Most take one or two; a namespace with pods takes its time to go."""

_HASH = re.compile(r"\b[0-9a-f]{16}\b")
_SHOWN_HASH = re.compile(r"^(?:  Hash: |\S+=)([0-9a-f]{16})$", re.MULTILINE)
_PROGRESS = re.compile(r"^\S+: (?:started|[a-z -]+ after \d+\.\d s(?: \(\d+ of \d+ done\))?)\n", re.MULTILINE)
"""What stands in one line of a terminal, and is gone when a command ends."""

_VOLATILE = (
    (re.compile(r"\(\d+\.\d s\)"), "(0.4 s)"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-12-01T09:30:00Z"),
    (re.compile(r"\b([EIW])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+(?= \w+\.go:)"), r"\g<1>1201 09:30:00.000000     101"),
    (re.compile(r"(?<=^LAST DEPLOYED: ).*$", re.MULTILINE), "Tue Dec  1 09:30:00 2026"),
)
"""What differs from run to run, and how pages write it."""


class DifferentError(AssertionError):
    """A command printed something else than its page shows."""


def steady(text: str) -> str:
    """Return what a command printed as a page shows it: always the same for one behaviour."""
    text = _PROGRESS.sub("", text)
    for pattern, written in _VOLATILE:
        text = pattern.sub(written, text)
    return text


@dataclass
class Reader:
    """Follows pages in ``directory``. ``programs`` are what is on PATH beside the system's own, by name.

    With ``rewrites`` the page gets what the commands print now, and a later command the hash that was printed.
    """

    directory: Path
    programs: dict[str, Path]
    environment: dict[str, str]
    rewrites: bool = False
    hashes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.directory.mkdir(parents=True)
        bin_ = self.directory.parent / "bin"
        bin_.mkdir()
        for name, program in self.programs.items():
            (bin_ / name).symlink_to(program)
        mine = bin_ / "sluiceway"
        mine.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {sys.executable} -m sluiceway "$@"\n')
        mine.chmod(0o755)
        self.environment = {"PATH": f"{bin_}:/usr/bin:/bin", "NO_COLOR": "1", "COLUMNS": "200", **self.environment}

    def follow(self, text: str) -> str:
        """Follow a page; return it with what its commands print now. Raises where that is not what it shows."""
        done, at = "", 0
        for block in blocks(text):
            new = self._typed(block) if block.is_typed else block.text
            if block.title:
                self._write(block)
            done, at = f"{done}{text[at : block.start]}{new}", block.start + len(block.text)
        return done + text[at:]

    def _write(self, block: Block) -> None:
        file = self.directory / block.title
        file.parent.mkdir(parents=True, exist_ok=True)
        if block.language != "diff":
            file.write_text(block.text, encoding="utf-8")
            return
        sides = {
            side: "".join(line[1:] for line in block.text.splitlines(keepends=True) if line[0] in f" {side}")
            for side in "-+"
        }
        text = file.read_text(encoding="utf-8")
        assert text.count(sides["-"]) == 1, f"{block.title} does not hold, once:\n{sides['-']}"
        file.write_text(text.replace(sides["-"], sides["+"]), encoding="utf-8")

    def _typed(self, block: Block) -> str:
        return "".join(f"$ {command}\n{output}" for command, output in map(self._step, block.steps()))

    def _step(self, step: tuple[str, str]) -> tuple[str, str]:
        command, shown = step
        command = _HASH.sub(lambda found: self.hashes.get(found[0], found[0]), command)
        if command.startswith("export "):
            name, _, value = command.removeprefix("export ").partition("=")
            self.environment[name] = value
            return command, shown
        printed = steady(self._run(command))
        if "Sluiceway itself failed" in printed:
            raise DifferentError(f"$ {command}\n{printed}")
        if self.rewrites:
            self.hashes.update(zip(_SHOWN_HASH.findall(shown), _SHOWN_HASH.findall(printed), strict=False))
        elif printed != shown:
            raise DifferentError(f"$ {command}\n-- the page shows:\n{shown}-- it prints:\n{printed}")
        return command, printed

    def _run(self, command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        return done.stdout


def wants_rewriting() -> bool:
    """Tell whether whoever runs the tests wants the pages to show what is printed now."""
    return os.environ.get("REWRITE_PAGES") == "1"
