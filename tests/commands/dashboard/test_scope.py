"""What a push touches beside the directories of the stacks."""

from tests.commands.dashboard.world import World


def previewed(world: World, *files: str) -> set[str]:
    """Push files, scan, and return which stacks were previewed."""
    world.push(files=files)
    world.cluster.adapter.asked.clear()
    assert world.job("push").code == 0
    return {one.removeprefix("preview ") for one in world.cluster.adapter.asked if one.startswith("preview ")}


def test_what_a_link_leads_to_is_the_stacks_too(world: World) -> None:
    (world.root / "db" / "parts").mkdir()
    (world.root / "db" / "shared.yaml").write_text("a: 1\n")
    (world.root / "web" / "shared.yaml").symlink_to("../db/shared.yaml")
    (world.root / "web" / "deep").mkdir()
    (world.root / "web" / "deep" / "parts").symlink_to("../../db/parts")
    (world.root / "net" / "out.yaml").symlink_to("/etc/hostname")
    (world.root / "net" / "own.yaml").symlink_to("out.yaml")
    world.job("schedule")
    assert previewed(world, "db/shared.yaml") == {"db", "web"}
    assert previewed(world, "db/parts/a.yaml") == {"db", "web"}
    assert previewed(world, "db/other.yaml") == {"db"}
