"""The files of a scenario: the example copied fresh, and the steps that change them (``spec/recordings.md``)."""

import shutil
from pathlib import Path

import yaml

from recorder.scenario import Edit, Remove, Scenario, ScenarioError, Write

CONFIG = "sluiceway.yaml"

# The example's README is for its reader: no tool is shown it, and a new word in it must not age a recording. The others
# are what helm builds, left by someone who tried the example where it stands; git ignores them too.
_LEFT_OUT = ("README.md", "Chart.lock", "*.tgz")


def start(scenario: Scenario, root: Path) -> None:
    """Copy the scenario's example to ``root``, which must not exist, and write its stacks to ``sluiceway.yaml``."""
    example = scenario.home / "examples" / scenario.example
    if not example.is_dir():
        raise ScenarioError(f"{scenario.file}: there is no example {scenario.example} in {example.parent}")
    shutil.copytree(example, root, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    if scenario.stacks:
        text = yaml.safe_dump({"stacks": list(scenario.stacks)}, sort_keys=False, allow_unicode=True)
        (root / CONFIG).write_text(text, "utf-8")


def change(step: Edit | Write | Remove, root: Path) -> None:
    """Do ``step`` to the files in ``root``; raise :class:`ScenarioError` when it can't be done as it says."""
    path = root / step.file
    match step:
        case Edit():
            _edit(step, path)
        case Write():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
        case Remove():
            _remove(step, path)


def _edit(step: Edit, path: Path) -> None:
    if not path.is_file():
        raise ScenarioError(f"edit {step.file}: there is no such file")
    text = path.read_bytes().decode("utf-8")
    found = text.count(step.old)
    if found != 1:
        raise ScenarioError(f"edit {step.file}: the text to replace occurs {found} times, not once")
    path.write_bytes(text.replace(step.old, step.new).encode("utf-8"))


def _remove(step: Remove, path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.exists() or path.is_symlink():
        path.unlink()
    else:
        raise ScenarioError(f"remove {step.file}: there is no such file")


def files(root: Path) -> dict[str, bytes]:
    """Return every file under ``root`` by its relative path, forward slashes; a link is read as what it leads to."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
