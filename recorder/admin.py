"""The recorder's own hands on its cluster: empties namespaces, reads what is there. Nothing of it is recorded."""

import json
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

COMMAND_SECONDS = 60.0
"""How long one command may take, in seconds."""

EMPTY_SECONDS = 90.0
"""How long a namespace may take to become empty or ready, in seconds."""

POLL_SECONDS = 0.1

_SYSTEM = ("default", "kube-", "local-path-storage")
_GIVEN = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
"""What the controllers put into every namespace."""

_UNHELD = ("events", "events.events.k8s.io", "leases.coordination.k8s.io")


class AdminError(Exception):
    """The cluster did not do what the recorder needs. Names commands and objects, never what a tool printed."""


@dataclass
class Admin:
    """An administrator of a cluster of the recorder's own. ``environment`` holds its ``KUBECONFIG``."""

    kubectl: Path
    environment: Mapping[str, str] = field(repr=False)

    def reset(self, namespaces: Iterable[str]) -> None:
        """Make ``namespaces`` the only ones besides the system's, each there and empty, and no CRD there."""
        wanted = list(namespaces)
        there = self._namespaces()
        crds = self._names("customresourcedefinitions")
        kinds = self._list_kinds() if crds else self.kinds
        for name in there:
            self._empty(name, kinds)
        unwanted = [f"namespace/{name}" for name in there if name not in wanted] + crds
        if unwanted:
            self.run("delete", *unwanted, "--wait=true", "--ignore-not-found")
        for name in wanted:
            if name not in there:
                self.run("create", "namespace", name)
                wait_until(f"namespace {name} is ready", partial(self._is_ready, name))

    def objects(self, namespace: str) -> list[dict[str, Any]]:
        """Return every object in ``namespace``, except those that only tell what happened."""
        return self._get(namespace, self.kinds)

    @cached_property
    def kinds(self) -> str:
        """The kinds that a namespace can hold, as kubectl takes them."""
        return self._list_kinds()

    def run(self, *arguments: str, may_fail: bool = False) -> bytes:
        """Run kubectl; return its stdout. Raises :class:`AdminError` when it fails or takes too long."""
        try:
            done = subprocess.run(
                [self.kubectl, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=dict(self.environment),
                timeout=COMMAND_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AdminError(f"kubectl {arguments[0]}: not within {COMMAND_SECONDS:g} seconds") from None
        if done.returncode and not may_fail:
            raise AdminError(f"kubectl {arguments[0]} ended with exit code {done.returncode}")
        return done.stdout

    def _namespaces(self) -> list[str]:
        names = (name.removeprefix("namespace/") for name in self._names("namespaces"))
        return [name for name in names if not name.startswith(_SYSTEM)]

    def _names(self, kind: str) -> list[str]:
        return self.run("get", kind, "--output=name").decode().split()

    def _list_kinds(self) -> str:
        found = self.run("api-resources", "--namespaced", "--verbs=list,deletecollection", "--output=name").decode()
        return ",".join(kind for kind in found.split() if kind not in _UNHELD)

    def _empty(self, namespace: str, kinds: str) -> None:
        readings_empty = 0

        def emptied() -> bool:
            nonlocal readings_empty
            left = [item for item in self._get(namespace, kinds) if not _is_given(item)]
            readings_empty = 0 if left else readings_empty + 1
            if left:
                self._delete(namespace, left)
            # Twice, because a controller that was still at work may have put something back.
            return readings_empty == 2  # noqa: PLR2004 # as said above

        wait_until(f"namespace {namespace} is empty", emptied)

    def _delete(self, namespace: str, items: list[dict[str, Any]]) -> None:
        options = (f"--namespace={namespace}", "--ignore-not-found")
        self.run("delete", *map(_reference, items), *options, "--wait=false", "--grace-period=0", "--force")
        for item in items:
            if item["metadata"].get("finalizers"):
                patch = '--patch={"metadata":{"finalizers":null}}'
                self.run("patch", _reference(item), options[0], "--type=merge", patch, may_fail=True)  # it may be gone

    def _is_ready(self, namespace: str) -> bool:
        return sum(map(_is_given, self._get(namespace, self.kinds))) == len(_GIVEN)

    def _get(self, namespace: str, kinds: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = json.loads(
            self.run("get", kinds, f"--namespace={namespace}", "--ignore-not-found", "--output=json") or b'{"items":[]}'
        )["items"]
        return items


def _is_given(item: dict[str, Any]) -> bool:
    return (item["kind"], item["metadata"]["name"]) in _GIVEN


def _reference(item: dict[str, Any]) -> str:
    group, _, version = item["apiVersion"].rpartition("/")
    kind = f"{item['kind']}.{version}.{group}" if group else item["kind"]
    return f"{kind}/{item['metadata']['name']}"


def wait_until(what: str, done: Callable[[], bool]) -> None:
    """Ask ``done`` until it says so; raise :class:`AdminError` that names ``what`` when that takes too long."""
    deadline = time.monotonic() + EMPTY_SECONDS
    while not done():
        if time.monotonic() > deadline:
            raise AdminError(f"{what}: not within {EMPTY_SECONDS:g} seconds")
        time.sleep(POLL_SECONDS)
