"""What is public is listed whole, and a package that uses it needs nothing else."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PUBLIC = re.findall(r"<!-- generated: api (\S+) -->", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"))
EXAMPLE = ROOT / "examples" / "adapter" / "filesync_adapter"


def defined(name: str) -> set[str]:
    """Return the names that a module defines itself and that don't begin with an underscore."""
    names = set()
    for node in ast.parse(inspect.getsource(import_module(name))).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        for target in [*getattr(node, "targets", ()), getattr(node, "target", None)]:
            if isinstance(target, ast.Name):
                names.add(target.id)
    return {name for name in names if not name.startswith("_") and name != "T"}


def test_the_list_is_not_empty() -> None:
    assert {"sluiceway.adapters.base", "sluiceway.model.changes", "sluiceway.processes"} <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_module_lists_all_that_it_defines_and_nothing_that_is_not_there(name: str) -> None:
    listed = import_module(name).__all__

    assert defined(name) <= set(listed)
    assert [each for each in listed if not hasattr(import_module(name), each)] == []
    assert len(listed) == len(set(listed))


def imports(path: Path) -> list[tuple[str, str]]:
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    froms = (node for node in tree if isinstance(node, ast.ImportFrom) and node.module)
    return [(str(node.module), alias.name) for node in froms for alias in node.names]


def test_the_example_needs_nothing_that_is_not_public() -> None:
    needed = [pair for path in EXAMPLE.glob("*.py") for pair in imports(path) if pair[0].startswith("sluiceway")]

    assert len(needed) > 10
    assert [pair for pair in needed if pair[0] not in PUBLIC or pair[1] not in import_module(pair[0]).__all__] == []


@pytest.mark.parametrize("package", ["sluiceway", "recorder"])
def test_type_information_is_shipped(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
