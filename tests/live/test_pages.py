"""The README, the tutorial and the how-to guides are followed, word for word, on a cluster of their own.

REWRITE_PAGES=1 writes into the pages what their commands print now; look at what git says of that.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recorder import tools
from recorder.clusters.base import ClusterError
from recorder.clusters.local import LocalCluster
from recorder.tools import MissingToolError
from tests.live import helm_repo
from tests.live.conftest import CLIENTS, HELMS
from tests.live.reader import Reader, wants_rewriting
from tests.live.server import Server
from tests.pages import PAGES, ROOT, blocks

pytestmark = pytest.mark.live

MINOR = "1.37"
GOING_SECONDS = 120.0
"""How long a namespace may take to go."""

CONTEXTS = {"kind-shop": 0, "staging": 0, "production": 1}
"""The contexts of the kubeconfig that a page's reader has, and which of the clusters each leads to."""


@pytest.fixture(scope="module")
def clusters() -> Iterator[list[LocalCluster]]:
    """Two control planes with a node each, for pages that speak of two."""
    try:
        with LocalCluster(MINOR, nodes=1) as one, LocalCluster(MINOR, nodes=1) as other:
            yield [one, other]
    except (ClusterError, MissingToolError) as error:
        pytest.fail(f"live tests were asked for, and can't run: {error}", pytrace=False)


@pytest.fixture
def empty(clusters: list[LocalCluster]) -> Iterator[list[LocalCluster]]:
    """The clusters, with no namespace afterwards that was not there before."""
    servers = [Server(cluster) for cluster in clusters]
    before = [server.names("v1", "Namespace", None) for server in servers]
    yield clusters
    for server, were in zip(servers, before, strict=True):
        _empty(server, were)


def _empty(server: Server, keeping: set[str]) -> None:
    """Delete every namespace but those, and wait until they are gone: the next page may use the same names."""
    for name in server.names("v1", "Namespace", None) - keeping:
        server.delete("v1", "Namespace", None, name)
    deadline = time.monotonic() + GOING_SECONDS
    while server.names("v1", "Namespace", None) - keeping:
        assert time.monotonic() < deadline, "a namespace does not go"
        time.sleep(0.2)


@pytest.fixture
def reader(empty: list[LocalCluster], tmp_path: Path, request: pytest.FixtureRequest) -> Reader:
    file = tmp_path / "kubeconfig"
    file.write_text(json.dumps(_kubeconfig(empty)), encoding="utf-8")
    programs = {"kubectl": tools.need("kubectl", CLIENTS[MINOR]).path}
    environment = {
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
        "KUBECONFIG": str(file),
        "GITHUB_REPOSITORY": "octo-org/shop",
    }
    if "tool: helm" in request.node.callspec.params["path"].read_text(encoding="utf-8"):
        if missing := helm_repo.missing():
            pytest.skip(missing)
        programs["helm"] = tools.need("helm", HELMS[MINOR]).path
        programs["helm3"] = tools.need("helm", HELMS["1.34"]).path
        environment["HELM_PLUGINS"] = str(tools.need(tools.PLUGIN, tools.PLUGIN_WANTED).path.parent)
    return Reader(tmp_path / "repo", programs, environment, rewrites=wants_rewriting())


def _kubeconfig(clusters: list[LocalCluster]) -> object:
    """Return one kubeconfig with the contexts that pages name."""
    read = [json.loads(cluster.kubeconfig.read_text(encoding="utf-8")) for cluster in clusters]
    return {
        **read[0],
        "clusters": [{**each["clusters"][0], "name": str(index)} for index, each in enumerate(read)],
        "users": [{**each["users"][0], "name": str(index)} for index, each in enumerate(read)],
        "contexts": [
            {"name": name, "context": {"cluster": str(index), "user": str(index)}} for name, index in CONTEXTS.items()
        ],
        "current-context": next(iter(CONTEXTS)),
    }


TYPED = [path for path in PAGES if any(block.is_typed for block in blocks(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("path", TYPED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_is_followed_and_shows_what_is_printed(path: Path, reader: Reader) -> None:
    text = path.read_text(encoding="utf-8")

    followed = reader.follow(text)

    if reader.rewrites:
        path.write_text(followed, encoding="utf-8")
    else:
        assert followed == text
