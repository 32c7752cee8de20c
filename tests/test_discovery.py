import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import Field

from sluiceway.adapters.base import FileProblem
from sluiceway.adapters.kubectl.options import KubectlOptions
from sluiceway.adapters.options import Line, Options
from sluiceway.discovery import Discovered, discover
from sluiceway.model.stacks import Problem, Stack
from tests.fakes import FakeAdapter


@dataclass
class Checking(FakeAdapter):
    """An adapter that finds what it was told to in the files of a stack, and knows what it was asked for."""

    found: dict[str, list[FileProblem]] = field(default_factory=dict)
    checked: list[Stack] = field(default_factory=list)
    model: type[Options] = KubectlOptions

    def options(self) -> type[Options]:
        return self.model

    def check_files(self, stack: Stack, root: Path) -> list[FileProblem]:
        assert (root / stack.path).is_dir()
        self.checked.append(stack)
        return self.found.get(stack.id, [])


@dataclass
class Repo:
    """A repo whose tool ``kubectl`` is the ``adapter``."""

    root: Path
    adapter: Checking = field(default_factory=Checking)

    def write(self, text: str, *directories: str) -> None:
        for directory in directories:
            (self.root / directory).mkdir(parents=True)
        (self.root / "sluiceway.yaml").write_text(text)

    def discover(self) -> Discovered | tuple[Problem, ...]:
        return discover(self.root, {"kubectl": self.adapter}.get)

    def stacks(self) -> Discovered:
        found = self.discover()
        assert isinstance(found, Discovered), found
        return found

    def told(self) -> list[str]:
        problems = self.discover()
        assert isinstance(problems, tuple), problems
        return [f"{problem.file}:{problem.line} {problem.key}: {problem.problem}" for problem in problems]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    (tmp_path / "repo").mkdir()
    return Repo(tmp_path / "repo")


def test_no_file_is_no_stacks(repo: Repo) -> None:
    found = repo.stacks()
    assert found.stacks == ()
    assert found.config.file is None
    assert found.warnings == ()


def test_stacks_are_sorted_by_code_unit(repo: Repo) -> None:
    names = ["b", "a-b", "a", "B", "\ufb01", "\U0001f680", "a/b"]
    lines = "".join(f'  - {{path: "{name}", tool: kubectl}}\n' for name in names)
    repo.write("stacks:\n" + lines, *(name for name in names if name != "a"))
    assert [stack.id for stack in repo.stacks().stacks] == ["B", "a", "a-b", "a/b", "b", "\U0001f680", "\ufb01"]


def test_what_the_entry_says_is_on_the_stack(repo: Repo) -> None:
    repo.write(
        "stacks: [{path: web, name: eu, tool: kubectl, options: {prune: true, recursive: false}, envFile: eu.env, "
        "inputs: [base/**], deployTimeout: 3}]\ndrift: {enabled: true}",
        "web",
    )
    expected = Stack(
        id="web:eu",
        path="web",
        tool="kubectl",
        options={"prune": True},
        name="eu",
        inputs=("base/**",),
        deploy_timeout=3,
        drift_enabled=True,
        env_file="eu.env",
    )
    assert repo.stacks().stacks == (expected,)
    assert repo.adapter.checked == [expected]


def test_the_root_is_a_stack(repo: Repo) -> None:
    repo.write("stacks: [{path: ., tool: kubectl}, {path: ., name: eu, tool: kubectl}]")
    assert [stack.id for stack in repo.stacks().stacks] == [".", ".:eu"]


def test_ignored_stacks_are_left_out_and_not_looked_at(repo: Repo) -> None:
    repo.write(
        "stacks: [{path: web, tool: kubectl}, {path: old/gone, tool: kubectl}]\n"
        "ignore: [{glob: 'old/*', reason: moves}]",
        "web",
    )
    found = repo.stacks()
    assert [stack.id for stack in found.stacks] == ["web"]
    assert [stack.id for stack in repo.adapter.checked] == ["web"]
    assert len(found.config.entries) == 2
    assert found.warnings == ()


def test_a_glob_that_matches_nothing_is_a_warning(repo: Repo) -> None:
    repo.write(
        "stacks: [{path: web, tool: kubectl}]\nignore:\n  - 'web*'\n  - legacy\n  - {glob: x, reason: y}\n", "web"
    )
    found = repo.stacks()
    assert found.stacks == ()
    assert found.warnings == (
        Problem("sluiceway.yaml", 4, "ignore[1]", "matches no stack: remove it, or mend the glob"),
        Problem("sluiceway.yaml", 5, "ignore[2]", "matches no stack: remove it, or mend the glob"),
    )


def test_a_directory_is_there(repo: Repo) -> None:
    repo.write("stacks:\n  - path: web\n    tool: kubectl\n  - tool: kubectl\n    path: file\n", "other")
    (repo.root / "file").touch()
    assert repo.told() == [
        "sluiceway.yaml:2 stacks[0].path: there is no such directory: mend the path, or make it",
        "sluiceway.yaml:5 stacks[1].path: is a file, expected a directory",
    ]
    assert repo.adapter.checked == []


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../outside", "is a link that leads out of the repo: put what it leads to there"),
        ("/", "is a link that leads out of the repo: put what it leads to there"),
        ("../repo-2", "is a link that leads out of the repo: put what it leads to there"),
        ("nowhere", "there is no such directory: mend the path, or make it"),
        ("web", "there is no such directory: mend the path, or make it"),
    ],
)
def test_a_link_that_leads_elsewhere(repo: Repo, target: str, expected: str) -> None:
    for directory in ("outside", "repo-2"):
        (repo.root.parent / directory).mkdir()
    repo.write("stacks: [{path: web, tool: kubectl}]")
    (repo.root / "web").symlink_to(target)
    assert repo.told() == [f"sluiceway.yaml:1 stacks[0].path: {expected}"]


def test_a_path_below_a_link_out_of_the_repo(repo: Repo) -> None:
    (repo.root.parent / "outside/web").mkdir(parents=True)
    repo.write("stacks: [{path: apps/web, tool: kubectl}]")
    (repo.root / "apps").symlink_to("../outside")
    assert repo.told() == [
        "sluiceway.yaml:1 stacks[0].path: is a link that leads out of the repo: put what it leads to there"
    ]


def test_a_link_inside_the_repo_is_a_directory(repo: Repo) -> None:
    repo.write("stacks: [{path: web, tool: kubectl}]", "apps/web")
    (repo.root / "web").symlink_to("apps/web")
    assert [stack.path for stack in repo.stacks().stacks] == ["web"]


def test_a_repo_reached_through_a_link(repo: Repo) -> None:
    repo.write("stacks: [{path: web, tool: kubectl}]", "web")
    (repo.root.parent / "link").symlink_to(repo.root)
    assert [stack.id for stack in Repo(repo.root.parent / "link").stacks().stacks] == ["web"]


def test_a_path_that_no_file_system_takes(repo: Repo) -> None:
    repo.write(f"stacks: [{{path: {'x' * 5000}, tool: kubectl}}]")
    assert repo.told() == ["sluiceway.yaml:1 stacks[0].path: can't be read (File name too long): see who may read it"]


def test_a_directory_that_may_not_be_read(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("stacks: [{path: web, tool: kubectl}]", "web")

    def denied(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)  # a test may run as root, whom no mode keeps out
    assert repo.told() == ["sluiceway.yaml:1 stacks[0].path: can't be read (Permission denied): see who may read it"]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../secret.env", "is a link that leads out of the repo: put what it leads to there"),
        ("web.env", "is a link that leads round in a circle: mend it"),
    ],
)
def test_an_env_file_stays_in_the_repo(repo: Repo, target: str, expected: str) -> None:
    repo.write("stacks:\n  - path: web\n    tool: kubectl\n    envFile: web.env\n", "web")
    (repo.root.parent / "secret.env").write_text("A=b")
    (repo.root / "web.env").symlink_to(target)
    assert repo.told() == [f"sluiceway.yaml:4 stacks[0].envFile: {expected}"]


def test_an_env_file_may_be_made_later_by_the_job(repo: Repo) -> None:
    repo.write("stacks: [{path: web, tool: kubectl, envFile: made/by/ci.env}]", "web")
    assert repo.stacks().stacks[0].env_file == "made/by/ci.env"


def test_the_adapter_says_what_is_wrong_with_the_files(repo: Repo) -> None:
    repo.write(
        "stacks:\n"
        "  - path: web\n"
        "    tool: kubectl\n"
        "    options:\n"
        "      namespace: shop\n"
        "      recursive: true\n"
        "  - {path: db, tool: kubectl}\n",
        "web",
        "db",
    )
    repo.adapter.found = {
        "web": [
            FileProblem("options.recursive", "is a kustomization"),
            FileProblem("options.valuesFiles[2].x", "is not there"),
            FileProblem("path", "holds a NUL byte", file="web/x.yaml", line=12),
            FileProblem("", "is odd"),
        ],
        "db": [FileProblem("path", "holds no manifest")],
    }
    assert repo.told() == [
        "web/x.yaml:12 stacks[0].path: holds a NUL byte",
        "sluiceway.yaml:2 stacks[0]: is odd",
        "sluiceway.yaml:4 stacks[0].options.valuesFiles[2].x: is not there",
        "sluiceway.yaml:6 stacks[0].options.recursive: is a kustomization",
        "sluiceway.yaml:7 stacks[1].path: holds no manifest",
    ]


def test_problems_of_the_file_and_of_the_stacks_are_told_together(repo: Repo) -> None:
    repo.write(
        "stacks:\n"
        "  - {path: gone, tool: kubectl}\n"
        "  - {path: web, tool: kubectl, options: {prune: 1}}\n"
        "  - {path: db, tool: kubectl}\n"
        "  - {path: db, tool: kubectl}\n"
        "  - {path: old/x, tool: kubectl}\n"
        "ignore: [old/*, 1]\n",
        "web",
        "db",
    )
    repo.adapter.found = {"db": [FileProblem("path", "holds no manifest")]}
    assert [problem.split(": ", 1)[0] for problem in repo.told()] == [
        "sluiceway.yaml:2 stacks[0].path",
        "sluiceway.yaml:3 stacks[1].options.prune",
        "sluiceway.yaml:4 stacks[2].path",
        "sluiceway.yaml:5 stacks[3]",
        "sluiceway.yaml:7 ignore[1]",
    ]


def test_what_is_wrong_with_an_entry_hides_nothing_of_its_files(repo: Repo) -> None:
    repo.write(
        "stacks:\n"
        "  - path: ./web/\n"
        "    tool: kubectl\n"
        "    options: {prune: 1, namespace: shop, colour: red, context: [a]}\n"
        "    envFile: web.env\n"
        "    previewTimeout: 0\n"
        "  - {path: gone, tool: kubectl, drift: true}\n"
        "  - {path: web, name: a/b, tool: kubectl}\n"
        "  - {path: web, name: c, tool: kubectl2}\n"
        "  - {path: web, name: d, tool: kubectl, tool: kubectl}\n"
        "  - {path: old, tool: kubectl, drift: true}\n"
        "ignore: [old]\n",
        "web",
    )
    (repo.root / "web.env").symlink_to("../secret.env")
    repo.adapter.found = {"web": [FileProblem("path", "holds no manifest")]}
    assert [problem.split(": ", 1)[0] for problem in repo.told()] == [
        "sluiceway.yaml:2 stacks[0].path",
        "sluiceway.yaml:4 stacks[0].options.prune",
        "sluiceway.yaml:4 stacks[0].options.colour",
        "sluiceway.yaml:4 stacks[0].options.context",
        "sluiceway.yaml:5 stacks[0].envFile",
        "sluiceway.yaml:6 stacks[0].previewTimeout",
        "sluiceway.yaml:7 stacks[1].path",
        "sluiceway.yaml:7 stacks[1].drift",
        "sluiceway.yaml:8 stacks[2].name",
        "sluiceway.yaml:9 stacks[3].tool",
        "sluiceway.yaml:10 stacks[4].tool",
        "sluiceway.yaml:11 stacks[5].drift",
    ]
    assert repo.adapter.checked == [Stack("web", "web", "kubectl", {"namespace": "shop"}, env_file="web.env")]


class Listing(Options):
    """Options with a list."""

    files: list[Line] = Field(default=[])
    more: list[Line] = Field(default=[])


def test_of_a_list_with_wrong_items_the_others_are_checked_where_they_stand(repo: Repo) -> None:
    repo.adapter.model = Listing
    repo.write(
        "stacks:\n"
        "  - path: web\n"
        "    tool: kubectl\n"
        "    options:\n"
        "      files:\n"
        "        - a\n"
        "        - 1\n"
        "        - b\n"
        "        - ' '\n"
        "        - c\n"
        "      more: c\n",
        "web",
    )
    repo.adapter.found = {"web": [FileProblem(f"options.files[{at}]", "is not there") for at in range(3)]}
    assert [problem.split(": ", 1)[0] for problem in repo.told()] == [
        "sluiceway.yaml:6 stacks[0].options.files[0]",
        "sluiceway.yaml:7 stacks[0].options.files[1]",
        "sluiceway.yaml:8 stacks[0].options.files[2]",
        "sluiceway.yaml:9 stacks[0].options.files[3]",
        "sluiceway.yaml:10 stacks[0].options.files[4]",
        "sluiceway.yaml:11 stacks[0].options.more",
    ]
    assert [stack.options for stack in repo.adapter.checked] == [{"files": ["a", "b", "c"]}]


def test_a_file_that_cannot_be_read_is_the_only_problem(repo: Repo) -> None:
    (repo.root / "sluiceway.yml").write_bytes(b"\xff\xfea\0")
    assert repo.told() == ["sluiceway.yml:1 : is saved as UTF-16: save it as UTF-8"]


def test_three_hundred_stacks_take_well_under_a_second(repo: Repo) -> None:
    names = [f"teams/{at}/app" for at in range(300)]
    lines = "".join(
        f"  - {{path: {name}, tool: kubectl, options: {{context: kind, namespace: t{at}, prune: true}}}}\n"
        for at, name in enumerate(names)
    )
    repo.write("stacks:\n" + lines, *names)
    begun = time.process_time()
    assert len(repo.stacks().stacks) == 300
    assert time.process_time() - begun < 1
