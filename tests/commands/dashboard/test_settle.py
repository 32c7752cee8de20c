import pytest

from sluiceway.commands.dashboard import running
from tests.commands.dashboard.direct import Died, Fates, direct
from tests.commands.dashboard.world import World
from tests.github.standin import Fault, Person


@pytest.fixture(autouse=True)
def ticked(world: World, ada: Person) -> None:
    world.push("web")
    world.job("schedule")
    ada.tick(1, "**`web`**")


def die(_stack: str = "") -> None:
    raise Died


def test_a_job_that_died_in_the_middle_of_a_deploy_gets_its_result(world: World) -> None:
    world.cluster.after_deploy = die
    with pytest.raises(Died), world.workflow("issues", "cancelled"):
        world.command(running.run_auto, "issues", world.edited())
    assert (world.records("web"), world.states["web"]) == (["in_progress"], "deploying")
    with world.workflow("schedule"):
        came = world.command(running.run_settle)
    assert (came.code, world.records("web"), world.states["web"]) == (0, ["error"], "preview-failed")
    assert "how far the deploy came can't be told" in world.row("web").text()
    assert world.job("schedule").code == 0
    assert world.states["web"] == "in-sync"


def test_a_run_that_is_still_going_keeps_its_record(world: World) -> None:
    with world.workflow("issues"):
        world.command(running.run_resolve)
        other, going = world.server.state.start_run("schedule"), world.run
        world.run = other
        world.command(running.run_settle)
        world.run = going
        assert (world.records("web"), world.states["web"]) == (["queued"], "deploying")


def test_a_deploy_whose_result_could_not_be_recorded_is_red_and_settled(world: World) -> None:
    fates = Fates()
    world.github = direct(world.server, fates)
    world.cluster.after_deploy = lambda _stack: world.server.faults.plan(
        Fault.SERVER_ERROR, "repos/create-deployment-status", times=20
    )
    came = world.woken()
    assert (came.code, "the result could not be recorded" in came.log) == (1, True)
    assert world.states["web"] == "deploying"  # its record is open until the run is over
    world.cluster.after_deploy = lambda _stack: None
    world.server.faults.stop()
    world.job("schedule")
    assert (world.records("web"), world.states["web"], len(world.cluster.puts)) == (["error"], "in-sync", 1)


def test_a_row_whose_record_succeeded_is_drawn_from_it(world: World) -> None:
    with world.workflow("issues"):
        world.command(running.run_resolve)
        before = world.dashboard.body
        record = world.server.state.deployments[-1]
        world.command(
            lambda settings, output, given, place: running.run_apply(settings, output, record.id, given, place)
        )
        world.issue().write(world.server.state.bot, before, world.server.state.clock.advance(seconds=1))
        assert world.states["web"] == "deploying"
        world.command(running.run_settle)
    assert (world.states["web"], [one.by for one in world.board.recent]) == ("in-sync", ["ada"])
