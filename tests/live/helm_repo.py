"""A repo of Helm stacks on a machine that has one helm and its diff plugin, and what is true of its releases."""

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from recorder import tools
from sluiceway.model.paths import write_path
from sluiceway.model.trees import changed_paths
from tests.live.repo import CANARY, ROOT, SECONDS, Answer, Repo, documents
from tests.live.server import ServerError

EXAMPLE = ROOT / "examples" / "helm-basic"

EXAMPLE_CANARY = "CANARY"
"""Stands in every value of the example that is there to be missed."""

_REVISION = 'metadata.annotations["deployment.kubernetes.io/revision"]'
_OF_THE_SERVER = ("managedFields", "resourceVersion", "uid", "generation", "creationTimestamp")

Objects = dict[str, Any]


@dataclass
class HelmRepo(Repo):
    """A repo whose stacks are releases in ``namespace``. ``helm`` is the real one, ``plugins`` its plugin directory.

    On PATH stands a script that notes each command line of helm; kubectl is for the person alone.
    """

    helm: Path = Path()
    plugins: Path = Path()

    def __post_init__(self) -> None:
        super().__post_init__()
        self.environment["HELM_PLUGINS"] = str(self.plugins)

    @property
    def major(self) -> int:
        """The major version of the helm."""
        return 3 if self.minor == "1.34" else 4

    # The repo's files.

    def example(self) -> None:
        """Have the chart directories of the example, its stacks in our namespace."""
        shutil.copytree(EXAMPLE, self.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.tgz", "*.lock"))
        file = self.root / "sluiceway.yaml"
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
        for stack in config["stacks"]:
            stack["options"]["namespace"] = self.namespace
        self.configure(*config["stacks"])

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one ``old`` in a file."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, (name, text)
        self.write(name, text.replace(old, new))

    def stack(self, path: str = "app", entry: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """Return the entry of a stack: the release is called as its directory."""
        given = {"release": path, "namespace": self.namespace, "chart": "./", **options}
        return {"path": path, "tool": "helm", "options": given, **(entry or {})}

    def chart(self, *objects: Any, path: str = "app", values: Any = None, text: str = "", **about: Any) -> None:
        """Write a chart anew: its objects, and ``text``, a template as it is."""
        shutil.rmtree(self.root / path, ignore_errors=True)
        self.write(
            f"{path}/Chart.yaml", documents({"apiVersion": "v2", "name": Path(path).name, "version": "1.0.0", **about})
        )
        self.write(f"{path}/values.yaml", documents(values or {}))
        self.write(f"{path}/templates/all.yaml", "---\n".join(part for part in (_escaped(objects), text) if part))

    # The person's machine.

    def hook(self, script: str) -> None:
        """Have the helm on PATH do something of ours first; the script (sh) may read ``$@`` and exit."""
        calls = shlex.quote(str(self.machine / "calls"))
        self.program(
            "helm",
            f"helm={shlex.quote(str(self.helm))}\n"
            # One write a call: some run at the same time.
            f"(IFS='\037'; line=$(printf '%s' \"$*\" | tr '\\n' ' '); printf '%s\\n' \"$line\" >> {calls})\n"
            f'{script}\nexec "$helm" "$@"',
        )

    def note_sessions(self, more: str = "") -> Path:
        """Have each helm note its process, and its verb, which is a session of its own; return where."""
        file = self.machine / "sessions"
        self.hook(f'echo "$$ $1" >> {shlex.quote(str(file))}\n{more}')
        return file

    # The person.

    def ended(self, process: "subprocess.Popen[str]", before: int = 0, *, shows: bool = False) -> Answer:
        answer = super().ended(process, before, shows=shows)
        assert shows or EXAMPLE_CANARY not in answer.out + answer.err
        return answer

    def put_out_all(self) -> Answer:
        """Preview and deploy all stacks at once, which must go well; return the preview."""
        seen = self.preview()
        assert seen.code == 0, seen.out
        hashes = (f"--hash={name}={row['hash']}" for name, row in seen.rows.items())
        done = self.run("deploy", *seen.rows, *hashes, "--format=json")
        assert (done.code, {row["outcome"] for row in done.rows.values()}) == (0, {"deployed"}), done.out
        return seen

    def put_out_fails(self, *more: str) -> Answer:
        """Preview the stack ``app``, which must go well, and deploy it, which must not."""
        row = (self.drift if "--repair-drift" in more else self.preview)().row
        assert row.get("hash"), row.get("reason")
        answer = self.deploy(row["hash"], *more)
        assert (answer.code, answer.row["outcome"]) == (1, "failed")
        return answer

    def by_hand_helm(self, *arguments: str, helm: Path | None = None, fails: bool = False) -> str:
        """Run helm as a person does, in the repo's namespace; return what it printed."""
        answer = self.try_helm(*arguments, helm=helm)
        assert (answer.returncode != 0) == fails, answer.stdout + answer.stderr
        return answer.stdout

    def try_helm(self, *arguments: str, helm: Path | None = None) -> "subprocess.CompletedProcess[str]":
        argv = [str(helm or self.helm), *arguments, f"--namespace={self.namespace}"]
        return subprocess.run(
            argv,
            cwd=self.root,
            env={**self.environment, "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def follow(self, text: str) -> str:
        """Do the first thing that a text of the product says to do with helm; return the command."""
        (command, *_) = re.findall(r"`(helm (?:rollback|uninstall)[^`<>]*)`", text)
        answer = subprocess.run(
            shlex.split(command),
            cwd=self.root,
            env={**self.environment},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        return str(command)

    # What is true.

    def served(self, api_version: str, kind: str) -> None:
        """Wait until the objects of a custom kind can be had."""
        deadline = time.monotonic() + SECONDS
        while True:
            try:
                self.server.listed(api_version, kind, self.namespace)
            except (ServerError, ValueError):  # the path is not there yet, or its storage is not
                assert time.monotonic() < deadline
                time.sleep(0.1)
            else:
                return

    def statuses(self, release: str = "app") -> list[str]:
        """Return the status of each revision of a release, oldest first."""
        found = self.server.listed("v1", "Secret", self.namespace, f"owner=helm,name={release}")
        labels = [item["metadata"]["labels"] for item in found]
        return [each["status"] for each in sorted(labels, key=lambda each: int(each["version"]))]

    def objects(self, *kinds: tuple[str, str]) -> Objects:
        """Return what a person sees of all objects of these kinds (apiVersion, kind), by address."""
        return {
            address: tree
            for kind in kinds
            for item in self.server.listed(*kind, self.namespace)
            for address, tree in [_seen({"apiVersion": kind[0], "kind": kind[1], **item})]
            if not item["metadata"]["name"].startswith(("sh.helm.release.", "kube-root-ca.crt", "default"))
        }


def difference(before: Objects, after: Objects) -> dict[str, Any]:
    """Return what changed in a cluster, in the form of a row: paths by address, or the op."""
    found: dict[str, Any] = {address: "delete" for address in before if address not in after}
    for address, tree in after.items():
        if address not in before:
            found[address] = "create"
            continue
        secret = address.startswith("Secret/")
        paths = changed_paths(before[address], tree)
        written = {write_path(path[:1] if secret and path[0] == "data" else path) for path in paths} - {_REVISION}
        if written:
            found[address] = sorted(written)
    return found


def hook(tree: Any, events: str = "post-install,post-upgrade", **policies: str) -> Any:
    """Return an object as a hook; ``delete`` is its delete policy."""
    annotations = {"helm.sh/hook": events}
    if "delete" in policies:
        annotations["helm.sh/hook-delete-policy"] = policies["delete"]
    return annotated(tree, annotations)


def annotated(tree: Any, annotations: Mapping[str, str]) -> Any:
    """Return an object with annotations."""
    return {**tree, "metadata": {**tree["metadata"], "annotations": dict(annotations)}}


def stuck(name: str = "web") -> Any:
    """Return a Deployment whose pod no node takes: helm waits for it in vain."""
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {
            "nodeSelector": {"example.com/nowhere": "true"},
            "containers": [{"name": "web", "image": f"nginx:{CANARY}"}],
        },
    }
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def custom_kind(group: str, kind: str) -> Any:
    """Return the definition of a namespaced kind that takes any field."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "listKind": f"{kind}Items"},
            "versions": [version],
        },
    }


def missing() -> str:
    """Return where helm's diff plugin was looked for in vain; empty when it is there."""
    found = tools.find(tools.PLUGIN, tools.PLUGIN_WANTED)
    return "" if isinstance(found, tools.Found) else f"helm's diff plugin: {found}"


def _escaped(objects: Iterable[Any]) -> str:
    text = documents(*objects) if objects else ""
    assert "{{" not in text
    return text


def _seen(item: Any) -> tuple[str, Any]:
    metadata = {key: node for key, node in item["metadata"].items() if key not in _OF_THE_SERVER}
    tree = {**{key: node for key, node in item.items() if key != "status"}, "metadata": metadata}
    group = item["apiVersion"].partition("/")[0] if "/" in item["apiVersion"] else ""
    place = "/".join(metadata[key] for key in ("namespace", "name") if key in metadata)
    return f"{item['kind']}{f'.{group}' if group else ''}/{place}", tree
