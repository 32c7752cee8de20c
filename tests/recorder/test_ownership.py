from pathlib import Path

import pytest

from recorder.clusters import ownership
from recorder.clusters.base import ClusterError
from tests.recorder.programs import KUBECONFIG

SERVER = "https://127.0.0.1:6443"


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Path:
    path = tmp_path / "kubeconfig"
    path.write_text(KUBECONFIG.format(context="ours"), encoding="utf-8")
    return path


def test_a_kubeconfig_that_leads_to_the_server_is_let_through(kubeconfig: Path) -> None:
    assert ownership.server_of(kubeconfig, context="ours") == SERVER
    ownership.refuse_foreign(kubeconfig, context="ours", server=SERVER)


def test_another_current_context_is_refused(kubeconfig: Path) -> None:
    with pytest.raises(ClusterError, match="refused: the current context of kubeconfig is not theirs, which was made"):
        ownership.server_of(kubeconfig, context="theirs")


def test_another_server_is_refused_without_naming_it(kubeconfig: Path) -> None:
    with pytest.raises(ClusterError) as caught:
        ownership.refuse_foreign(kubeconfig, context="ours", server="https://127.0.0.1:1")

    assert str(caught.value) == "refused: kubeconfig leads ours to a server that was not made here"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("context: {cluster: ours", "context: {cluster: gone"),
        ("clusters:", "clusterz:"),
        ('{server: "https://127.0.0.1:6443"}', "{}"),
    ],
)
def test_a_context_without_a_server_is_refused(kubeconfig: Path, before: str, after: str) -> None:
    content = kubeconfig.read_text(encoding="utf-8")
    assert before in content
    kubeconfig.write_text(content.replace(before, after), encoding="utf-8")

    with pytest.raises(ClusterError, match="refused: kubeconfig names no server for ours"):
        ownership.server_of(kubeconfig, context="ours")


@pytest.mark.parametrize("content", ["", "[", "- a list"])
def test_what_is_no_kubeconfig_is_refused(kubeconfig: Path, content: str) -> None:
    kubeconfig.write_text(content, encoding="utf-8")

    with pytest.raises(ClusterError, match="refused: the current context"):
        ownership.server_of(kubeconfig, context="ours")


def test_no_kubeconfig_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="refused: the current context"):
        ownership.server_of(tmp_path / "none", context="ours")
