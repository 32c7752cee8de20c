import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sluiceway.adapters import registry
from sluiceway.adapters.registry import BUILT_IN, GROUP, find_adapter, known_tools
from tests import fakes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> fakes.FakeAdapter:
    """Another package that brings two tools, one by a name that is taken, and a third that can't be imported."""
    adapter = fakes.FakeAdapter(tool="pulumi")
    monkeypatch.setattr(fakes, "PULUMI", adapter, raising=False)
    points = [
        EntryPoint("pulumi", "tests.fakes:PULUMI", GROUP),
        EntryPoint("kubectl", "tests.fakes:PULUMI", GROUP),
        EntryPoint("broken", "tests.no_such_module:adapter", GROUP),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == GROUP else [])
    return adapter


@pytest.mark.parametrize("tool", BUILT_IN)
def test_a_built_in_tool_is_found_by_its_name(tool: str) -> None:
    adapter = find_adapter(tool)
    assert adapter is not None
    assert adapter.tool == tool
    assert find_adapter(tool) is adapter


def test_the_built_in_tools_are_the_entry_points_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == BUILT_IN


def test_a_tool_of_another_package_is_found(installed: fakes.FakeAdapter) -> None:
    assert find_adapter("pulumi") is installed
    assert known_tools() == ("broken", "helm", "kubectl", "pulumi")


def test_another_package_cannot_take_the_name_of_a_built_in_tool(installed: fakes.FakeAdapter) -> None:
    assert find_adapter("kubectl") is not installed


@pytest.mark.usefixtures("installed")
def test_an_adapter_that_cannot_be_imported_says_so_itself_and_hides_no_other() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        find_adapter("broken")
    assert find_adapter("kubectl") is not None


@pytest.mark.parametrize("tool", ["", "kubctl", "sluiceway.adapters.kubectl", "os:system"])
def test_an_unknown_tool_is_none(tool: str) -> None:
    assert find_adapter(tool) is None


def test_what_is_installed_is_read_only_for_a_tool_that_is_not_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> list[EntryPoint]:
        raise AssertionError("the entry points were read")

    monkeypatch.setattr(registry, "_entry_points", read)
    monkeypatch.setitem(registry.BUILT_IN, "fake", "tests.fakes:World")
    assert find_adapter("fake") is not None
    with pytest.raises(AssertionError):
        known_tools()


def test_the_registry_imports_no_adapter_and_nothing_heavy() -> None:
    heavy = ("importlib.metadata", "pydantic", "yaml", "typer", "rich", "sluiceway.adapters.kubectl")
    program = f"import sys, sluiceway.adapters.registry; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout == "[]\n"
