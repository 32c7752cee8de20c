"""Where tools of each version are found: the asset cache, ``KUBEBUILDER_ASSETS``, ``PATH``.

A version is what the tool says when it is run, never what a folder is called (``spec/recordings.md``).
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
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

    @property
    def advice(self) -> str:
        """Where it was looked for, and where it is had from."""
        return f"looked in {'; '.join(self.looked)}. Get it from {self.home}"

    def __str__(self) -> str:
        name = f"{self.tool} {self.wanted}".rstrip()
        return f"{name} was not found: {self.advice}"


_RELEASES = "https://kubernetes.io/releases/download/"

PLUGIN = "helm-diff"
"""Helm's diff plugin: a directory, not an executable on PATH."""

PLUGIN_WANTED = ">=3.15.11"
"""The plugin that recordings are made with: the adapter's floor, or later."""

PLUGIN_FOLDER = "diff"
"""What the plugin's directory is called in one of ``HELM_PLUGINS``."""

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
        # Asked for its engine's version: a client alone is of no use (``spec/recordings.md``).
        Tool("docker", "docker", ("info", "--format={{.ServerVersion}}"), "https://docs.docker.com/engine/install/"),
        Tool("kind", "kind", ("version",), "https://kind.sigs.k8s.io/docs/user/quick-start/#installation"),
        # The OCI registry of the live tests.
        Tool("crane", "crane", ("version",), "https://github.com/google/go-containerregistry#crane"),
    )
}
"""Every tool that the recorder may need for the adapters that come with it, by name."""


WANTED: tuple[tuple[str, str], ...] = (
    ("kubectl", "1.34.0"),
    ("kubectl", "1.37"),
    ("helm", "3.18.0"),
    ("helm", "4.3"),
    (PLUGIN, PLUGIN_WANTED),
    ("kube-apiserver", "1.34"),
    ("kube-apiserver", "1.37"),
    ("kube-controller-manager", "1.34"),
    ("kube-controller-manager", "1.37"),
    ("kube-scheduler", "1.34"),
    ("kube-scheduler", "1.37"),
    ("etcd", ">=3.5.0"),
    ("kwok", ">=0.7.0"),
    ("docker", ""),
    ("kind", ">=0.33.0"),
    ("crane", ">=0.20.0"),
)
"""What recording everything takes: each tool with the version wanted (``spec/recordings.md``); see ``find``."""


def find(name: str, wanted: str = "", environment: Mapping[str, str] = os.environ) -> Found | Missing:
    """Look for the tool ``name`` and return where it is, or where it was looked for.

    ``wanted`` is a whole version (``1.34.0``), the start of one (``1.34``: any patch of it), a floor (``>=3.15.11``)
    or empty for any. The first place that has one wins, and in it the highest version.
    """
    tool = _tool(name)
    looked: list[str] = []
    for place, candidates in _places(tool, environment):
        others: list[str] = []
        for path in candidates:
            version = version_of(name, path, environment)
            if version is not None and satisfies(version, wanted):
                return Found(name, f"v{version}", path, place)
            others.append(f"v{version}" if version else "one that does not answer")
        looked.append(f"{place} ({', '.join(others) or 'none'})")
    return Missing(name, wanted, tuple(looked), tool.home)


def _tool(name: str) -> Tool:
    """Return the tool ``name``: one that the recorder knows, or one of another package, which says ``--version``."""
    return TOOLS.get(name) or Tool(name, name, ("--version",), "whoever makes it")


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


def version_of(name: str, path: Path, environment: Mapping[str, str] = os.environ) -> str | None:
    """Run the tool ``name`` at ``path``; return the version it says (without v), None when it says none in time.

    What it said is remembered for as long as its file stays the same; that it said nothing is not.
    """
    executable = path / _PLUGIN_EXECUTABLE if name == PLUGIN else path
    try:
        status = executable.stat()
    except OSError:
        return None
    key = (str(executable), status.st_mtime_ns, status.st_size)
    version = _said.get(key) or _ask_version(executable, _tool(name).arguments, environment)
    if version is not None:
        _said[key] = version
    return version


_said: dict[tuple[str, int, int], str] = {}


def _ask_version(executable: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> str | None:
    try:
        result = subprocess.run(
            [str(executable), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={name: value for name, value in environment.items() if name != "KUBECONFIG"},
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
        yield str(folder), _in_versions(folder, PLUGIN_FOLDER)
        return
    yield str(folder), _in_versions(folder, tool.name)
    assets = environment.get("KUBEBUILDER_ASSETS")
    yield "KUBEBUILDER_ASSETS", _existing([Path(assets, tool.name)] if assets else [])
    on_path = shutil.which(tool.name, path=environment.get("PATH", ""))
    yield "PATH", [Path(on_path)] if on_path else []


def _in_versions(folder: Path, leaf: str) -> list[Path]:
    """Return ``<folder>/<version>/<leaf>`` of every version there is, with v or without, the highest first."""
    named = [path for path in folder.glob("*") if re.match(r"v?\d", path.name)]
    versions = sorted(named, key=lambda version: _numbers(version.name), reverse=True)
    return _existing(version / leaf for version in versions)


def _plugins(paths: str) -> list[Path]:
    """Return where the plugin may lie: `helm plugin install` names its directory after the repository."""
    return _existing(Path(path, name) for path in paths.split(os.pathsep) if path for name in (PLUGIN_FOLDER, PLUGIN))


def _existing(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if path.exists()]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))
