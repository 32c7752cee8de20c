"""The API server of a live test, spoken to directly: faster than kubectl, and what is true when the product speaks."""

import http.client
import json
import ssl
from typing import Any
from urllib.parse import quote

from recorder.clusters.local import LocalCluster

REQUEST_SECONDS = 20.0

_PLURALS = {
    "v1": {
        "ConfigMap": "configmaps",
        "Namespace": "namespaces",
        "Pod": "pods",
        "Secret": "secrets",
        "Service": "services",
        "ServiceAccount": "serviceaccounts",
    },
    "apps/v1": {"Deployment": "deployments"},
    "batch/v1": {"CronJob": "cronjobs"},
    "networking.k8s.io/v1": {"Ingress": "ingresses", "NetworkPolicy": "networkpolicies"},
    "rbac.authorization.k8s.io/v1": {"ClusterRole": "clusterroles", "Role": "roles"},
    "apiextensions.k8s.io/v1": {"CustomResourceDefinition": "customresourcedefinitions"},
}
_OF_THE_CLUSTER = frozenset({"ClusterRole", "CustomResourceDefinition", "Namespace"})

Tree = dict[str, Any]
_Answer = tuple[int, Tree]


class ServerError(Exception):
    """The API server refused what a test asked for: the test itself is wrong."""


class Server:
    """The API server of ``cluster``, spoken to as its admin. Objects are named by apiVersion, kind, namespace, name."""

    def __init__(self, cluster: LocalCluster) -> None:
        self._port = cluster.api.port
        self._token = cluster.api._token
        self._context = ssl.create_default_context(cafile=str(cluster.api.ca_file))

    def get(self, api_version: str, kind: str, namespace: str | None, name: str) -> Tree | None:
        """Return an object, None where there is none."""
        answer = self._request("GET", path(api_version, kind, namespace, name))
        return None if answer[0] == http.client.NOT_FOUND else _well(answer, kind)

    def config_map(self, namespace: str, name: str) -> Tree | None:
        return self.get("v1", "ConfigMap", namespace, name)

    def listed(self, api_version: str, kind: str, namespace: str | None, labels: str = "") -> list[Tree]:
        """Return all objects of a kind in a namespace that have these labels (``a=b,c=d``)."""
        where = f"{path(api_version, kind, namespace)}?labelSelector={quote(labels)}"
        items: list[Tree] = _well(self._request("GET", where), kind)["items"]
        return items

    def names(self, api_version: str, kind: str, namespace: str | None) -> set[str]:
        """Return the names of all objects of a kind in a namespace."""
        found = _well(self._request("GET", path(api_version, kind, namespace)), kind)
        return {item["metadata"]["name"] for item in found["items"]}

    def create(self, tree: Tree, manager: str = "someone") -> Tree:
        """Create an object, as the field manager ``manager``."""
        metadata = tree["metadata"]
        where = path(tree["apiVersion"], tree["kind"], metadata.get("namespace"))
        return _well(self._request("POST", f"{where}?fieldManager={manager}", tree), tree["kind"])

    def patch(  # noqa: PLR0913 - who, where, what, as whom
        self, api_version: str, kind: str, namespace: str | None, name: str, body: Tree, *, manager: str = "someone"
    ) -> Tree:
        """Change an object by a JSON merge patch, as the field manager ``manager``."""
        where = f"{path(api_version, kind, namespace, name)}?fieldManager={manager}"
        return _well(self._request("PATCH", where, body, "application/merge-patch+json"), kind)

    def apply(self, tree: Tree, *, manager: str, force: bool = False) -> Tree:
        """Apply an object server-side, as the field manager ``manager``."""
        metadata = tree["metadata"]
        where = path(tree["apiVersion"], tree["kind"], metadata.get("namespace"), metadata["name"])
        where = f"{where}?fieldManager={manager}&force={str(force).lower()}"
        return _well(self._request("PATCH", where, tree, "application/apply-patch+yaml"), tree["kind"])

    def delete(self, api_version: str, kind: str, namespace: str | None, name: str) -> None:
        """Ask for an object to be deleted; it goes at once where nothing holds it."""
        _well(self._request("DELETE", path(api_version, kind, namespace, name)), kind)

    def _request(self, method: str, where: str, body: Tree | None = None, form: str = "application/json") -> _Answer:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self._port, timeout=REQUEST_SECONDS, context=self._context
        )
        try:
            headers = {"Authorization": f"Bearer {self._token}", "Content-Type": form, "Accept": "application/json"}
            connection.request(method, where, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


def path(api_version: str, kind: str, namespace: str | None, name: str = "") -> str:
    """Return the path of an object, or without ``name`` of all objects of its kind."""
    root = "/api/v1" if api_version == "v1" else f"/apis/{api_version}"
    plural = _PLURALS.get(api_version, {}).get(kind) or f"{kind.lower()}s"
    if namespace is not None and kind not in _OF_THE_CLUSTER:
        root = f"{root}/namespaces/{namespace}"
    return f"{root}/{plural}" + (f"/{quote(name, safe='')}" if name else "")


def _well(answer: _Answer, kind: str) -> Tree:
    status, tree = answer
    if status not in (http.client.OK, http.client.CREATED, http.client.ACCEPTED):
        raise ServerError(f"{kind}: {status} {tree.get('message')}")
    return tree
