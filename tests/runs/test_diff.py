import pytest

from sluiceway.model.reasons import Reason
from sluiceway.model.results import Failure, ToolDiff
from sluiceway.runs.diff import diff_stack
from tests.fakes import CANARY, CONFLICT, FakeAdapter, World, stack

WEB = stack("web", preview_timeout=4)


@pytest.mark.parametrize("result", [ToolDiff(differs=True), ToolDiff(differs=False), CONFLICT])
def test_what_the_adapter_gives_is_returned(world: World, result: ToolDiff | Failure) -> None:
    adapter = FakeAdapter(diffs={"web": result})
    assert diff_stack(world.job(adapter, [WEB]), WEB) == result
    assert world.runners[-1] == ("web", 4)
    assert world.opened == world.closed


def test_a_tool_that_can_not_serve_is_not_asked(world: World) -> None:
    adapter = FakeAdapter(version=Reason("tool-too-old", "fake 1.0 is too old"))
    result = diff_stack(world.job(adapter, [WEB]), WEB)
    assert isinstance(result, Failure)
    assert result.reason.kind == "tool-too-old"
    assert "diff web" not in adapter.asked


def test_an_exception_is_an_internal_error_by_type_only(world: World) -> None:
    result = diff_stack(world.job(FakeAdapter(diffs={"web": RuntimeError(CANARY)}), [WEB]), WEB)
    assert isinstance(result, Failure)
    assert result.reason.kind == "internal-error"
    assert CANARY not in repr(result)


def test_an_interrupt_before_it_began(world: World) -> None:
    world.interrupted = True
    adapter = FakeAdapter()
    result = diff_stack(world.job(adapter, [WEB]), WEB)
    assert isinstance(result, Failure)
    assert "interrupted" in result.reason.what
    assert "diff web" not in adapter.asked
