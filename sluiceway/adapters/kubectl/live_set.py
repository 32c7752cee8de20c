"""The live objects of a set, read while the diff runs: one by one, or as a list where many are of one kind.

``kubectl get -f`` asks for one object at a time. Of a kind that a set holds many of in one namespace, all are read with
one request and those of the set picked out, where the job may list them (decision 0071). Secrets are never listed: a
list would bring the values of everybody else's.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sluiceway.adapters.kubectl.answers import read_objects
from sluiceway.adapters.kubectl.documents import Manifest
from sluiceway.adapters.kubectl.failures import failed
from sluiceway.adapters.kubectl.rendered import write_private
from sluiceway.adapters.kubectl.session import Session, with_set
from sluiceway.adapters.kubernetes.ends import answered
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure
from sluiceway.processes import Outcome, Running

MANY = 50
"""From how many objects of one kind in one namespace on a list is asked for. One more kubectl costs as much processor
time as about fifty requests. Where the diff asks side by side, requests in turn would outlast it sooner."""

_LISTABLE = re.compile(r"(?!Secret\.v1\.\Z)[A-Za-z][A-Za-z0-9]*\.v[a-z0-9]+\.[a-z0-9.-]*")
"""What may stand on a command line, and is no Secret."""

_Named = tuple[str, str, str]
_Manifests = tuple[Manifest, ...]


@dataclass(frozen=True, slots=True)
class Shares:
    """A set, shared out: what is listed, by the namespace as written, and what is asked for one by one."""

    listed: dict[str | None, list[Manifest]]
    alone: list[Manifest]

    @classmethod
    def of(cls, manifests: _Manifests, concurrency: int = 1) -> "Shares":
        """Share out a set, of which the diff asks about ``concurrency`` objects at once.

        One with an object that says no name is read from its own file, and nothing is listed.
        """
        groups: dict[tuple[str | None, str], list[Manifest]] = {}
        for manifest in manifests:
            groups.setdefault((manifest.namespace, _resource(manifest)), []).append(manifest)
        shares = cls({}, [])
        for (namespace, resource), group in groups.items():
            many = len(group) >= max(2, MANY // concurrency) and _LISTABLE.fullmatch(resource)
            (shares.listed.setdefault(namespace, []) if many else shares.alone).extend(group)
        return shares if all(manifest.readable for manifest in manifests) else cls({}, list(manifests))


@dataclass(frozen=True, slots=True)
class LiveSet:
    """The reading of a set's live objects, which runs: the lists with what is wanted of each, and the others."""

    session: Session
    manifests: _Manifests
    lists: list[tuple[Running, set[_Named]]]
    alone: Running | None

    @classmethod
    def start(cls, session: Session, manifests: _Manifests) -> "LiveSet":
        """Begin to read."""
        shares = Shares.of(manifests, session.target.concurrency or 1)
        return cls(session, manifests, _start_lists(session, shares), _start_alone(session, shares))

    def wait(self) -> list[LiveObject] | Failure:
        """Return the live objects. Where a list is refused, all of the set are asked for one by one."""
        found: list[LiveObject] = []
        for running, wanted in self.lists:
            objects = _answer(running.wait())
            if isinstance(objects, Reason):
                whole = self.session.place.runner.run(self.session.commands.live_set())
                return read_live_outcome(whole, self.manifests)
            found.extend(item for item in objects if (item.api_version, item.kind, item.name) in wanted)
        if self.alone is None:
            return found
        others = read_live_outcome(self.alone.wait(), self.manifests)
        return others if isinstance(others, Failure) else [*found, *others]


def _start_lists(session: Session, shares: Shares) -> list[tuple[Running, set[_Named]]]:
    lists = []
    for namespace, group in shares.listed.items():
        resources = dict.fromkeys(map(_resource, group))
        running = session.place.runner.start(session.commands.live_list(resources, namespace))
        lists.append((running, {(m.api_version, m.kind, m.name) for m in group}))
    return lists


def _start_alone(session: Session, shares: Shares) -> Running | None:
    if not shares.listed:
        return session.place.runner.start(session.commands.live_set())
    if not shares.alone:
        return None
    write_private(session.commands.alone, names_file(shares.alone))
    return session.place.runner.start(session.commands.live_alone())


def read_live_outcome(outcome: Outcome, manifests: _Manifests) -> list[LiveObject] | Failure:
    """Read the live objects of a set: what ``kubectl get`` ended with."""
    objects = _answer(outcome)
    return Failure(with_set(objects, manifests)) if isinstance(objects, Reason) else objects


def names_file(manifests: Iterable[Manifest]) -> bytes:
    """Return a file that names objects and says nothing else of them."""
    items = [
        {"apiVersion": m.api_version, "kind": m.kind, "metadata": {"name": m.name, **_namespace(m)}} for m in manifests
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()


def _answer(outcome: Outcome) -> list[LiveObject] | Reason:
    if not answered(outcome):
        return failed(outcome, "kubectl get")
    return read_objects(outcome.stdout, "the live objects of the set")


def _namespace(manifest: Manifest) -> dict[str, str]:
    return {"namespace": manifest.namespace} if manifest.namespace else {}


def _resource(manifest: Manifest) -> str:
    """Return the kind at the manifest's version as ``kubectl get`` takes it: ``Deployment.v1.apps``, ``Pod.v1.``."""
    return f"{manifest.kind}.{manifest.api_version.removeprefix(f'{manifest.group}/')}.{manifest.group}"
