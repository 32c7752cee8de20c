"""What a kubectl stack is pointed at, and the flags that say so (records 0060 and 0070)."""

from dataclasses import dataclass

from sluiceway.model.stacks import Stack

DEFAULT_MANAGER = "kubectl"
"""The field manager of a server-side apply that names none (record 0060)."""


@dataclass(frozen=True, slots=True)
class Target:
    """The options of one stack, with their defaults."""

    context: str | None = None
    namespace: str | None = None
    recursive: bool = False
    prune: bool = False
    force_conflicts: bool = False
    allow_empty: bool = False
    field_manager: str | None = None
    concurrency: int | None = None

    @classmethod
    def of(cls, stack: Stack) -> "Target":
        """Read a stack's options, which the configuration checked."""
        options = stack.options
        return cls(
            context=options.get("context"),
            namespace=options.get("namespace"),
            recursive=options.get("recursive", False),
            prune=options.get("prune", False),
            force_conflicts=options.get("forceConflicts", False),
            allow_empty=options.get("allowEmpty", False),
            field_manager=options.get("fieldManager"),
            concurrency=options.get("concurrency"),
        )

    @property
    def manager(self) -> str:
        """The field manager that the stack applies as."""
        return self.field_manager or DEFAULT_MANAGER

    @property
    def asks_side_by_side(self) -> bool:
        """Whether kubectl asks about several objects at once."""
        return (self.concurrency or 1) > 1

    def context_flags(self) -> tuple[str, ...]:
        """Return the flag that chooses the cluster."""
        return (f"--context={self.context}",) if self.context else ()

    def cluster_flags(self) -> tuple[str, ...]:
        """Return the flags of ``get`` and ``delete``: context and namespace."""
        return (*self.context_flags(), *((f"--namespace={self.namespace}",) if self.namespace else ()))

    def apply_flags(self) -> tuple[str, ...]:
        """Return the flags of ``diff`` and ``apply``, in the one order of ``spec/kubectl.md``."""
        return (
            *self.cluster_flags(),
            *(("--force-conflicts",) if self.force_conflicts else ()),
            *((f"--field-manager={self.field_manager}",) if self.field_manager else ()),
        )

    def same_place(self, other: "Target") -> bool:
        """Tell whether two stacks put their objects into the same cluster and namespace."""
        return (self.context, self.namespace) == (other.context, other.namespace)
