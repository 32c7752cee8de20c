from pathlib import Path

import pytest

from sluiceway.adapters.helm.tool_diff import tool_diff
from sluiceway.model.results import Failure, ToolDiff
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import World, exited, printed, world
from tests.adapters.helm.test_failures import TEXTS

MANIFEST = "apiVersion: v1\nkind: Secret\nmetadata: {{name: token}}\nstringData: {{password: {}}}\n"
NEW, OLD = "new-v4lue", "old-v4lue"


def at(tmp_path: Path, diff: Outcome, **answers: Outcome) -> World:
    return world(
        tmp_path,
        {
            "helm template": printed(MANIFEST.format(NEW)),
            "helm get all": printed(f"deployed 3\n---\n{MANIFEST.format(OLD)}"),
            "helm diff upgrade": diff,
        }
        | {f"helm {name.replace('_', ' ')}": outcome for name, outcome in answers.items()},
    )


@pytest.mark.parametrize(("stdout", "differs"), [("shop, settings, ConfigMap (v1) has changed:\n", True), ("", False)])
def test_the_plugins_own_diff_is_shown(tmp_path: Path, stdout: str, differs: bool) -> None:
    here = at(tmp_path, printed(stdout))
    assert tool_diff(here.place) == ToolDiff(differs=differs)
    *before, shown = here.runner.asked
    assert [command.argv[:3] for command in before] == [("helm", "template", "web"), ("helm", "get", "all")]
    assert " ".join(shown.argv) == (
        "helm diff upgrade web ./web --namespace=shop --install --reset-values --dry-run=server "
        "--output=diff --no-color"
    )
    assert [command.shown for command in here.runner.asked] == [False, False, True]


def test_what_the_secrets_of_both_sides_hold_is_concealed_before_it_is_shown(tmp_path: Path) -> None:
    here = at(tmp_path, exited("x"))
    (here.place.directory / "web" / "values.yaml").write_text("password: v4lue-of-the-chart\n")
    tool_diff(here.place)
    assert (here.concealed["v4lue-of-the-chart"], here.concealed[NEW], here.concealed[OLD]) == (0, 2, 2)
    assert len(here.runner.asked) == 3


@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
def test_a_release_that_is_not_installed_has_nothing_to_conceal(tmp_path: Path, version: str) -> None:
    here = at(tmp_path, printed("all of it"), get_all=exited(TEXTS[f"not-found.get-{version}"]))
    assert tool_diff(here.place) == ToolDiff(differs=True)
    assert NEW in here.concealed


@pytest.mark.parametrize(
    ("command", "text", "words"),
    [
        ("template", "template.required-template-4.3.0", "helm template exited with code 1: the chart's template "),
        ("get all", "cluster.unreachable-get-4.3.0", "helm get all exited with code 1: the cluster can't be reached"),
        ("diff upgrade", "reference.norepo-diff-4.3.0", "helm diff upgrade exited with code 1: helm knows no chart "),
    ],
)
def test_a_command_that_fails(tmp_path: Path, command: str, text: str, words: str) -> None:
    here = at(tmp_path, printed("never shown"), **{command: exited(TEXTS[text])})
    result = tool_diff(here.place)
    assert isinstance(result, Failure)
    assert result.reason.text.startswith(words)
    assert len(here.runner.asked) == (3 if command == "diff upgrade" else 2)
    assert here.runner.waited[:2] == ["helm template", "helm get all"]
