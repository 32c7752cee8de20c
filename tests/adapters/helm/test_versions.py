from pathlib import Path

import pytest

from sluiceway.adapters.helm import versions
from sluiceway.model.reasons import Reason
from sluiceway.processes import Outcome
from tests.adapters.helm.answering import Answering, exited, printed
from tests.adapters.helm.test_failures import TEXTS

CANARY = "c4n4ry-v4lue"


def check(helm: Outcome, plugin: Outcome) -> Reason | None:
    return versions.check(Answering({"helm version": helm, "helm diff version": plugin}), Path("/repo"))


def of_helm(version: str) -> Reason | None:
    return check(printed(version), printed("3.15.11\n"))


def of_plugin(version: str) -> Reason | None:
    return check(printed("v4.3.0"), printed(f"{version}\n"))


def test_both_are_asked_side_by_side_in_the_root() -> None:
    runner = Answering({"helm version": printed("v3.18.0"), "helm diff version": printed("3.15.11\n")})
    assert versions.check(runner, Path("/repo")) is None
    assert runner.lines == ["helm version --template={{.Version}}", "helm diff version"]
    assert [command.cwd for command in runner.asked] == [Path("/repo")] * 2
    assert runner.asked[1].without == ("HELM_DIFF_*", "HELM_DEBUG")
    assert runner.waited == ["helm version", "helm diff version"]


@pytest.mark.parametrize("version", ["v3.18.0", "v3.22.1", "v4.3.0", "v3.18.1-rc.1", "v3.18.0+g0123456"])
def test_a_helm_that_serves(version: str) -> None:
    assert of_helm(version) is None


@pytest.mark.parametrize("version", ["3.15.11", "v3.15.13", "3.16.0-rc.1", "4.0.0"])
def test_a_plugin_that_serves(version: str) -> None:
    assert of_plugin(version) is None


@pytest.mark.parametrize("version", ["v3.17.4", "v3.18.0-rc.1", "v2.17.0"])
def test_a_helm_that_is_too_old(version: str) -> None:
    reason = of_helm(version)
    assert reason is not None
    assert (reason.kind, reason.names) == (
        "tool-too-old",
        {"tool": "helm", "found": version, "needed": "v3.18.0"},
    )
    assert reason.text == f"helm {version} is too old: v3.18.0 or newer is needed. Install a newer helm."


@pytest.mark.parametrize("version", ["3.15.10", "3.15.11-rc.1", "2.0.0"])
def test_a_plugin_that_is_too_old(version: str) -> None:
    reason = of_plugin(version)
    assert reason is not None
    assert (reason.kind, reason.names) == (
        "tool-too-old",
        {"tool": "helm diff plugin", "found": version, "needed": "3.15.11"},
    )
    assert reason.text.startswith(f"helm diff plugin {version} is too old: 3.15.11 or newer is needed. ")


@pytest.mark.parametrize("outcome", [printed(""), printed(CANARY), printed(b"\xff"), printed("v3.18"), exited(CANARY)])
def test_a_helm_or_a_plugin_that_prints_no_version(outcome: Outcome) -> None:
    for reason, tool in (
        (check(outcome, printed("3.15.11")), "helm"),
        (check(printed("v3.18.0"), outcome), "helm diff plugin"),
    ):
        assert reason is not None
        assert (reason.kind, reason.names["tool"]) == ("unreadable-output", tool)
        assert reason.text.startswith(f"{tool} prints no version: expected one like ")
        assert CANARY not in f"{reason!r} {reason.text}"


@pytest.mark.parametrize("version", ["3.18.0", "4.3.0"])
@pytest.mark.parametrize(("case", "why"), [("missing", "helm knows no command diff"), ("not-executable", "permission")])
def test_a_plugin_that_is_missing(version: str, case: str, why: str) -> None:
    reason = check(printed(f"v{version}"), exited(TEXTS[f"plugin.{case}-{version}"]))
    assert reason is not None
    assert (reason.kind, reason.names) == ("tool-missing", {"tool": "helm diff plugin", "needed": "3.15.11"})
    assert f"helm diff plugin can't be started: {why}" in reason.text
    assert "helm plugin install" in reason.next_step


def test_a_helm_that_cannot_be_started_is_told_once() -> None:
    missing = Outcome("not-started", None, b"", "helm: not found on PATH")
    reason = check(missing, missing)
    assert reason is not None
    assert (reason.kind, dict(reason.names)) == ("tool-missing", {"tool": "helm"})


def test_a_tool_that_does_not_answer_in_time() -> None:
    late = Outcome("timed-out", -2, limit=1)
    for reason, doing in ((check(late, late), "helm version"), (check(printed("v3.18.0"), late), "helm diff version")):
        assert reason is not None
        assert reason.kind == "timed-out"
        assert reason.text.startswith(f"{doing} took longer")


@pytest.mark.parametrize(
    ("outcome", "major"),
    [
        (printed("v3.18.0"), 3),
        (printed("v4.3.0\n"), 4),
        (printed("v12.0.0"), 12),
        (printed("v3.17.0"), None),
        (printed(CANARY), None),
        (exited(), None),
        (Outcome("interrupted", 0, b"v4.3.0"), None),
    ],
)
def test_the_major_version_decides_the_flags_of_a_deploy(outcome: Outcome, major: int | None) -> None:
    assert versions.major_of(outcome) == major
    assert (versions.unfit(outcome) is None) == (major is not None)
