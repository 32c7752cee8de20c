"""A set with many objects of one kind: its live objects are read as a list where that is allowed (decision 0071)."""

from typing import Any

import pytest

from sluiceway.adapters.kubectl.live_set import MANY
from tests.live.repo import Repo, config_map, documents, secret

pytestmark = pytest.mark.live

ALL_BUT_LIST = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {"name": "ci"},
    "rules": [{"apiGroups": [""], "resources": ["configmaps", "secrets"], "verbs": ["get", "create", "patch"]}],
}


def the_set(*, after: bool) -> list[Any]:
    """Return many ConfigMaps and a Secret; what the later one no longer states goes with the first deploy."""
    labels = {} if after else {"old": "label"}
    data = {"k": "1"} if after else {"k": "1", "gone": "2"}
    maps = [config_map(f"m-{number}", data=data, labels=labels) for number in range(MANY + 5)]
    return [*maps, secret("s", k="c4n4ry-s3cr3t")]


@pytest.fixture
def applied(repo: Repo) -> Repo:
    """A repo whose set was applied client-side, and states less since; a stranger's object lies beside."""
    repo.only()
    repo.by_hand("apply", "-f", "-", content=documents(*the_set(after=False)))
    repo.by_hand("create", "configmap", "stranger", "--from-literal=k=v")
    repo.write("app/all.yaml", documents(*the_set(after=True)))
    return repo


def expected(namespace: str) -> dict[str, list[str]]:
    gone = ['metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]', "metadata.labels.old"]
    found = {f"ConfigMap/{namespace}/m-{number}": ["data.gone", *gone] for number in range(MANY + 5)}
    return {**found, f"Secret/{namespace}/s": gone[:1]}


def test_what_a_dry_run_hides_is_found_in_a_list_too(applied: Repo) -> None:
    answer = applied.preview()
    assert answer.changes == expected(applied.namespace)
    assert [argv[1] for argv in answer.argv("get") if not argv[1].startswith("-")] == ["ConfigMap.v1."]
    assert len(answer.argv("get")) == 2
    applied.put_out()
    assert applied.preview().row["state"] == "in-sync"


def test_without_the_right_to_list_each_object_is_asked_for_and_nobody_is_told(applied: Repo) -> None:
    applied.by_hand("create", "serviceaccount", "ci")
    applied.by_hand("apply", "--server-side", "-f", "-", content=documents(ALL_BUT_LIST))
    applied.by_hand("create", "rolebinding", "ci", "--role=ci", f"--serviceaccount={applied.namespace}:ci")
    token = applied.by_hand("create", "token", "ci").strip()
    applied.hook(f'set -- "$@"; exec "$kubectl" --token={token} "$@"')
    answer = applied.preview()
    assert answer.changes == expected(applied.namespace)
    assert len(answer.argv("get")) == 3
    assert "forbidden" not in answer.err
