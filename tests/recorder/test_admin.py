"""The recorder's hands on its cluster, against a cluster that is a dictionary."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from recorder import admin as admin_module
from recorder.admin import Admin, Kind
from recorder.kube import AdminError

GIVEN: dict[str, dict[str, Any]] = {"configmaps/kube-root-ca.crt": {}, "serviceaccounts/default": {}}
RESOURCES = {
    "/api/v1": [
        ("configmaps", "ConfigMap"),
        ("serviceaccounts", "ServiceAccount"),
        ("events", "Event"),
        ("pods/log", "Pod"),
        ("nodes", "Node"),
    ],
    "/apis/apps/v1": [("deployments", "Deployment")],
    "/apis/example.com/v1": [("widgets", "Widget")],
}
NAMESPACES = "/api/v1/namespaces"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass
class Tiny:
    """Namespaces by name, each with its objects: ``plural/name`` to metadata. ``ghosts`` come back once."""

    namespaces: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    crds: list[str] = field(default_factory=list)
    ghosts: set[str] = field(default_factory=set)
    stuck: bool = False
    asked: list[str] = field(default_factory=list)

    def get(self, path: str) -> Any:
        if path == "/apis":
            groups = ["apps/v1", *(["example.com/v1"] if self.crds else [])]
            return {"groups": [{"preferredVersion": {"groupVersion": group}} for group in groups]}
        if path in RESOURCES:
            return {"resources": [self._resource(*resource) for resource in RESOURCES[path]]}
        return {"items": self._items(path)}

    def send(self, method: str, path: str, body: Any = None, *, form: str = "application/json") -> int:
        self.asked.append(f"{method} {path}")
        if method == "POST":
            self.namespaces[body["metadata"]["name"]] = dict(GIVEN)
            return 201
        if path.startswith(CRDS):
            self.crds.remove(path.rpartition("/")[2])
        elif path.count("/") == 4:
            del self.namespaces[path.rpartition("/")[2]]
        elif method == "PATCH":
            assert (body, form) == ({"metadata": {"finalizers": None}}, "application/merge-patch+json")
            self._drop(path)
        elif not self._found(path)[0][self._found(path)[1]].get("finalizers"):
            self._drop(path)
        return 200

    def _resource(self, name: str, kind: str) -> dict[str, Any]:
        verbs = ["get"] if "/" in name else ["delete", "get", "list"]
        return {"name": name, "kind": kind, "namespaced": kind != "Node", "verbs": verbs}

    def _items(self, path: str) -> list[dict[str, Any]]:
        if path == NAMESPACES:
            return [{"metadata": {"name": name}} for name in ("kube-system", "default", *self.namespaces)]
        if path == CRDS:
            return [{"metadata": {"name": name}} for name in self.crds]
        objects, plural = self._found(path + "/")
        found = {name.removeprefix(plural): metadata for name, metadata in objects.items() if name.startswith(plural)}
        return [{"metadata": {"name": name, **metadata}} for name, metadata in found.items()]

    def _found(self, path: str) -> tuple[dict[str, dict[str, Any]], str]:
        namespace, plural, name = path.partition("/namespaces/")[2].split("/")
        return self.namespaces[namespace], f"{plural}/{name}"

    def _drop(self, path: str) -> None:
        objects, name = self._found(path)
        if name in self.ghosts:
            self.ghosts.remove(name)
        elif not self.stuck:
            del objects[name]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "POLL_SECONDS", 0)


def test_a_namespace_is_emptied_and_keeps_what_it_is_given() -> None:
    tiny = Tiny({"shop": {**GIVEN, "deployments/web": {}, "configmaps/settings": {}}})
    Admin(tiny).reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}
    assert tiny.asked == [
        "DELETE /api/v1/namespaces/shop/configmaps/settings",
        "DELETE /apis/apps/v1/namespaces/shop/deployments/web",
    ]


def test_what_a_controller_puts_back_is_deleted_again() -> None:
    tiny = Tiny({"shop": {**GIVEN, "deployments/web": {}}}, ghosts={"deployments/web"})
    Admin(tiny).reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}
    assert len(tiny.asked) == 2


def test_an_object_that_waits_for_a_finalizer_is_released() -> None:
    tiny = Tiny({"shop": {**GIVEN, "configmaps/held": {"finalizers": ["example.com/hold"]}}})
    Admin(tiny).reset(["shop"])
    assert tiny.namespaces == {"shop": GIVEN}


def test_missing_namespaces_are_made_and_others_go() -> None:
    tiny = Tiny({"extra": {**GIVEN, "configmaps/a": {}}})
    Admin(tiny).reset(["shop", "other"])
    assert tiny.namespaces == {"shop": GIVEN, "other": GIVEN}


def test_custom_kinds_go_after_their_objects() -> None:
    tiny = Tiny({"shop": {**GIVEN, "widgets/gear": {}}}, crds=["widgets.example.com"])
    Admin(tiny).reset(["shop"])
    assert (tiny.namespaces, tiny.crds) == ({"shop": GIVEN}, [])
    assert tiny.asked == [
        "DELETE /apis/example.com/v1/namespaces/shop/widgets/gear",
        f"DELETE {CRDS}/widgets.example.com",
    ]


def test_the_systems_own_namespaces_are_never_touched() -> None:
    tiny = Tiny()
    Admin(tiny).reset(["shop"])
    assert tiny.asked == [f"POST {NAMESPACES}"]


def test_objects_are_all_but_those_that_only_tell_what_happened() -> None:
    admin = Admin(Tiny({"shop": {**GIVEN, "events/web.1": {}, "deployments/web": {}}}))
    assert [(item["kind"], item["metadata"]["name"]) for item in admin.objects("shop")] == [
        ("ConfigMap", "kube-root-ca.crt"),
        ("ServiceAccount", "default"),
        ("Deployment", "web"),
    ]
    assert admin.kinds[-1] == Kind("/apis/apps/v1", "deployments", "Deployment")


def test_a_namespace_that_can_not_be_made_is_an_error() -> None:
    tiny = Tiny()
    tiny.send = lambda *_, **__: 403  # type: ignore[method-assign]
    with pytest.raises(AdminError, match="the API server answered 403 to a new namespace shop"):
        Admin(tiny).reset(["shop"])


def test_an_object_that_will_not_go_is_an_error_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin_module, "LIMIT_SECONDS", 0)
    with pytest.raises(AdminError, match="namespace shop is empty: not within 0 seconds"):
        Admin(Tiny({"shop": {"configmaps/a": {}}}, stuck=True)).reset(["shop"])
