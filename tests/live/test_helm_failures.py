"""Releases that a deploy left half-way: never in sync, and the command that the text names gets out of them."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.live.helm_repo import HelmRepo, stuck
from tests.live.repo import CANARY, SECRET, Answer, config_map, deployment, running, secret
from tests.live.test_ending import until

pytestmark = pytest.mark.live


def arrange(shop: HelmRepo, *, installed: bool = True) -> str:
    """Have a release, if ``installed``, and a chart that is never ready; return the hash of its preview."""
    shop.configure(shop.stack())
    first = [config_map("c"), secret("s", p=f"{SECRET}-1")]
    if installed:
        shop.chart(*first)
        shop.put_out()
    shop.chart(config_map("c", data={"k": f"{CANARY}-2"}), secret("s", p=f"{SECRET}-2"), stuck())
    return str(shop.preview().row["hash"])


def mended(shop: HelmRepo) -> None:
    """Have a chart that becomes ready, with another change than the one that was cut off."""
    shop.chart(config_map("c", data={"k": f"{CANARY}-3"}), secret("s", p=f"{SECRET}-3"), deployment())


def waiting(shop: HelmRepo) -> bool:
    """Tell whether helm has made the objects of an upgrade, and waits for them."""
    return shop.statuses()[-1:] in (["pending-upgrade"], ["pending-install"]) and bool(
        shop.live("Deployment", "web", "apps/v1")
    )


def process_of(sessions: Path, verb: str) -> int:
    """Return the process that ran a verb of helm last."""
    return [int(line.split()[0]) for line in sessions.read_text().splitlines() if line.endswith(f" {verb}")][-1]


def ends(shop: HelmRepo, digest: str, *more: str, kill: bool = False, number: int = 0) -> tuple[Answer, Path]:
    """Deploy what is never ready, and while helm waits kill it, or send ``number`` to the product."""
    sessions = shop.note_sessions()
    with shop.start("deploy", "app", f"--hash={digest}", "--format=json", *more) as process:
        until(lambda: waiting(shop))
        if kill:
            os.kill(process_of(sessions, "upgrade"), signal.SIGKILL)
        elif number:
            process.send_signal(number)
        answer = shop.ended(process)
    assert answer.row["outcome"] == "failed"
    assert running(sessions) == []
    return answer, sessions


def gets_out(shop: HelmRepo, text: str, command: str) -> None:
    """Follow the command that ``text`` names, and deploy: it is in sync then."""
    assert shop.follow(text) == command
    mended(shop)
    shop.put_out()
    settled = shop.drift()
    assert (settled.row["state"], settled.changes, settled.drift) == ("in-sync", {}, {})
    assert shop.statuses()[-1] == "deployed"
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-3"}


def test_an_upgrade_that_was_killed_is_pending_and_named(shop: HelmRepo) -> None:
    digest = arrange(shop)
    killed, _ = ends(shop, digest, kill=True)
    assert killed.code == 1
    assert "can't be told" in killed.notes
    assert "helm history app" in killed.notes
    assert shop.statuses() == ["deployed", "pending-upgrade"]
    space, command = shop.namespace, f"helm rollback app 1 --namespace={shop.namespace}"

    # The chart that was cut off is what helm stored last: to the plugin there is nothing to do.
    same = shop.preview()
    assert same.row["state"] == "pending"
    assert same.changes == {
        f"ConfigMap/{space}/c": ["data.k"],
        f"Deployment.apps/{space}/web": "create",
        f"Release/{space}/app": ["status"],
        f"Secret/{space}/s": ["data"],
    }
    assert f"`{command}` gets out of it" in same.notes
    assert "pending-upgrade since revision 2" in same.notes

    refused = shop.put_out_fails()
    assert refused.row["reason"]["detail"] == "release-pending"
    assert refused.row["reason"]["names"] == {"release": "app", "namespace": space}
    assert shop.statuses() == ["deployed", "pending-upgrade"]
    gets_out(shop, refused.row["reason"]["text"], command)


def test_an_install_that_was_killed_is_pending_and_named(shop: HelmRepo) -> None:
    digest = arrange(shop, installed=False)
    killed, _ = ends(shop, digest, kill=True)
    assert killed.code == 1
    assert shop.statuses() == ["pending-install"]
    command = f"helm uninstall app --namespace={shop.namespace}"

    seen = shop.preview()
    assert seen.row["state"] == "pending"
    assert seen.changes[f"Release/{shop.namespace}/app"] == ["status"]
    assert f"`{command}` gets out of it" in seen.notes
    refused = shop.put_out_fails()
    assert refused.row["reason"]["detail"] == "release-pending"
    gets_out(shop, refused.row["reason"]["text"], command)


def went_back(shop: HelmRepo, answer: Answer) -> None:
    """Check that helm, asked in time, went back by itself: that is said, and the next deploy goes well."""
    assert "helm rolled the release back" in answer.notes
    assert shop.statuses() == ["superseded", "failed", "deployed"]
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-1"}
    assert shop.live("Deployment", "web", "apps/v1") is None
    seen = shop.drift()
    assert seen.changes == {
        f"ConfigMap/{shop.namespace}/c": ["data.k"],
        f"Deployment.apps/{shop.namespace}/web": "create",
        f"Secret/{shop.namespace}/s": ["data"],
    }
    assert seen.drift == {}


def test_a_deploy_that_is_ended_goes_back(shop: HelmRepo) -> None:
    digest = arrange(shop)

    ended, _ = ends(shop, digest, number=signal.SIGTERM)

    assert (ended.code, ended.row["outcome"]) == (128 + signal.SIGTERM, "failed")
    went_back(shop, ended)
    mended(shop)
    shop.put_out()


def test_a_deploy_over_its_limit_goes_back(shop: HelmRepo) -> None:
    digest = arrange(shop)

    over, _ = ends(shop, digest, "--timeout=0.15")

    reason = over.row["reason"]
    assert (over.code, reason["kind"], reason["names"]["minutes"]) == (1, "timed-out", "0.15")
    went_back(shop, over)


def test_a_release_that_failed_is_not_in_sync(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    space = shop.namespace
    shop.chart(config_map("c"), deployment(), secret("s", p=f"{SECRET}-1"))
    shop.put_out()
    moved: Any = deployment()
    labels = {"app": "web", "tier": "front"}
    moved["spec"]["selector"]["matchLabels"] = moved["spec"]["template"]["metadata"]["labels"] = labels
    shop.chart(config_map("c", data={"k": f"{CANARY}-2"}), moved, secret("s", p=f"{SECRET}-2"))

    # A deploy of ours rolls back, so that nothing but the change itself is left to do.
    refused = shop.put_out_fails()
    assert refused.row["reason"]["detail"] == "immutable-field"
    assert refused.row["reason"]["names"]["object"] == "web"
    assert "rolled" in refused.row["reason"]["text"]
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-1"}
    changes = {
        f"ConfigMap/{space}/c": ["data.k"],
        f"Deployment.apps/{space}/web": ["spec.selector.matchLabels.tier", "spec.template.metadata.labels.tier"],
        f"Secret/{space}/s": ["data"],
    }
    assert shop.preview().changes == changes

    # One by hand leaves a failed release, which holds the new manifest.
    shop.by_hand_helm("upgrade", "app", "./app", fails=True)
    assert shop.statuses()[-1] == "failed"
    seen = shop.preview()
    assert seen.changes == {**changes, f"Release/{space}/app": ["status"]}
    assert "is failed since revision" in seen.notes
    shop.chart(config_map("c"), deployment(), secret("s", p=f"{SECRET}-1"))
    back = shop.preview()
    assert back.changes == {f"Release/{space}/app": ["status"]}
    shop.put_out()
    settled = shop.drift()
    assert (settled.row["state"], settled.changes, settled.drift) == ("in-sync", {}, {})
    assert shop.live("ConfigMap", "c")["data"] == {"k": f"{CANARY}-1"}


def test_a_release_that_was_uninstalled_is_made_anew(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.chart(config_map("c"))
    shop.put_out()
    shop.by_hand_helm("uninstall", "app", "--keep-history")

    seen = shop.drift()

    assert (seen.changes, seen.drift) == ({f"ConfigMap/{shop.namespace}/c": "create"}, {})
    assert "uninstalled since revision 1: a deploy installs it anew" in seen.notes
    shop.put_out()
    assert shop.config_maps() == {"c"}
    assert shop.preview().row["state"] == "in-sync"


def test_a_first_deploy_that_is_refused_leaves_nothing(shop: HelmRepo) -> None:
    shop.configure(shop.stack())
    shop.by_hand("create", "quota", "cap", "--hard=count/services=0")
    ports = [{"name": "http", "port": 80}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": ports}}
    shop.chart(config_map("c"), secret("s", p=f"{SECRET}-1"), service)

    failed = shop.put_out_fails()

    assert "uninstalled" in failed.row["reason"]["text"] + failed.notes
    assert shop.config_maps() == set()
    assert shop.statuses() == []
    assert set(shop.preview().changes.values()) == {"create"}
