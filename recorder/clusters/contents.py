"""What a new local cluster holds beside the control plane's own objects: as kind's does, and what tests ask for."""

import http.client
from collections.abc import Mapping, Sequence
from typing import Any

from recorder.clusters.api import Api, wait_until

RIGHTS_SECONDS = 10.0
"""How long the rights of a new user may take to count, in seconds."""

DEFAULT_NAMESPACE = (
    "/api/v1/namespaces/default/serviceaccounts/default",
    "/api/v1/namespaces/default/configmaps/kube-root-ca.crt",
    "/api/v1/namespaces/default/services/kubernetes",
)
"""What the controllers put into the namespace ``default`` soon after the start."""

_RBAC = "rbac.authorization.k8s.io"
_USERS = "kube-system"


def create_storage_class(api: Api) -> None:
    """Create the default StorageClass ``standard``, word for word kind's; nothing provisions volumes for it."""
    api.post(
        "/apis/storage.k8s.io/v1/storageclasses",
        {
            "metadata": {
                "name": "standard",
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "rancher.io/local-path",
            "reclaimPolicy": "Delete",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
    )


def create_node(api: Api, name: str) -> str:
    """Create the node ``name``, big enough for every example, and return its name; kwok plays its kubelet."""
    resources = {"cpu": "32", "memory": "256Gi", "pods": "110"}
    api.post(
        "/api/v1/nodes",
        {
            "metadata": {
                "name": name,
                "annotations": {"kwok.x-k8s.io/node": "fake"},
                "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"},
            },
            "status": {"allocatable": resources, "capacity": resources},
        },
    )
    return name


def node_ready(api: Api, name: str) -> bool:
    """Return whether pods can be scheduled to the node ``name``."""
    status, node = api.get(f"/api/v1/nodes/{name}")
    if status != http.client.OK or node["spec"].get("taints"):
        return False
    conditions = {condition["type"]: condition["status"] for condition in node["status"].get("conditions", ())}
    return conditions.get("Ready") == "True"


def create_user(api: Api, name: str, rules: Sequence[Mapping[str, Any]]) -> str:
    """Create the service account ``name`` with the cluster-wide RBAC ``rules``, and return a token of its."""
    api.post(f"/api/v1/namespaces/{_USERS}/serviceaccounts", {"metadata": {"name": name}})
    api.post(f"/apis/{_RBAC}/v1/clusterroles", {"metadata": {"name": name}, "rules": rules})
    api.post(
        f"/apis/{_RBAC}/v1/clusterrolebindings",
        {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "namespace": _USERS, "name": name}],
        },
    )
    if rules:
        # The server's authorizer learns of a role a moment after it was created.
        wait_until(f"the rights of {name}", lambda: _allowed(api, name, rules[0]), seconds=RIGHTS_SECONDS)
    answer = api.post(f"/api/v1/namespaces/{_USERS}/serviceaccounts/{name}/token", {"spec": {}})
    token: str = answer["status"]["token"]
    return token


def _allowed(api: Api, name: str, rule: Mapping[str, Any]) -> bool:
    asked = {
        "group": rule["apiGroups"][0],
        "resource": rule["resources"][0],
        "verb": rule["verbs"][0],
        "name": next(iter(rule.get("resourceNames", ())), ""),
    }
    review = {"spec": {"user": f"system:serviceaccount:{_USERS}:{name}", "resourceAttributes": asked}}
    answer = api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return bool(answer["status"]["allowed"])
