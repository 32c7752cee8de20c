"""The pipelines in ``examples/ci``: they can be read, ask for little, and type only what the command line takes."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from sluiceway.cli import app

CI = Path(__file__).parents[1] / "examples" / "ci"
GITHUB: dict[str, Any] = yaml.load((CI / "github-actions.yml").read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506 - text
GITLAB: dict[str, Any] = yaml.load((CI / ".gitlab-ci.yml").read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506 - text
APPROVED = ["--hash=web=0123456789abcdef", "--", "web"]


def scripts() -> Iterator[str]:
    """Give every script of both pipelines."""
    for job in GITHUB["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)
    for job in (GITLAB["preview"], GITLAB["deploy"]):
        yield from job["script"]


def typed() -> list[list[str]]:
    """Return the words of every command of ours, with what a shell would put in the place of lists."""
    found = []
    for script in scripts():
        for line in re.findall(r"^.*\bsluiceway [a-z].*$", script, re.MULTILINE):
            words = shlex.split(line)
            rest = [word for word in words[words.index("sluiceway") + 1 :] if word not in {"--", "${stacks[@]}"}]
            piped = words[0] == "xargs" or "${hashes[@]}" in rest
            found.append([word for word in rest if word != "${hashes[@]}"] + (APPROVED if piped else []))
    return found


def parsed(words: list[str]) -> dict[str, Any]:
    program: Any = typer.main.get_command(app)
    command = program.commands[words[0]]
    params: dict[str, Any] = command.make_context(words[0], list(words[1:])).params
    return params


def test_every_command_is_one_that_the_command_line_takes() -> None:
    commands = typed()
    assert [words[0] for words in commands] == ["check", "preview", "deploy"] * 2
    for words in commands:
        given = parsed(words)
        if words[0] == "preview":
            assert [output.partition("=")[0] for output in given["output"]] == ["json", "html", "junit"]
        if words[0] == "deploy":
            assert (given["stacks"], given["hash"]) == (("web",), ("web=0123456789abcdef",))


def test_a_command_that_is_not_taken_would_be_told() -> None:
    with pytest.raises(Exception, match="No such option: --form"):
        parsed(["preview", "--form", "json"])


def test_the_hash_that_is_deployed_is_that_of_what_is_pending() -> None:
    queries = [script for script in scripts() if "jq" in script]
    assert len(queries) == 3
    assert ['.stacks[] | select(.state == "pending")' in script for script in queries] == [True, False, True]
    assert GITHUB["jobs"]["deploy"]["needs"] == "preview"
    assert GITLAB["deploy"]["needs"] == ["preview"]


def test_github_may_read_and_a_deploy_waits_for_a_person() -> None:
    jobs = GITHUB["jobs"]
    assert GITHUB["permissions"] == {"contents": "read"}
    assert {name: job["permissions"] for name, job in jobs.items()} == {name: {"contents": "read"} for name in jobs}
    assert set(GITHUB["on"]) == {"pull_request", "push"}
    assert (jobs["deploy"]["environment"], "environment" in jobs["preview"]) == ("production", False)
    assert jobs["deploy"]["if"].startswith("github.event_name == 'push' && ")
    assert jobs["deploy"]["concurrency"]["cancel-in-progress"] == "false"
    assert all(int(job["timeout-minutes"]) <= 60 for job in jobs.values())


def test_github_pins_its_actions_and_expands_nothing_in_a_script() -> None:
    text = (CI / "github-actions.yml").read_text(encoding="utf-8")
    steps = [step for job in GITHUB["jobs"].values() for step in job["steps"]]
    used = re.findall(r"uses: (\S+)", text)
    assert len(used) >= 10
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+", name)] == []
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert [step["with"] for step in checkouts] == [{"persist-credentials": "false"}] * 2
    assert "pull_request_target" not in text


def test_each_secret_is_in_one_step_and_the_deploys_is_not_in_the_preview() -> None:
    def secrets(job: str) -> list[str]:
        return re.findall(r"secrets\.(\w+)", yaml.safe_dump(GITHUB["jobs"][job]))

    assert (secrets("preview"), secrets("deploy")) == (["KUBECONFIG_PREVIEW"], ["KUBECONFIG_DEPLOY"])
    assert GITLAB["preview"]["environment"]["name"] != GITLAB["deploy"]["environment"]["name"]


def test_gitlab_shows_the_reports_and_a_deploy_waits_for_a_person() -> None:
    preview, deploy = GITLAB["preview"], GITLAB["deploy"]
    assert preview["artifacts"]["reports"] == {"junit": "preview.xml"}
    assert "preview.html" in preview["artifacts"]["paths"]
    assert [rule["when"] for rule in deploy["rules"]] == ["manual"]
    assert deploy["resource_group"] == "production"
    assert {job["extends"] for job in (preview, deploy)} == {".sluiceway"}
