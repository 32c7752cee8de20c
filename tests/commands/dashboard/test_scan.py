import json
from pathlib import Path

import pytest

from sluiceway.commands.dashboard import running
from sluiceway.commands.dashboard.running import Asked
from sluiceway.commands.dashboard.writing import GONE
from sluiceway.model.results import Failure
from tests.commands.dashboard.world import Cluster, World
from tests.fakes import CANARY, CONFLICT
from tests.github.standin import Fault, GitHubServer, Person


def previewed(world: World) -> set[str]:
    return {one.removeprefix("preview ") for one in world.cluster.adapter.asked if one.startswith("preview ")}


def pushed(world: World, *files: str) -> set[str]:
    """Push files, let the workflow run, and return which stacks were previewed."""
    world.push(files=files)
    world.cluster.adapter.asked.clear()
    assert world.job("push").code == 0
    return previewed(world)


def test_a_push_previews_what_claims_its_files(world: World) -> None:
    world.declare("scan: {unrelated: [docs/**]}\n", web="inputs: [shared/**]", db="envFile: db.env")
    (world.root / "db.env").write_text("A=b\n")
    world.job("schedule")
    assert pushed(world, "web/a.yaml") == {"web"}
    assert pushed(world, "shared/deep/a.yaml") == {"web"}
    assert pushed(world, "db.env", "docs/a.md") == {"db"}
    assert pushed(world, "docs/a.md") == set()
    assert pushed(world, "webs/a.yaml") == {"db", "net", "web"}
    assert pushed(world, "sluiceway.yaml") == {"db", "net", "web"}


def test_a_push_that_was_never_scanned_is_made_up_for(world: World) -> None:
    world.job("schedule")
    world.push("db")
    world.push("web")
    world.job("push")
    assert world.states == {"db": "pending", "net": "in-sync", "web": "pending"}


def test_a_rewritten_history_is_scanned_whole(world: World) -> None:
    first = world.server.state.branches["main"]
    world.push("db")
    world.job("schedule")
    world.server.state.force_push(first, ["web/a.yaml"])
    world.cluster.adapter.asked.clear()
    world.job("push")
    assert previewed(world) == {"db", "net", "web"}


def test_a_branch_that_was_moved_back_by_force_is_scanned_whole(world: World) -> None:
    back = world.push("db")
    world.push("web")
    world.job("schedule")
    world.cluster.adapter.asked.clear()
    assert world.job("push", {"forced": True}, GITHUB_SHA=back).code == 0
    assert previewed(world) == {"db", "net", "web"}
    assert world.board.root is not None
    assert world.board.root.scan_sha == back


def test_a_later_scan_is_not_overwritten_by_an_older_push(world: World) -> None:
    old = world.server.state.branches["main"]
    world.push("db")
    world.job("schedule")
    body = world.dashboard.body
    came = world.job("push", GITHUB_SHA=old)
    assert (came.code, world.dashboard.body) == (0, body)
    assert "was scanned already" in came.log


def test_a_failed_preview_is_red_and_is_looked_at_again_with_the_next_push(world: World) -> None:
    world.cluster.adapter.previews = {**world.cluster.adapter.previews, "net": Failure(CONFLICT.reason)}
    came = world.job("schedule")
    assert (came.code, came.outputs["preview-failed"], came.result["outcome"]) == (1, "1", "failed")
    assert world.states["net"] == "preview-failed"
    world.push("web")
    world.cluster.adapter.asked.clear()
    world.job("push")
    assert previewed(world) == {"net", "web"}


def test_shards_give_the_same_body_as_one_scan_byte_for_byte(server: GitHubServer, tmp_path: Path) -> None:
    names = [f"apps/{number:03}" for number in range(300)]
    bodies = []
    for count in (1, 7):
        place = tmp_path / str(count)
        place.mkdir()
        world = World(place / "repo", GitHubServer(), Cluster(names))
        world.server._server.server_close()
        world.github = world.straight()
        world.extra = {"GITHUB_SERVER_URL": "https://github.example"}
        for index, name in enumerate(names):
            world.cluster.stacks[name].code = index % 3
        with world.workflow("schedule"):
            if count == 1:
                assert world.command(running.run_scan).code == 0
            else:
                assert _sharded(world, place, count) == 0
        bodies.append(world.dashboard.body)
    assert bodies[0] == bodies[1]
    assert bodies[0].count("sluiceway:row") == 300
    assert server.exchanges == []


def _sharded(world: World, place: Path, count: int) -> int:
    files = [place / f"rows-{number}.json" for number in range(1, count + 1)]
    for number, file in enumerate(files, 1):
        given = Asked(shard=f"{number}/{count}", rows=file)
        assert world.command(running.run_scan, given=given, INPUT_TOKEN="", GITHUB_TOKEN="").code == 0
    return world.command(running.run_scan, given=Asked(merge=[str(file) for file in files])).code


def test_a_shard_that_is_missing_leaves_rows_that_say_so(world: World, tmp_path: Path) -> None:
    with world.workflow("schedule"):
        given = Asked(shard="1/2", rows=tmp_path / "rows.json")
        assert world.command(running.run_scan, given=given).code == 0
        came = world.command(running.run_scan, given=Asked(merge=[str(tmp_path / "rows.json")]))
        assert came.code == 1
        assert world.states == {"db": "in-sync", "net": "preview-failed", "web": "in-sync"}
        twice = world.command(running.run_scan, given=Asked(merge=[str(tmp_path / "rows.json")] * 2))
    assert (twice.code, "in more than one of these files" in twice.log) == (2, True)


def test_words_of_a_shard_that_can_not_be(world: World, tmp_path: Path) -> None:
    for shard in ("0/3", "4/3", "1", "x/y"):
        given = Asked(shard=shard, rows=tmp_path / "rows.json")
        assert world.command(running.run_scan, given=given).code == 2
    (tmp_path / "other.json").write_text(json.dumps({"version": 1}))
    came = world.command(running.run_scan, given=Asked(merge=[str(tmp_path / "other.json")]))
    assert (came.code, "is no file that `scan --shard` wrote" in came.log) == (2, True)


def test_two_dashboards_become_one(world: World) -> None:
    world.job("schedule")
    world.server.state.open_issue(world.server.state.bot, "Sluiceway", world.dashboard.body, ["sluiceway"])
    assert world.job("schedule").code == 0
    assert [issue.closed is None for issue in world.server.state.issues] == [True, False]
    assert "#1 stays" in world.issue(2).comments[-1].body


def test_a_dashboard_that_lost_its_label_is_closed_where_another_has_it(world: World, ada: Person) -> None:
    world.job("schedule")
    ada.close(1)
    ada.rename_label("sluiceway", "other")
    world.job("schedule")
    ada.reopen(1)
    stranger = world.server.state.open_issue(world.server.state.bot, "No dashboard", "Hello", [])
    assert world.job("schedule").code == 0
    assert [issue.closed is None for issue in world.server.state.issues] == [False, True, True]
    assert "#2 stays" in world.issue().comments[-1].body
    assert stranger.comments == []


def test_a_closed_dashboard_is_opened_again_by_a_scan_and_by_nothing_else(world: World, ada: Person) -> None:
    world.push("web")
    world.job("schedule")
    ada.tick(1, "**`web`**")
    ada.close(1)
    came = world.job("issues", world.edited())
    assert (came.code, world.cluster.puts, world.issue().closed is None) == (0, [], False)
    assert "is closed: nothing is deployed from it" in came.log
    world.job("push")
    assert (len(world.server.state.issues), world.issue().closed) == (1, None)


def test_a_renamed_label_and_title_come_back(world: World, ada: Person) -> None:
    world.job("schedule")
    ada.rename_label("sluiceway", "other")
    world.issue().title = "Something"
    assert world.job("schedule").code == 0
    assert len(world.server.state.issues) == 1
    assert {label.name for label in world.issue().labels} == {"other", "sluiceway"}
    assert world.issue().title == "Sluiceway"


def test_a_damaged_body_is_drawn_anew_and_deploys_nothing(world: World, ada: Person) -> None:
    world.push("web")
    world.job("schedule")
    ada.tick(1, "**`web`**")
    ada.edit(1, "Hello\n" + world.dashboard.body.split("\n", 1)[1])
    assert world.job("issues", world.edited()).code == 0
    came = world.job("schedule")
    assert (came.code, world.cluster.puts, len(world.server.state.issues)) == (0, [], 1)
    assert (world.row("web").ticked, "look at it again" in world.row("web").text()) == (False, True)


def test_a_dashboard_without_its_label_and_its_first_line_is_found_all_the_same(world: World, ada: Person) -> None:
    world.job("schedule")
    ada.rename_label("sluiceway", "other")
    ada.edit(1, world.dashboard.body.split("\n", 1)[1])
    assert world.job("schedule").code == 0
    assert len(world.server.state.issues) == 1
    assert world.board.root is not None


def test_a_body_of_a_later_version_is_left_alone(world: World, ada: Person) -> None:
    world.job("schedule")
    body = world.dashboard.body.replace('v="1"', 'v="2"')
    ada.edit(1, body)
    came = world.job("schedule")
    assert (came.code, world.dashboard.body) == (1, body)
    assert "written by a later version" in came.log


def test_a_tick_in_the_middle_of_a_scan_is_carried_over_and_deployed(world: World, ada: Person) -> None:
    world.push("web")
    world.job("schedule")
    world.server.faults.before("issues/update", lambda: ada.tick(1, "**`web`**"))
    assert world.job("schedule").code == 0
    assert ([put.stack for put in world.cluster.puts], world.states["web"]) == (["web"], "in-sync")


@pytest.mark.parametrize("in_between", [False, True])
def test_a_tick_whose_row_has_no_box_any_more_is_answered_by_a_comment(
    world: World, ada: Person, *, in_between: bool
) -> None:
    world.push("web")
    world.job("schedule")
    old = world.dashboard.body
    world.cluster.stacks["web"].out = world.cluster.stacks["web"].code
    world.job("schedule")
    ada.edit(1, old)  # a form that was opened long ago
    if in_between:
        world.server.faults.before("issues/update", lambda: ada.tick(1, "**`web`**"))
    else:
        ada.tick(1, "**`web`**")
    with world.workflow("push"):
        came = world.command(running.run_scan)
    assert (came.code, world.row("web").state, world.cluster.puts) == (0, "in-sync", [])
    (comment,) = world.issue().comments
    assert f"Ticks that were cleared ([run {world.run.id}](" in comment.body
    assert comment.body.endswith(f"\n\n- `web`: {GONE}")


def test_github_that_gives_no_answer_is_red_and_writes_nothing(world: World) -> None:
    world.server.faults.plan(Fault.SERVER_ERROR, times=1000)
    came = world.job("schedule")
    assert (came.code, world.server.state.issues) == (1, [])
    assert "GitHub can't be reached" in came.log


def test_a_pin_that_is_refused_is_said_and_no_failure(world: World) -> None:
    world.declare("dashboard: {pin: true}\n")
    assert world.job("schedule").code == 0
    assert world.issue().pinned


def test_no_token_is_seen(world: World) -> None:
    world.server.state.token(CANARY, world.server.state.bot)
    world.extra = {"INPUT_TOKEN": CANARY}
    came = world.job("schedule")
    assert CANARY not in came.out + came.log + json.dumps(came.result) + world.dashboard.body


def test_github_enterprise_server(tmp_path: Path) -> None:
    with GitHubServer(enterprise=True) as server:
        world = World(tmp_path / "repo", server, Cluster(["web"]))
        world.push("web")
        assert world.job("schedule").code == 0
        server.person("ada", "write").tick(1, "**`web`**")
        assert world.woken().code == 0
        assert world.states == {"web": "in-sync"}
    assert server.violations == []
