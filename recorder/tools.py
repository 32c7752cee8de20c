"""Where tools of each version are found: the asset cache, ``KUBEBUILDER_ASSETS``, ``PATH``.

A version is what the tool says when it is run, never what a folder is called (``spec/recordings.md``).
"""

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

VERSION_SECONDS = 20.0
"""How long a tool may take to say its version, in seconds."""

_VERSION = re.compile(r"\bv?(\d+\.\d+\.\d+)(?![\d.])")


class MissingToolError(Exception):
    """A tool is not there in the version that is wanted. The message says where it was looked for, how to get it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its folder in the asset cache, the arguments that make it say its version, and where it is had from."""

    name: str
    folder: str
    arguments: tuple[str, ...]
    home: str


@dataclass(frozen=True, slots=True)
class Found:
    """A tool that was found, with the version it gave itself (``v1.34.0``), and the place it lies in.

    ``path`` is the executable; for the plugin of Helm the plugin's directory, whose parent is ``HELM_PLUGINS``.
    """

    tool: str
    version: str
    path: Path
    place: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A tool that was not found: ``looked`` names each place, with what lay there instead."""

    tool: str
    wanted: str
    looked: tuple[str, ...]
    home: str

    def __str__(self) -> str:
        name = f"{self.tool} {self.wanted}".rstrip()
        return f"{name} was not found. Looked in {'; '.join(self.looked)}. Get it from {self.home}"


_RELEASES = "https://kubernetes.io/releases/download/"

PLUGIN = "helm-diff"
"""Helm's diff plugin: a directory, not an executable on PATH."""

_PLUGIN_FOLDER = "diff"
_PLUGIN_EXECUTABLE = Path("bin", "diff")

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("kubectl", "kubectl", ("version", "--client", "--output=json"), _RELEASES),
        Tool("helm", "helm", ("version", "--short"), "https://helm.sh/docs/intro/install/"),
        Tool(PLUGIN, "helm-plugins", ("version",), "https://github.com/databus23/helm-diff#install"),
        Tool("kube-apiserver", "kubernetes", ("--version",), _RELEASES),
        Tool("kube-controller-manager", "kubernetes", ("--version",), _RELEASES),
        Tool("kube-scheduler", "kubernetes", ("--version",), _RELEASES),
        Tool("etcd", "etcd", ("--version",), "https://etcd.io/docs/latest/install/"),
        Tool("kwok", "kwok", ("--version",), "https://kwok.sigs.k8s.io/docs/user/installation/"),
        Tool("kind", "kind", ("version",), "https://kind.sigs.k8s.io/docs/user/quick-start/#installation"),
    )
}
"""Every tool the recorder may need, by name."""


def find(name: str, wanted: str = "", environment: Mapping[str, str] = os.environ) -> Found | Missing:
    """Look for the tool ``name`` and return where it is, or where it was looked for.

    ``wanted`` is a whole version (``1.34.0``), the start of one (``1.34``: any patch of it), a floor (``>=3.15.11``)
    or empty for any. The first place that has one wins, and in it the highest version.
    """
    tool = TOOLS[name]
    looked: list[str] = []
    for place, candidates in _places(tool, environment):
        others: list[str] = []
        for path in candidates:
            version = version_of(name, path)
            if version is not None and satisfies(version, wanted):
                return Found(name, f"v{version}", path, place)
            others.append(f"v{version}" if version else "one that does not say its version")
        looked.append(f"{place} ({', '.join(others) or 'none'})")
    return Missing(name, wanted, tuple(looked), f"How to get it: {tool.how}")


def need(name: str, wanted: str = "", environment: Mapping[str, str] = os.environ) -> Found:
    """Return what ``find`` finds; raises ``MissingToolError`` when there is nothing."""
    result = find(name, wanted, environment)
    if isinstance(result, Missing):
        raise MissingToolError(str(result))
    return result


def satisfies(version: str, wanted: str) -> bool:
    """Return whether ``version`` (without v) is what ``wanted`` asks for; see ``find``."""
    if wanted.startswith(">="):
        return _numbers(version) >= _numbers(wanted[2:])
    asked = _numbers(wanted)
    return _numbers(version)[: len(asked)] == asked


def version_of(name: str, path: Path) -> str | None:
    """Run the tool ``name`` at ``path``; return the version it says (without v), None when it says none in time."""
    executable = path / _PLUGIN_EXECUTABLE if name == PLUGIN else path
    try:
        status = executable.stat()
    except OSError:
        return None
    return _said_version(str(executable), TOOLS[name].arguments, status.st_mtime_ns, status.st_size)


@functools.cache
def _said_version(executable: str, arguments: tuple[str, ...], _changed: int, _size: int) -> str | None:
    # When it changed and its size are only part of the cache's key: a replaced file is asked again.
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    try:
        result = subprocess.run(
            [executable, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(result.stdout.decode("utf-8", "replace"))
    return match[1] if match and result.returncode == 0 else None


def cache_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the tools kept for the recorder: ``${XDG_CACHE_HOME:-~/.cache}/sluiceway/assets``."""
    cache = environment.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "sluiceway" / "assets"


def _places(tool: Tool, environment: Mapping[str, str]) -> Iterator[tuple[str, list[Path]]]:
    folder = cache_directory(environment) / tool.folder
    if tool.name == PLUGIN:
        yield "HELM_PLUGINS", _plugins(environment.get("HELM_PLUGINS", ""))
        yield str(folder), _in_versions(folder, _PLUGIN_FOLDER)
        return
    yield str(folder), _in_versions(folder, tool.name)
    assets = environment.get("KUBEBUILDER_ASSETS")
    yield "KUBEBUILDER_ASSETS", _existing([Path(assets, tool.name)] if assets else [])
    on_path = shutil.which(tool.name, path=environment.get("PATH", ""))
    yield "PATH", [Path(on_path)] if on_path else []


def _in_versions(folder: Path, leaf: str) -> list[Path]:
    """Return ``<folder>/<version>/<leaf>`` of every version there is, the highest first."""
    versions = sorted(folder.glob("v*"), key=lambda version: _numbers(version.name), reverse=True)
    return _existing(version / leaf for version in versions)


def _plugins(paths: str) -> list[Path]:
    return _existing(Path(path, _PLUGIN_FOLDER) for path in paths.split(os.pathsep) if path)


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if path.exists()]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
