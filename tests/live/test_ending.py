"""How it ends before its time: a signal, or a limit. Nothing runs on, nothing stays on disk, what was done is said."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.repo import HURRIED, SECRET, Repo, config_map, documents, running, secret

pytestmark = pytest.mark.live

COUNT = 70
"""Objects of a set that is not over at once."""


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def many(repo: Repo, **options: object) -> None:
    """Have a stack that takes a while, with a Secret in it."""
    repo.only(**options)
    maps = (config_map(f"c{number:03}") for number in range(COUNT))
    repo.write("app/x.yaml", documents(secret("s", p=f"{SECRET}-1"), *maps))


def notes_sessions(repo: Repo) -> Path:
    """Have each kubectl note its session, which is all of it and whatever it starts."""
    file = repo.machine / "sessions"
    repo.hook(f'echo $$ >> "{file}"')
    return file


def test_a_preview_that_is_ended_leaves_nothing(repo: Repo) -> None:
    many(repo)
    sessions = notes_sessions(repo)

    with repo.start("preview", "--format=json") as process:
        # kubectl keeps whole objects in these, and leaves them behind when a signal ends it (spec/kubectl.md).
        until(lambda: any(path.name.startswith("LIVE-") for path in repo.left()))
        process.send_signal(signal.SIGTERM)
        answer = repo.ended(process)

    assert answer.code == 128 + signal.SIGTERM
    assert answer.row["state"] == "preview-failed"
    assert "ended" in answer.row["reason"]["text"]
    assert "hash" not in answer.row
    assert running(sessions) == []


def test_a_diff_for_a_person_that_is_ended_leaves_nothing(repo: Repo) -> None:
    many(repo)
    sessions = notes_sessions(repo)

    with repo.start("diff", "app") as process:
        until(lambda: any(path.name.startswith("LIVE-") for path in repo.left()))
        process.send_signal(signal.SIGINT)
        answer = repo.ended(process, shows=True)

    assert answer.code == 128 + signal.SIGINT
    assert SECRET not in answer.out + answer.err
    assert running(sessions) == []


def test_a_deploy_that_is_ended_says_how_far_it_came(repo: Repo) -> None:
    many(repo, prune=True)
    digest = repo.preview().row["hash"]
    sessions = notes_sessions(repo)

    with repo.start("deploy", "app", f"--hash={digest}", "--format=json") as process:
        until(lambda: repo.live("ConfigMap", "c005") is not None)
        process.send_signal(signal.SIGTERM)
        answer = repo.ended(process)

    assert answer.code == 128 + signal.SIGTERM
    assert answer.row["outcome"] == "failed"
    there = repo.config_maps()
    said = {address.rpartition("/")[2] for address in answer.row["done"]["applied"]} - {"s"}
    assert 0 < len(there) < COUNT
    assert said <= there
    # One may have been stored that kubectl did not come to name any more.
    assert len(there - said) <= 1
    assert "this is half a deploy" in answer.notes
    assert repo.inventories() == {}
    assert running(sessions) == []

    repo.put_out()
    assert len(repo.listed()) == COUNT + 1
    assert repo.preview().row["state"] == "in-sync"


def test_a_preview_over_its_limit_fails_alone(repo: Repo) -> None:
    repo.configure(*(repo.stack(name, {"previewTimeout": 1}) for name in ("fast", "slow")))
    for name in ("fast", "slow"):
        repo.write(f"{name}/c.yaml", documents(config_map(name)))
    sessions = repo.machine / "sessions"
    repo.hook(f'echo $$ >> "{sessions}"; case "$PWD $1" in *slow\\ diff) sleep 300;; esac')

    answer = repo.run("preview", "--format=json", python=HURRIED)

    assert answer.code == 1
    assert answer.rows["fast"]["state"] == "pending"
    reason = answer.rows["slow"]["reason"]
    assert (reason["kind"], reason["names"]["minutes"]) == ("timed-out", "1")
    assert "hash" not in answer.rows["slow"]
    assert running(sessions) == []


def test_a_deploy_over_its_limit(repo: Repo) -> None:
    repo.only()
    repo.write("app/c.yaml", documents(config_map("c")))
    digest = repo.preview().row["hash"]
    sessions = repo.machine / "sessions"
    repo.hook(f'echo $$ >> "{sessions}"; if [ "$1" = apply ]; then sleep 300; fi')

    answer = repo.deploy(digest, "--timeout=0.05")

    assert (answer.code, answer.row["outcome"]) == (1, "failed")
    assert (answer.row["reason"]["kind"], answer.row["reason"]["names"]["minutes"]) == ("timed-out", "0.05")
    assert "nothing was applied, as far as kubectl said" in answer.notes
    assert repo.config_maps() == set()
    assert running(sessions) == []
