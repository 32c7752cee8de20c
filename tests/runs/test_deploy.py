from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sluiceway.adapters.base import Workplace
from sluiceway.model.changes import Diff
from sluiceway.model.hashing import diff_hash
from sluiceway.model.results import CannotCheck, Deployed, DriftFound, Failure
from sluiceway.model.rows import Row
from sluiceway.runs.deploy import UNKNOWN_END, UNSEEN, Approved, Decision, Declined, Terms, deploy_stack, deploy_stacks
from tests.fakes import CANARY, CONFLICT, CREATE, DRIFT, UPDATE, FakeAdapter, World, stack, stacks

WEB = stack("web")
HASH = diff_hash(Diff("web", (UPDATE,)))
DRIFT_HASH = diff_hash(Diff("web", (UPDATE,), (DRIFT,)))


def approved(given: str) -> Callable[[Row], Decision]:
    return lambda _row: Approved(given)


def as_shown(row: Row) -> Decision:
    assert row.hash is not None
    return Approved(row.hash)


def never(_row: Row) -> Decision:
    raise AssertionError


def deploy(world: World, adapter: FakeAdapter, approve: Callable[[Row], Decision], **more: Any) -> Row:
    row = deploy_stack(world.job(adapter, [WEB]), WEB, approve=approve, **more)
    assert all(plan.left for plan in adapter.plans)
    assert world.opened == world.closed
    return row


def test_what_was_approved_is_deployed(world: World) -> None:
    done = ("applied ConfigMap/shop/settings",)
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, deploys={"web": Deployed(done, notes=("so be it",))})
    row = deploy(world, adapter, approved(HASH))
    assert (row.outcome, row.done, row.notes, row.hash) == ("deployed", done, ("so be it",), HASH)
    assert adapter.asked[-1] == "deploy web"


def test_what_was_not_approved_has_moved_and_nothing_is_deployed(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE, CREATE)})
    row = deploy(world, adapter, approved(HASH))
    assert row.outcome == "moved"
    assert HASH in row.notes[-1]
    assert str(row.hash) in row.notes[-1]
    assert "deploy web" not in adapter.asked


def test_a_hash_that_drift_gave_moves_without_repair_drift_and_the_flag_is_named(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": DriftFound((DRIFT,))})
    row = deploy(world, adapter, approved(DRIFT_HASH))
    assert row.outcome == "moved"
    assert "--repair-drift" in row.notes[-1]


def test_with_repair_drift_the_hash_is_the_one_that_drift_gave(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": DriftFound((DRIFT,))})
    row = deploy(world, adapter, approved(DRIFT_HASH), repair_drift=True)
    assert (row.outcome, row.hash, row.drift) == ("deployed", DRIFT_HASH, (DRIFT,))
    row = deploy(world, adapter, approved(HASH), repair_drift=True)
    assert row.outcome == "moved"
    assert "--repair-drift" not in row.notes[-1]


def test_an_adapter_repairs_only_drift_that_the_fresh_check_found(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": DriftFound((DRIFT,))})
    deploy(world, adapter, as_shown, repair_drift=True)
    deploy(world, adapter, as_shown)
    assert adapter.repairs == [True, False]
    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    deploy(world, adapter, as_shown, repair_drift=True)
    assert adapter.repairs == [False]


def test_what_an_adapter_finds_moved_right_before_it_deploys_is_no_failed_deploy(world: World) -> None:
    failure = replace(CONFLICT, moved=True)
    row = deploy(world, FakeAdapter(previews={"web": (UPDATE,)}, deploys={"web": failure}), as_shown)
    assert (row.outcome, row.reason, row.changes) == ("moved", CONFLICT.reason, (UPDATE,))


def test_drift_alone_is_deployed_with_repair_drift(world: World) -> None:
    adapter = FakeAdapter(drifts={"web": DriftFound((DRIFT,))})
    row = deploy(world, adapter, as_shown, repair_drift=True)
    assert (row.state, row.outcome) == ("drift", "deployed")


def test_drift_that_can_not_be_checked_does_not_stand_in_the_way(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": CannotCheck("no way to tell")})
    assert deploy(world, adapter, approved(HASH), repair_drift=True).outcome == "deployed"


def test_a_failed_drift_check_fails_the_deploy(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, drifts={"web": CONFLICT})
    row = deploy(world, adapter, never, repair_drift=True)
    assert (row.outcome, row.drift_reason) == ("failed", CONFLICT.reason)
    assert "deploy web" not in adapter.asked


def test_in_sync_asks_nobody_and_runs_nothing(world: World) -> None:
    adapter = FakeAdapter()
    row = deploy(world, adapter, never)
    assert row.outcome == "in-sync"
    assert "deploy web" not in adapter.asked


def test_in_sync_with_upkeep_is_deployed(world: World) -> None:
    adapter = FakeAdapter(upkeep=frozenset({"web"}))
    row = deploy(world, adapter, as_shown)
    assert (row.state, row.outcome) == ("in-sync", "deployed")


def test_in_sync_with_upkeep_and_another_hash_has_moved(world: World) -> None:
    adapter = FakeAdapter(upkeep=frozenset({"web"}))
    assert deploy(world, adapter, approved(HASH)).outcome == "moved"
    assert "deploy web" not in adapter.asked


def test_declined_deploys_nothing(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    row = deploy(world, adapter, lambda _row: Declined("Nobody wanted it."))
    assert (row.outcome, row.notes) == ("refused", ("Nobody wanted it.",))
    assert "deploy web" not in adapter.asked


def test_a_failed_preview_is_a_failed_deploy(world: World) -> None:
    row = deploy(world, FakeAdapter(previews={"web": CONFLICT}), never)
    assert (row.outcome, row.reason) == ("failed", CONFLICT.reason)
    assert row.notes == (UNSEEN,)


def test_a_failed_deploy_says_what_was_done(world: World) -> None:
    done = ("applied ConfigMap/shop/settings",)
    failure = Failure(CONFLICT.reason, notes=("half a deploy",), done=done)
    row = deploy(world, FakeAdapter(previews={"web": (UPDATE,)}, deploys={"web": failure}), approved(HASH))
    assert (row.outcome, row.reason, row.done) == ("failed", CONFLICT.reason, done)
    assert row.notes == ("half a deploy",)
    assert row.changes == (UPDATE,)


def test_an_exception_in_a_deploy_is_an_internal_error_by_type_only(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)}, deploys={"web": RuntimeError(CANARY)})
    row = deploy(world, adapter, approved(HASH))
    assert row.outcome == "failed"
    assert row.reason is not None
    assert row.reason.kind == "internal-error"
    assert "can't be told" in row.notes[-1]
    assert CANARY not in repr(row)


@pytest.mark.parametrize(("step", "note"), [("previews", UNSEEN), ("approve", UNKNOWN_END)])
def test_an_exception_before_the_deploy_is_an_internal_error_too(world: World, step: str, note: str) -> None:
    def broken(_row: Row) -> Decision:
        raise RuntimeError(CANARY)

    adapter = FakeAdapter(previews={"web": RuntimeError(CANARY) if step == "previews" else (UPDATE,)})
    row = deploy(world, adapter, broken)
    assert (row.outcome, row.state) == ("failed", "preview-failed")
    assert row.notes == (note,)
    assert CANARY not in repr(row)


def test_the_plan_is_left_when_a_person_breaks_off(world: World) -> None:
    def broken_off(_row: Row) -> Decision:
        raise KeyboardInterrupt

    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    with pytest.raises(KeyboardInterrupt):
        deploy_stack(world.job(adapter, [WEB]), WEB, approve=broken_off)
    assert [plan.left for plan in adapter.plans] == [True]
    assert world.opened == world.closed


def test_the_plan_of_an_unreadable_preview_is_left(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE, UPDATE)})
    assert deploy(world, adapter, never).outcome == "failed"
    assert [plan.left for plan in adapter.plans] == [True]


@pytest.mark.parametrize(("own", "given", "expected"), [(None, None, None), (5, None, 5), (5, 2.5, 2.5), (None, 2, 2)])
def test_time_limit_of_the_deploy(world: World, own: int | None, given: float | None, expected: float | None) -> None:
    web = stack("web", deploy_timeout=own, preview_timeout=3)
    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    deploy_stack(world.job(adapter, [web]), web, approve=approved(HASH), minutes=given)
    assert world.runners[-2:] == [("web", 3), ("web", expected)]


def test_the_deploy_has_the_private_directory_of_its_preview(world: World) -> None:
    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    deploy(world, adapter, approved(HASH))
    preview, deployed = adapter.places
    assert preview.private == deployed.private


def test_an_interrupt_before_the_deploy_begins_refuses_it(world: World) -> None:
    def interrupted(_row: Row) -> Decision:
        world.interrupted = True
        return Approved(HASH)

    adapter = FakeAdapter(previews={"web": (UPDATE,)})
    row = deploy(world, adapter, interrupted)
    assert row.outcome == "refused"
    assert "interrupted" in row.notes[-1]
    assert "deploy web" not in adapter.asked


def outcomes(
    world: World, adapter: FakeAdapter, *given: Any, approve: Callable[[Row], Decision] = as_shown
) -> list[str]:
    rows = list(deploy_stacks(world.job(adapter, given), given, Terms(approve)))
    assert all(plan.left for plan in adapter.plans)
    return [f"{row.stack} {row.outcome}" for row in rows]


def test_several_go_out_in_the_order_of_depends_on(world: World) -> None:
    changed = dict.fromkeys(("app", "db", "net"), (UPDATE,))
    adapter = FakeAdapter(previews=changed)
    given = (stack("app", "db"), stack("db", "net"), stack("net"))
    assert outcomes(world, adapter, *given) == ["net deployed", "db deployed", "app deployed"]
    assert adapter.asked[:2] == ["version fake", "prepare net db app"]


def test_each_is_previewed_after_the_one_before_it_was_deployed(world: World) -> None:
    adapter = FakeAdapter(previews={"a": (UPDATE,), "b": (UPDATE,)})
    outcomes(world, adapter, *stacks("a", "b"))
    assert adapter.asked[2:] == ["preview a", "deploy a", "preview b", "deploy b"]


@pytest.mark.parametrize(
    ("decision", "result", "ended"),
    [
        (None, CONFLICT, "failed"),
        (None, RuntimeError(CANARY), "failed"),
        (Approved("0" * 16), Deployed(), "moved"),
        (Declined("No."), Deployed(), "refused"),
    ],
)
def test_one_that_was_not_deployed_holds_back_those_behind_it(
    world: World, decision: Decision | None, result: Any, ended: str
) -> None:
    def approve(row: Row) -> Decision:
        return decision if decision is not None and row.stack == "db" else as_shown(row)

    names = ("app", "api", "db", "other")
    adapter = FakeAdapter(previews=dict.fromkeys(names, (UPDATE,)), deploys={"db": result})
    given = (stack("app", "api"), stack("api", "db"), stack("db"), stack("other"))
    rows = list(deploy_stacks(world.job(adapter, given), given, Terms(approve)))
    assert [(row.stack, row.outcome) for row in rows] == [
        ("db", ended),
        ("other", "deployed"),
        ("api", "refused"),
        ("app", "refused"),
    ]
    assert "depends on db" in rows[2].notes[-1]
    assert rows[2].state == "pending"
    assert "deploy api" not in adapter.asked


def test_in_sync_holds_nothing_back(world: World) -> None:
    adapter = FakeAdapter(previews={"app": (UPDATE,)})
    assert outcomes(world, adapter, stack("app", "db"), stack("db")) == ["db in-sync", "app deployed"]


def test_after_an_interrupt_the_rest_is_reported_and_not_deployed(world: World) -> None:
    def interrupted(_place: Workplace) -> Failure:
        world.interrupted = True
        return CONFLICT

    adapter = FakeAdapter(previews={"a": (UPDATE,), "b": (UPDATE,)}, deploys={"a": interrupted})
    assert outcomes(world, adapter, *stacks("a", "b")) == ["a failed", "b refused"]
    assert adapter.asked[-1] == "deploy a"
