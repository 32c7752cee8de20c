"""Manifests drawn from a grammar: an object, and what became of it, each from a seed.

A node of the grammar is a dict or list of nodes, :class:`One` or :class:`Some` of several, or a plain value.
:class:`Draw` makes a tree of it. A choice is drawn from the seed, the path and the *turn*: in another turn a share of
the choices is drawn anew, so that turn 1 is turn 0 with a few things changed.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

Tree = dict[str, Any]

GONE: Final = object()
"""Drawn for a key of a map: the key is left out."""


@dataclass(frozen=True)
class One:
    """One of these nodes."""

    of: tuple[Any, ...]


@dataclass(frozen=True)
class Some:
    """A list of some of these nodes, in any order; at least so many."""

    of: tuple[Any, ...]
    least: int = 0


@dataclass(frozen=True)
class Draw:
    """One turn of an object: ``share`` is how many of the choices are drawn anew in it, from 0 to 1."""

    seed: str
    turn: int = 0
    share: float = 0.0

    def tree(self, node: Any, at: str = "") -> Any:
        """Return a tree of the grammar."""
        if isinstance(node, One):
            number = self._dice(at).randrange(len(node.of))
            return self.tree(node.of[number], f"{at}|{number}")
        if isinstance(node, Some):
            dice = self._dice(at)
            order = dice.sample(range(len(node.of)), dice.randint(node.least, len(node.of)))
            return [self.tree(node.of[number], f"{at}/{number}") for number in order]
        if isinstance(node, list):
            return [self.tree(item, f"{at}/{number}") for number, item in enumerate(node)]
        if isinstance(node, dict):
            return self._map(node, at)
        return node

    def _map(self, node: Tree, at: str) -> Tree:
        drawn: Tree = {}
        for key, child in node.items():
            value = self.tree(child, f"{at}.{key}")
            if key == ALSO:
                drawn.update(value)
            elif value is not GONE:
                drawn[key] = value
        return drawn

    def _dice(self, at: str) -> Random:
        anew = self.turn and Random(f"{self.seed} {at} {self.turn}?").random() < self.share  # noqa: S311 - no secret
        return Random(f"{self.seed} {at} {self.turn if anew else 0}")  # noqa: S311 - no secret


ALSO: Final = "+"
"""The key of a map whose drawn keys are the map's own: alternatives of several keys."""


def one(*of: Any) -> One:
    """Return a choice."""
    return One(of)


def maybe(*of: Any) -> One:
    """Return a choice that may leave its key out."""
    return One((GONE, *of))


TEXTS: Final = one(
    "",
    "x",
    "5",
    "yes",
    "~",
    "null",
    "1e3",
    " a",
    "a ",
    "a: b\nc: d\n",
    "a\nb",
    "\n\n",
    "---",
    "--- a\n+++ b\n",
    "# a",
    "@@ -1 +1 @@\n",
    "\ta\n",
    "a\r\nb",
    "\u2028",
    "é😀",
    '"q"',
    "it's",
    "{a",
    "&a",
    "x" * 200,
    "word " * 40,
    "\\n",
)
_NAMES: Final = ("a", "y", "1", "null", "a.b", "k.e-y_1", "A")

LABELS: Final = maybe(
    {}, {"a": maybe("1", "yes"), "y": maybe("", "x"), "example.com/tier": maybe("back", "front", "1")}
)
METADATA: Final = {"labels": LABELS, "annotations": maybe({"a": maybe(TEXTS), "example.com/b": maybe(TEXTS)})}

CPU: Final = maybe("10m", "0.01", "1", "1000m", 1, 0.5, "500m")
MEMORY: Final = maybe("16Mi", "16777216", 16777216, "1Gi", "1024Mi", "1e9", "1G", "128974848")
RESOURCES: Final = {
    "requests": maybe({}, {"cpu": CPU, "memory": MEMORY}),
    "limits": maybe({"ephemeral-storage": MEMORY}),
}


def _named(*names: str, **rest: Any) -> Some:
    return Some(tuple({"name": name, **rest} for name in names))


def _container(name: str, mounts: Any) -> Tree:
    probe = {
        ALSO: one({"tcpSocket": {"port": one(80, "http")}}, {"exec": {"command": ["a"]}}, {"httpGet": {"port": 80}}),
        "periodSeconds": maybe(5, 10),
    }
    return {
        "name": name,
        "image": one("nginx", "nginx:1", "nginx:latest", "nginx:2"),
        "imagePullPolicy": maybe("Always", "IfNotPresent"),
        "args": maybe([], ["a", TEXTS], ["b"], ["b", "a"]),
        "env": maybe(Some(tuple({"name": name, **_VALUE} for name in "ABC"))),
        "envFrom": maybe([{"configMapRef": {"name": one("a", "b"), "optional": maybe(True, False)}}]),
        "ports": maybe(
            Some(
                (
                    {"containerPort": 80, "name": maybe("http")},
                    {"containerPort": 81, "protocol": maybe("TCP")},
                    {"containerPort": 81, "protocol": "UDP"},
                )
            )
        ),
        "resources": maybe(RESOURCES),
        **({} if name == "init" else {"readinessProbe": maybe(probe)}),
        "securityContext": maybe({}, {"runAsUser": maybe(0, 1000), "capabilities": maybe({"drop": ["ALL"]})}),
        "volumeMounts": maybe(mounts),
    }


_VALUE: Final = {
    ALSO: one({}, {"value": TEXTS}, {"valueFrom": {"fieldRef": {"fieldPath": one("metadata.name", "spec.nodeName")}}})
}
_MOUNTS: Final = Some(
    (
        {"name": "v", "mountPath": "/v", "readOnly": maybe(True, False)},
        {"name": "w", "mountPath": "/w", "subPath": maybe("a", "b")},
    )
)
_VOLUMES: Final = Some(
    (
        {"name": "v", "emptyDir": one({}, {"sizeLimit": one("1Gi", "1024Mi")})},
        {"name": "w", "configMap": {"name": one("a", "b"), "defaultMode": maybe(420, 256)}},
    ),
    least=2,
)


def _pod(**rest: Any) -> Tree:
    return {
        "containers": Some((_container("web", _MOUNTS), _container("side", _MOUNTS)), least=1),
        "initContainers": maybe(Some((_container("init", _MOUNTS), {"name": "last", "image": "busybox"}))),
        "volumes": _VOLUMES,
        "tolerations": maybe([], [{"key": one("a", "b"), "operator": "Exists"}], [{"operator": "Exists"}]),
        "imagePullSecrets": maybe(_named("a", "b")),
        "hostAliases": maybe(Some(({"ip": "10.0.0.1", "hostnames": ["a"]}, {"ip": "10.0.0.2", "hostnames": ["b"]}))),
        "nodeSelector": maybe({}, {"a": maybe("1"), "b": maybe("2", "yes")}),
        "securityContext": maybe({}, {"fsGroup": maybe(1, 2)}),
        "affinity": maybe(
            {
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": one("a", "b"), "labelSelector": {"matchLabels": {"app": "web"}}}
                    ]
                }
            }
        ),
        "terminationGracePeriodSeconds": maybe(5, 30),
        **rest,
    }


_APP: Final = {"matchLabels": {"app": "web"}}
_TEMPLATE: Final = {
    "metadata": {"labels": {"app": "web", "b": maybe("1", "2")}, "annotations": maybe({"a": TEXTS})},
    "spec": _pod(),
}
_PORT: Final = {"port": 80, "name": "http", "targetPort": maybe(80, "http", 8080), "protocol": maybe("TCP")}
_BACKEND: Final = {"service": {"name": one("a", "b"), "port": one({"number": one(80, 81)}, {"name": "http"})}}
_PEER: Final = one(
    {"podSelector": one({}, _APP)},
    {"namespaceSelector": {}},
    {"podSelector": {}, "namespaceSelector": one({}, _APP)},
    {"ipBlock": {"cidr": "10.0.0.0/8", "except": maybe(["10.1.0.0/16"], ["10.1.0.0/16", "10.2.0.0/16"])}},
)
_METRIC: Final = {
    "type": "Resource",
    "resource": {
        "name": one("cpu", "memory"),
        "target": one(
            {"type": "Utilization", "averageUtilization": one(50, 60)},
            {"type": "AverageValue", "averageValue": one("1", "1000m")},
        ),
    },
}
_POLICIES: Final = [{"type": one("Pods", "Percent"), "value": one(1, 4), "periodSeconds": 60}]
_QUANTITIES: Final = {"cpu": CPU, "memory": MEMORY}

CUSTOM: Final = "Part"
"""The custom kind, of :func:`crd`."""

KINDS: Final[Mapping[tuple[str, str], Tree]] = {
    ("v1", "ConfigMap"): {
        "data": maybe({}, {name: maybe(TEXTS) for name in _NAMES}),
        "binaryData": maybe({"bin": one("/w==", "AAE=")}),
    },
    ("v1", "Secret"): {
        "data": maybe({}, {name: maybe("", "eA==", base64.b64encode(b"x" * 90).decode()) for name in _NAMES}),
        "stringData": maybe({"a": TEXTS, "s": maybe("x", "y")}),
    },
    ("v1", "Service"): {
        "spec": {
            "selector": maybe({"app": one("web", "yes")}, {}),
            "ports": Some(
                (_PORT, {**_PORT, "port": 81, "name": "more"}, {"port": 80, "protocol": "UDP", "name": "dns"}), least=1
            ),
            "+": one(
                {},
                {"type": "ClusterIP"},
                {"type": "NodePort"},
                {"type": "LoadBalancer", "externalTrafficPolicy": maybe("Local", "Cluster")},
            ),
            "sessionAffinity": maybe("None", "ClientIP"),
            "publishNotReadyAddresses": maybe(True, False),
        }
    },
    ("v1", "ServiceAccount"): {
        "automountServiceAccountToken": maybe(True, False),
        "imagePullSecrets": maybe([], [{"name": "a"}], [{"name": "b"}, {"name": "a"}]),
        "secrets": maybe(_named("a", "b")),
    },
    ("v1", "LimitRange"): {
        "spec": {
            "limits": [
                {"type": "Container", "max": maybe({"cpu": one("2", "2000m", 4)}), "default": maybe(_QUANTITIES)}
            ]
        }
    },
    ("v1", "ResourceQuota"): {"spec": {"hard": {f"requests.{key}": value for key, value in _QUANTITIES.items()}}},
    ("apps/v1", "Deployment"): {
        "spec": {
            "paused": True,  # so that no controller goes on to make pods
            "replicas": maybe(0, 1, 3),
            "selector": _APP,
            "template": _TEMPLATE,
            "minReadySeconds": maybe(0, 5),
            "strategy": maybe(
                {},
                {"type": "Recreate"},
                {"type": "RollingUpdate"},
                {"rollingUpdate": {"maxSurge": one(1, "25%", "30%")}},
            ),
        }
    },
    ("apps/v1", "StatefulSet"): {
        "spec": {
            "replicas": 0,
            "serviceName": "web",
            "selector": _APP,
            "template": _TEMPLATE,
            "updateStrategy": maybe(
                {"type": "OnDelete"}, {"type": "RollingUpdate", "rollingUpdate": {"partition": one(0, 1)}}
            ),
            "persistentVolumeClaimRetentionPolicy": maybe({"whenDeleted": one("Retain", "Delete")}),
        }
    },
    ("apps/v1", "DaemonSet"): {"spec": {"selector": _APP, "template": _TEMPLATE, "minReadySeconds": maybe(1, 2)}},
    ("batch/v1", "CronJob"): {
        "spec": {
            "schedule": one("0 0 1 1 *", "0 0 2 1 *"),
            "suspend": True,
            "timeZone": maybe("Etc/UTC"),
            "concurrencyPolicy": maybe("Allow", "Forbid"),
            "successfulJobsHistoryLimit": maybe(0, 3, 5),
            "jobTemplate": {
                "metadata": maybe(METADATA),
                "spec": {
                    "activeDeadlineSeconds": maybe(2**53, 2**53 + 1, 5),
                    "template": {"spec": _pod(restartPolicy=one("Never", "OnFailure"))},
                },
            },
        }
    },
    ("networking.k8s.io/v1", "NetworkPolicy"): {
        "spec": {
            "podSelector": one({}, _APP),
            "ingress": maybe(
                [],
                [{}],
                [{"from": [_PEER, _PEER]}],
                [{"from": [_PEER], "ports": [{"port": one(80, "http"), "endPort": GONE}]}],
            ),
            "egress": maybe([], [{"to": [_PEER]}, {"ports": [{"protocol": one("UDP", "TCP"), "port": 53}]}]),
        }
    },
    ("networking.k8s.io/v1", "Ingress"): {
        "spec": {
            "defaultBackend": _BACKEND,
            "rules": maybe(
                [],
                [
                    {
                        "host": one("a.example.com", "b.example.com"),
                        "http": {
                            "paths": [{"path": one("/", "/a"), "pathType": one("Prefix", "Exact"), "backend": _BACKEND}]
                        },
                    }
                ],
            ),
            "tls": maybe(
                [{"hosts": one(["a.example.com"], ["b.example.com", "a.example.com"]), "secretName": maybe("a")}]
            ),
        }
    },
    ("autoscaling/v2", "HorizontalPodAutoscaler"): {
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": one("nowhere", "elsewhere")},
            "minReplicas": maybe(1, 2),
            "maxReplicas": one(3, 4),
            "metrics": maybe(
                [_METRIC],
                [
                    _METRIC,
                    {
                        "type": "Resource",
                        "resource": {"name": "memory", "target": {"type": "Utilization", "averageUtilization": 70}},
                    },
                ],
            ),
            "behavior": maybe({"scaleDown": {"policies": _POLICIES, "stabilizationWindowSeconds": maybe(0, 300)}}),
        }
    },
    ("policy/v1", "PodDisruptionBudget"): {
        "spec": {
            "selector": one({}, _APP),
            "+": one({"minAvailable": one(1, "50%")}, {"maxUnavailable": one(0, "50%")}),
            "unhealthyPodEvictionPolicy": maybe("AlwaysAllow", "IfHealthyBudget"),
        }
    },
    ("rbac.authorization.k8s.io/v1", "Role"): {
        "rules": maybe(
            [],
            [
                {
                    "apiGroups": [""],
                    "resources": one(["pods"], ["pods", "services"]),
                    "verbs": one(["get"], ["list", "get"]),
                }
            ],
        )
    },
    ("coordination.k8s.io/v1", "Lease"): {
        "spec": maybe(
            {},
            {
                "holderIdentity": maybe("a", "1"),
                "leaseDurationSeconds": maybe(1, 15),
                "acquireTime": maybe("2020-01-01T00:00:00.000000Z", "2020-01-01T00:00:00.100000Z"),
            },
        )
    },
    ("truth.example.com/v1", CUSTOM): {
        "apiVersion": one("truth.example.com/v1", "truth.example.com/v1", "truth.example.com/v1beta1"),
        "spec": {
            "text": maybe(TEXTS),
            "number": maybe(1, 1.5, 1e21, 0.1, -0.0, 100000.0),
            "big": maybe(2**53, 2**53 + 1, 2**62),
            "flag": maybe(True, False),
            "nullable": maybe(None, "x"),
            "either": maybe(1, "1", "50%"),
            "quantity": maybe("1", "1000m", 1),
            "time": maybe("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.0Z"),
            "keyed": maybe(
                Some(
                    (
                        {"name": "a", "port": 80, "value": TEXTS},
                        {"name": "a", "port": 81, "value": maybe("x")},
                        {"name": "b", "value": maybe("x", "y"), "deep": maybe({}, {"e": maybe(1, 2)})},
                        {"name": "c"},
                    )
                )
            ),
            "set": maybe(Some(("a", "b", "c", "yes", "1"))),
            "numbers": maybe(Some((1, 2, 3))),
            "atomic": maybe([], [1], [1, 2], [2, 1], [3, 1, 2]),
            "lists": maybe([], [["x"]], [["x"], ["y", "z"]], [[]]),
            "map": maybe({}, {name: maybe("x", "y") for name in _NAMES}),
            "whole": maybe({}, {"a": maybe("x", "y"), "b": maybe("x")}),
            "free": maybe({}, {"a": maybe(1, "1", [1, {"b": 2}], {"c": None}), "y": maybe({}, [], "")}),
            "filled": maybe({}, {"a": maybe(1, 2), "b": maybe({}, {"c": maybe("x", "z")})}),
        },
    },
}
"""What an object of each kind may be, apart from its metadata."""


def drawn(api_version: str, kind: str, name: str, draw: Draw) -> Tree:
    """Return one turn of an object."""
    grammar = KINDS[(api_version, kind)]
    tree: Tree = draw.tree({"apiVersion": api_version, "kind": kind, "metadata": METADATA, **grammar})
    return {**tree, "metadata": {"name": name, **tree["metadata"]}}


def crd() -> Tree:
    """Return the definition of the custom kind: lists and maps of each type, defaults, two versions of one schema."""
    text, whole = {"type": "string"}, {"type": "integer"}
    item = {"name": text, "port": {**whole, "default": 80}, "value": text, "deep": _object({"e": whole})}
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"]}
    filled = {"a": {**whole, "default": 1}, "b": {**_object({"c": {**text, "default": "x"}}), "default": {}}}
    either = {"x-kubernetes-int-or-string": True}
    spec = {
        "text": {**text, "default": "d"},
        "number": {"type": "number"},
        "big": {**whole, "format": "int64"},
        "flag": {"type": "boolean", "default": True},
        "nullable": {**text, "nullable": True},
        "either": either,
        "quantity": {**either, "anyOf": [whole, text]},
        "time": {**text, "format": "date-time"},
        "keyed": {**_list(_object(item, required=["name"])), **keyed},
        "set": {**_list(text), "x-kubernetes-list-type": "set"},
        "numbers": {**_list(whole), "x-kubernetes-list-type": "set"},
        "atomic": _list(whole),
        "lists": _list(_list(text)),
        "map": {"type": "object", "additionalProperties": text},
        "whole": {"type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "filled": {**_object(filled), "default": {}},
    }
    schema = {"openAPIV3Schema": _object({"spec": _object(spec)})}
    versions: list[Tree] = [
        {"name": name, "served": True, "storage": name == "v1", "schema": schema, "subresources": {"status": {}}}
        for name in ("v1", "v1beta1")
    ]
    names = {"plural": "parts", "singular": "part", "kind": CUSTOM, "listKind": f"{CUSTOM}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "parts.truth.example.com"},
        "spec": {"group": "truth.example.com", "scope": "Namespaced", "names": names, "versions": versions},
    }


def _object(properties: Tree, **rest: Any) -> Tree:
    return {"type": "object", "properties": properties, **rest}


def _list(of: Tree) -> Tree:
    return {"type": "array", "items": of}
