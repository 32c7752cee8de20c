"""The command lines of helm, exactly (``spec/helm.md``; record 0069)."""

from dataclasses import dataclass, replace
from pathlib import Path

from sluiceway.adapters.helm.target import Target
from sluiceway.processes import Command

PLUGIN_VARIABLES = ("HELM_DIFF_*", "HELM_DEBUG")
"""A person's own settings: some turn the plugin's diff into another one, one adds words to it (``spec/helm.md``)."""

NOT_INSTALLED = "Error: release: not found"
"""What helm answers about a release that is not there."""

_WHOLE_OBJECT = ('Invalid value: "{', r"Invalid value: \"{")
"""How the API server's errors begin to quote a whole live object: what is in it can't be known beforehand."""

_WHOLE_DOCUMENT = ("Can't unmarshal ",)
"""How the diff plugin begins to quote a whole document that it can't read."""

RELEASE_TEMPLATE = (
    "{{with .Release}}{{.Info.Status}} {{.Version}}\n---\n"
    "{{.Manifest}}{{range .Hooks}}\n---\n{{.Manifest}}{{end}}{{end}}\n"
)
"""Makes helm print what it stored for a release: a line with status and revision, then manifest and hooks."""


def helm_version(root: Path) -> Command:
    """Ask for helm's version; reaches no cluster."""
    return Command(("helm", "version", "--template={{.Version}}"), root)


def plugin_version(root: Path) -> Command:
    """Ask for the diff plugin's version; reaches no cluster."""
    return Command(("helm", "diff", "version"), root, without=PLUGIN_VARIABLES)


def build_dependencies(chart: Path) -> Command:
    """Package what a local chart depends on into its ``charts`` directory."""
    return Command(("helm", "dependency", "build", "."), chart)


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one stack, each run in its directory. ``private`` is where helm's temporary files go."""

    target: Target
    directory: Path
    private: Path

    def diff(self) -> Command:
        """Ask what a deploy would change of what helm stored for the release."""
        return self._diff("--output=structured")

    def three_way(self, output: str = "structured") -> Command:
        """Ask what a deploy would change of the live objects: the code's changes and the drift (record 0069)."""
        return self._diff("--three-way-merge", "--no-hooks", f"--output={output}")

    def diff_for_a_person(self) -> Command:
        """Show the same diff as text, with the person's own settings of the plugin (record 0048)."""
        argv = self._diff_argv("--output=diff")
        return replace(self._run(argv, without=("HELM_DEBUG",)), shown=True)

    def render(self, *, upgrade: bool = False, validate: bool = False) -> Command:
        """Render the chart. ``upgrade`` renders it as for a release that is there already.

        ``validate`` makes Helm 3 tell the chart the ``.Capabilities`` of the cluster and not its own; Helm 4 refuses it
        next to ``--dry-run=server``, which tells them by itself.
        """
        flags = (*(("--is-upgrade",) if upgrade else ()), *(("--validate",) if validate else ()))
        return self._command("template", *self.target.chart_flags(), *flags, "--dry-run=server", *self._values())

    def chart(self) -> Command:
        """Read the ``Chart.yaml`` of the chart that helm takes for a reference."""
        version = (f"--version={self.target.version}",) if self.target.version else ()
        return self._command("show", "chart", self.target.chart, *version)

    def release(self, revision: int | None = None) -> Command:
        """Read what helm stored for the release: for its last revision, or for the one named."""
        flags = () if revision is None else (f"--revision={revision}",)
        argv = ("helm", "get", "all", self.target.release, self.target.namespace_flag(), *flags)
        return replace(self._run((*argv, f"--template={RELEASE_TEMPLATE}")), answers=frozenset({NOT_INSTALLED}))

    def history(self) -> Command:
        """Read the revisions of the release and the status of each."""
        return self._command("history", self.target.release, self.target.namespace_flag(), "--output=json")

    def metadata(self) -> Command:
        """Read the release's metadata, which says how helm applies it; it holds no value (record 0069)."""
        return self._command("get", "metadata", self.target.release, self.target.namespace_flag(), "--output=json")

    def version(self) -> Command:
        """Ask for helm's version right before a deploy, which decides its flags (record 0069)."""
        return self._command("version", "--template={{.Version}}")

    def upgrade(self, *, rollback_flag: str, force_conflicts: bool) -> Command:
        """Deploy the release. ``rollback_flag`` is the one that this helm knows (record 0069)."""
        argv = (
            "helm",
            "upgrade",
            *self.target.chart_flags(),
            "--install",
            "--reset-values",
            rollback_flag,
            *(("--force-conflicts",) if force_conflicts else ()),
            *(("--create-namespace",) if self.target.create_namespace else ()),
            "--hide-notes",
            *self._values(),
        )
        return replace(self._run(argv), writes=True)

    def _diff(self, *flags: str) -> Command:
        return self._run(self._diff_argv(*flags), without=PLUGIN_VARIABLES)

    def _diff_argv(self, *flags: str) -> tuple[str, ...]:
        return (
            "helm",
            "diff",
            "upgrade",
            *self.target.chart_flags(),
            "--install",
            "--reset-values",
            "--dry-run=server",
            *flags,
            "--no-color",
            *self._values(),
        )

    def _command(self, *arguments: str) -> Command:
        return self._run(("helm", *arguments))

    def _run(self, argv: tuple[str, ...], without: tuple[str, ...] = ()) -> Command:
        return Command(
            argv,
            self.directory,
            env={"TMPDIR": str(self.private)},
            without=without,
            cut=_WHOLE_OBJECT,
            cut_all=_WHOLE_DOCUMENT,
        )

    def _values(self) -> tuple[str, ...]:
        return self.target.values_flags()
