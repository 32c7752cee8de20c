"""Building a body: the same board gives the same bytes, within GitHub's limit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from sluiceway.dashboard.board import VERSION, Board, Recent, Root
from sluiceway.dashboard.markers import Marker
from sluiceway.dashboard.names import named
from sluiceway.dashboard.rows import KNOWN_STATES, PLAIN, TICKED, UNTICKED, DashboardRow, units
from sluiceway.dashboard.settings import Settings, stamp
from sluiceway.model.order import by_code_unit
from sluiceway.model.words import number

LIMIT = 65_536
"""The longest body that GitHub takes, in UTF-16 units."""
AIM = 58_000
"""What a body is shortened to, so that later notes and rows still fit."""

_SECTIONS = (
    ("Deploying", ("deploying", "queued")),
    ("Pending", ("pending",)),
    ("Drifted", ("drift",)),
    ("Preview failed", ("preview-failed",)),
)
_WORDS = {"drift": "drifted", "in-sync": "in sync", "preview-failed": "preview failed"}


@dataclass(frozen=True, slots=True)
class Built:
    """A body, and how many of its rows are shortened, those included that were shortened before."""

    body: str
    shortened: int = 0


@dataclass(frozen=True, slots=True)
class TooLarge:
    """There is no body: even with every row at its shortest it would have this many UTF-16 units."""

    units: int


def build(board: Board, settings: Settings) -> Built | TooLarge:
    """Return the body of ``board``; the biggest rows are shortened first, one level at a time, until it fits."""
    rows = by_code_unit(board.rows.values(), key=lambda row: row.stack)
    levels = dict.fromkeys(board.rows, 0)
    room = AIM - units(_body(board, settings, rows, levels))
    for stack, level in _shortening(rows, -room):
        levels[stack] = level
    body = _body(board, settings, rows, levels)
    if units(body) > LIMIT:
        return TooLarge(units(body))
    return Built(body, _shortened(rows, levels))


def _shortening(rows: Sequence[DashboardRow], excess: int) -> Iterator[tuple[str, int]]:
    """Yield (stack, level) for each step that shortens a row, until ``excess`` units are saved or none is left."""
    sizes = {row.stack: [units(text) for text in row.texts] for row in rows}
    queue = [(-found[0], index, 0, rows[index].stack) for index, found in enumerate(sizes.values()) if len(found) > 1]
    heapify(queue)
    while excess > 0 and queue:
        size, index, level, stack = heappop(queue)
        found = sizes[stack]
        excess -= -size - found[level + 1]
        yield stack, level + 1
        if level + 2 < len(found):
            heappush(queue, (-found[level + 1], index, level + 1, stack))


def _shortened(rows: Iterable[DashboardRow], levels: Mapping[str, int]) -> int:
    return sum(row.short or levels[row.stack] > 0 for row in rows)


def _body(board: Board, settings: Settings, rows: Sequence[DashboardRow], levels: Mapping[str, int]) -> str:
    root = board.root or Root()
    parts = [str(_root_marker(root)), _counts(rows), *_lost(rows), _scanned(root, settings)]
    if shortened := _shortened(rows, levels):
        verb = "is" if shortened == 1 else "are"
        full = settings.run(root.scan_run, "run of the scan")
        parts.append(f"{number(shortened, 'row')} {verb} shortened to fit here; the {full} shows all.")
    parts += _how(rows, settings)
    if not settings.read_only:
        parts.append(f"{TICKED if board.rescan else UNTICKED}Scan all stacks now {Marker('rescan')}")
    parts += _sections(rows, settings, levels)
    if recent := board.recent[: settings.recently_deployed]:
        parts += ["## Recently deployed", "\n".join(_recent(found, settings) for found in recent)]
    return "\n\n".join(parts) + "\n"


def _root_marker(root: Root) -> Marker:
    keys = {
        "v": VERSION,
        "scan-sha": root.scan_sha,
        "scan-run": root.scan_run,
        "scan-at": stamp(root.scan_at) if root.scan_at else "",
        "full-scan-at": stamp(root.full_scan_at) if root.full_scan_at else "",
    }
    return Marker("dashboard", {key: value for key, value in keys.items() if value})


def _counts(rows: Sequence[DashboardRow]) -> str:
    found = [(state, sum(row.state == state for row in rows)) for state in KNOWN_STATES]
    other = sum(row.state not in KNOWN_STATES for row in rows)
    facts = [f"{count} {_WORDS.get(state, state)}" for state, count in found if count]
    facts += [f"{other} in another state"] if other else []
    return f"**{number(len(rows), 'stack')}**: {', '.join(facts)}." if rows else "**No stacks.**"


def _lost(rows: Sequence[DashboardRow]) -> Iterator[str]:
    losing = [row for row in rows if row.destroys]
    if losing:
        objects, stacks = number(sum(row.destroys for row in losing), "object"), number(len(losing), "stack")
        yield f"**{objects} would be deleted or replaced**, in {stacks}."


def _scanned(root: Root, settings: Settings) -> str:
    if root.scan_at is None:
        return "Not scanned yet."
    commit = f" at commit {settings.commit(root.scan_sha)}" if root.scan_sha else ""
    run = f" ({settings.run(root.scan_run)})" if root.scan_run else ""
    full = f" All stacks were last scanned {settings.when(root.full_scan_at)}." if root.full_scan_at else ""
    return f"Scanned {settings.when(root.scan_at)}{commit}{run}.{full}"


def _how(rows: Sequence[DashboardRow], settings: Settings) -> Iterator[str]:
    if settings.read_only:
        yield "This dashboard is read-only (`dashboard.readOnly`): its rows have no boxes."
    elif not settings.deploys:
        yield "Deploys are turned off (`deploys: false`): rows have no boxes."
    elif any(row.deployable for row in rows):
        yield "Tick a box to deploy exactly what its row shows."


def _sections(rows: Sequence[DashboardRow], settings: Settings, levels: Mapping[str, int]) -> Iterator[str]:
    def texts(among: Iterable[DashboardRow]) -> str:
        return "\n".join(row.text(levels[row.stack]) for row in among)

    for title, states in _SECTIONS:
        if found := [row for state in states for row in rows if row.state == state]:
            yield from (f"## {title}", texts(found))
    if found := [row for row in rows if row.state not in KNOWN_STATES]:
        yield from ("## In another state", texts(found))
    if found := [row for row in rows if row.state == "in-sync"]:
        yield from _in_sync(texts(found), len(found)) if settings.in_sync_section else [texts(found)]


def _in_sync(texts: str, count: int) -> list[str]:
    return [
        "## In sync",
        f"<details><summary>{number(count, 'stack')} in sync</summary>",
        texts,
        "</details>",
    ]


def _recent(found: Recent, settings: Settings) -> str:
    facts = [named(found.stack), settings.when(found.at)]
    facts += [f"by {named(found.by)}"] if found.by else []
    facts += [settings.run(found.run)] if found.run else []
    keys = {"stack": found.stack, "at": stamp(found.at), "by": found.by, "run": found.run}
    marker = Marker("deployed", {key: value for key, value in keys.items() if value or key == "stack"})
    return f"{PLAIN}{', '.join(facts)} {marker}"
