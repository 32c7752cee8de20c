import pytest

from sluiceway.commands.dashboard import running
from tests.commands.dashboard.direct import Fates, direct
from tests.commands.dashboard.world import World
from tests.github.standin import Fault, GitHubServer, Person


@pytest.fixture(autouse=True)
def pending(world: World) -> None:
    world.push("db", "web")
    world.job("schedule")


def refused(world: World, stack: str = "web") -> str:
    """Run what an edit starts; nothing may be deployed, and the row says why."""
    came = world.woken()
    assert (came.code, world.cluster.puts, world.server.state.deployments) == (0, [], [])
    assert world.row(stack).ticked is False
    assert [one["stack"] for one in came.result["refused"]] == [stack]
    return world.row(stack).text()


@pytest.mark.parametrize("role", ["read", "triage"])
def test_who_has_no_write_access_deploys_nothing(world: World, server: GitHubServer, role: str) -> None:
    server.person("tom", role).tick(1, "**`web`**")
    assert "tom has no write access" in refused(world)
    (comment,) = world.issue().comments
    assert "`web`: tom has no write access to this repository." in comment.body


def test_a_bot_deploys_nothing(world: World, server: GitHubServer) -> None:
    Person(server.state, server.state.account("robot", "Bot")).tick(1, "**`web`**")
    assert "A bot ticked this" in refused(world)


def test_a_deleted_account_deploys_nothing(world: World, server: GitHubServer, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    server.delete_account("ada")
    assert "is deleted" in refused(world)


@pytest.mark.parametrize(("rule", "why"), [("maintain", "lacks the right"), ("[bob]", "is not among those")])
def test_the_rule_of_a_stack_narrows(world: World, ada: Person, rule: str, why: str) -> None:
    world.declare(web=f"tickers: {rule}")
    ada.tick(1, "**`web`**")
    assert why in refused(world)


def test_a_listed_login_in_another_case_may(world: World, ada: Person) -> None:
    world.declare(web="tickers: [ADA]")
    ada.tick(1, "**`web`**")
    assert world.woken().code == 0
    assert world.states["web"] == "in-sync"


def test_deploys_that_are_off(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    world.declare("deploys: false\n")
    assert "Deploys are turned off" in refused(world)


def test_a_version_that_was_removed_from_the_history_is_nobodys_tick(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    ada.edit(1, world.dashboard.body + "more\n")
    ada.remove_version(1, 1)
    assert "removed from its history" in refused(world)


def test_no_answer_about_the_person_deploys_nothing_and_leaves_the_tick(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    world.server.faults.plan(Fault.SERVER_ERROR, "repos/get-collaborator-permission-level", times=100)
    came = world.woken()
    assert (came.code, world.cluster.puts, world.row("web").ticked) == (1, [], True)
    assert "GitHub can't be reached" in came.log


def test_a_comment_of_a_run_lists_all(world: World, server: GitHubServer) -> None:
    tom = server.person("tom", "read")
    tom.tick(1, "**`web`**")
    tom.tick(1, "**`db`**")
    world.woken()
    (comment,) = world.issue().comments
    assert comment.body.count("no write access") == 2
    assert f"/actions/runs/{world.run.id}/" in comment.body


def test_two_runs_that_resolve_one_tick_open_one_record(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    fates = Fates()
    world.github = direct(world.server, fates)
    # Right before the first run opens its record, another one resolves the same tick.
    world.server.faults.before("repos/create-deployment", lambda: resolved_by_another(world))
    with world.workflow("issues"):
        world.command(running.run_resolve)
    states = sorted(world.records("web"))
    assert states == ["error", "queued"]


def resolved_by_another(world: World) -> None:
    outer = world.run
    world.run = world.server.state.start_run("issues")
    world.command(running.run_resolve)
    world.run = outer


def test_a_tick_that_had_its_record_gets_no_other_one(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    body = world.dashboard.body
    assert world.woken().code == 0
    # The issue's text is put back by its author, the tick with it.
    world.issue().write(world.server.state.bot, body, world.server.state.clock.advance(seconds=1))
    world.cluster.stacks["web"].out = 0
    assert world.woken().code == 0
    assert (world.records("web"), len(world.cluster.puts)) == (["success"], 1)
    assert "This tick was taken before" in world.row("web").text()


def test_a_tick_that_a_dead_run_overwrote_is_found_again(world: World, ada: Person) -> None:
    old = world.dashboard.body
    ada.tick(1, "**`web`**")
    world.issue().write(world.server.state.bot, old, world.server.state.clock.advance(seconds=1))
    assert world.woken().code == 0
    assert [put.stack for put in world.cluster.puts] == ["web"]


def test_a_rescan_is_asked_for_by_its_box(world: World, ada: Person) -> None:
    ada.tick(1, "Scan all stacks now")
    world.cluster.adapter.asked.clear()
    assert world.woken().code == 0
    assert {"preview db", "preview net", "preview web"} <= set(world.cluster.adapter.asked)
    assert not world.board.rescan


def test_a_record_that_somebody_else_made_is_not_deployed(world: World, ada: Person) -> None:
    ada.tick(1, "**`web`**")
    with world.workflow("issues"):
        world.command(running.run_resolve)
        record = world.server.state.deployments[-1]
        record.creator = ada.account
        came = world.command(
            lambda settings, output, given, place: running.run_apply(settings, output, record.id, given, place)
        )
    assert (came.code, world.cluster.puts) == (1, [])
    assert "no deployment record" in came.log
