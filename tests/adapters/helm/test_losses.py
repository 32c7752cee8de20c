"""What the diff plugin loses is on the row: on what the real helms and the real plugin printed (``losses/README.md``).

``losses/rows.txt`` has the row of each case: a mark, the object and its paths. ``!`` before the mark says that the
plugin's structured output alone would not have told it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sluiceway.adapters.helm import diff_output, manifests, release, structured
from sluiceway.adapters.helm.comparison import compare, stands_twice
from sluiceway.adapters.helm.drift import Checked, judge
from sluiceway.adapters.helm.merge import Merged, merge
from sluiceway.adapters.helm.release import UNINSTALLED, Release
from sluiceway.model.changes import Change
from sluiceway.model.results import DriftFound
from sluiceway.processes import Outcome

LOSSES = Path(__file__).with_name("losses")
HELMS = ("v3.18.0", "v4.3.0")
MARKS = {"create": "+", "update": "~", "delete": "-", "forget": ">"}
LEAST = 10
"""How many cases must show that the plugin alone loses something."""


def rows() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (LOSSES / "rows.txt").read_text().splitlines():
        if line.startswith("#"):
            found[line.removeprefix("# ")] = lines = []
        elif line:
            lines.append(line)
    return found


ROWS = rows()
CASES = [(case, helm) for case in ROWS for helm in HELMS if (LOSSES / case / helm / "render.yaml").stat().st_size]
"""Helm 4 refuses to render some that Helm 3 renders."""


class Case:
    """One case under one helm: what was printed, read."""

    def __init__(self, case: str, helm: str) -> None:
        self.directory = LOSSES / case / helm
        self.namespace = f"losses-{case}"

    @property
    def release(self) -> Release:
        printed = Outcome("exited", 0, (self.directory / "release.yaml").read_bytes())
        found = release.read_release(printed, self.namespace)
        assert isinstance(found, Release)
        return found

    @property
    def items(self) -> list[manifests.Item]:
        return manifests.read((self.directory / "render.yaml").read_text(), self.namespace)

    def entries(self, name: str = "structured.json") -> list[structured.Entry]:
        found = structured.read_structured((self.directory / name).read_bytes(), self.namespace)
        assert isinstance(found, list)
        return found

    def sides(self) -> list[diff_output.ObjectSides]:
        found = diff_output.read_diff_output((self.directory / "three-way.txt").read_bytes(), self.namespace)
        assert isinstance(found, list)
        return found

    def merged(self) -> Merged:
        before = [] if self.release.state == UNINSTALLED else self.release.items
        return merge(self.entries(), compare(before, self.items), lambda _path: False)

    def drift(self) -> DriftFound:
        plain = {entry.address: entry for entry in self.entries()}
        live = {entry.address: entry for entry in self.entries("three-way.json")}
        sides = {found.address: found for found in self.sides()}
        found = judge(Checked(plain, live, sides, self.release), self.merged().changes)
        assert isinstance(found, DriftFound)
        return found

    def shown(self) -> Iterator[str]:
        merged = self.merged()
        yield from self.lines(merged.changes, merged.unseen)
        yield from (f"twice {second.address}" for _, second in stands_twice(self.items))
        if self.release.state != "deployed":
            yield f"release {self.release.state}"
        if (self.directory / "three-way.json").exists():
            yield from (f"drift {line}" for line in self.lines(self.drift().drift))
            yield from (f"untold {note.split(':')[0].strip(' :')}" for note in self.drift().notes)

    def lines(self, changes: tuple[Change, ...], unseen: tuple[str, ...] = ()) -> Iterator[str]:
        for change in changes:
            mark = ("!" if change.address in unseen else "") + MARKS[change.tracking or change.op]
            keys = (key.replace("\n", "\\n") for key in change.changed_keys)
            yield " ".join([mark, change.address.replace(f"/{self.namespace}/", "/"), *keys])


@pytest.mark.parametrize(("case", "helm"), CASES)
def test_the_row_shows_what_changes(case: str, helm: str) -> None:
    assert list(Case(case, helm).shown()) == ROWS[case]


def test_every_case_has_a_row() -> None:
    cases = {path.name for path in LOSSES.iterdir() if any(path.glob("*/release.yaml"))}
    assert set(ROWS) == cases


def test_the_table_of_losses_is_long_enough() -> None:
    assert sum(any(line.startswith("!") for line in lines) for lines in ROWS.values()) >= LEAST
