"""The recorder's own hands on its cluster: empties namespaces, reads what is there. Nothing of it is recorded."""

import http.client
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

from recorder.kube import AdminError

LIMIT_SECONDS = 90.0
"""How long a namespace may take to become empty, ready or settled, in seconds."""

POLL_SECONDS = 0.1

_SYSTEM = ("default", "kube-", "local-path-storage")
_GIVEN = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
"""What the controllers put into every namespace."""

_TELLING = {"Event", "Lease"}
"""Kinds that only tell what happened, or that someone is there: they never come to rest."""

_NAMESPACES = "/api/v1/namespaces"
_CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

Object = dict[str, Any]


class Requests(Protocol):
    """What the administrator asks of an API server (``recorder.kube.Kube``)."""

    def get(self, path: str) -> Any:
        """Return the answer to a GET; raise ``AdminError`` when it is no success."""
        ...

    def send(self, method: str, path: str, body: object = None, *, form: str = "application/json") -> int:
        """Make a request that writes, and return its status."""
        ...


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind that a namespace can hold: where its API is (``/apis/apps/v1``) and what it is called there."""

    api: str
    plural: str
    name: str

    def path(self, namespace: str, item: Object | None = None) -> str:
        """Return the path of all objects of the kind in ``namespace``, or of ``item``."""
        place = f"{self.api}/namespaces/{namespace}/{self.plural}"
        return place if item is None else f"{place}/{item['metadata']['name']}"


@dataclass
class Admin:
    """An administrator of a cluster of the recorder's own."""

    kube: Requests

    def reset(self, namespaces: Iterable[str]) -> None:
        """Make ``namespaces`` the only ones besides the system's, each there and empty, and no CRD there."""
        wanted = list(namespaces)
        there = [name for name in self._names(_NAMESPACES) if not name.startswith(_SYSTEM)]
        crds = self._names(_CRDS)
        kinds = self._kinds() if crds else self.kinds
        for name in there:
            _wait_until_empty(f"namespace {name}", partial(self._empty, name, kinds))
        for place, name in [*((_CRDS, name) for name in crds), *((_NAMESPACES, name) for name in there)]:
            if place == _CRDS or name not in wanted:
                self._remove(place, name)
        for name in wanted:
            if name not in there:
                self._create(name)

    def objects(self, namespace: str) -> list[Object]:
        """Return every object in ``namespace``, with its kind, except those that only tell what happened."""
        return [item for _, item in self._objects(namespace, self.kinds)]

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kinds that a namespace can hold, while there are no custom ones."""
        return self._kinds()

    def _names(self, path: str) -> list[str]:
        return [item["metadata"]["name"] for item in self.kube.get(path)["items"]]

    def _kinds(self) -> list[Kind]:
        groups = self.kube.get("/apis")["groups"]
        apis = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
        return [
            Kind(api, found["name"], found["kind"])
            for api in apis
            for found in self.kube.get(api)["resources"]
            if found["namespaced"] and {"list", "delete"} <= set(found["verbs"]) and found["kind"] not in _TELLING
        ]

    def _objects(self, namespace: str, kinds: list[Kind]) -> Iterator[tuple[Kind, Object]]:
        for kind in kinds:
            for item in self.kube.get(kind.path(namespace))["items"]:
                yield kind, {**item, "kind": kind.name}

    def _empty(self, namespace: str, kinds: list[Kind]) -> bool:
        """Delete what is in ``namespace``; return whether nothing was."""
        left = [(kind, item) for kind, item in self._objects(namespace, kinds) if not _is_given(item)]
        for kind, item in left:
            path = kind.path(namespace, item)
            self.kube.send("DELETE", path, {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
            if item["metadata"].get("finalizers"):
                self.kube.send("PATCH", path, {"metadata": {"finalizers": None}}, form="application/merge-patch+json")
        return not left

    def _remove(self, place: str, name: str) -> None:
        self.kube.send("DELETE", f"{place}/{name}")
        wait_until(f"{name} is gone", lambda: name not in self._names(place))

    def _create(self, namespace: str) -> None:
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        status = self.kube.send("POST", _NAMESPACES, body)
        if status != http.client.CREATED:
            raise AdminError(f"the API server answered {status} to a new namespace {namespace}")
        wait_until(
            f"namespace {namespace} is ready", lambda: sum(map(_is_given, self.objects(namespace))) == len(_GIVEN)
        )


def wait_until(what: str, done: Callable[[], bool]) -> None:
    """Ask ``done`` until it says so; raise ``AdminError`` that names ``what`` when that takes too long."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not done():
        if time.monotonic() > deadline:
            raise AdminError(f"{what}: not within {LIMIT_SECONDS:g} seconds")
        time.sleep(POLL_SECONDS)


def _wait_until_empty(what: str, empty: Callable[[], bool]) -> None:
    # Twice in a row, because a controller that was still at work may have put something back.
    readings = [False]

    def emptied() -> bool:
        readings.append(empty())
        return readings[-2:] == [True, True]

    wait_until(f"{what} is empty", emptied)


def _is_given(item: Object) -> bool:
    return (item["kind"], item["metadata"]["name"]) in _GIVEN
