import threading

import pytest

from sluiceway.adapters.base import Preview, Workplace
from sluiceway.model.changes import Change, Diff
from sluiceway.model.hashing import diff_hash
from sluiceway.model.reasons import Reason
from sluiceway.model.results import CannotCheck, DriftFound, Failure
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Stack
from sluiceway.runs.preview import preview_stack, preview_stacks
from tests.fakes import CANARY, CONFLICT, CREATE, DELETE, DRIFT, UPDATE, FakeAdapter, World, stack, stacks, ticking

WEB = stack("web")


def test_pending_row(world: World) -> None:
    adapter = FakeAdapter(previews={"web": Preview(Diff("web", (CREATE, DELETE)), notes=("a note",))})
    row = preview_stack(world.job(adapter, [WEB], clock=ticking(10, 12.5)), WEB)
    assert row == Row(
        "web",
        "fake",
        "pending",
        hash=diff_hash(Diff("web", (DELETE, CREATE))),
        seconds=2.5,
        changes=(DELETE, CREATE),
        notes=("a note",),
    )


def test_in_sync_row_has_the_hash_of_nothing(world: World) -> None:
    row = preview_stack(world.job(FakeAdapter(), [WEB]), WEB)
    assert (row.state, row.changes, row.drift, row.drift_checked) == ("in-sync", (), None, None)
    assert row.hash == diff_hash(Diff("web"))


def test_failed_preview_has_a_reason_and_no_hash(world: World) -> None:
    failure = Failure(CONFLICT.reason, notes=("look there",))
    row = preview_stack(world.job(FakeAdapter(previews={"web": failure}), [WEB]), WEB)
    assert (row.state, row.hash, row.reason, row.notes) == ("preview-failed", None, CONFLICT.reason, ("look there",))


def test_failed_preview_is_not_checked_for_drift(world: World) -> None:
    adapter = FakeAdapter(previews={"web": CONFLICT})
    row = preview_stack(world.job(adapter, [WEB]), WEB, drift=True)
    assert (row.drift, row.drift_checked, row.drift_reason) == ((), False, None)
    assert "drift web" not in adapter.asked


@pytest.mark.parametrize(
    ("changes", "drift", "state"),
    [((UPDATE,), (DRIFT,), "pending"), ((UPDATE,), (), "pending"), ((), (DRIFT,), "drift"), ((), (), "in-sync")],
)
def test_precedence_of_states_with_drift(
    world: World, changes: tuple[Change, ...], drift: tuple[Change, ...], state: str
) -> None:
    adapter = FakeAdapter(previews={"web": changes}, drifts={"web": DriftFound(drift, notes=("of drift",))})
    row = preview_stack(world.job(adapter, [WEB]), WEB, drift=True)
    assert (row.state, row.changes, row.drift, row.drift_checked) == (state, changes, drift, True)
    assert row.hash == diff_hash(Diff("web", changes, drift))
    assert row.notes == ("of drift",)


def test_drift_that_can_not_be_checked_keeps_the_hash(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": CannotCheck("no way to tell")})
    row = preview_stack(world.job(adapter, [WEB]), WEB, drift=True)
    assert (row.drift, row.drift_checked, row.drift_reason) == ((), False, None)
    assert row.notes == ("no way to tell",)
    assert row.hash == diff_hash(Diff("web", (UPDATE,)))


@pytest.mark.parametrize("broken", [CONFLICT, RuntimeError(CANARY)])
def test_failed_drift_check_keeps_the_previews_state_without_a_hash(world: World, broken: object) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": broken})
    row = preview_stack(world.job(adapter, [WEB]), WEB, drift=True)
    assert (row.state, row.changes, row.hash, row.reason) == ("pending", (UPDATE,), None, None)
    assert (row.drift, row.drift_checked) == ((), False)
    assert row.drift_reason is not None
    assert row.drift_reason.kind == ("tool-error" if broken is CONFLICT else "internal-error")
    assert CANARY not in repr(row)


def test_an_exception_is_an_internal_error_that_names_only_its_type(world: World) -> None:
    error = ValueError(CANARY)
    row = preview_stack(world.job(FakeAdapter(previews={"web": error}), [WEB]), WEB)
    assert row.state == "preview-failed"
    assert row.reason is not None
    assert (row.reason.kind, row.reason.names) == ("internal-error", {"error": "ValueError"})
    assert CANARY not in repr(row)
    assert world.bugs == [("web", error)]
    assert world.opened == world.closed


@pytest.mark.parametrize("where", ["changes", "drift"])
def test_two_changes_at_one_address_can_not_be_read(world: World, where: str) -> None:
    twice = (UPDATE, UPDATE)
    adapter = FakeAdapter(
        previews={"web": twice if where == "changes" else ()},
        drifts={"web": DriftFound(twice if where == "drift" else ())},
    )
    row = preview_stack(world.job(adapter, [WEB]), WEB, drift=True)
    reason = row.reason if where == "changes" else row.drift_reason
    assert reason is not None
    assert (reason.kind, reason.names["place"]) == ("unreadable-output", UPDATE.address)
    assert row.hash is None


def test_preview_and_drift_check_each_have_the_whole_preview_timeout(world: World) -> None:
    web = stack("web", preview_timeout=7)
    adapter = FakeAdapter()
    preview_stack(world.job(adapter, [web]), web, drift=True)
    assert world.runners[-2:] == [("web", 7), ("web", 7)]
    preview, drift = adapter.places
    assert preview.private != drift.private


def test_the_adapter_is_handed_the_world(world: World) -> None:
    web, other = stacks("web", "other")
    adapter = FakeAdapter()
    preview_stack(world.job(adapter, [web, other]), web)
    (place,) = adapter.places
    assert (place.root, place.repository, place.neighbours) == (world.root, "acme/shop", (other,))
    place.conceal(["x"])
    assert world.concealed == ["x"]


def test_previews_are_observed_as_the_adapter_returned_them(world: World) -> None:
    seen: list[tuple[str, Preview | Failure]] = []
    adapter = FakeAdapter(previews={"a": (UPDATE,), "b": CONFLICT})
    job = world.job(adapter, stacks("a", "b"), observe=lambda stack, preview: seen.append((stack.id, preview)))
    list(preview_stacks(job, job.stacks))
    assert seen == [("a", Preview(Diff("a", (UPDATE,)))), ("b", CONFLICT)]


def test_one_failing_stack_never_stops_another(world: World) -> None:
    adapter = FakeAdapter(previews={"a": RuntimeError(CANARY), "b": CONFLICT, "c": (UPDATE,)})
    job = world.job(adapter, stacks("c", "b", "a"), concurrency=2)
    rows = list(preview_stacks(job, job.stacks))
    assert [(row.stack, row.state) for row in rows] == [
        ("a", "preview-failed"),
        ("b", "preview-failed"),
        ("c", "pending"),
    ]


def test_started_and_reported_in_id_order_and_each_once(world: World) -> None:
    names = ["\U0001f600", "\uff5e", "b", "a"]  # by code unit, the emoji's surrogates stand before U+FF5E
    adapter = FakeAdapter()
    job = world.job(adapter, stacks(*names))
    rows = list(preview_stacks(job, [*job.stacks, *job.stacks]))
    expected = ["a", "b", "\U0001f600", "\uff5e"]
    assert [row.stack for row in rows] == expected
    assert [step for step in adapter.asked if step.startswith("preview")] == [f"preview {name}" for name in expected]


def test_a_slow_stack_does_not_reorder_the_report(world: World) -> None:
    second_done = threading.Event()

    def slow(_place: Workplace) -> tuple[()]:
        assert second_done.wait(5)
        return ()

    def quick(_place: Workplace) -> tuple[()]:
        second_done.set()
        return ()

    job = world.job(FakeAdapter(previews={"a": slow, "b": quick}), stacks("a", "b"), concurrency=2)
    assert [row.stack for row in preview_stacks(job, job.stacks)] == ["a", "b"]


def test_at_most_concurrency_stacks_side_by_side(world: World) -> None:
    running, most, lock, both = 0, 0, threading.Lock(), threading.Barrier(2)

    def busy(_place: Workplace) -> tuple[()]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait(5)
        with lock:
            running -= 1
        return ()

    names = ["a", "b", "c", "d", "e", "f"]
    job = world.job(FakeAdapter(previews=dict.fromkeys(names, busy)), stacks(*names), concurrency=2)
    assert len(list(preview_stacks(job, job.stacks))) == 6
    assert most == 2


class Watched:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def begin(self, stack: Stack) -> None:
        self.seen.append(f"begin {stack.id}")

    def end(self, stack: Stack, row: Row) -> None:
        self.seen.append(f"end {stack.id} {row.state}")


def test_progress_is_told_of_each_stack(world: World) -> None:
    watched = Watched()
    job = world.job(FakeAdapter(previews={"b": CONFLICT}), stacks("a", "b"))
    list(preview_stacks(job, job.stacks, progress=watched))
    assert watched.seen == ["begin a", "end a in-sync", "begin b", "end b preview-failed"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_after_an_interrupt_no_further_stack_is_looked_at(world: World, concurrency: int) -> None:
    def interrupted(_place: Workplace) -> Failure:
        world.interrupted = True
        return CONFLICT

    names = ["a", "b", "c"]
    adapter = FakeAdapter(previews=dict.fromkeys(names, interrupted))
    job = world.job(adapter, stacks(*names), concurrency=concurrency)
    rows = list(preview_stacks(job, job.stacks))
    assert [row.state for row in rows] == ["preview-failed"] * 3
    assert rows[2].reason is not None
    assert "interrupted" in rows[2].reason.what
    assert "preview c" not in adapter.asked


def test_closing_early_starts_no_further_stack(world: World) -> None:
    names = [f"s{number}" for number in range(9)]
    adapter = FakeAdapter()
    rows = preview_stacks(world.job(adapter, stacks(*names)), stacks(*names))
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert adapter.asked == ["version fake", "prepare " + " ".join(names), "preview s0"]


def test_no_stacks_no_rows(world: World) -> None:
    assert list(preview_stacks(world.job(FakeAdapter(), []), [])) == []


def test_private_directories_are_left(world: World) -> None:
    adapter = FakeAdapter(previews={"web": CONFLICT})
    preview_stack(world.job(adapter, [WEB]), WEB)
    assert (world.opened, world.closed) == (2, 2)


def test_a_reason_of_the_version_check_is_the_rows(world: World) -> None:
    reason = Reason("tool-too-old", "fake 1.0 is too old")
    job = world.job(FakeAdapter(version=reason), [WEB])
    assert preview_stack(job, WEB).reason == reason
