"""Texts as helm and its diff plugin print them: a release, a render, and both forms of a diff."""

import json
from typing import Any

from sluiceway.adapters.kubernetes.objects import LiveObject

Tree = dict[str, Any]

MISSING = "Error: release: not found\n"
"""What helm says of a release that is not there."""


def made(kind: str = "ConfigMap", name: str = "a", api_version: str = "v1", **more: Any) -> Tree:
    """Return an object. ``annotations`` and ``namespace`` go to its metadata."""
    metadata = {key: more.pop(key) for key in ("annotations", "labels", "namespace") if key in more}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}, **more}


def config(name: str = "a", /, **data: Any) -> Tree:
    """Return a ConfigMap with these texts."""
    return made("ConfigMap", name, data=data)


def hook(tree: Tree, event: str = "pre-upgrade") -> Tree:
    """Return the object as a hook."""
    return {**tree, "metadata": {**tree["metadata"], "annotations": {"helm.sh/hook": event}}}


def kept(tree: Tree) -> Tree:
    """Return the object as one that helm leaves behind."""
    return {**tree, "metadata": {**tree["metadata"], "annotations": {"helm.sh/resource-policy": "keep"}}}


def manifest(*trees: Tree, source: str = "web/templates/all.yaml") -> str:
    """Return what ``helm template`` prints of these objects. JSON is YAML."""
    return "".join(f"---\n# Source: {source}\n{json.dumps(tree, ensure_ascii=False)}\n" for tree in trees)


def stored(*trees: Tree, state: str = "deployed", revision: int = 1) -> str:
    """Return what ``helm get all`` prints of a release with these objects."""
    return f"{state} {revision}\n---\n{manifest(*trees)}\n"


def history(*revisions: tuple[int, str]) -> str:
    """Return what ``helm history`` prints."""
    return json.dumps([{"revision": revision, "status": status} for revision, status in revisions])


def said(change: str, tree: Tree, *fields: str, **more: Any) -> Tree:
    """Return what the structured output says of an object; each of ``fields`` is a path with its last key."""
    live = LiveObject(tree)
    parts = (field.rpartition(".") for field in fields)
    changes = [
        {"path": path, "field": field, "change": "replace", "oldValue": "x", "newValue": "y"}
        for path, _, field in parts
    ]
    return {
        "apiVersion": live.api_version,
        "kind": live.kind,
        "namespace": live.namespace or "shop",
        "name": live.name,
        "changeType": change,
        "resourceStatus": {"oldExists": change != "ADD", "newExists": change != "REMOVE"},
        **({"changes": changes} if changes else {}),
        **more,
    }


def structured(*entries: Tree) -> str:
    """Return a structured output."""
    return json.dumps(entries)
