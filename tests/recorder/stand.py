"""A stage with a cluster that is only said to be there, and a clock that only moves when someone waits."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from recorder import tools
from recorder.admin import Admin, Requests
from recorder.clusters.base import ClusterError
from recorder.stage import Stage, Standing
from recorder.timeline import Timeline

NOW = 1_796_000_000.0


@dataclass
class Clock:
    """The time, in seconds since the epoch."""

    time: float = NOW + 0.4

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def timeline(self, since: float) -> Timeline:
        return Timeline(since, now=self.now, sleep=self.sleep)


@dataclass
class SaidCluster:
    """What the recorder asks a cluster for."""

    minor: str
    kubeconfig: Path
    kind: Literal["local"] = "local"
    context: str = "said"
    lost: bool = False

    @property
    def directory(self) -> Path:
        return self.kubeconfig.parent

    def check(self) -> None:
        if self.lost:
            raise ClusterError("its kubeconfig leads elsewhere")

    @property
    def server_version(self) -> str:
        return f"v{self.minor}.9"

    def environment(self) -> dict[str, str]:
        return {"KUBECONFIG": str(self.kubeconfig)}


class Nobody:
    """An API server that is never asked."""

    def get(self, path: str) -> Any:
        raise AssertionError(path)

    def send(self, method: str, path: str, body: object = None, *, form: str = "") -> int:
        raise AssertionError(method, path, body, form)


@dataclass
class SaidAdmin(Admin):
    """Does nothing, and keeps an account of it."""

    kube: Requests = field(default_factory=Nobody)
    account: list[str] = field(default_factory=list)

    def reset(self, namespaces: Iterable[str]) -> None:
        self.account.append(f"reset {' '.join(namespaces)}")

    def objects(self, namespace: str) -> list[dict[str, Any]]:
        self.account.append(f"look at {namespace}")
        return []


@dataclass
class SaidStage(Stage):
    """A stage whose clusters are only said to be there."""

    admin: SaidAdmin = field(default_factory=SaidAdmin)
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    lost: bool = False

    def standing(self, kind: str, minor: str, *, nodes: int = 0) -> Standing:
        self.asked.append((kind, minor, nodes))
        return Standing(SaidCluster(minor, self.directory / "kubeconfig", lost=self.lost), self.admin, NOW)


def in_cache(cache: Path) -> Any:
    """Return what finds the tools that a test wrote to ``cache``."""
    return lambda name, wanted: tools.need(name, wanted, {"XDG_CACHE_HOME": str(cache)})
