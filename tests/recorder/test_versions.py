from pathlib import Path

import pytest

from recorder.located import ScenarioError
from recorder.versions import all_versions, server_minor, versions


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


SERVERS = """\
kubectl: [v1.34.0]
helm: [v3.18.0, v4.3.0]
servers:
  helm: {v3.18.0: "1.34", v4.3.0: next}
"""


def served(directory: Path, tool: str, version: str, text: str = SERVERS) -> str | None:
    (directory / "versions.yaml").write_text(text)
    return server_minor(directory, tool, version)


def test_every_tool_that_is_listed_has_its_versions(tmp_path: Path) -> None:
    (tmp_path / "versions.yaml").write_text(SERVERS)
    assert all_versions(tmp_path) == {"kubectl": ("v1.34.0",), "helm": ("v3.18.0", "v4.3.0")}


def test_kubectl_is_recorded_on_a_server_of_its_minor_and_another_tool_on_the_one_listed(tmp_path: Path) -> None:
    assert served(tmp_path, "kubectl", "v1.37.1") == "1.37"
    assert served(tmp_path, "helm", "v3.18.0") == "1.34"


@pytest.mark.parametrize("text", [SERVERS, "helm: [v3.19.0]\n", "helm: [v3.19.0]\nservers:\n  other: {}\n"])
def test_a_version_whose_server_is_not_listed_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ScenarioError, match=r"helm v3.19.0 is recorded on is missing: servers.helm.v3.19.0"):
        served(tmp_path, "helm", "v3.19.0", text)


def test_a_tool_that_reaches_no_cluster_has_no_server(tmp_path: Path) -> None:
    text = "filesync: [v1.0.0]\nservers:\n  filesync: none\n"
    assert served(tmp_path, "filesync", "v1.0.0", text) is None
    assert all_versions(tmp_path) == {"filesync": ("v1.0.0",)}


def test_a_server_that_is_no_minor_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"versions.yaml:4: a minor of Kubernetes is expected"):
        served(tmp_path, "helm", "v4.3.0")
