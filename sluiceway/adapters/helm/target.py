"""What a Helm stack is pointed at: its release, its chart, and the flags that say so (record 0069)."""

from dataclasses import dataclass

from sluiceway.model.stacks import Stack


@dataclass(frozen=True, slots=True)
class Target:
    """The options of one stack, with their defaults."""

    release: str
    namespace: str
    chart: str
    version: str | None = None
    values_files: tuple[str, ...] = ()
    create_namespace: bool = False

    @classmethod
    def of(cls, stack: Stack) -> "Target":
        """Read a stack's options, which the configuration checked."""
        options = stack.options
        return cls(
            release=options["release"],
            namespace=options["namespace"],
            chart=options["chart"],
            version=options.get("version"),
            values_files=tuple(options.get("valuesFiles", ())),
            create_namespace=options.get("createNamespace", False),
        )

    @property
    def is_local(self) -> bool:
        """Whether the chart is a directory of the repo, and not a reference."""
        return is_local(self.chart)

    def namespace_flag(self) -> str:
        """Return the flag of every command that reaches the cluster."""
        return f"--namespace={self.namespace}"

    def chart_flags(self) -> tuple[str, ...]:
        """Return what names the release, the chart, the namespace and an exact version, in the one order."""
        version = (f"--version={self.version}",) if self.version else ()
        return (self.release, self.chart, self.namespace_flag(), *version)

    def values_flags(self) -> tuple[str, ...]:
        """Return the flags of the values files, in their order: the later one counts."""
        return tuple(f"--values={file}" for file in self.values_files)


def is_local(chart: str) -> bool:
    """Tell whether ``chart`` names a directory: ``.``, ``./x`` or ``../x`` (``spec/core.md``)."""
    return chart in (".", "..") or chart.startswith(("./", "../"))
