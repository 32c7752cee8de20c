"""Others write while the product looks: their change must not read as ours, nor ours as theirs."""

import threading

import pytest

from tests.live.repo import CANARY, Repo, config_map, documents

pytestmark = pytest.mark.live

OBJECTS = [f"c{number:02}" for number in range(24)]
PREVIEWS = 2


def test_a_change_of_others_is_never_shown_as_ours_without_a_word(repo: Repo) -> None:
    repo.only(forceConflicts=True)
    repo.write("app/c.yaml", documents(*(config_map(name) for name in OBJECTS)))
    repo.put_out()
    repo.write("app/c.yaml", documents(*(config_map(name, data={"k": f"{CANARY}-2"}) for name in OBJECTS[:2]),
                                       *(config_map(name) for name in OBJECTS[2:])))  # fmt: skip
    ours = {f"ConfigMap/{repo.namespace}/{name}": ["data.k"] for name in OBJECTS[:2]}
    over = threading.Event()

    def write(step: int) -> None:
        number = 0
        while not over.wait(0.001):
            number += step
            data = {"theirs": f"{CANARY}-{number}"}
            repo.server.patch("v1", "ConfigMap", repo.namespace, OBJECTS[number % len(OBJECTS)], {"data": data})

    writers = [threading.Thread(target=write, args=(step,)) for step in (1, 5, 7)]
    for writer in writers:
        writer.start()
    try:
        seen = [repo.preview() for _ in range(PREVIEWS)]
    finally:
        over.set()
        for writer in writers:
            writer.join(30)

    for answer in seen:
        assert answer.row["state"] == "pending", answer.row.get("reason")
        for address, keys in answer.changes.items():
            noted = any(note.startswith(f"{address} was written by someone else") for note in answer.row["notes"])
            assert keys == ours.get(address, []) or noted, (address, keys)
        assert ours.keys() <= answer.changes.keys()
    # Something did come in between: a preview was taken again.
    assert sum(len(answer.argv("diff")) for answer in seen) > PREVIEWS
    # Nobody writes any more: it is as if nobody ever had.
    assert repo.preview().changes == ours
