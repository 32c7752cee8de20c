"""Seeded random runs: people, pushes, jobs that die or overtake each other, and a GitHub that fails; then the account.

``benchmarks/dashboard_runs.py`` runs many of them, ``test_chance.py`` a few.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sluiceway.commands.dashboard import running
from sluiceway.commands.dashboard.writing import GONE
from sluiceway.dashboard import parse
from tests.commands.dashboard.direct import Died, Fates, direct
from tests.commands.dashboard.world import Came, Cluster, Command, World
from tests.github.standin import GitHubServer, Person
from tests.github.standin.state import Issue, Version

STACKS = ("a", "b", "c", "d")
CONFIG = {"b": "dependsOn: [a]", "c": "drift: {enabled: true}", "d": "tickers: [bob]"}
ALLOWED = {"ada": {"a", "b", "c"}, "bob": set(STACKS), "zoe": {"a", "b", "c"}}
"""Who may deploy what; ``tom`` may only triage, ``robot`` is a bot."""


@dataclass(frozen=True)
class Ticked:
    """A box that somebody set."""

    stack: str
    hash: str
    login: str
    at: datetime
    number: int

    @property
    def allowed(self) -> bool:
        return self.stack in ALLOWED.get(self.login, ())


@dataclass
class Game:
    """One random run. ``told`` says what was done, for the replay of a failure."""

    seed: int
    root: Path
    faults: bool = True
    told: list[str] = field(default_factory=list)
    ticks: list[Ticked] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)  # noqa: S311 - it is to be foretold
        self.server = GitHubServer()
        self.world = World(self.root / "repo", self.server, Cluster(STACKS))
        self.world.declare(**CONFIG)
        roles = {"ada": "write", "bob": "admin", "zoe": "maintain", "tom": "triage"}
        self.people = {login: self.server.person(login, role) for login, role in roles.items()}
        self.people["robot"] = Person(self.server.state, self.server.state.account("robot", "Bot"))
        self.form: str | None = None

    def play(self, steps: int) -> list[str]:
        """Play, let everything come to rest, and return what must not be."""
        try:
            if self.faults:
                self.server.faults.by_chance(self.seed, 0.04)
            for _ in range(steps):
                self._step()
            self._rest()
            return [*self.broken, *self._account()]
        finally:
            self.server._server.server_close()

    # What happens.

    def _step(self) -> None:
        moves: list[tuple[int, Callable[[], None]]] = [
            (10, self._tick),
            (2, self._untick),
            (3, self._edit),
            (1, self._open_form),
            (1, self._save_form),
            (5, self._push),
            (2, self._drift),
            (1, self._fail),
            (1, self._administer),
            (14, self._job),
            (3, self._matrix),
        ]
        weights, actions = zip(*moves, strict=True)
        self.dice.choices(actions, weights)[0]()

    def _issue(self) -> Issue | None:
        """Return the issue that people look at: the first that is open."""
        issues = [one for one in self.server.state.issues if one.author is self.server.state.bot]
        return next((one for one in issues if one.closed is None), issues[-1] if issues else None)

    def _someone(self) -> Person:
        return self.people[self.dice.choice(["ada", "ada", "ada", "bob", "bob", "zoe", "tom", "robot"])]

    def _write(self, who: Person, body: str, *, from_form: bool = False) -> None:
        """Let a person write the body, and take down what they ticked by that."""
        issue = self._issue()
        if issue is None or who.account.deleted:
            return
        before = parse(issue.body).rows
        who.edit(issue.number, body, from_form=from_form)
        version = issue.versions[-1]
        if version.editor is not who.account:
            return
        for stack, row in parse(issue.body).rows.items():
            old = before.get(stack)
            if row.deployable and row.ticked and not (old and old.hash == row.hash and old.ticked):
                login = f"{who.login}[bot]" if who.account.kind == "Bot" else who.login
                self.ticks.append(Ticked(stack, row.hash or "", login, version.at, issue.number))
                self.told.append(f"{login} ticks {stack} at {row.hash} ({version.at:%H:%M:%S})")

    def _swap(self, old: str, new: str) -> None:
        issue = self._issue()
        if issue is None:
            return
        lines = issue.body.split("\n")
        places = [at for at, line in enumerate(lines) if line.startswith(old) and "sluiceway:" in line]
        if places:
            at = self.dice.choice(places)
            lines[at] = new + lines[at].removeprefix(old)
            self._write(self._someone(), "\n".join(lines))

    def _tick(self) -> None:
        self._swap("- [ ] ", "- [x] ")

    def _untick(self) -> None:
        self._swap("- [x] ", "- [ ] ")

    def _edit(self) -> None:
        """Somebody edits the text: a line goes, comes twice, or is written over."""
        issue = self._issue()
        if issue is None:
            return
        lines = issue.body.replace("\r\n", "\n").split("\n")
        at = self.dice.randrange(len(lines))
        lines[at : at + 1] = self.dice.choice([[], [lines[at], lines[at]], ["Hello"], [f"{lines[at]} ?"]])
        self.told.append(f"line {at} of the body is edited")
        self._write(self._someone(), "\n".join(lines), from_form=self.dice.random() < 0.5)

    def _open_form(self) -> None:
        issue = self._issue()
        self.form = issue.body if issue else None

    def _save_form(self) -> None:
        """Somebody saves a form that they opened long ago: whatever was written since is gone."""
        if self.form is not None:
            self.told.append("an old form is saved")
            self._write(self._someone(), self.form + "\nSaved.", from_form=True)

    def _push(self) -> None:
        stacks = self.dice.sample(STACKS, self.dice.choice([1, 1, 2]))
        files = ["README.md"] if self.dice.random() < 0.2 else []
        self.told.append(f"push {' '.join(stacks)} {' '.join(files)}")
        self.world.push(*stacks, files=files)
        if self.dice.random() < 0.6:
            self._ran("push")

    def _drift(self) -> None:
        stack = self.dice.choice(STACKS)
        self.world.cluster.stacks[stack].drift += 1
        self.told.append(f"{stack} drifts")

    def _fail(self) -> None:
        live = self.world.cluster.stacks[self.dice.choice(STACKS)]
        live.fails = not live.fails

    def _administer(self) -> None:
        issue, ada = self._issue(), self.people["ada"]
        if issue is None:
            return
        chosen = self.dice.choice(["close", "reopen", "label", "lock", "second", "account"])
        self.told.append(f"administer: {chosen}")
        if chosen == "close":
            ada.close(issue.number)
        elif chosen == "reopen":
            ada.reopen(issue.number)
        elif chosen == "label" and self.server.state.label("sluiceway") is not None:
            ada.rename_label("sluiceway", f"renamed-{self.server.state.next_id()}")
        elif chosen == "lock":
            issue.locked = not issue.locked
        elif chosen == "second":
            self.server.state.open_issue(self.server.state.bot, "Sluiceway", issue.body, ["sluiceway"])
        elif chosen == "account" and self.dice.random() < 0.3:
            self.server.delete_account("zoe")

    # Jobs.

    def _job(self) -> None:
        self._ran(self.dice.choice(["issues", "issues", "issues", "schedule", "push"]))

    def _ran(self, event: str) -> None:
        """Run ``auto`` for an event; it may die, or be overtaken."""
        issue = self._issue()
        payload = self.world.edited(issue.number) if issue and event == "issues" else None
        with self._workflow(event), self._fated():
            self._command(running.run_auto, event, payload)

    def _matrix(self) -> None:
        """Run resolve, apply and settle as jobs of one run, some of them not at all or twice."""
        with self._workflow("issues"):
            for number in self._planned(running.run_resolve):
                for _ in range(self.dice.choice([0, 1, 1, 1, 2])):
                    with self._fated():
                        self._command(_applied(number))
                if self.dice.random() < 0.2:
                    self.world.run.attempt += 1
            for number in self._planned(running.run_settle):
                with self._fated():
                    self._command(_applied(number))

    def _planned(self, command: Command) -> list[int]:
        """Return the records that a command plans apply jobs for; none where it died."""
        with self._fated():
            came = self._command(command)
            return [go["deployment"] for go in came.result["matrix"]] if came.result else []
        return []

    @contextmanager
    def _workflow(self, event: str) -> Iterator[None]:
        outer = self.world.run
        try:
            with self.world.workflow(event):
                yield
        finally:
            self.world.run = outer

    @contextmanager
    def _fated(self) -> Iterator[None]:
        """Let the next command die, or be overtaken by a person or by another job, at one of its requests."""
        fates, outer = Fates(), self.world.github
        self.world.github = direct(self.server, fates)
        drawn, cluster = self.dice.random(), self.world.cluster
        if drawn < 0.15:
            self.dice.choice([fates.before, fates.after])[self.dice.randint(1, 30)] = self._die
        elif drawn < 0.2:
            setattr(cluster, self.dice.choice(["before_deploy", "after_deploy"]), lambda _stack: self._die())
        elif drawn < 0.4:
            moves = [self._tick, self._untick, self._push_only, self._edit, self._save_form, self._overtake]
            fates.before[self.dice.randint(1, 30)] = self.dice.choice(moves)
        elif drawn < 0.7:
            # Where it hurts most: between what a job has read and what it writes.
            where = self.dice.choice(["issues/update", "issues/update", "repos/create-deployment"])
            self.server.faults.before(where, self.dice.choice([self._tick, self._tick, self._untick, self._overtake]))
        try:
            yield
        except Died:
            self.told.append("  it died")
        finally:
            self.world.github = outer
            cluster.before_deploy = cluster.after_deploy = lambda _stack: None

    _nested = False

    def _overtake(self) -> None:
        if self._nested:
            return
        self._nested = True
        self.told.append("  overtaken by:")
        try:
            self._job()
        finally:
            self._nested = False
            self.told.append("  goes on")

    def _push_only(self) -> None:
        self.world.push(self.dice.choice(STACKS))

    def _die(self) -> None:
        raise Died

    def _command(self, command: Command, event: str = "issues", payload: dict[str, object] | None = None) -> Came:
        self.told.append(f"{getattr(command, '__name__', command)} ({event}), run {self.world.run.id}")
        came = self.world.command(command, event, payload)
        if "Sluiceway itself failed" in came.log:
            self.broken.append(f"a bug: {came.log[-300:]}")
        self.told.append(f"  ended with {came.code}; {self._puts()}")
        return came

    def _puts(self) -> str:
        return f"{len(self.world.cluster.puts)} puts"

    def _rest(self) -> None:
        """Let nothing go wrong any more, and the workflows run until all that is due is done."""
        self.server.faults.stop()
        for live in self.world.cluster.stacks.values():
            live.fails = False
        self.server.state.clock.advance(hours=2)
        fates, self.world.github = Fates(), direct(self.server, Fates())
        assert fates.count == 0
        for _ in range(3):
            with self._workflow("schedule"):
                self._command(running.run_auto, "schedule")

    # The account.

    def _account(self) -> Iterator[str]:
        yield from self._undue()
        yield from self._endless()
        for tick in self.ticks:
            if not self._fate(tick):
                yield f"lost: {tick}\n{self._past(tick)}"
        yield from self._untrue()

    def _undue(self) -> Iterator[str]:
        """Yield what was deployed without a tick of its own by somebody who may."""
        due = Counter((tick.stack, tick.hash) for tick in self.ticks if tick.allowed)
        put = Counter((put.stack, put.hash) for put in self.world.cluster.puts)
        for what, count in put.items():
            if count > due[what]:
                yield f"{what} was deployed {count} times, and ticked {due[what]} times by those who may"

    def _endless(self) -> Iterator[str]:
        for one in self.server.state.deployments:
            states = [status.state for status in one.statuses]
            if not states or states[-1] in {"queued", "in_progress", "pending", "waiting"}:
                yield f"record {one.id} of {one.task} has no result: {states}"

    def _fate(self, tick: Ticked) -> str:
        for one in self.server.state.deployments:
            payload = one.payload
            same = (payload["hash"], payload["ticker"], payload["ticked"]) == (
                tick.hash,
                tick.login,
                tick.at.replace(microsecond=0).isoformat(),
            )
            if same and one.task == f"sluiceway:{tick.stack}":
                return "recorded"
        issue = self.server.state.issue(tick.number)
        assert issue is not None
        after = [version for version in issue.versions if version.at > tick.at]
        if any(self._answers(version, tick) for version in after) or self._commented(issue, tick):
            return "answered, or taken away"
        row = parse(issue.body).rows.get(tick.stack)
        return "standing" if row is not None and row.ticked and row.hash == tick.hash else ""

    def _commented(self, issue: Issue, tick: Ticked) -> bool:
        """Tell whether our bot said since that the tick was cleared, as it does where the row has no box for a note."""
        said = f"- `{tick.stack}`: {GONE}"
        later = (one for one in issue.comments if one.at > tick.at and one.author is self.server.state.bot)
        return any(said in one.body.split("\n") for one in later)

    def _past(self, tick: Ticked) -> str:
        """Say how the row stood in each version of the body from right before the tick on."""
        issue = self.server.state.issue(tick.number)
        assert issue is not None
        lines = []
        for version in issue.versions:
            row = parse(version.body or "").rows.get(tick.stack)
            shown = f"{row.state} {row.hash} ticked {row.ticked} {'note' in row.marker.keys}" if row else "no row"
            lines.append(f"    {version.at:%H:%M:%S.%f} {version.editor.login}: {shown}")
        return "\n".join(lines)

    def _answers(self, version: Version, tick: Ticked) -> bool:
        """Tell whether a later version has a note for the tick, or is of a person and no longer has it.

        One of a stack that is being deployed by another tick is dropped: the row says that it is deployed.
        """
        row = parse(version.body or "").rows.get(tick.stack)
        if version.editor is self.server.state.bot:
            noted = row is not None and "note" in row.marker.keys and not row.ticked
            return noted or (row is not None and row.state in {"deploying", "queued"})
        return row is None or not row.ticked or row.hash != tick.hash

    def _untrue(self) -> Iterator[str]:
        """Yield rows that don't show what is."""
        board = parse(self._issue().body)  # type: ignore[union-attr]  # three scans have made one
        if set(board.rows) != set(STACKS) or board.damaged:
            yield f"rows of {sorted(board.rows)}, damaged {board.damaged}"
        for stack, row in board.rows.items():
            live = self.world.cluster.stacks[stack]
            drift = stack == "c" and bool(live.drift)
            state = "pending" if live.code != live.out else "drift" if drift else "in-sync"
            if row.state != state and not (row.state == "queued" and row.behind):
                yield f"{stack} is {state}, and its row says {row.state}"


def _applied(number: int) -> Command:
    def apply(*given: object) -> int:
        settings, output, asked, place = given
        return running.run_apply(settings, output, number, asked, place)  # type: ignore[arg-type]

    return apply
