import json
from pathlib import Path

from jsonschema import Draft202012Validator

from sluiceway.commands.dashboard import running
from sluiceway.commands.dashboard.result import result_schema
from tests.commands.dashboard.world import World
from tests.github.standin import GitHubServer, Person

SCHEMA = Path(__file__).parents[3] / "schema" / "result.schema.json"
VALIDATOR = Draft202012Validator(result_schema())


def test_the_committed_schema_is_the_generated_one() -> None:
    text = json.dumps(result_schema(), indent=2, ensure_ascii=False) + "\n"
    assert SCHEMA.read_text("utf-8") == text, "run: sluiceway schema result > schema/result.schema.json"
    Draft202012Validator.check_schema(result_schema())


def test_every_command_keeps_to_it(world: World, server: GitHubServer, ada: Person) -> None:
    world.declare(db="dependsOn: [net]")
    world.push("db", "net", "web")
    VALIDATOR.validate(world.job("schedule").result)
    server.person("tom", "read").tick(1, "**`web`**")
    ada.tick(1, "**`net`**")
    ada.tick(1, "**`db`**")
    with world.workflow("issues"):
        came = world.command(running.run_resolve)
        VALIDATOR.validate(came.result)
        assert [one["outcome"] for one in came.result["deployments"]] == ["queued", "waiting"]
        assert [one["ticker"] for one in came.result["refused"]] == ["tom"]
        assert json.loads(came.outputs["matrix"]) == {"include": came.result["matrix"]}
        (go,) = came.result["matrix"]
        came = world.command(
            lambda settings, output, given, place: running.run_apply(settings, output, go["deployment"], given, place)
        )
        VALIDATOR.validate(came.result)
        assert [one["outcome"] for one in came.result["deployments"]] == ["deployed"]
        came = world.command(running.run_settle)
        VALIDATOR.validate(came.result)
        assert [one["stack"] for one in came.result["matrix"]] == ["db"]


def test_nothing_to_deploy_gives_an_empty_matrix(world: World) -> None:
    world.job("schedule")
    with world.workflow("issues"):
        assert world.command(running.run_resolve).outputs["matrix"] == ""


def test_a_result_that_can_not_be_written_is_said_and_red(world: World) -> None:
    came = world.job("schedule", GITHUB_OUTPUT="/nowhere/output")
    assert (came.code, "the outputs of this step can't be written" in came.log) == (1, True)
