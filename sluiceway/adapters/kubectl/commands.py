"""The command lines of kubectl, exactly (``spec/kubectl.md``; records 0060 and 0070)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from sluiceway.adapters.kubectl.target import Target
from sluiceway.processes import Command

DIFF_PROGRAM = "diff -N -U1000000"
"""The diff program of every diff that is read: one hunk holds the whole object (record 0060)."""

MANIFESTS = "manifests.yaml"
PRUNE = "prune.yaml"
PROBE = "probe.yaml"
ALONE = "alone.yaml"
PARTS = "parts"


def version(root: Path) -> Command:
    """Ask the client for its version; reaches no cluster."""
    return Command(("kubectl", "version", "--client", "--output=json"), root, env={"KUBERC": "off"})


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of one stack, each run in its directory.

    ``private`` is where the rendered set and kubectl's own temporary files are.
    """

    target: Target
    directory: Path
    private: Path

    @property
    def manifests(self) -> Path:
        """The rendered set."""
        return self.private / MANIFESTS

    @property
    def prune(self) -> Path:
        """The prune file."""
        return self.private / PRUNE

    @property
    def probe(self) -> Path:
        """The objects whose server-side defaults are asked for (see ``migration.py``)."""
        return self.private / PROBE

    @property
    def alone(self) -> Path:
        """The names of the objects that are read one by one (see ``live_set.py``)."""
        return self.private / ALONE

    @property
    def parts(self) -> Path:
        """The directory of the rendered set in parts (see ``parts.py``)."""
        return self.private / PARTS

    def kustomize(self) -> Command:
        """Render a kustomization; reads files and reaches no cluster."""
        return self._command("kustomize", ".")

    def diff(self, *, managed_fields: bool = False) -> Command:
        """Ask what an apply of the set would change."""
        return self._command(
            "diff",
            "--server-side",
            *self._diff_flags(),
            *(("--show-managed-fields",) if managed_fields else ()),
            "-f",
            self._asked_about(),
            env={"KUBECTL_EXTERNAL_DIFF": DIFF_PROGRAM},
        )

    def diff_for_a_person(self) -> Command:
        """Show the same diff with the job's own diff program and kuberc (record 0048)."""
        argv = ("kubectl", "diff", "--server-side", *self._diff_flags(), "-f", self._asked_about())
        return Command(
            argv, self.directory, env={"TMPDIR": str(self.private)}, placeholders=self._placeholders(), shown=True
        )

    def live_set(self) -> Command:
        """Read the live objects of the set, with their managed fields."""
        return self._get("--ignore-not-found", "--show-managed-fields", "--output=json", "-f", str(self.manifests))

    def live_list(self, resources: Iterable[str], namespace: str | None) -> Command:
        """Read all objects of some kinds (``Deployment.v1.apps``) in one namespace; it may well be denied."""
        return replace(self._get_in(namespace, ",".join(resources)), tried=True)

    def live_alone(self) -> Command:
        """Read the objects of the set that are not listed, with their managed fields."""
        return self._get("--ignore-not-found", "--show-managed-fields", "--output=json", "-f", str(self.alone))

    def probe_defaults(self) -> Command:
        """Ask what the API server makes of objects that are not there yet; a dry run."""
        return self._command(
            "apply", "--server-side", "--dry-run=server", *self.target.apply_flags(), "--output=json", "-f",
            str(self.probe),
        )  # fmt: skip

    def inventory(self, name: str) -> Command:
        """Read the stack's inventory; nothing is printed where there is none."""
        return self._command(
            "get", "configmap", name, *self.target.cluster_flags(), "--ignore-not-found", "--output=json"
        )

    def inventories(self) -> Command:
        """Read every inventory of the namespace."""
        return self._command(
            "get", "configmaps", *self.target.cluster_flags(),
            "--selector=app.kubernetes.io/managed-by=sluiceway", "--output=json",
        )  # fmt: skip

    def live_candidates(self, *, namespaced: bool) -> Command:
        """Read what may be pruned. Objects that write a namespace are read without ``--namespace=``."""
        return self._command(
            "get", *self._flags(namespaced=namespaced),
            "--ignore-not-found", "--show-managed-fields", "--output=json", "-f", str(self.prune),
        )  # fmt: skip

    def live_candidate(self, resource: str, name: str, namespace: str | None) -> Command:
        """Read one object by ``<Kind>.<group>``, whatever version of it is served.

        A name may begin as a flag does: that of a role, or one that someone wrote into the inventory.
        """
        named = (f"{resource}/{name}",) if name.startswith("-") else (resource, name)
        return self._get_in(namespace, *named)

    def apply(self) -> Command:
        """Put out the set."""
        return self._command(
            "apply", "--server-side", *self.target.apply_flags(), "-f", str(self.manifests), writes=True
        )

    def delete(self, *, namespaced: bool) -> Command:
        """Delete what the prune file names."""
        return self._command(
            "delete", *self._flags(namespaced=namespaced), "--ignore-not-found", "-f", str(self.prune), writes=True
        )

    def _asked_about(self) -> str:
        return str(self.parts if self.target.asks_side_by_side else self.manifests)

    def _diff_flags(self) -> tuple[str, ...]:
        concurrency = self.target.concurrency
        return (*self.target.apply_flags(), *((f"--concurrency={concurrency}",) if concurrency else ()))

    def _get(self, *arguments: str) -> Command:
        return self._command("get", *self.target.cluster_flags(), *arguments)

    def _get_in(self, namespace: str | None, *named: str) -> Command:
        """Read with managed fields, in a namespace that is written; None: in the stack's own."""
        flags = (
            self.target.cluster_flags()
            if namespace is None
            else (*self.target.context_flags(), f"--namespace={namespace}")
        )
        return self._command("get", *named, *flags, "--ignore-not-found", "--show-managed-fields", "--output=json")

    def _flags(self, *, namespaced: bool) -> tuple[str, ...]:
        return self.target.context_flags() if namespaced else self.target.cluster_flags()

    def _command(self, *arguments: str, env: dict[str, str] | None = None, writes: bool = False) -> Command:
        return Command(
            ("kubectl", *arguments),
            self.directory,
            env={"KUBERC": "off", "TMPDIR": str(self.private), **(env or {})},
            placeholders=self._placeholders(),
            writes=writes,
        )

    def _placeholders(self) -> dict[str, str]:
        return {"<set>": str(self.manifests), "<prune>": str(self.prune)}
