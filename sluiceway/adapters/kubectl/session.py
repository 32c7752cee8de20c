"""One stack at work: its target, its commands, and the steps that a preview and a drift check share."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sluiceway.adapters.base import Workplace
from sluiceway.adapters.kubectl import rendered
from sluiceway.adapters.kubectl.bases import Bases
from sluiceway.adapters.kubectl.commands import Commands
from sluiceway.adapters.kubectl.documents import Manifest, RefusedManifest, stands_twice
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.files import kustomization_in
from sluiceway.adapters.kubectl.rendered import Rendered
from sluiceway.adapters.kubectl.target import Target
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.adapters.kubernetes.secrets import values_of_secret
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure

_CRD = "CustomResourceDefinition"


@dataclass(frozen=True, slots=True)
class Session:
    """What every step of one stack needs."""

    place: Workplace
    target: Target
    commands: Commands

    @classmethod
    def at(cls, place: Workplace) -> "Session":
        """Open a session for the stack of ``place``."""
        target = Target.of(place.stack)
        return cls(place, target, Commands(target, place.directory, place.private))

    def render(self) -> Rendered | Failure:
        """Render the stack and conceal what its Secrets hold; what the directory holds now decides how."""
        try:
            result = self._render()
        except RefusedManifest as error:
            return refused(error)
        except OSError as error:
            return Failure(unreadable_directory(self.place.stack.path, error))
        if isinstance(result, Failure):
            return result
        self.place.conceal(rendered.secret_values(result.manifests))
        return self._checked(result)

    def conceal_live(self, objects: Iterable[LiveObject]) -> None:
        """Conceal what live Secrets hold: an old value can stand in an annotation that kubectl does not mask."""
        self.place.conceal(value for live in objects if live.is_secret for value in values_of_secret(live.tree))

    def _render(self) -> Rendered | Failure:
        kustomization = kustomization_in(self.place.directory)
        if kustomization is None:
            return rendered.from_directory(self.place.directory, self.place.root, recursive=self.target.recursive)
        bases = Bases()
        bases.follow(self.place.directory, self.place.root)
        self.place.conceal(bases.secrets)
        outcome = self.place.runner.run(self.commands.kustomize())
        if not answered(outcome):
            return Failure(failed(outcome, "kubectl kustomize"))
        result = rendered.from_kustomize(outcome.stdout, f"{self.place.stack.path}/{kustomization}")
        notes = tuple(f"{where} reads a remote base: what it holds is not in this repo" for where in bases.remote)
        return replace(result, notes=(*result.notes, *notes))

    def _checked(self, result: Rendered) -> Rendered | Failure:
        if not result.manifests and not self.target.allow_empty:
            return Failure(empty_set(self.place.stack.path))
        twice = _same_object_twice(result.manifests, self.target.namespace)
        if twice is not None:
            return refused(twice)
        if self.target.prune:
            for manifest in result.manifests:
                if not manifest.readable:
                    return Failure(unlistable(manifest))
        return result


def _same_object_twice(manifests: tuple[Manifest, ...], namespace: str | None) -> RefusedManifest | None:
    """Find an object that stands once with the stack's namespace written and once without it."""
    if namespace is None:
        return None
    seen: dict[tuple[str, str, str, str], Manifest] = {}
    for manifest in manifests:
        if manifest.readable:
            place = (manifest.group, manifest.kind, manifest.namespace or namespace, manifest.name)
            first = seen.setdefault(place, manifest)
            if first is not manifest:
                return stands_twice(manifest, first)
    return None


def refused(error: RefusedManifest) -> Failure:
    """Return the failure for a manifest that is not put into a set. Its words name places, never what stands there."""
    names = {"file": error.file, **({"line": str(error.line)} if error.line else {})}
    return Failure(Reason("preparation-failed", str(error), "Mend the file; nothing was sent anywhere.", names=names))


def unreadable_directory(path: str, error: OSError) -> Reason:
    """Return the reason for a directory that can't be read when the preview runs."""
    return Reason(
        "preparation-failed",
        f"{path} can't be read ({error.strerror})",
        "Check that it is there.",
        names={"path": path},
    )


def empty_set(path: str) -> Reason:
    """Return the reason for a set without objects: kubectl shows nothing for it, and refuses to apply it."""
    return Reason(
        "preparation-failed",
        f"{path} holds no object at all",
        "If that is meant, set allowEmpty: true; with prune, everything the stack deployed is then deleted.",
        detail="empty-set",
        names={"path": path},
    )


def unlistable(manifest: Manifest) -> Reason:
    """Return the reason for an object that an inventory can't list."""
    what = (
        "has a generateName and no name: every deploy would make another one, and none can be pruned"
        if manifest.generated_name
        else "does not say its apiVersion, kind and name"
    )
    return Reason(
        "preparation-failed",
        f"{manifest.place}: an object {what}",
        "Give it a name, or take prune: true out of the stack.",
        names={"file": manifest.file, "line": str(manifest.line)},
    )


def with_set(reason: Reason, manifests: tuple[Manifest, ...]) -> Reason:
    """Sharpen a reason with what the set holds: something that the set itself brings, but is not there yet."""
    if reason.detail == "namespace-missing":
        brought = any(m.kind == "Namespace" and not m.group and m.name == reason.names["namespace"] for m in manifests)
    elif reason.detail == "kind-unknown":
        brought = any(_brings(m, reason.names["kind"], reason.names["version"]) for m in manifests)
    else:
        return reason
    if not brought:
        return reason
    return replace(
        reason,
        detail="needs-earlier-object",
        what=f"{reason.what} yet: the stack itself brings it, and a dry run can't see what isn't there",
    )


def _brings(manifest: Manifest, kind: str, version: str) -> bool:
    if manifest.kind != _CRD:
        return False
    spec = manifest.tree.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    group = version.partition("/")[0]
    return (
        isinstance(names, dict) and names.get("kind") == kind and isinstance(spec, dict) and spec.get("group") == group
    )
