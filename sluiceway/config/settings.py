"""What ``sluiceway.yaml`` says, once it was found right: plain values, defaults filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sluiceway.model.globs import glob_matches
from sluiceway.model.stacks import Stack

Tickers = Literal["write", "maintain", "admin"] | tuple[str, ...]
"""The least right that a person needs to deploy from the dashboard, or the logins of those who may."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A glob of stack ids that are left out."""

    glob: str
    reason: str | None = None

    def matches(self, stack_id: str) -> bool:
        """Tell whether the stack of this id is left out."""
        return glob_matches(self.glob, stack_id)


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of ``stacks``. ``index`` is its place in the list; ``tickers`` are the file's where it sets none."""

    index: int
    stack: Stack
    environment: str | None = None
    tickers: Tickers = "write"


@dataclass(frozen=True, slots=True)
class Scan:
    """Settings of scans. ``unrelated`` are globs of files that belong to no stack."""

    unrelated: tuple[str, ...] = ()
    log_diff: bool = False


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Settings of the dashboard issue (``spec/dashboard.md``)."""

    title: str = "Sluiceway"
    label: str = "sluiceway"
    pin: bool = False
    redact: bool = False
    read_only: bool = False
    recently_deployed: int = 10
    time_zone: str = "UTC"
    in_sync_section: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """All of ``sluiceway.yaml``, defaults filled in. ``file`` is its name, None when the repo has no such file."""

    file: str | None = None
    entries: tuple[Entry, ...] = ()
    drift_enabled: bool = False
    ignore: tuple[Ignored, ...] = ()
    deploys: bool = True
    tickers: Tickers = "write"
    scan: Scan = field(default_factory=Scan)
    dashboard: Dashboard = field(default_factory=Dashboard)
    show_values: tuple[str, ...] = ()

    def ignores(self, stack_id: str) -> bool:
        """Tell whether the stack of this id gets no row and no preview."""
        return any(ignored.matches(stack_id) for ignored in self.ignore)

    def entry(self, stack_id: str) -> Entry | None:
        """Return the entry of the stack with this id, or None."""
        return next((entry for entry in self.entries if entry.stack.id == stack_id), None)


def stack_id(path: str, name: str | None, given: str | None = None) -> str:
    """Return a stack's id: the one that was given, else ``path`` or ``path:name`` (record 0006)."""
    return given or (f"{path}:{name}" if name else path)


Keys = Mapping[str, Any]
"""A mapping of the file once it was found right, spelled as in the file: texts made plain, defaults filled in."""


def config_from(file: str, keys: Keys, entries: tuple[Entry, ...]) -> Config:
    """Return what the file's keys say, with ``entries`` in place of its stacks."""
    return Config(
        file=file,
        entries=entries,
        drift_enabled=keys["drift"]["enabled"],
        ignore=tuple(Ignored(item) if isinstance(item, str) else Ignored(**item) for item in keys["ignore"]),
        deploys=keys["deploys"],
        tickers=_tickers(keys["tickers"]),
        scan=Scan(unrelated=tuple(keys["scan"]["unrelated"]), log_diff=keys["scan"]["logDiff"]),
        dashboard=_dashboard(keys["dashboard"]),
        show_values=tuple(keys["dashboard"]["showValues"]),
    )


def _dashboard(keys: Keys) -> Dashboard:
    return Dashboard(
        title=keys["title"],
        label=keys["label"],
        pin=keys["pin"],
        redact=keys["redact"],
        read_only=keys["readOnly"],
        recently_deployed=keys["recentlyDeployed"],
        time_zone=keys["timeZone"],
        in_sync_section=keys["inSyncSection"],
    )


def entry_from(index: int, keys: Keys, options: Mapping[str, Any], all_stacks: Keys) -> Entry:
    """Return one entry, with what the file says for ``all_stacks`` where the entry says nothing itself."""
    own_drift = keys["drift"]["enabled"] if keys["drift"] else None
    stack = Stack(
        id=stack_id(keys["path"], keys["name"], keys["id"]),
        path=keys["path"],
        tool=keys["tool"],
        options=options,
        name=keys["name"],
        inputs=tuple(keys["inputs"]),
        preview_timeout=keys["previewTimeout"],
        deploy_timeout=keys["deployTimeout"],
        depends_on=tuple(dict.fromkeys(keys["dependsOn"])),
        drift_enabled=all_stacks["drift"]["enabled"] if own_drift is None else own_drift,
        env_file=keys["envFile"],
    )
    tickers = all_stacks["tickers"] if keys["tickers"] is None else keys["tickers"]
    return Entry(index, stack, keys["environment"], _tickers(tickers))


def _tickers(given: Literal["write", "maintain", "admin"] | list[str]) -> Tickers:
    return tuple(given) if isinstance(given, list) else given
