from pathlib import Path

import pytest

from recorder.located import ScenarioError
from recorder.versions import versions


def listed(directory: Path, text: str, tool: str = "kubectl") -> tuple[str, ...]:
    (directory / "versions.yaml").write_text(text)
    return versions(directory, tool)


def test_the_versions_of_a_tool_are_those_listed_in_order(tmp_path: Path) -> None:
    text = "kubectl: [v1.34.0, v1.37.1]\nhelm: [v3.18.0]\n"
    assert listed(tmp_path, text) == ("v1.34.0", "v1.37.1")
    assert listed(tmp_path, text, "helm") == ("v3.18.0",)


def test_a_tool_that_is_not_listed_and_a_version_that_is_none_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"versions.yaml:1: the versions of helm are missing"):
        listed(tmp_path, "kubectl: [v1.34.0]\n", "helm")
    with pytest.raises(ScenarioError, match=r"versions.yaml:2: a whole version is expected"):
        listed(tmp_path, "kubectl:\n- 1.34\n")
