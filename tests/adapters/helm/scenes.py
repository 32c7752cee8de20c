"""A stack whose helm prints what a test says, for a preview and for a drift check."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sluiceway.adapters.base import Preview
from sluiceway.adapters.helm import drift as drifts
from sluiceway.adapters.helm import preview as previews
from sluiceway.model.changes import Change, Diff
from sluiceway.model.reasons import Reason
from sluiceway.model.results import DriftFound, Failure
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import Answering, printed, world
from tests.adapters.helm.made import Tree, config, history, manifest, said, stored, structured
from tests.adapters.helm.test_diff_output import of_trees

CANARY = "c4n4ry-v4lue"

CHART = "web ./web --namespace=shop"
ARGV = f"helm diff upgrade {CHART} --install --reset-values --dry-run=server"
DIFF, RENDER, RELEASE = "helm diff upgrade", "helm template", "helm get all"
AGAIN, HISTORY, VERSION = f"helm template {CHART} --is-upgrade", "helm history", "helm version"
VALIDATED = f"helm template {CHART} --validate"
PLAIN, LIVE, WHOLE = (
    f"{ARGV} --output=structured",
    f"{ARGV} --three-way-merge --no-hooks --output=structured",
    f"{ARGV} --three-way-merge --no-hooks --output=diff",
)

OLD, NEW = config("a", k="one"), config("a", k="two")


@dataclass
class PreviewScene:
    """A stack whose helm prints what a test says. ``events`` are waits and what was concealed, in order."""

    root: Path
    diff: Outcome = field(default_factory=lambda: printed("[]"))
    render: Outcome = field(default_factory=lambda: printed(manifest(OLD)))
    again: Outcome | None = None
    validated: Outcome | None = None
    shown: Outcome = field(default_factory=printed)
    release: Outcome | list[Outcome] = field(default_factory=lambda: printed(stored(OLD)))
    history: Outcome = field(default_factory=lambda: printed(history((1, "deployed"))))
    version: Outcome = field(default_factory=lambda: printed("v4.3.0"))
    shows: bool = False
    values: str = ""
    directories: tuple[str, ...] = ()
    events: list[str] = field(default_factory=list)
    runner: Answering = field(default_factory=lambda: Answering({}))

    def run(self, *, keep: bool = False, **options: Any) -> Preview | Failure:
        answers: dict[str, Outcome | list[Outcome]] = {
            DIFF: self.diff,
            RENDER: self.render,
            "helm show chart": self.shown,
            AGAIN: self.again or self.render,
            VALIDATED: self.validated or self.render,
            RELEASE: self.release,
            HISTORY: self.history,
            VERSION: self.version,
        }
        there = world(self.root, answers, **options)
        (self.root / "stack" / "web" / "values.yaml").write_text(self.values)
        for name in self.directories:
            (self.root / "stack" / "web" / name).mkdir()
        self.runner = there.runner
        self.events = self.runner.waited

        def conceal(values: Iterable[str]) -> None:
            self.events.extend(f"conceal {value}" for value in values)

        place = replace(there.place, conceal=conceal, shows=lambda _path: self.shows)
        return previews.preview(place, keep=keep)

    def row(self, **options: Any) -> Preview:
        found = self.run(**options)
        assert isinstance(found, Preview), found
        return found

    def changes(self) -> list[str]:
        return [
            " ".join([change.tracking or change.op, change.address, *change.changed_keys])
            for change in self.row().diff.changes
        ]

    def refusal(self) -> Reason:
        found = self.run()
        assert isinstance(found, Failure), found
        assert CANARY not in f"{found!r}{found.reason.text}"
        return found.reason

    @property
    def started(self) -> list[str]:
        """The commands in the order in which they were started, by their first words."""
        return [" ".join(command.argv[1:3]) for command in self.runner.asked]


@dataclass
class DriftScene:
    """A stack whose helm prints what a test says. Objects of the diffs are put in the release's namespace."""

    root: Path
    plain: list[Tree] = field(default_factory=list)
    live: list[Tree] = field(default_factory=list)
    sides: list[tuple[Tree | None, Tree | None]] = field(default_factory=list)
    release: list[Tree] = field(default_factory=lambda: [OLD])
    state: str = "deployed"
    code: list[Change] = field(default_factory=list)
    ends: dict[str, Outcome] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    runner: Answering = field(default_factory=lambda: Answering({}))

    def check(self) -> DriftFound | Failure:
        answers = {
            PLAIN: printed(structured(*self.plain)),
            LIVE: printed(structured(*self.live)),
            WHOLE: printed("".join(of_trees(*map(_placed, sides)) for sides in self.sides)),
            RELEASE: printed(stored(*self.release, state=self.state)),
        }
        there = world(self.root, {**answers, **self.ends})
        self.runner, self.events = there.runner, there.runner.waited

        def conceal(values: Iterable[str]) -> None:
            self.events.extend(f"conceal {value}" for value in values)

        return drifts.drift(replace(there.place, conceal=conceal), Preview(Diff("shop/web", tuple(self.code))))

    def found(self) -> DriftFound:
        found = self.check()
        assert isinstance(found, DriftFound), found
        return found

    def drift(self) -> list[Change]:
        return list(self.found().drift)

    def lines(self) -> list[str]:
        return [" ".join([change.op, change.address, *change.changed_keys]) for change in self.found().drift]

    def refusal(self) -> Reason:
        found = self.check()
        assert isinstance(found, Failure), found
        assert CANARY not in f"{found!r}{found.reason.text}"
        return found.reason

    def moves(self, before: Tree, after: Tree, *fields: str) -> None:
        """Let the three-way diff show this in both of its forms."""
        self.live.append(said("MODIFY", after, *fields))
        self.sides.append((before, after))


def _placed(tree: Tree | None) -> Tree | None:
    return tree and {**tree, "metadata": {"namespace": "shop", **tree["metadata"]}}
