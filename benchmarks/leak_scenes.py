"""Stacks that are full of canaries, some in good order and some that a tool or the cluster refuses."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

from canaries import COMMANDS, SHAPES, Canary, Flock, hostile_lines

from tests.live.helm_repo import HelmRepo
from tests.live.repo import Repo, config_map, deployment, documents

Rule = Literal["never", "not in reports"]
"""Where a canary must not be: anywhere, or in a report (but ``diff`` shows it, and a tool's error may quote it)."""

ONE_LINE = tuple(shape for shape in SHAPES if shape != "lines")
REFUSING = {"refuse": "true", "refuse-late": "!has(request.dryRun) || !request.dryRun", "warn": "true"}
"""What the cluster refuses or warns of, by the label ``leaks`` of an object. Its message quotes all that is in it."""


def policies() -> list[Any]:
    """Return the admission policies that quote what they refuse, as a webhook may."""
    return [part for label, when in REFUSING.items() for part in _policy(label, when)]


def _policy(label: str, when: str) -> list[Any]:
    group = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": f"leaks-{label}"}}
    labelled = f"has(object.metadata.labels) && object.metadata.labels[?'leaks'].orValue('') == '{label}'"
    quoting = "'refused: ' + object.data.map(key, key + '=' + object.data[key]).join(', ')"
    spec = {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE", "UPDATE"],
                    "resources": ["configmaps", "secrets"],
                }
            ]
        },
        "matchConditions": [{"name": "labelled", "expression": labelled}, {"name": "now", "expression": when}],
        "validations": [{"expression": "false", "messageExpression": quoting}],
    }
    action = "Warn" if label == "warn" else "Deny"
    binding = {"policyName": f"leaks-{label}", "validationActions": [action]}
    return [
        {"kind": "ValidatingAdmissionPolicy", **group, "spec": spec},
        {"kind": "ValidatingAdmissionPolicyBinding", **group, "spec": binding},
    ]


def encoded(texts: Mapping[str, str]) -> dict[str, str]:
    """Return values as the ``data`` of a Secret has them."""
    return {key: b64encode(text.encode()).decode() for key, text in texts.items()}


def secret(name: str, values: Mapping[str, str] | None = None) -> Any:
    """Return a Secret with ``stringData``."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": dict(values or {})}


def env_file(texts: Mapping[str, str]) -> str:
    """Return an env file that sets these values."""
    quoted = {key: text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for key, text in texts.items()}
    return "".join(f'LEAKS_{key.upper()}="{text}"\n' for key, text in quoted.items())


def labelled(tree: Any, label: str) -> Any:
    """Return an object that one of the policies looks at."""
    return {**tree, "metadata": {**tree["metadata"], "labels": {"leaks": label}}}


def _pods(name: str, env: Mapping[str, str], notes: Mapping[str, str], **selected: str) -> Any:
    made = deployment(name, container={"env": [{"name": key.upper(), "value": text} for key, text in env.items()]})
    made["metadata"]["annotations"] = {f"leaks/{key}": text for key, text in notes.items()}
    if selected:
        made["spec"]["selector"]["matchLabels"] = made["spec"]["template"]["metadata"]["labels"] = selected
    return made


def named_as_commands() -> list[Any]:
    """Return objects whose names are workflow commands: those of a ClusterRole may be nearly anything."""
    return [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": []}
        for command in COMMANDS
        for name in (f"::{command} name=a::b", f"##[{command} name=a]b")
    ]


class Kubectl:
    """A repo of kubectl stacks."""

    tool = "kubectl"
    bad: tuple[str, ...] = (
        "immutable",
        "sealed",
        "number",
        "letters",
        "tree",
        "docker",
        "generator",
        "broken",
        "replicas",
        "refused",
    )
    good: tuple[str, ...] = ("app", "warned", "late")

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.flock = Flock()
        self.side = 0
        for name in self.stacks:
            (repo.root / name).mkdir()
        self.arrange()

    def arrange(self) -> None:
        """Have the stacks, and in those that are bad what is refused."""
        self.repo.configure(*(self._stack(name) for name in self.stacks))
        self._write_bad()

    def _stack(self, name: str) -> dict[str, Any]:
        if name != "app":
            return self.repo.stack(name)
        return self.repo.stack(name, {"envFile": "app/app.env"}, prune=True, forceConflicts=True)

    @property
    def stacks(self) -> tuple[str, ...]:
        """The ids of all stacks."""
        return (*self.good, *self.bad)

    def rule(self, canary: Canary) -> Rule:
        """Say where a canary must not be."""
        return "never" if canary.place.startswith(("Secret", "envFile")) else "not in reports"

    def write(self, side: int) -> None:
        """Write what is good anew, with one side's values."""
        self.side = side
        texts = self.flock.texts
        held = texts("Secret stringData", side)
        self.repo.write("app/app.env", env_file(texts("envFile", side)))
        keys = {self.flock.text("key of a Secret", "key", side): "on"}
        objects = [
            secret("s", {**held, **keys}),
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": "d"},
                "data": encoded(texts("Secret data", side)),
            },
            config_map("c", data=texts("ConfigMap", side)),
            config_map(held["name"], data={"k": "on"}),
            _pods("web", texts("env", side), texts("annotation", side)),
        ]
        self.repo.write("app/all.yaml", documents(*objects))
        for name, label in (("warned", "warn"), ("late", "refuse-late")):
            self.repo.write(f"{name}/x.yaml", documents(*self._quoted(name, label)))

    def _quoted(self, name: str, label: str) -> list[Any]:
        held, shown = (
            self.flock.texts(f"{kind} {label}", self.side, ONE_LINE)
            for kind in ("Secret quoted by", "ConfigMap quoted by")
        )
        # Each run has something to deploy.
        turn = {"turn": str(self.side)}
        return [
            labelled(secret(f"{name}-s", {**held, **turn}), label),
            labelled(config_map(f"{name}-c", data={**shown, **turn}), label),
        ]

    def drift(self) -> None:
        """Change some of it by hand."""
        by_hand = self.flock.texts("Secret by hand", self.side)
        self.repo.server.patch("v1", "Secret", self.repo.namespace, "s", {"data": encoded(by_hand)})
        by_hand = self.flock.texts("ConfigMap by hand", self.side)
        self.repo.server.patch("v1", "ConfigMap", self.repo.namespace, "c", {"data": by_hand})

    def name_as_commands(self) -> None:
        """Have objects, a field manager and a stack whose names are workflow commands."""
        self.repo.write("warned/x.yaml", documents(*named_as_commands()))
        manager = quote("##[set-output name=a]b", safe="")
        for name in ("::set-env name=a::b", "##[add-mask]b"):
            (self.repo.root / name).mkdir()
            self.repo.write(f"{name}/x.yaml", documents(config_map("n")))
        self.repo.configure(*map(self._stack, (*self.stacks, "::set-env name=a::b", "##[add-mask]b")))
        self.repo.server.patch("v1", "ConfigMap", self.repo.namespace, "c", {"data": {"plain": "x"}}, manager=manager)

    def _write_bad(self) -> None:
        held = {name: self.flock.texts(f"Secret refused, {name}", 0) for name in self.bad}
        shown = self.flock.texts("ConfigMap refused", 0)
        sealed = {**secret("sealed", held["sealed"]), "immutable": True}
        self.repo.by_hand("apply", "--server-side", "-f-", content=documents(_pods("fixed", shown, shown), sealed))
        other = self.flock.texts("Secret refused, sealed", 1)
        number = {"p": int(held["number"]["number"]), "q": held["number"]["plain"]}
        docker = {
            "type": "kubernetes.io/dockerconfigjson",
            "stringData": {".dockerconfigjson": held["docker"]["plain"]},
        }
        files = {
            "immutable": [_pods("fixed", shown, shown, app="other")],
            "sealed": [{**sealed, "stringData": other}],
            "number": [{**secret("number"), "stringData": number}],
            "letters": [{**secret("letters"), "data": held["letters"]}],
            "tree": [{**secret("tree"), "stringData": {"p": {"q": list(held["tree"].values())}}}],
            "docker": [{**secret("docker"), **docker}],
            "replicas": [deployment("replicas", replicas=shown["plain"])],
            "refused": self._quoted("refused", "refuse"),
        }
        for name, objects in files.items():
            self.repo.write(f"{name}/x.yaml", documents(*objects))
        literals = {"name": "s", "literals": [held["generator"][shape] for shape in ("plain", "name", "short")]}
        self.repo.write("generator/kustomization.yaml", json.dumps({"secretGenerator": [literals]}))
        broken = documents(secret("broken", held["broken"])).replace("stringData:", "stringData: [")
        self.repo.write("broken/x.yaml", broken)


_RANGES = """\
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: { {{- range $k, $v := .Values.secret }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
  annotations: { {{- range $k, $v := .Values.notes }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
data: { {{- range $k, $v := .Values.config }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
---
apiVersion: v1
kind: ConfigMap
metadata: {name: own}
data: { {{- range $k, $v := .Values.own }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
"""

_QUOTED = """\
apiVersion: v1
kind: Secret
metadata: {name: %(name)s-s, labels: {leaks: %(label)s} }
stringData: { {{- range $k, $v := .Values.p }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
---
apiVersion: v1
kind: ConfigMap
metadata: {name: %(name)s-c, labels: {leaks: %(label)s} }
data: { {{- range $k, $v := .Values.p }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }
"""

_HEAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n"
_BAD = {
    "fails": '{{ fail (join "\\n" (values .Values.p)) }}',
    "requires": "{{ required (toString .Values.p.plain) .Values.none }}{{ required .Values.p.json .Values.none }}",
    "number": _HEAD + "stringData: {p: {{ .Values.p.number }} }",
    "letters": _HEAD + "data: { {{- range $k, $v := .Values.p }}{{ $k }}: {{ $v | toString | quote }}, {{ end -}} }",
    "tree": _HEAD + "stringData: {p: {{ .Values.p | toJson }} }",
    "broken": _HEAD + "stringData: [\n  p: {{ .Values.p.plain }}\n  q: {{ .Values.p | toJson }}",
    "text": "{{ .Values.p.unicode }} {{ .Values.p.plain }}",
    "types": "{{ .Values.p.plain.below }}",
    "json": "{{ fail (toJson .Values.p) }}",
}  # fmt: skip


class Helm(Kubectl):
    """A repo of Helm stacks."""

    tool = "helm"
    bad = (*_BAD, "schema")
    good = ("app", "warned", "late", "table")
    repo: HelmRepo

    def _stack(self, name: str) -> dict[str, Any]:
        more = {"envFile": "app/app.env"} if name == "app" else None
        return self.repo.stack(name, more, valuesFiles=["prod.yaml"])

    def rule(self, canary: Canary) -> Rule:
        """Say where a canary must not be. What values files held before is not known, but for what is in a Secret."""
        if canary.place.startswith(("Secret", "envFile")):
            return "never"
        return "never" if canary.place.startswith("values") and canary.side == self.side else "not in reports"

    def write(self, side: int) -> None:
        """Write what is good anew, with one side's values."""
        self.side = side
        texts = self.flock.texts
        constants = [secret("constant", texts("Secret of the chart", side))]
        constants.append(config_map("constant", data=texts("ConfigMap of the chart", side)))
        constants = [json.loads(json.dumps(each).replace("{{", "{ {")) for each in constants]
        own = {"own": texts("values.yaml of the chart", side)}
        self.repo.chart(*constants, text=_RANGES, values=own)
        self.repo.write("app/app.env", env_file(texts("envFile", side)))
        held = {key: self._typed(f"{place}, values file", side) for key, place in _PLACES.items()}
        self.repo.write("app/prod.yaml", documents(held))
        for name, label in (("warned", "warn"), ("late", "refuse-late")):
            self.repo.chart(path=name, text=_QUOTED % {"name": name, "label": label})
            self.repo.write(
                f"{name}/prod.yaml", documents({"p": {**self._typed(f"Secret, values, {label}", side), "turn": side}})
            )
        self.repo.chart(config_map("t", data={"turn": str(side)}), path="table", values={"p": {"a": "b"}})
        self.repo.write("table/prod.yaml", documents({"p": self.flock.text("Secret values, not a table", "plain", 0)}))

    def name_as_commands(self) -> None:
        """Have objects whose names are workflow commands, and a template that fails with all of them."""
        self.repo.chart(*named_as_commands(), path="table")
        self.repo.write("table/prod.yaml", "{}")
        self.repo.chart(path="fails", text='{{ fail (.Files.Get "lines") }}\n')
        self.repo.write("fails/prod.yaml", "{}")
        self.repo.write("fails/lines", "\n".join(hostile_lines()))

    def _typed(self, place: str, side: int) -> dict[str, Any]:
        texts: dict[str, Any] = dict(self.flock.texts(place, side))
        return {**texts, "number": int(texts["number"])}

    def _write_bad(self) -> None:
        for name, text in _BAD.items():
            self.repo.chart(path=name, text=text + "\n")
            self.repo.write(
                f"{name}/prod.yaml", documents({"p": self._typed(f"Secret refused, values file, {name}", 0)})
            )
        self.repo.chart(config_map("c"), path="schema")
        wrong = {"type": "integer", "enum": [7], "pattern": "^x$"}
        kinds = {"p": {"type": "object", "additionalProperties": wrong, "maxProperties": 1}}
        self.repo.write("schema/values.schema.json", json.dumps({"type": "object", "properties": kinds}))
        self.repo.write("schema/prod.yaml", documents({"p": self._typed("Secret refused, values file, schema", 0)}))


_PLACES = {"secret": "Secret", "config": "values ConfigMap", "notes": "values annotation"}
