"""Generated manifest files as Sluiceway reads them, against what the real kubectl reads in them. It needs no cluster.

    python benchmarks/yaml_as_kubectl.py [--files 3000] [--seed 1] [--minor 1.34]

``kubectl annotate --local -o json`` reads many files in one call: of each it prints the objects in order, up to the
first that it can't read. Compared are which objects a file holds, in which order, and every value and its type; then
all files that both read are joined to one set, as a stack is, and compared again. A file that Sluiceway refuses and
kubectl reads is counted by the words of the refusal: each must be one that ``docs/kubectl.md`` names.
"""

# ruff: noqa: PLR2004 - the numbers are chances

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from recorder import tools
from sluiceway.adapters.kubectl import rendered
from sluiceway.adapters.kubectl.documents import RefusedManifest
from sluiceway.adapters.kubernetes.goscalars import JSON
from sluiceway.model.trees import Float, same
from tests.adapters.kubectl import yaml_table as table
from tests.adapters.kubectl.strategies import HOSTILE_TEXTS

WANTED = {"1.34": "1.34.0", "1.37": "1.37"}
SHOWN = 20
FIRST = "apiVersion: example.com/v1\nkind: Asked\nmetadata: {name: first}\n"
LIMIT = 600
"""Seconds that one call of kubectl may take."""

Tree = dict[str, Any]

_VALUES: list[str] = [text for text in (*table.VALUES, *table.PAST_INT64) if "\n" not in text]
_BLOCKS: list[str] = [text for text in table.VALUES if "\n" in text and text[0] in "|>"]
_ODD: tuple[str, ...] = (*table.REFUSED, *table.REFUSED_BY_KUBECTL)
_KEYS: list[str] = [*table.KEYS, *"abcdefgh", "name", "image", "a.b/c", '"a b"', "'it''s'"]
_BREAKS = (
    "---",
    "---",
    "---",
    "--- ",
    "--- # a comment",
    "---\t",
    "---\r",
    "--- text",
    "...",
    "---\n---",
    "# c\n---",
    " ---",
)
_CHARACTERS = "ab01yn.-+_eExo:# \t'\"&*!|>%@`,?{}[]~=<\\/é😀\u2028\u00a0"


class Writer:
    """Writes YAML by hand, in as many ways as a person could."""

    def __init__(self, seed: str) -> None:
        self.dice = Random(seed)  # noqa: S311 - no secret
        self.anchors = 0

    def file(self, name: str) -> str:
        """Return a file of one to three documents."""
        dice = self.dice
        parts = [self.document(f"{name}-{number}") for number in range(dice.choice((1, 1, 2, 3)))]
        content = parts[0]
        for part in parts[1:]:
            content += f"{dice.choice(_BREAKS)}\n{part}"
        if dice.random() < 0.05:
            content = "\ufeff" + content
        if dice.random() < 0.05:
            content = content.replace("\n", "\r\n")
        return content if dice.random() < 0.9 else content.rstrip("\n")

    def document(self, name: str) -> str:
        """Return an object, or a list of two."""
        kind = self.dice.random()
        if kind < 0.06:
            return json.dumps(self._plain(name), indent=self.dice.choice((None, 2))) + "\n"
        if kind < 0.12:
            whole = {"apiVersion": "v1", "kind": "List", "items": [self._plain(f"{name}.{n}") for n in range(2)]}
            return json.dumps(whole) + "\n" if kind < 0.09 else self._block(whole, 0)
        head = ["apiVersion: example.com/v1\n", f"kind: {self._quoted('Asked')}\n", self._metadata(name)]
        head.append(f"item:{self._node(2, 3)}")
        self.dice.shuffle(head)
        return ("# first\n" if self.dice.random() < 0.1 else "") + "".join(head)

    def _metadata(self, name: str) -> str:
        written = self._quoted(name)
        space = self.dice.choice(("", ", namespace: shop", ', namespace: ""', ", namespace: null"))
        return self.dice.choice((f"metadata: {{name: {written}{space}}}\n", f"metadata:\n  name: {written}\n"))

    def _plain(self, name: str) -> Tree:
        values = [self.dice.choice(HOSTILE_TEXTS) for _ in range(3)]
        item = [text for text in values if "\x85" not in text]  # kubectl itself loses a NEL: it prints a space
        return {"apiVersion": "example.com/v1", "kind": "Asked", "metadata": {"name": name}, "item": item}

    def _quoted(self, text: str) -> str:
        return self.dice.choice((text, text, f"'{text}'", json.dumps(text)))

    def _block(self, tree: Any, indent: int) -> str:
        """Write a tree in block style, its texts quoted."""
        pad = " " * indent
        if isinstance(tree, dict):
            return "".join(
                f"{pad}{key}:\n{self._block(node, indent + 2)}" if isinstance(node, dict | list) and node
                else f"{pad}{key}: {json.dumps(node)}\n" for key, node in tree.items()
            )  # fmt: skip
        return "".join(
            f"{pad}-\n{self._block(node, indent + 2)}" if isinstance(node, dict | list) and node
            else f"{pad}- {json.dumps(node)}\n" for node in tree
        )  # fmt: skip

    def _node(self, indent: int, depth: int) -> str:
        """Return what stands behind a colon or a dash, with its line end."""
        dice, pad = self.dice, " " * indent
        kind = dice.random()
        if depth and kind < 0.28:
            keys = self._keys()
            return (
                self._anchor()
                + self._remark()
                + "".join(f"{pad}{key}:{self._node(indent + 2, depth - 1)}" for key in keys)
            )
        if depth and kind < 0.5:
            items = range(dice.randint(1, 3))
            return (
                self._anchor() + self._remark() + "".join(f"{pad}-{self._node(indent + 2, depth - 1)}" for _ in items)
            )
        if depth and kind < 0.6:
            return f" {self._flow(2)}{self._remark()}"
        if kind < 0.68:
            return self._lines(indent)
        if kind < 0.72 and self.anchors:
            return f" *n{dice.randrange(self.anchors)}{self._remark()}"
        return f"{self._anchor()} {self._scalar()}{self._remark()}"

    def _keys(self) -> list[str]:
        keys = [self.dice.choice(_KEYS) for _ in range(self.dice.randint(1, 3))]
        if self.anchors and self.dice.random() < 0.08:
            keys.append("<<")
        return keys if self.dice.random() < 0.1 else list(dict.fromkeys(keys))

    def _anchor(self) -> str:
        if self.dice.random() > 0.08:
            return ""
        self.anchors += 1
        return f" &n{self.anchors - 1}"

    def _remark(self) -> str:
        return self.dice.choice(("\n", "\n", "\n", " # remark\n", "  \n"))

    def _scalar(self) -> str:
        dice = self.dice
        kind = dice.random()
        if kind < 0.5:
            return dice.choice(_VALUES)
        if kind < 0.52:
            return dice.choice(_ODD)
        if kind < 0.7:
            return self._number()
        if kind < 0.85:
            return json.dumps(dice.choice(HOSTILE_TEXTS).replace("\x85", ""), ensure_ascii=dice.random() < 0.5)
        text = "".join(dice.choice(_CHARACTERS) for _ in range(dice.randint(1, 6)))
        return dice.choice((text, text.strip() or "x", "'" + text.replace("'", "''") + "'"))

    def _number(self) -> str:
        dice = self.dice
        sign, digits = dice.choice(("", "", "-", "+")), str(dice.randrange(10 ** dice.choice((1, 3, 9, 19, 21))))
        if dice.random() < 0.1:
            digits = f"{digits[:1]}_{digits[1:]}"
        head = dice.choice(("", "", "", "0", "0x", "0o", "0b"))
        tail = dice.choice(
            ("", "", "", ".", f".{dice.randrange(1000)}", f"e{dice.randrange(30)}", f".5E-{dice.randrange(9)}")
        )
        return f"{sign}{head}{digits}{tail}"

    def _flow(self, depth: int) -> str:
        dice = self.dice
        kind = dice.random()
        if not depth or kind < 0.4:
            text = self._scalar()
            return text if not set(text) & set(",[]{}\n\r") or text[0] in "\"'" else '"x"'
        below = [self._flow(depth - 1) for _ in range(dice.randint(0, 3))]
        if kind < 0.7:
            return f"[{', '.join(below)}{dice.choice(('', ','))}]"
        return f"{{{', '.join(f'{dice.choice(_KEYS)} : {node}' for node in below)}}}"

    def _lines(self, indent: int) -> str:
        dice = self.dice
        pad = " " * (indent + dice.choice((0, 0, 2)))
        if dice.random() < 0.2:
            return " " + dice.choice(_BLOCKS).replace("\n", "\n" + " " * indent) + "\n"
        style = dice.choice("|>") + dice.choice(("", "", "-", "+", "2", "2-"))
        words = ("a", "b: c", "# d", "", " deeper", "---x", "- e", "\ttab", "é", "...")
        return f" {style}{self._remark()}" + "".join(f"{pad}{dice.choice(words)}\n" for _ in range(dice.randint(0, 4)))


@dataclass(frozen=True)
class Kubectl:
    """One kubectl, without a cluster."""

    path: Path
    home: Path

    def reads(self, place: Path) -> tuple[list[Tree], set[str]]:
        """Return every object that it reads in the files of a place, in order, and the names of files it refuses."""
        answer = subprocess.run(
            [self.path, "annotate", "--local", "-f", place, "asked=true", "--output=json"],
            env={"HOME": str(self.home), "KUBECONFIG": os.devnull, "KUBERC": "off"},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        refused = set(re.findall(r"/(f\d+)\.yaml", answer.stderr.decode("utf-8")))
        return list(_stream(answer.stdout.decode("utf-8"))), refused


def _stream(content: str) -> Iterator[Tree]:
    at = 0
    while at < len(content):
        tree, at = JSON.raw_decode(content, at)
        del tree["metadata"]["annotations"]
        yield tree
        while at < len(content) and content[at].isspace():
            at += 1


def ours(directory: Path, first: str = "") -> list[Tree] | str:
    """Return what Sluiceway reads in the one file of a directory, or the words of its refusal.

    ``first`` is what stands before it in the set: kubectl reads JSON as JSON at the beginning only.
    """
    (directory / "0.yaml").write_text(first, encoding="utf-8")
    try:
        return _trees(rendered.from_directory(directory, directory, recursive=False))
    except RefusedManifest as refusal:
        return refusal.problem.partition(", and kubectl")[0].partition(": kubectl")[0]


def _trees(found: rendered.Rendered) -> list[Tree]:
    """Return the objects, each with the namespace that its identity has: kubectl prints none where it is empty."""
    trees = []
    for manifest in found.manifests:
        metadata = {key: node for key, node in manifest.tree["metadata"].items() if key != "namespace"}
        trees.append(
            {**manifest.tree, "metadata": metadata | ({"namespace": manifest.namespace} if manifest.namespace else {})}
        )
    return trees


def alike(mine: Any, theirs: Any) -> bool:
    """Tell whether two trees are the same; kubectl rounds a whole number past 64 bits, Sluiceway keeps it."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(alike(node, theirs[key]) for key, node in mine.items())
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(alike, mine, theirs))
    numbers = all(isinstance(side, int | Float) and not isinstance(side, bool) for side in (mine, theirs))
    if numbers and abs(float(mine)) >= 2**63 and not same(mine, theirs):
        return float(mine) == float(theirs)
    return same(mine, theirs)


def main() -> None:
    """Write the files, ask both, and print the table; exit 1 where they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minor", choices=WANTED, default="1.34")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        room = Path(scratch)
        print(f"kubectl of {asked.minor}, seed {asked.seed}")
        (room / "all").mkdir()
        kubectl = Kubectl(tools.need("kubectl", WANTED[asked.minor]).path, room)
        for number in range(asked.files):
            content = Writer(f"{asked.seed}-{number}").file(f"f{number}")
            (room / "all" / f"f{number}.yaml").write_text(content, encoding="utf-8", newline="")
        differences = compare(room, kubectl, asked.files)
    print("".join(f"  {line}\n" for line in differences[:SHOWN]), end="")
    sys.exit(bool(differences))


def compare(room: Path, kubectl: Kubectl, files: int) -> list[str]:
    """Compare file by file, then the set of all that both read; print the counts."""
    theirs: dict[str, list[Tree]] = {}
    found, refused = kubectl.reads(room / "all")
    for tree in found:
        theirs.setdefault(str(tree["metadata"]["name"]).partition("-")[0], []).append(tree)
    counts: Counter[str] = Counter()
    differences: list[str] = []
    (room / "one").mkdir()
    (room / "set").mkdir()
    for name in (f"f{number}" for number in range(files)):
        whole = (room / "all" / f"{name}.yaml").rename(room / "one" / f"{name}.yaml")
        mine, real = ours(room / "one"), theirs.get(name, [])
        counts[verdict(mine, real, refused=name in refused)] += 1
        if isinstance(mine, list) and name not in refused and not alike(mine, real):
            differences.append(f"{name}: {len(mine)} objects here, {len(real)} there")
        later = alike(mine, real) and ours(room / "one", first=FIRST)
        if isinstance(later, str):
            counts[f"read alone, refused further on in a set: {later}"] += 1
        whole.rename(room / ("set" if isinstance(later, list) else "all") / f"{name}.yaml")
    joined = rendered.from_directory(room / "set", room / "set", recursive=False)
    (room / "set.yaml").write_bytes(joined.content)
    if not alike(_trees(joined), kubectl.reads(room / "set.yaml")[0]):
        differences.append("the joined set")
    for outcome, count in counts.most_common():
        print(f"{count:6}  {outcome}")
    print(
        f"{files} files, {len(joined.manifests)} objects in the joined set, {len(differences)} differences", flush=True
    )
    return differences


def verdict(mine: list[Tree] | str, real: list[Tree], *, refused: bool) -> str:
    """Say what both made of a file; kubectl refuses one with a part that it can't read, and takes what is before."""
    if isinstance(mine, str):
        return f"refused by both: {mine}" if refused else f"refused here only: {mine}"
    if refused:
        return "read here, refused by kubectl"
    return "read by both" if alike(mine, real) else "read otherwise"


if __name__ == "__main__":
    main()
