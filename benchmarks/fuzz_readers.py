"""The readers of outside text, each as a target of ``fuzz.py``: what it reads, what its seeds are, what it may raise.

A target takes bytes and yields the texts that a person may see of what went wrong. Anything that it raises is a bug.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sluiceway import environment
from sluiceway.adapters.helm import charts, manifests, release, structured
from sluiceway.adapters.helm import diff_output as helm_diff
from sluiceway.adapters.helm import failures as helm_failures
from sluiceway.adapters.helm import said as helm_said
from sluiceway.adapters.helm.paths import resolve
from sluiceway.adapters.helm.sources import Unread
from sluiceway.adapters.kubectl import answers, diff_output, documents, inventory, managed_fields
from sluiceway.adapters.kubectl import failures as kubectl_failures
from sluiceway.adapters.kubernetes import fold, goyaml
from sluiceway.adapters.kubernetes.objects import LiveObject
from sluiceway.config import reading
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome
from sluiceway.recordings.format import MANIFEST, Recording, RecordingError, to_document

ROOT = Path(__file__).resolve().parents[1]
LONGEST_SEED = 4096
"""Bytes of a seed: a longer one is cut there."""


@dataclass(frozen=True)
class Reader:
    """One reader. ``quotes`` says that its words may quote the input: a file in the repo that holds no value."""

    name: str
    read: Callable[[bytes], Iterable[str]]
    seeds: Callable[[], Iterable[bytes]]
    quotes: bool = False


def _files(*patterns: str) -> Callable[[], Iterable[bytes]]:
    def seeds() -> Iterator[bytes]:
        for pattern in patterns:
            yield from sorted({path.read_bytes()[:LONGEST_SEED] for path in ROOT.glob(pattern) if path.is_file()})

    return seeds


def _texts(found: object) -> Iterator[str]:
    """Yield what is shown of an error or a reason."""
    if isinstance(found, Reason):
        yield from (found.text, found.next_step, *(name for key, name in found.names.items() if key != "object"))
    elif isinstance(found, Exception):
        yield from (str(found), repr(found))


def _without_names(texts: Iterable[str]) -> Iterator[str]:
    """Leave out the object that is named: a name may be any printable text."""
    for text in texts:
        yield re.sub(r"the diff: .*|a step for .* that Sluiceway", "", text)


def _kubectl_diff(data: bytes) -> Iterator[str]:
    try:
        found = diff_output.read_diff(data)
    except diff_output.UnreadableDiff as error:
        yield from _texts(error)
        return
    for item in found:
        if item.live is None or item.merged is None:
            continue
        try:
            live, merged = item.whole()
        except diff_output.UnreadableDiff as error:
            yield from _texts(error)
            continue
        narrow = {path for path in fold.differing(item.live, item.merged.tree) if path[:1] != ("status",)}
        whole = {path for path in fold.differing(LiveObject(live), merged) if path[:1] != ("status",)}
        assert narrow == whole, "both sides read together differ elsewhere than read whole"  # noqa: S101 - a fuzz target
        fold.update(item.live, item.merged.tree, narrow, lambda _path: True)


def _kubectl_objects(data: bytes) -> Iterator[str]:
    yield from _texts(answers.read_objects(data, "kubectl get"))
    for live in answers.read_stream(data):
        fold.differing(live, _turned(live.tree))


def _managed_fields(data: bytes) -> Iterator[str]:
    for live in answers.read_stream(data):
        other = {**live.tree, "spec": _turned(live.tree.get("spec"))}
        try:
            for entry in managed_fields.entries_of(live):
                held = managed_fields.Held.of(entry, live)
                for path in sorted(held.explicit, key=repr)[:40]:
                    held.holds(path)
                    managed_fields.find_in(path, [entry.fields], live.tree, other)
        except managed_fields.UnreadableFields as error:
            yield from _texts(error)


def _turned(node: Any) -> Any:
    """Return a tree with its lists the other way round."""
    if isinstance(node, dict):
        return {key: _turned(below) for key, below in node.items()}
    return [_turned(below) for below in reversed(node)] if isinstance(node, list) else node


def _inventory(data: bytes) -> Iterator[str]:
    objects = data.decode("utf-8", "surrogateescape")
    try:
        listed = inventory.read_inventory(LiveObject({"data": {"objects": objects}}))
    except inventory.UnreadableInventory as error:
        yield from _texts(error)
        return
    written = inventory.objects_text(listed)
    again = inventory.read_inventory(LiveObject({"data": {"objects": written}}))
    assert set(again) == set(listed), "an inventory is read otherwise than it was written"  # noqa: S101
    inventory.document("sluiceway-0123456789abcdef", "web", written)
    for item in listed:
        for word in (item.resource, item.name, item.namespace or ""):
            assert "\0" not in os.fsencode(word).decode("latin-1"), "no word of a command line"  # noqa: S101


def _manifests(data: bytes) -> Iterator[str]:
    try:
        for number, document in enumerate(documents.split("app.yaml", documents.decode("app.yaml", data))):
            repeated: list[goyaml.RepeatedKey] = []
            for found in documents.read(document, repeated, leads=not number):
                inventory.objects_text([inventory.Listed.of(found)])
    except documents.RefusedManifest as error:
        yield from _texts(error)


def _yaml(data: bytes) -> Iterator[str]:
    text = data[1:].decode("utf-8", "replace")
    try:
        goyaml.load(text, refuse_tags=bool(data[:1] > b"@"), repeated=[], alone=bool(data[:1] > b"a"))
    except goyaml.UnreadableYAML as error:
        yield from _texts(error)


def _structured(data: bytes) -> Iterator[str]:
    found = structured.read_structured(data, "shop")
    if isinstance(found, Reason):
        yield from _without_names(_texts(found))
        return
    before, after = {"spec": {"a.b": {"0": [1, {"c": 2}]}}, "data": {"0": 1}}, {"spec": {"a": {"b": [1]}}}
    for entry in found:
        for field in entry.fields:
            resolve(field.path, field.field, before, after)


def _helm_diff(data: bytes) -> Iterator[str]:
    found = helm_diff.read_diff_output(data, "shop")
    if isinstance(found, Reason):
        yield from _without_names(_texts(found))
        return
    for sides in found:
        if sides.before is not None and sides.after is not None:
            fold.differing(LiveObject(sides.before), sides.after)


def _release(data: bytes) -> Iterator[str]:
    yield from _texts(release.read_release(Outcome("exited", 0, data, ""), "shop"))
    yield from _texts(release.deployed_revision(Outcome("exited", 0, data, "")))


def _render(data: bytes) -> Iterator[str]:
    manifests.digests(data, "shop")
    manifests.secret_values(data, "shop")
    try:
        for item in manifests.read(data.decode("utf-8", "replace").replace("\r\n", "\n"), "shop"):
            _ = (item.key, item.kept, item.only_a_test, manifests.decoded_secret(item.tree))
    except manifests.UnreadableManifest as error:
        yield from _texts(error)


def _helm_stderr(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", "replace")
    said = helm_said.read(text)
    yield repr(said)
    for doing in ("helm upgrade", "helm diff upgrade"):
        yield from _texts(helm_failures.failed(Outcome("exited", 1, b"", text), doing, release="web", namespace="shop"))


def _kubectl_stderr(data: bytes) -> Iterator[str]:
    text = data.decode("utf-8", "replace")
    yield from _texts(kubectl_failures.failed(Outcome("exited", 1, b"", text), "kubectl diff"))


@cache
def room() -> Path:
    """Return a directory for readers that read files. Who runs them removes it."""
    return Path(tempfile.mkdtemp())


def _recording(data: bytes) -> Iterator[str]:
    (room() / MANIFEST).write_bytes(data)
    try:
        recording = Recording.load(room())
        for step in recording.steps:
            recording.step(step.name)
        written = yaml.safe_dump(to_document(recording), allow_unicode=True)
        (room() / MANIFEST).write_text(written, "utf-8")
        assert Recording.load(room()) == recording, "a recording is read otherwise than it was written"  # noqa: S101
    except RecordingError as error:
        yield from _texts(error)
        return
    with suppress(RecordingError):  # which lists the steps: names, which may be any text
        recording.step("another")


def _config(data: bytes) -> Iterator[str]:
    (room() / "sluiceway.yaml").write_bytes(data)
    for problem in reading.read(room()).problems:
        yield problem.problem
        yield problem.key


def _charts(data: bytes) -> Iterator[str]:
    first, _, second = data.partition(b"\n----\n")
    (room() / "base").mkdir(exist_ok=True)
    for name, content in (("", first), ("base", second)):
        (room() / name / charts.FILE).write_bytes(content)
    found = charts.read(room(), room())
    yield found.problem if isinstance(found, Unread) else ""
    charts.tree(room(), room())


def _env_file(data: bytes) -> Iterator[str]:
    yield repr(environment.parse_env(data))


def _objects_seeds() -> Iterator[bytes]:
    """Yield single objects of kubectl's answers: those with managed fields that are short enough."""
    met = set()
    for path in sorted(ROOT.glob("recordings/kubectl/*/*/*/*-get.stdout")):
        for live in answers.read_stream(path.read_bytes()):
            written = json.dumps(live.tree, default=str, separators=(",", ":")).encode()
            if "managedFields" in live.metadata and len(written) <= LONGEST_SEED:
                met.add(written)
    yield from sorted(met)[:200]


def _inventory_seeds() -> Iterator[bytes]:
    met = set()
    for path in ROOT.glob("recordings/kubectl/*/*/*/*-get.stdout"):
        for live in answers.read_stream(path.read_bytes()):
            objects = live.tree.get("data", {}).get("objects") if live.name.startswith("sluiceway-") else None
            met |= {objects.encode()} if isinstance(objects, str) else set()
    yield from sorted(met)


def _recording_seeds() -> Iterator[bytes]:
    """Yield recordings that are short enough: each with as many of its steps, and of a step's commands, as fit."""
    for path in sorted(ROOT.glob("recordings/*/*/*/recording.yaml")):
        document = yaml.safe_load(path.read_bytes())
        while len(written := yaml.safe_dump(document, sort_keys=False).encode()) > LONGEST_SEED:
            last = document["steps"][-1]["commands"]
            (last if len(last) > 1 or len(document["steps"]) == 1 else document["steps"]).pop()
        yield written


def _yaml_seeds() -> Iterator[bytes]:
    for seed in _files("examples/**/*.yaml", "tests/adapters/helm/losses/*/*.yaml")():
        yield b"0" + seed
        yield b"Z" + seed


def _chart_seeds() -> Iterator[bytes]:
    for seed in _files("recordings/helm/*/*/files/*/charts/*/Chart.yaml")():
        yield seed
        yield seed + b"\n----\n" + re.sub(rb"(?m)^name: .*", b"name: base", seed)


_HELM, _LOSSES = "recordings/helm/*/*/*/*-", "tests/adapters/helm/losses/*/*/"

READERS = (
    Reader("kubectl-diff", _kubectl_diff, _files("recordings/kubectl/*/*/*/*-diff.stdout")),
    Reader("kubectl-objects", _kubectl_objects, _objects_seeds),
    Reader("managed-fields", _managed_fields, _objects_seeds),
    Reader("inventory", _inventory, _inventory_seeds),
    Reader(
        "kubectl-stderr", _kubectl_stderr, _files("tests/adapters/kubectl/stderr/*", "recordings/kubectl/**/*.stderr")
    ),
    Reader("manifests", _manifests, _files("examples/**/*.yaml", "recordings/kubectl/*/*/files/*/*/*.yaml")),
    Reader("yaml", _yaml, _yaml_seeds),
    Reader("helm-structured", _structured, _files(f"{_LOSSES}*.json", f"{_HELM}diff.stdout")),
    Reader("helm-diff", _helm_diff, _files(f"{_LOSSES}*.txt", f"{_HELM}diff.stdout")),
    Reader("helm-release", _release, _files(f"{_LOSSES}release.yaml", f"{_HELM}get.stdout", f"{_HELM}history.stdout")),
    Reader("helm-render", _render, _files(f"{_LOSSES}render.yaml", f"{_HELM}template.stdout")),
    Reader("helm-stderr", _helm_stderr, _files("tests/adapters/helm/stderr/*", "recordings/helm/**/*.stderr")),
    Reader("recording", _recording, _recording_seeds),
    Reader(
        "config", _config, _files("examples/*/sluiceway.yaml", "recordings/*/*/*/files/*/sluiceway.yaml"), quotes=True
    ),
    Reader("charts", _charts, _chart_seeds),
    Reader(
        "env-file", _env_file, lambda: [b"A=1\nexport B='x y' # c\nC=\"a\\n$b\"\n", b"# c\n\nD=\xc3\xa9 # e\r\nE=\n"]
    ),
)
"""Every reader of text that comes from outside, by the order in which they are fuzzed."""
