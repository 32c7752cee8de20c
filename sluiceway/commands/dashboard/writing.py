"""Writing the issue without a lock (``spec/dashboard.md``): read late, write, read back, take in what came between."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sluiceway.commands.dashboard.desk import Desk
from sluiceway.commands.dashboard.result import CountsDocument
from sluiceway.commands.dashboard.trouble import Halt, sure
from sluiceway.dashboard import Board, TooLarge, build, cleared, parse, rebased, same
from sluiceway.dashboard.rows import WORKING
from sluiceway.github import Edit, Outdated
from sluiceway.model.markdown import code, escaped
from sluiceway.model.order import sorted_unique

Change = Callable[[Board], Board]
"""Returns the board as a writer wants it, from the board as it is. Asked again where another wrote in between."""

TRIES = 3
ASKED_AGAIN = 3
"""How often GitHub is asked for the edits until ours is among them."""


@dataclass(frozen=True, slots=True)
class Written:
    """A body that stuck. ``ticked`` are stacks that a person ticked while it was written."""

    board: Board
    body: str
    ticked: tuple[str, ...] = ()


@dataclass
class _Draft:
    """What is to be written over ``base``; the boxes that were carried and the ticks that no longer hold.

    ``dropped`` are the ticks of ``base`` that ``body`` has no box for; ``gone`` those that were taken away like that.
    """

    base: str
    body: str
    ticked: set[str] = field(default_factory=set)
    stale: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def change(self, desk: Desk, change: Change) -> None:
        """Let ``body`` be what ``change`` makes of ``base``."""
        self.body, self.dropped = _changed(desk, change, self.base)


def write(desk: Desk, number: int, change: Change, *, anew: bool = False) -> Written:
    """Write what ``change`` makes of the issue's body, and nothing else.

    A body whose root marker is damaged is left as it is, unless it is written ``anew``, as a scan does (record 0112):
    else the ticks of a damaged body would come to stand in a sound one. A tick that somebody set in between is carried
    over; where its row now shows something else, the row says so, or a comment where the row has no box any more.
    Raises :class:`Halt` where GitHub gives no answer, where the body would be too large, and after three tries.
    """
    base = sure(desk.github.issue(number)).body
    draft = _Draft(base, base)
    if anew or not _is_damaged(desk, base):
        draft.change(desk, change)
    for _ in range(TRIES):
        if same(draft.base, draft.body) or (not anew and _is_damaged(desk, draft.base)):
            return _done(desk, number, draft)
        answer = desk.github.write_body(number, draft.body, was=draft.base)
        if isinstance(answer, Outdated):
            draft.base = answer.issue.body
            draft.change(desk, change)
            continue
        sure(answer)
        draft.gone |= draft.dropped
        _take_in(desk, number, change, draft)
    if same(draft.base, draft.body):
        return _done(desk, number, draft)
    raise Halt(f"The dashboard was edited while it was written, {TRIES} times over. Run this again.")


def _is_damaged(desk: Desk, body: str) -> bool:
    if parse(body).root is not None:
        return False
    desk.notice("The dashboard's first line is damaged: it stays as it is until the next scan draws it anew.")
    return True


def _changed(desk: Desk, change: Change, body: str) -> tuple[str, set[str]]:
    """Return what ``change`` makes of ``body``, and the stacks whose tick it takes away together with its box."""
    before = parse(body)
    after = change(before)
    ticked = {row.stack for row in before.rows.values() if row.deployable and row.ticked}
    return _built(desk, after), {stack for stack in ticked if _is_boxless(after, stack)}


def _is_boxless(board: Board, stack: str) -> bool:
    """Tell whether a stack has no row that a note could stand on, and none that says that it is being deployed."""
    row = board.rows.get(stack)
    return row is None or (not row.deployable and row.state not in WORKING)


def _done(desk: Desk, number: int, draft: _Draft) -> Written:
    board = parse(draft.body)
    boxless = sorted_unique(stack for stack in draft.stale | draft.gone if _is_boxless(board, stack))
    if boxless:
        comment(desk, number, "Ticks that were cleared", dict.fromkeys(boxless, GONE))
    desk.result.counts = counted(board)
    return Written(board, draft.body, tuple(sorted(draft.ticked)))


def _take_in(desk: Desk, number: int, change: Change, draft: _Draft) -> None:
    """Make the next draft of what was written, what was overwritten by it, and what was written over it."""
    between, now = _around(desk, number, draft)
    wanted = draft.body
    if not same(draft.base, between):
        wanted = _merged(desk, draft, draft.base, between, wanted)
    if not same(draft.body, now):
        wanted = _merged(desk, draft, draft.body, now, wanted)
        wanted, dropped = _changed(desk, change, wanted)
        draft.gone |= dropped
    if draft.stale:
        wanted = _built(desk, stale_noted(desk, parse(wanted), draft.stale))
    draft.base, draft.body = now, wanted


def _merged(desk: Desk, draft: _Draft, base: str, between: str, written: str) -> str:
    merged = rebased(base, between, written, desk.settings)
    if isinstance(merged, TooLarge):
        raise too_large(merged)
    draft.ticked |= set(merged.ticked)
    draft.stale |= set(merged.stale)
    return merged.body


def _around(desk: Desk, number: int, draft: _Draft) -> tuple[str, str]:
    """Return the body just before our write, and the body now."""
    for _ in range(ASKED_AGAIN):
        history = sure(desk.github.history(number))
        place = _our_place(desk, history.edits, draft.body)
        if place is not None and place + 1 < len(history.edits):
            before = history.edits[place + 1].body
            return (draft.base if before is None else before), history.body
    raise Halt("GitHub's edit history doesn't hold what was just written: whether a tick was lost can't be told.")


def _our_place(desk: Desk, edits: Sequence[Edit], body: str) -> int | None:
    mine = (index for index, edit in enumerate(edits) if edit.editor == desk.bot and same(edit.body or "", body))
    return next(mine, None)


STALE = "A tick was on what this row showed before. It shows something else now: look at it again, then tick it."

GONE = "A tick was on what its row showed before. There is nothing on it now that could be deployed."


def comment(desk: Desk, number: int, head: str, notes: Mapping[str, str]) -> None:
    """Write a comment of this run that says of each stack what its note is. Raises :class:`Halt` without an answer."""
    lines = [f"- {code(stack)}: {escaped(note)}" for stack, note in notes.items()]
    head = f"{head} ([run {desk.facts.run}]({desk.facts.run_page})):"
    sure(desk.github.comment(number, "\n".join([head, "", *lines])))


def signed(desk: Desk, note: str) -> str:
    """Return a note for a row that names this run: by that, two clearings of one box differ (record 0108)."""
    return f"{note} (run {desk.facts.run})" if desk.facts.run else note


def stale_noted(desk: Desk, board: Board, stacks: Iterable[str]) -> Board:
    """Return ``board`` with a note on each row whose tick was on something else."""
    return with_notes(board, dict.fromkeys(stacks, signed(desk, STALE)))


def with_notes(board: Board, notes: dict[str, str]) -> Board:
    """Return ``board`` with the boxes of these stacks cleared, and a note on each row that has a box."""
    noted = {stack: cleared(board.rows[stack], note) for stack, note in notes.items() if stack in board.rows}
    return replace(board, rows={**board.rows, **noted})


def _built(desk: Desk, board: Board) -> str:
    built = build(board, desk.settings)
    if isinstance(built, TooLarge):
        raise too_large(built)
    return built.body


def too_large(found: TooLarge) -> Halt:
    """Return what is raised where there is no body that GitHub would take."""
    return Halt(
        f"The dashboard would have {found.units} characters, more than GitHub takes: the old one stays. "
        "Leave stacks out by `ignore`, or take fewer of them into one repo."
    )


def counted(board: Board) -> CountsDocument:
    """Return how many rows are in which state."""
    found = Counter(row.state for row in board.rows.values())
    return {
        "deploying": found["deploying"],
        "queued": found["queued"],
        "pending": found["pending"],
        "drift": found["drift"],
        "previewFailed": found["preview-failed"],
        "inSync": found["in-sync"],
    }
