from pathlib import Path

import pytest
import yaml

from recorder import world
from recorder.scenario import Edit, Remove, Scenario, ScenarioError, Write
from tests.recorder.repo import CONFIG, MANIFEST, SCENARIO, Repo


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "root"
    (path / "app").mkdir(parents=True)
    (path / "app/a.txt").write_bytes(b"one\r\ntwo\r\none more\n")
    return path


def started(tmp_path: Path, text: str = SCENARIO) -> Path:
    repo = Repo(tmp_path, tmp_path / "cache")
    repo.set_up()
    world.start(Scenario.load(repo.scenario("a", text)), tmp_path / "fresh")
    return tmp_path / "fresh"


def test_a_scenario_starts_from_a_copy_of_its_example_without_its_readme(tmp_path: Path) -> None:
    root = started(tmp_path)
    assert world.files(root) == {"app/settings.yaml": MANIFEST.encode(), "sluiceway.yaml": CONFIG.encode()}


def test_what_helm_built_in_an_example_is_not_part_of_it(tmp_path: Path) -> None:
    repo = Repo(tmp_path, tmp_path / "cache")
    for built in ("charts/worker/Chart.lock", "charts/worker/charts/queue-1.0.0.tgz"):
        repo.write(f"examples/small/{built}", "built")
    assert started(tmp_path).is_dir()
    assert world.files(tmp_path / "fresh").keys() == {"app/settings.yaml", "sluiceway.yaml"}


def test_a_scenarios_stacks_replace_the_examples(tmp_path: Path) -> None:
    text = f"{SCENARIO}stacks:\n  - path: app\n    tool: kubectl\n    options: {{prune: true}}\n"
    config = yaml.safe_load((started(tmp_path, text) / "sluiceway.yaml").read_text())
    assert config == {"stacks": [{"path": "app", "tool": "kubectl", "options": {"prune": True}}]}


def test_an_example_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"a.yaml: there is no example absent in .*examples"):
        started(tmp_path, SCENARIO.replace("small", "absent", 1))


def test_an_edit_replaces_exactly_one_text_and_keeps_every_other_byte(root: Path) -> None:
    world.change(Edit("app/a.txt", "two", "2"), root)
    assert (root / "app/a.txt").read_bytes() == b"one\r\n2\r\none more\n"


@pytest.mark.parametrize(("old", "times"), [("one", 2), ("three", 0)])
def test_an_edit_whose_text_does_not_occur_once_is_refused(root: Path, old: str, times: int) -> None:
    with pytest.raises(ScenarioError, match=f"edit app/a.txt: the text to replace occurs {times} times, not once"):
        world.change(Edit("app/a.txt", old, "x"), root)
    assert (root / "app/a.txt").read_bytes() == b"one\r\ntwo\r\none more\n"


def test_an_edit_of_a_file_that_is_not_there_is_refused(root: Path) -> None:
    with pytest.raises(ScenarioError, match=r"edit app/b.txt: there is no such file"):
        world.change(Edit("app/b.txt", "a", "b"), root)


def test_a_write_makes_the_directories_it_needs_and_may_replace(root: Path) -> None:
    world.change(Write("app/deep/er/b.txt", "b\n"), root)
    world.change(Write("app/a.txt", "new"), root)
    assert world.files(root) == {"app/a.txt": b"new", "app/deep/er/b.txt": b"b\n"}


def test_a_removal_takes_a_file_a_directory_or_a_link(root: Path) -> None:
    (root / "link").symlink_to("app")
    world.change(Remove("link"), root)
    assert (root / "app/a.txt").exists()
    world.change(Remove("app"), root)
    assert list(root.iterdir()) == []


def test_a_removal_of_what_is_not_there_is_refused(root: Path) -> None:
    with pytest.raises(ScenarioError, match=r"remove app/b.txt: there is no such file"):
        world.change(Remove("app/b.txt"), root)
