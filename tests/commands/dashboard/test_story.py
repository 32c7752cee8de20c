"""The whole story on the stand-in, with a simulated cluster: what ``tests/live`` tells with real tools."""

import json

from sluiceway.commands.dashboard import running
from tests.commands.dashboard.world import Command, Live, World
from tests.github.standin import Person


def test_from_the_first_scan_to_the_last_deploy(world: World, ada: Person) -> None:
    # The first scan makes the issue.
    world.cluster.stacks["web"].code = 1
    came = world.job("workflow_dispatch")
    assert came.code == 0, came.log
    assert world.states == {"db": "in-sync", "net": "in-sync", "web": "pending"}
    assert came.outputs["dashboard-url"].endswith("/issues/1")
    assert (came.outputs["pending"], came.outputs["in-sync"], came.outputs["preview-failed"]) == ("1", "2", "0")

    # A push narrows the scan.
    world.push("db")
    world.cluster.adapter.asked.clear()
    assert world.job("push").code == 0
    assert [one for one in world.cluster.adapter.asked if one.startswith("preview")] == ["preview db"]
    assert world.states == {"db": "pending", "net": "in-sync", "web": "pending"}

    # A person's tick deploys exactly the row.
    approved = world.row("db").hash
    ada.tick(1, "**`db`**")
    came = world.woken()
    assert came.code == 0, came.log
    assert [(put.stack, put.hash) for put in world.cluster.puts] == [("db", approved)]
    assert world.states == {"db": "in-sync", "net": "in-sync", "web": "pending"}
    assert world.records("db") == ["success"]
    assert world.board.recent[0].stack == "db"
    assert world.board.recent[0].by == "ada"

    # A moved change is refused, and its row shows what a deploy would do now.
    ada.tick(1, "**`web`**")
    world.cluster.stacks["web"].code = 2
    came = world.woken()
    assert came.code == 1
    assert (world.records("web"), len(world.cluster.puts)) == (["error"], 1)
    assert "no longer what was ticked" in world.issue().comments[-1].body
    assert (world.row("web").state, world.row("web").hash) == ("pending", world.cluster.hash("web"))
    assert world.row("web").ticked is False

    # Drift shows with who holds it, and a tick repairs it.
    world.declare("drift: {enabled: true}\n")
    world.cluster.stacks["net"].drift = 1
    assert world.job("schedule").code == 0
    assert world.row("net").state == "drift"
    assert "kubectl-edit" in world.dashboard.body
    ada.tick(1, "**`net`**")
    assert world.woken().code == 0
    assert world.cluster.puts[-1].repaired
    assert world.row("net").state == "in-sync"

    # A row that deletes says so, and a tick deletes.
    world.cluster.stacks["net"] = Live(code=1, gone=True)
    assert world.job("schedule").code == 0
    assert (world.row("net").deletes, "**1 delete**" in world.dashboard.body) == (1, True)
    ada.tick(1, "**`net`**")
    assert world.woken().code == 0
    assert world.row("net").state == "in-sync"


def test_stacks_that_depend_on_others_wait(world: World, ada: Person) -> None:
    world.declare(db="dependsOn: [net]", web="dependsOn: [db]")
    world.push("db", "net", "web")
    world.job("schedule")

    # Ticked alone, a stack stays ticked until the others are deployed.
    ada.tick(1, "**`db`**")
    came = world.woken()
    assert (came.code, world.cluster.puts, world.row("db").ticked) == (0, [], True)
    assert "db stays ticked" in came.log

    # Ticked together they go out one after the other.
    ada.tick(1, "**`web`**")
    ada.tick(1, "**`net`**")
    assert world.woken().code == 0
    assert [put.stack for put in world.cluster.puts] == ["net", "db", "web"]
    assert set(world.states.values()) == {"in-sync"}


def test_a_failed_deploy_ends_those_behind_it(world: World, ada: Person) -> None:
    world.declare(web="dependsOn: [db]")
    world.push("db", "web")
    world.job("schedule")
    world.cluster.stacks["db"].fails = True
    ada.tick(1, "**`db`**")
    ada.tick(1, "**`web`**")
    came = world.woken()
    assert (came.code, world.records("db"), world.records("web")) == (1, ["failure"], ["failure"])
    assert "The last deploy failed" in world.row("db").text()
    assert world.row("db").hash == world.cluster.hash("db")  # a fresh row, to be ticked again
    assert "which it depends on, was not deployed" in world.row("web").text()


def test_a_run_that_died_is_settled_and_running_a_job_again_deploys_nothing(world: World, ada: Person) -> None:
    world.push("db", "web")
    world.job("schedule")
    ada.tick(1, "**`db`**")
    ada.tick(1, "**`web`**")
    with world.workflow("issues", "cancelled"):
        came = world.command(running.run_resolve)
        assert [one["stack"] for one in json.loads(came.outputs["matrix"])["include"]] == ["db", "web"]
        (db, web) = (one["deployment"] for one in came.result["matrix"])
        assert world.states == {"db": "deploying", "net": "in-sync", "web": "deploying"}
        assert world.command(applied(db)).code == 0
        again = world.command(applied(db))
        assert (again.code, len(world.cluster.puts)) == (0, 1)
        assert "is not deployed again: it stands at success" in again.log
    # The run ended before web's turn: a job of it that is run again deploys nothing.
    world.run.attempt = 2
    came = world.command(applied(web))
    assert (came.code, len(world.cluster.puts)) == (1, 1)
    assert "it belongs to another run" in came.log
    assert world.job("schedule").code == 0
    assert (world.records("db"), world.records("web")) == (["success"], ["error"])
    assert world.states == {"db": "in-sync", "net": "in-sync", "web": "pending"}


def applied(number: int) -> Command:
    return lambda settings, output, given, place: running.run_apply(settings, output, number, given, place)
