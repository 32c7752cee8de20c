"""How the diff plugin names an object: ``<namespace>, <name>, <Kind> (<group>)`` (``spec/helm.md``)."""

import re
from collections.abc import Collection

from sluiceway.adapters.kubernetes.objects import LiveObject, group_of
from sluiceway.adapters.kubernetes.scopes import is_of_the_cluster

_TEXT_NAME = re.compile(r"([^,]*), (.+), ([^\s,()]+) \(([^()]+)\)")
_CORE_VERSION = re.compile(r"v[0-9]+(?:(?:alpha|beta)[0-9]+)?")


def named(api_version: str, kind: str, namespace: str, name: str) -> LiveObject | None:
    """Return an object of which no more is known than its name; None for a name that no object can have.

    The plugin writes a namespace for objects of the cluster too: it is dropped where the kind is built in.
    """
    parts = (api_version, kind, namespace, name)
    if not all(parts) or not all(part.isprintable() for part in parts):
        return None
    metadata = {"name": name}
    if not is_of_the_cluster(group_of(api_version), kind):
        metadata["namespace"] = namespace
    return LiveObject({"apiVersion": api_version, "kind": kind, "metadata": metadata})


def placed(found: LiveObject, known: Collection[str]) -> LiveObject:
    """Return the object without a namespace where ``known`` has its address like that.

    The plugin writes a namespace for every object; a custom kind may have none.
    """
    metadata = {key: node for key, node in found.metadata.items() if key != "namespace"}
    bare = LiveObject({**found.tree, "metadata": metadata})
    return bare if bare.address in known else found


def from_text(text: str, namespace: str) -> LiveObject | None:
    """Return the object that a text names, which is in ``namespace`` where the text has none; None for another text.

    The text has the group without a version; for the core group it has the version in its place. A name may hold
    ``:`` and capitals.
    """
    found = _TEXT_NAME.fullmatch(text)
    if found is None:
        return None
    place, name, kind, group = found.groups()
    api_version = group if _CORE_VERSION.fullmatch(group) else f"{group}/"
    return named(api_version, kind, place or namespace, name)
