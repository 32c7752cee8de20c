"""``concurrency``: kubectl really asks about several objects at once, and the row is the same (decision 0099)."""

import threading
import time
from pathlib import Path

import pytest

from sluiceway.adapters.kubectl.live_set import MANY
from tests.live.proxy import Answer as Instead
from tests.live.proxy import Asked, Proxy
from tests.live.repo import Repo, config_map, documents

pytestmark = pytest.mark.live

OBJECTS = 12
assert OBJECTS < MANY


class Crowd:
    """Holds each request of a diff for a moment, and notes how many are there at once."""

    def __init__(self) -> None:
        self.most = self._here = 0
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Instead | None:
        if asked.command == "diff" and "/configmaps/" in asked.path:
            with self._lock:
                self._here += 1
                self.most = max(self.most, self._here)
            time.sleep(0.2)
            with self._lock:
                self._here -= 1
        return None


@pytest.mark.parametrize("concurrency", [None, 4])
def test_a_diff_asks_about_as_many_objects_at_once(repo: Repo, tmp_path: Path, concurrency: int | None) -> None:
    for value in ("1", "2"):
        maps = [config_map(f"m-{number}", data={"k": value}) for number in range(OBJECTS)]
        repo.write("app/all.yaml", documents(*maps))
        repo.only(**({"concurrency": concurrency} if concurrency else {}))
        if value == "1":
            repo.put_out()
    crowd = Crowd()
    with Proxy(repo.cluster) as proxy:
        proxy.begin(crowd)
        answer = repo.preview(KUBECONFIG=str(proxy.kubeconfig(tmp_path / "kubeconfig")))
    assert answer.changes == {f"ConfigMap/{repo.namespace}/m-{number}": ["data.k"] for number in range(OBJECTS)}
    assert 2 <= crowd.most <= 4 if concurrency else crowd.most == 1


def test_a_deploy_drift_and_diff_work_as_without(repo: Repo) -> None:
    repo.only(concurrency=3, prune=True, forceConflicts=True)
    repo.write("app/all.yaml", documents(*(config_map(f"m-{number}", data={"k": "1"}) for number in range(5))))
    repo.put_out()
    assert repo.config_maps() == {f"m-{number}" for number in range(5)}
    repo.by_hand("patch", "configmap", "m-3", "--patch", '{"data": {"k": "by hand"}}')
    drifted = {f"ConfigMap/{repo.namespace}/m-3": ["data.k"]}
    assert repo.drift().drift == drifted
    assert "by hand" in repo.run("diff", "app").out
    repo.write("app/all.yaml", documents(*(config_map(f"m-{number}", data={"k": "1"}) for number in range(4))))
    repo.put_out("--repair-drift")
    assert repo.config_maps() == {f"m-{number}" for number in range(4)}
