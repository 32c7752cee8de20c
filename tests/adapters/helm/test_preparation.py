from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sluiceway.adapters.helm.preparation import prepare
from sluiceway.model.results import Failure
from sluiceway.model.stacks import Stack
from sluiceway.processes import Command, Outcome, Running

PRINTED = Path(__file__).with_name("dependency-build")
"""What helm wrote to stderr when a build failed, by its version and the cause."""

BUILT = Outcome("exited", 0, b"Saving 1 charts\nDeleting outdated charts\n")


@dataclass(frozen=True)
class Ended:
    outcome: Outcome

    def wait(self) -> Outcome:
        return self.outcome


@dataclass
class Helm:
    """A runner whose builds end as scripted, by the chart's path, and well without a script."""

    root: Path
    ends: dict[str, Outcome] = field(default_factory=dict)
    built: list[str] = field(default_factory=list)

    def start(self, command: Command) -> Running:
        return Ended(self.run(command))

    def run(self, command: Command) -> Outcome:
        assert command.argv == ("helm", "dependency", "build", ".")
        path = command.cwd.relative_to(self.root).as_posix()
        self.built.append(path)
        return self.ends.get(path, BUILT)


@pytest.fixture
def helm(tmp_path: Path) -> Helm:
    return Helm(tmp_path)


def chart(root: Path, path: str, *needs: str) -> None:
    (root / path).mkdir(parents=True, exist_ok=True)
    listed = "".join(f"- {{name: x, version: 0.1.0, repository: 'file://../{need}'}}\n" for need in needs)
    (root / path / "Chart.yaml").write_text("name: x\nversion: 0.1.0\n" + (f"dependencies:\n{listed}" if needs else ""))


def stack(path: str, chart: str = "./", name: str | None = None) -> Stack:
    options = {"release": "x", "namespace": "shop", "chart": chart}
    return Stack(f"{path}:{name}" if name else path, path, "helm", options, name=name)


def run(helm: Helm, *stacks: Stack) -> dict[str, Failure]:
    return prepare(stacks, helm.root, helm)


def test_the_lowest_level_is_built_first_each_chart_once_and_in_path_order(helm: Helm) -> None:
    chart(helm.root, "worker", "web", "\uffee")
    chart(helm.root, "web", "base", "😀")
    chart(helm.root, "\uffee", "leaf")
    chart(helm.root, "😀", "leaf")
    chart(helm.root, "base", "leaf")
    chart(helm.root, "leaf")
    assert run(helm, stack("worker"), stack("web"), stack("worker", name="eu"), stack("base", "../worker")) == {}
    assert helm.built == ["base", "😀", "\uffee", "web", "worker"]


def test_a_chart_without_dependencies_is_not_built(helm: Helm) -> None:
    chart(helm.root, "web")
    assert run(helm, stack("web")) == {}
    assert helm.built == []


def test_a_chart_whose_dependencies_are_elsewhere_is_built(helm: Helm) -> None:
    chart(helm.root, "web")
    (helm.root / "web/Chart.yaml").write_text("dependencies: [{name: x, repository: 'https://example.com'}]\n")
    assert run(helm, stack("web")) == {}
    assert helm.built == ["web"]


def test_a_stack_with_a_chart_of_a_repository_needs_nothing(helm: Helm) -> None:
    chart(helm.root, "web", "base")
    chart(helm.root, "base")
    assert run(helm, stack("web", "bitnami/redis")) == {}
    assert helm.built == []


def test_a_chart_elsewhere_is_built_where_it_is(helm: Helm) -> None:
    chart(helm.root, "charts/web", "base")
    chart(helm.root, "charts/base")
    (helm.root / "apps").mkdir()
    (helm.root / "link").symlink_to("charts")
    assert run(helm, stack("apps", "../charts/web"), stack("apps", "../link/web", "eu")) == {}
    assert helm.built == ["charts/web"]


def test_a_failed_build_is_the_failure_of_exactly_the_stacks_that_need_it(helm: Helm) -> None:
    chart(helm.root, "top", "middle")
    chart(helm.root, "middle", "bottom", "fine")
    chart(helm.root, "bottom", "leaf")
    chart(helm.root, "fine", "leaf")
    chart(helm.root, "leaf")
    helm.ends["bottom"] = Outcome("exited", 1, stderr="Error: c4n4ry\n")
    failures = run(helm, *map(stack, ("top", "middle", "bottom", "fine", "leaf")))
    assert sorted(failures) == ["bottom", "middle", "top"]
    assert helm.built == ["bottom", "fine"]
    assert {failure.reason.names["chart"] for failure in failures.values()} == {"bottom"}
    reason = failures["top"].reason
    assert (reason.kind, reason.exit_code) == ("preparation-failed", 1)
    assert reason.text == "helm dependency build in bottom exited with code 1. Its own words are in the job log."


def test_of_two_failed_builds_a_stack_tells_of_the_first(helm: Helm) -> None:
    chart(helm.root, "top", "high", "low")
    chart(helm.root, "high", "leaf", "mid")
    chart(helm.root, "mid", "leaf")
    chart(helm.root, "low", "leaf")
    chart(helm.root, "leaf")
    helm.ends = dict.fromkeys(("high", "low"), Outcome("exited", 1))
    assert run(helm, stack("top"))["top"].reason.names["chart"] == "low"
    assert helm.built == ["low", "mid", "high"]


@pytest.mark.parametrize("version", ["v3.18.0", "v4.3.0"])
@pytest.mark.parametrize(
    ("cause", "what", "next_step"),
    [
        ("lock", "its lock file is not the one of its dependencies", "Run `helm dependency update` in it"),
        ("older-lock", "its lock file is not the one of its dependencies", "Run `helm dependency update` in it"),
        ("version", "there is no base of the version that is listed", "Correct the version"),
        ("repository", "helm does not know the repository of a dependency", "Let the job add it with `helm repo add`"),
        ("directory", "a dependency names a directory that is not there", "Correct its file:// repository."),
        ("other", "", "Its own words are in the job log."),
    ],
)
def test_why_helm_could_not_build(helm: Helm, version: str, cause: str, what: str, next_step: str) -> None:
    chart(helm.root, "web", "base")
    helm.ends["web"] = Outcome("exited", 1, stderr=(PRINTED / f"{version}-{cause}.txt").read_text(encoding="utf-8"))
    reason = run(helm, stack("web"))["web"].reason
    assert reason.kind == "preparation-failed"
    assert reason.what.startswith(f"helm dependency build in web exited with code 1{': ' if what else ''}{what}")
    assert reason.next_step.startswith(next_step)
    assert "127.0.0.1" not in reason.text


def test_what_a_tool_only_quotes_is_no_cause(helm: Helm) -> None:
    chart(helm.root, "web", "base")
    helm.ends["web"] = Outcome("exited", 1, stderr="Error: x: Error: no repository definition for y\n")
    assert run(helm, stack("web"))["web"].reason.what == "helm dependency build in web exited with code 1"


def test_a_build_that_was_ended_by_a_signal(helm: Helm) -> None:
    chart(helm.root, "web", "base")
    helm.ends["web"] = Outcome("exited", -9)
    assert run(helm, stack("web"))["web"].reason.what == "helm dependency build in web exited by signal 9"


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (Outcome("not-started", stderr="helm: not found on PATH"), "tool-missing"),
        (Outcome("timed-out", -2, limit=10), "timed-out"),
        (Outcome("too-large", -2), "output-too-large"),
        (Outcome("interrupted", -2), "tool-error"),
    ],
)
def test_a_build_that_did_not_come_to_its_end(helm: Helm, outcome: Outcome, kind: str) -> None:
    chart(helm.root, "web", "base")
    helm.ends["web"] = outcome
    assert run(helm, stack("web"))["web"].reason.kind == kind


def test_charts_in_a_circle_are_each_built_once(helm: Helm) -> None:
    chart(helm.root, "a", "b")
    chart(helm.root, "b", "a")
    assert run(helm, stack("a")) == {}
    assert helm.built == ["b", "a"]
    helm.built.clear()
    assert run(helm, stack("a"), stack("b")) == {}
    assert sorted(helm.built) == ["a", "b"]


def test_a_chart_whose_dependency_is_broken_is_left_to_helm(helm: Helm) -> None:
    chart(helm.root, "web", "base")
    chart(helm.root, "base", "leaf")
    (helm.root / "base/Chart.yaml").write_text("[")
    helm.ends["web"] = Outcome("exited", 1)
    assert run(helm, stack("web"))["web"].reason.names == {"chart": "web"}
    assert helm.built == ["web"]


def test_a_path_that_is_unfit_for_a_line_is_not_written(helm: Helm) -> None:
    chart(helm.root, "a\nb", "base")
    helm.ends["a\nb"] = Outcome("exited", 1)
    assert run(helm, stack("a\nb"))["a\nb"].reason.what == "helm dependency build in a chart exited with code 1"
