"""The saved plan: the rendered set and its prune file, with the digests that were taken when they were written."""

from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sluiceway.adapters.kubectl.commands import Commands
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.rendered import still_holds

if TYPE_CHECKING:
    from sluiceway.adapters.kubectl.pruning import Candidate


@dataclass(frozen=True, slots=True)
class Applied:
    """One object of the set: how kubectl names it when it applied it, and its address."""

    word: str
    address: str
    created: bool


@dataclass(frozen=True, slots=True)
class KubectlPlan:
    """Exactly what the preview saw. Leaving it removes the files."""

    commands: Commands
    digest: str = field(repr=False)
    applied: tuple[Applied, ...]
    manifests: tuple[Manifest, ...] = ()
    home: str | None = None
    inventory: str | None = None
    objects: str = ""
    going: str = ""
    deletes: "tuple[Candidate, ...]" = ()
    prune_digest: str | None = field(default=None, repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove what the plan has on disk."""
        for path in (self.commands.manifests, self.commands.prune, self.commands.probe):
            path.unlink(missing_ok=True)

    @property
    def namespaced(self) -> bool:
        """Whether an object that goes wrote its namespace: kubectl is then called without ``--namespace=``.

        The prune file holds the namespaces the cluster gave, so this serves the others of the file too.
        """
        return any(candidate.namespaced for candidate in self.deletes)

    def unchanged(self) -> bool:
        """Tell whether the set and the prune file still hold what the preview saw (record 0060)."""
        if not still_holds(self.commands.manifests, self.digest):
            return False
        return self.prune_digest is None or still_holds(self.commands.prune, self.prune_digest)
