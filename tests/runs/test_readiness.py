from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure
from sluiceway.runs.preview import preview_stack, preview_stacks
from tests.fakes import CANARY, FakeAdapter, World, stack, stacks

TOO_OLD = Reason("tool-too-old", "fake 1.0 is too old")


def test_each_tool_is_checked_once_and_its_stacks_prepared_together(world: World) -> None:
    one, two = FakeAdapter("one"), FakeAdapter("two")
    given = [stack("a", tool="one"), stack("b", tool="two"), stack("c", tool="one")]
    list(preview_stacks(world.job([one, two], given, concurrency=3), given))
    assert one.asked[:2] == ["version one", "prepare a c"]
    assert two.asked[:2] == ["version two", "prepare b"]
    assert sum("version" in step for step in one.asked + two.asked) == 2


def test_a_tool_no_stack_at_hand_needs_is_not_asked(world: World) -> None:
    one, two = FakeAdapter("one"), FakeAdapter("two")
    given = [stack("a", tool="one"), stack("b", tool="two")]
    preview_stack(world.job([one, two], given), given[0])
    assert two.asked == []


def test_a_tool_that_can_not_serve_fails_exactly_its_own_stacks(world: World) -> None:
    one, two = FakeAdapter("one", version=TOO_OLD), FakeAdapter("two")
    given = [stack("a", tool="one"), stack("b", tool="two"), stack("c", tool="one")]
    rows = list(preview_stacks(world.job([one, two], given), given))
    assert [row.reason for row in rows] == [TOO_OLD, None, TOO_OLD]
    assert one.asked == ["version one"]


def test_a_stack_that_could_not_be_prepared_fails_alone(world: World) -> None:
    failure = Failure(Reason("preparation-failed", "The chart can't be built"))
    adapter = FakeAdapter(unprepared={"b": failure})
    job = world.job(adapter, stacks("a", "b"))
    assert [row.reason for row in preview_stacks(job, job.stacks)] == [None, failure.reason]
    assert "preview b" not in adapter.asked


def test_a_bug_in_a_version_check_fails_its_stacks_by_type_only(world: World) -> None:
    one, two = FakeAdapter("one", version=OSError(CANARY)), FakeAdapter("two")
    given = [stack("a", tool="one"), stack("b", tool="two")]
    rows = list(preview_stacks(world.job([one, two], given), given))
    assert [row.state for row in rows] == ["preview-failed", "in-sync"]
    assert CANARY not in repr(rows)
    assert [name for name, _ in world.bugs] == ["a"]


def test_later_stacks_of_a_job_are_prepared_without_a_second_version_check(world: World) -> None:
    adapter = FakeAdapter()
    job = world.job(adapter, stacks("a", "b"))
    preview_stack(job, job.stacks[0])
    preview_stack(job, job.stacks[1])
    preview_stack(job, job.stacks[1])
    assert [step for step in adapter.asked if "preview" not in step] == ["version fake", "prepare a", "prepare b"]


def test_a_tool_without_an_adapter_is_missing(world: World) -> None:
    given = stack("a", tool="tofu")
    row = preview_stack(world.job(FakeAdapter(), [given]), given)
    assert row.reason is not None
    assert (row.reason.kind, row.reason.names) == ("tool-missing", {"tool": "tofu"})


def test_a_hindered_stack_never_reaches_its_tool(world: World) -> None:
    hindrance = Failure(Reason("preparation-failed", "envFile can't be read"))
    adapter = FakeAdapter()
    job = world.job(adapter, stacks("a", "b"), hindrance=lambda stack: hindrance if stack.id == "a" else None)
    assert [row.reason for row in preview_stacks(job, job.stacks)] == [hindrance.reason, None]
    assert adapter.asked == ["version fake", "prepare b", "preview b"]


def test_an_exception_is_explained_by_the_job(world: World) -> None:
    reason = Reason("preparation-failed", "The disk is full")
    adapter = FakeAdapter(previews={"a": OSError(CANARY)})
    job = world.job(adapter, stacks("a"), explain=lambda _error: reason)
    assert preview_stack(job, job.stacks[0]).reason == reason
