"""What the dry run hides: an object that was once applied client-side, and loses what its manifest no longer states.

The oracle is the cluster: what the row lists must be what the deploy then changed, path by path.
"""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.live.repo import Repo, config_map, deployment, documents

pytestmark = pytest.mark.live

SERVERS_OWN = {"generation", "resourceVersion", "uid", "creationTimestamp", "managedFields"}
CONTROLLERS_OWN = {'metadata.annotations["deployment.kubernetes.io/revision"]'}

BEFORE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: some, labels: {a: "1", b: "2"}, annotations: {n: m}}
data: {x: "1", z: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: all, labels: {a: "1", b: "2"}}
data: {x: "1", z: "2"}
binaryData: {q: aGk=}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same, labels: {a: "1"}}
data: {x: "1"}
---
apiVersion: v1
kind: Secret
metadata: {name: s, labels: {q: r}}
data: {a: aGk=, b: aGk=}
stringData: {c: c4n4ry-s3cr3t-1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: small, labels: {app: small}}
spec:
  replicas: 1
  selector: {matchLabels: {app: small}}
  template:
    metadata: {labels: {app: small}}
    spec:
      containers:
      - name: web
        image: nginx:1
        imagePullPolicy: IfNotPresent
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: large, labels: {app: large}}
spec:
  replicas: 3
  strategy: {type: Recreate}
  revisionHistoryLimit: 3
  selector: {matchLabels: {app: large}}
  template:
    metadata: {labels: {app: large, extra: x}, annotations: {p: q}}
    spec:
      tolerations: [{key: a, operator: Exists}]
      nodeSelector: {disk: ssd}
      volumes: [{name: v, emptyDir: {}}, {name: w, configMap: {name: c}}]
      initContainers: [{name: i, image: b}]
      terminationGracePeriodSeconds: 5
      containers:
      - {name: old, image: b, imagePullPolicy: Never, terminationMessagePolicy: FallbackToLogsOnError}
      - name: web
        image: nginx:latest
        command: [sh, -c]
        args: [a]
        env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: C, value: "3"}]
        volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}]
        ports: [{containerPort: 80}, {containerPort: 81, name: x}, {containerPort: 82, protocol: UDP}]
        resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 500m}}
        readinessProbe: {httpGet: {path: /, port: 80}}
      - {name: side, image: b}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {q: r}}
spec:
  type: NodePort
  selector: {a: b, c: d}
  sessionAffinity: ClientIP
  ports: [{port: 80, name: a}, {port: 81, name: b, targetPort: 9}]
---
apiVersion: v1
kind: Service
metadata: {name: opened, annotations: {n: m}}
spec:
  type: ClusterIP
  selector: {a: b}
  ports: [{port: 81, name: b, targetPort: 9}, {port: 80, name: c, protocol: UDP}, {port: 83, name: d}]
---
apiVersion: v1
kind: Service
metadata: {name: closed}
spec:
  type: NodePort
  externalTrafficPolicy: Local
  ports: [{port: 80, name: c, protocol: UDP}]
---
apiVersion: v1
kind: Service
metadata: {name: swapped}
spec:
  sessionAffinity: None
  ports: [{port: 81, name: b, targetPort: 9}, {port: 80, name: c, protocol: UDP}, {port: 80, name: a}]
---
apiVersion: v1
kind: Service
metadata: {name: balanced}
spec:
  type: LoadBalancer
  allocateLoadBalancerNodePorts: false
  ports: [{port: 80, name: a}, {port: 81, name: b}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: night}
spec:
  schedule: "* * * * *"
  suspend: true
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      backoffLimit: 2
      template: {spec: {restartPolicy: Never, containers: [{name: a, image: b, env: [{name: z, value: "1"}]}]}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: net}
spec: {podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{from: [{podSelector: {}}]}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, labels: {a: b}}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
- {apiGroups: [""], resources: [secrets], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: bare}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent, b: c}}, spec: {containers: [{name: a, image: b}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, annotations: {a: b}}
automountServiceAccountToken: false
"""

AFTER = """
apiVersion: v1
kind: ConfigMap
metadata: {name: some, labels: {a: "1"}}
data: {x: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: all}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: same, labels: {a: "1"}}
data: {x: "1"}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {a: hi}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: small, labels: {app: small}}
spec:
  selector: {matchLabels: {app: small}}
  template:
    metadata: {labels: {app: small}}
    spec:
      containers:
      - {name: web, image: "nginx:1", env: [{name: B, value: "2"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: large, labels: {app: large}}
spec:
  selector: {matchLabels: {app: large}}
  template:
    metadata: {labels: {app: large}}
    spec:
      volumes: [{name: w, configMap: {name: c}}]
      containers:
      - name: web
        image: nginx:1
        args: [b]
        env: [{name: C, value: "4"}]
        volumeMounts: [{name: w, mountPath: /w}]
        ports: [{containerPort: 81, name: x}]
        resources: {limits: {cpu: "2"}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {a: b}
  ports: [{port: 80, name: a}]
---
apiVersion: v1
kind: Service
metadata: {name: opened}
spec:
  type: NodePort
  externalTrafficPolicy: Local
  ports: [{port: 80, name: c, protocol: UDP}]
---
apiVersion: v1
kind: Service
metadata: {name: closed}
spec:
  sessionAffinity: None
  ports: [{port: 83, name: d, targetPort: x}, {port: 80, name: c, protocol: UDP}, {port: 81, name: b}]
---
apiVersion: v1
kind: Service
metadata: {name: swapped}
spec:
  ports: [{port: 81, name: b, targetPort: 9}, {port: 83, name: d}, {port: 80, name: a}]
---
apiVersion: v1
kind: Service
metadata: {name: balanced}
spec:
  type: LoadBalancer
  ports: [{port: 80, name: a}, {port: 81, name: b}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: night}
spec:
  schedule: "1 * * * *"
  suspend: true
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: net}
spec: {podSelector: {}, policyTypes: [Ingress]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: bare}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: a, image: b}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
"""


def leaves(tree: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every leaf of an object with its path, an empty map or list too."""
    if isinstance(tree, dict) and tree:
        for key, node in tree.items():
            plain = key.isidentifier() and key.isascii()
            yield from leaves(node, f"{at}.{key}".lstrip(".") if plain else f"{at}[{json.dumps(key)}]")
    elif isinstance(tree, list) and tree:
        for number, node in enumerate(tree):
            yield from leaves(node, f"{at}[{number}]")
    else:
        yield at, tree


def changed(before: Any, after: Any) -> set[str]:
    """Return every path at which two states of an object differ, without what the server keeps for itself."""
    old, new = (dict(leaves({key: tree[key] for key in tree if key != "status"})) for tree in (before, after))
    paths = {path for path in old.keys() | new.keys() if old.get(path, ...) != new.get(path, ...)}
    # An empty map or list is no leaf beside a filled one.
    empty = {at for at in paths if old.get(at) in ({}, []) or new.get(at) in ({}, [])}
    paths -= {at for at in empty if any(other.startswith((f"{at}.", f"{at}[")) for other in paths)}
    own = tuple(f"metadata.{name}" for name in SERVERS_OWN)
    return {path for path in paths if not path.startswith(own)} - CONTROLLERS_OWN


def states(repo: Repo, trees: list[Any]) -> dict[str, Any]:
    """Return the live objects by kind and name."""
    found = {}
    for tree in trees:
        live = repo.live(tree["kind"], tree["metadata"]["name"], tree["apiVersion"])
        found[f"{tree['kind']} {repo.namespace}/{tree['metadata']['name']}"] = live
    return found


@pytest.mark.parametrize(
    "options",
    [{}, {"fieldManager": "mine", "forceConflicts": True}],
    ids=["kubectl", "another manager"],
)
def test_the_row_is_what_the_deploy_then_changes(repo: Repo, options: dict[str, Any]) -> None:
    repo.only(**options)
    repo.write("app/all.yaml", AFTER)
    trees = list(yaml.safe_load_all(AFTER))
    repo.by_hand("apply", "-f-", content=BEFORE)
    for name in ("small", "large"):
        repo.by_hand(
            "wait",
            f"deployment/{name}",
            "--for=jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}=1",
        )
    before = states(repo, trees)

    # kubectl masks a Secret's data, and not the annotation that holds all of it.
    for_a_person = repo.run("diff", "app")
    assert "last-applied-configuration" in for_a_person.out
    for value in ("c4n4ry-s3cr3t-1", b64encode(b"c4n4ry-s3cr3t-1").decode()):
        assert value not in for_a_person.out + for_a_person.err
    seen = repo.preview()
    done = repo.deploy(seen.row["hash"])

    assert (done.code, done.row["outcome"]) == (0, "deployed"), done.row.get("reason")
    after = states(repo, trees)
    shown = {f"{change['type']} {change['name']}": set(change["changedKeys"]) for change in seen.row["changes"]}
    real = {name: changed(before[name], after[name]) for name in before}
    secret = f"Secret {repo.namespace}/s"
    real[secret] = {"data" if path.startswith("data") else path for path in real[secret]}
    assert shown == {name: paths for name, paths in real.items() if paths}
    assert repo.preview().row["state"] == "in-sync"


def test_two_of_one_name_each_lose_their_own(repo: Repo) -> None:
    """One with its namespace written, and one where only kubectl knows it."""
    other = f"{repo.namespace}-2"
    repo.server.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": other}})
    kubeconfig = repo.machine / "kubeconfig"
    kubeconfig.write_text(repo.cluster.kubeconfig.read_text())
    repo.environment["KUBECONFIG"] = str(kubeconfig)
    repo.by_hand("config", "set-context", "--current", f"--namespace={repo.namespace}")
    repo.configure({"path": "app", "tool": "kubectl"})
    repo.write("app/x.yaml", documents(config_map("c", other), config_map("c")))
    for namespace in (other, repo.namespace):
        labelled = documents(config_map("c", labels={"a": "1"}))
        repo.by_hand("apply", "-f-", content=labelled, namespace=namespace)

    seen = repo.preview()

    addresses = {f"ConfigMap/{namespace}/c" for namespace in (other, repo.namespace)}
    assert {address for address, keys in seen.changes.items() if "metadata.labels.a" in keys} == addresses
    assert set(repo.deploy(seen.row["hash"]).row["done"]["applied"]) == addresses


def test_an_object_whose_defaults_are_refused_costs_the_others_nothing(repo: Repo) -> None:
    """kubectl prints nothing of a dry run in which one object is refused: here a node port that is taken."""
    port = {"port": 80, "name": "a"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    spec = {"type": "NodePort", "ports": [port]}
    before = [{**service, "spec": {**spec, "internalTrafficPolicy": "Local"}}, deployment(revisionHistoryLimit=10)]
    repo.by_hand("apply", "-f-", content=documents(*before))
    taken = repo.live("Service", "web")["spec"]["ports"][0]["nodePort"]
    repo.only()
    after = {**service, "spec": {**spec, "ports": [{**port, "nodePort": taken}]}}
    repo.write("app/all.yaml", documents(after, deployment()))

    seen = repo.preview()

    kept = 'metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]'
    space = repo.namespace
    assert seen.changes[f"Deployment.apps/{space}/web"] == [kept]
    assert f"Service/{space}/web was applied client-side before" in seen.notes
    assert f"Deployment.apps/{space}/web was" not in seen.notes
    assert len(seen.argv("apply")) == 3
