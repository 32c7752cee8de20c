from pathlib import Path

import pytest

from recorder.scenario import Ask, Edit, Outside, Remove, Scenario, ScenarioError, Write
from tests.recorder.repo import Repo

ALL = """\
description: >-
  Everything that a
  scenario can say.
example: small
repository: octo-org/shop
namespaces: [shop, other]
stacks:
  - path: app
    tool: kubectl
    options: {namespace: shop, prune: true}
steps:
  - deploy: arranged
  - edit: app/settings.yaml
    old: CANARY
    new: "12"
  - write: app/more.yaml
    text: |
      a: 1
  - remove: app/more.yaml
  - outside: [kubectl, scale, --replicas=5]
  - outside: [kubectl, wait]
    killed_after: 3
  - preview: recorded
  - drift: recorded
    name: found
    stack: app
  - preview: recorded
  - deploy: recorded
    hash: 0123456789012345
    repair_drift: true
  - diff: arranged
  - check_version: arranged
  - prepare: arranged
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path, tmp_path / "cache")
    made.set_up()
    return made


def test_a_scenario_is_read_whole(repo: Repo) -> None:
    scenario = Scenario.load(repo.scenario("all", ALL))
    assert scenario == Scenario(
        file=repo.root / "scenarios/kubectl/all.yaml",
        description="Everything that a scenario can say.",
        example="small",
        repository="octo-org/shop",
        stacks=({"path": "app", "tool": "kubectl", "options": {"namespace": "shop", "prune": True}},),
        namespaces=("shop", "other"),
        steps=(
            Ask("deploy", "deploy", recorded=False),
            Edit("app/settings.yaml", "CANARY", "12"),
            Write("app/more.yaml", "a: 1\n"),
            Remove("app/more.yaml"),
            Outside(("kubectl", "scale", "--replicas=5")),
            Outside(("kubectl", "wait"), killed_after=3),
            Ask("preview", "preview", recorded=True),
            Ask("found", "drift", recorded=True, stack="app"),
            Ask("preview-2", "preview", recorded=True),
            Ask("deploy", "deploy", recorded=True, hash="0123456789012345", repair_drift=True),
            Ask("diff", "diff", recorded=False),
            Ask("check_version", "check_version", recorded=False),
            Ask("prepare", "prepare", recorded=False),
        ),
    )


def test_a_scenario_knows_its_name_tool_home_and_what_is_recorded(repo: Repo) -> None:
    scenario = Scenario.load(repo.scenario("all", ALL))
    assert (scenario.name, scenario.tool, scenario.home) == ("all", "kubectl", repo.root)
    assert [ask.name for ask in scenario.recorded] == ["preview", "found", "preview-2", "deploy"]


def test_what_is_not_said_has_a_default(repo: Repo) -> None:
    scenario = Scenario.load(repo.root / "scenarios/kubectl/version.yaml")
    assert (scenario.namespaces, scenario.stacks) == (("shop",), ())


@pytest.mark.parametrize(
    ("steps", "needs"),
    [
        ("[{check_version: recorded}, {prepare: arranged}, {remove: a}]", False),
        ("[{check_version: recorded}, {preview: arranged}]", True),
        ("[{check_version: recorded}, {outside: [kubectl]}]", True),
    ],
)
def test_a_version_check_needs_no_cluster(repo: Repo, steps: str, needs: bool) -> None:
    text = f"description: a\nexample: small\nrepository: a/b\nsteps: {steps}\n"
    assert Scenario.load(repo.scenario("a", text)).needs_cluster is needs


GOOD = {
    "description": "one",
    "example": "small",
    "repository": "a/b",
    "steps": "[{preview: recorded}]",
}


def written(**changed: str) -> str:
    return "".join(f"{key}: {value}\n" for key, value in {**GOOD, **changed}.items() if value)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (written(colour="red"), 5, "unknown key 'colour'; known here: description, example, repository, namespaces"),
        (written() + "example: other\n", 5, "the key 'example' stands twice"),
        (written(repository=""), 1, "the key 'repository' is missing"),
        (written(description="[a]"), 1, "a text is expected"),
        (written(description="~"), 1, "a text is expected"),
        (written(namespaces="shop"), 5, "a list is expected"),
        (written(example="../other"), 2, "a relative path inside the example is expected"),
        (written(example="/etc"), 2, "a relative path inside the example is expected"),
        (written(stacks="[app]"), 5, "an entry of sluiceway.yaml's stacks is expected"),
        (written(stacks="[{tool: kubectl}]"), 5, "an entry of sluiceway.yaml's stacks is expected"),
        (written(steps="\n- preview: arranged\n"), 5, "no step is recorded"),
        (written(steps="\n- preview: recorded\n- look: recorded"), 6, "a step starts with one of edit, write, remove"),
        (written(steps="\n- {}"), 5, "a step starts with one of"),
        (written(steps="\n- preview"), 5, "a mapping is expected"),
        (written(steps="\n- preview: later"), 5, "one of recorded, arranged is expected"),
        (written(steps="\n- preview: recorded\n  hash: a"), 6, "unknown key 'hash'; known here: preview, name, stack"),
        (written(steps="\n- edit: a\n  old: b"), 5, "the key 'new' is missing"),
        (written(steps="\n- remove: a/../../b"), 5, "a relative path inside the example is expected"),
        (written(steps="\n- outside: []"), 5, "a command is expected"),
        (written(steps="\n- outside: [a]\n  killed_after: 0"), 6, "a number of seconds is expected, 1 to 99"),
        (written(steps="\n- outside: [a]\n  killed_after: soon"), 6, "a number of seconds is expected, 1 to 99"),
        (written(steps="\n- deploy: recorded\n  repair_drift: maybe"), 6, "one of true, false is expected"),
        ("- a list", 1, "a mapping is expected"),
        ("a: [", 1, "expected the node content"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(repo: Repo, text: str, line: int, problem: str) -> None:
    file = repo.scenario("wrong", text)
    with pytest.raises(ScenarioError) as error:
        Scenario.load(file)
    assert str(error.value).startswith(f"{file}:{line}: {problem}")


def test_an_empty_file_and_one_that_is_no_text_are_errors(repo: Repo) -> None:
    file = repo.scenario("empty", "")
    with pytest.raises(ScenarioError, match=r"empty.yaml: is empty"):
        Scenario.load(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ScenarioError, match=r"empty.yaml: can't be read"):
        Scenario.load(file)
