"""A stack that is given another GitHub environment while a record of it is open."""

import json

import pytest

from sluiceway.commands.dashboard import running
from sluiceway.commands.settings import Exit
from tests.commands.dashboard.test_story import applied
from tests.commands.dashboard.world import World
from tests.github.standin import Person

FIRST, OTHER = "environment: first", "environment: other"


@pytest.fixture
def record(world: World, ada: Person) -> int:
    """The open record of ``web``, whose run goes on."""
    world.declare(web=FIRST)
    world.push("web")
    world.job("schedule")
    ada.tick(1, "**`web`**")
    world.run = world.server.state.start_run("issues")
    came = world.command(running.run_resolve)
    world.declare(web=OTHER)
    (go,) = json.loads(came.outputs["matrix"])["include"]
    return int(go["deployment"])


def test_a_scan_leaves_its_row_as_it_is_and_the_deploy_goes_on(world: World, ada: Person, record: int) -> None:
    own = world.run
    world.push("db")
    with world.workflow("push"):
        assert world.command(running.run_scan, "push").code == Exit.DONE
    ada.tick(1, "**`db`**")  # a later record, so that the one of `web` is not the newest
    assert world.job("issues", world.edited()).code == Exit.DONE
    with world.workflow("schedule"):
        assert world.command(running.run_scan, "schedule").code == Exit.DONE
    assert (world.row("web").state, world.row("web").deployment) == ("deploying", record)
    world.run = own
    assert world.command(applied(record)).code == Exit.DONE
    assert (world.records("web"), world.states["web"]) == (["success"], "in-sync")


def test_a_tick_of_a_row_that_came_back_opens_no_second_one(world: World, ada: Person, record: int) -> None:
    before = next(version.body for version in world.dashboard.versions if "hash=" in (version.body or ""))
    ada.edit(1, before or "")
    ada.tick(1, "**`web`**")
    came = world.job("issues", world.edited())
    assert came.code == Exit.DONE, came.log
    assert (world.records("web"), world.cluster.puts) == (["queued", "error"], [])
    assert world.row("web").ticked is not True
    assert record


def test_the_record_of_a_run_that_died_gets_its_result(world: World, record: int) -> None:
    world.server.state.end_run(world.run, "cancelled")
    world.job("schedule")
    assert (world.records("web"), world.states["web"]) == (["error"], "pending")
    assert record
