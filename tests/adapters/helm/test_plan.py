import hashlib

import pytest

from sluiceway.adapters.helm.plan import HelmPlan
from sluiceway.model.changes import Change

RENDER = b"---\na: 1\n"
DIGEST = hashlib.sha256(RENDER).hexdigest()
UPDATE = Change("ConfigMap/shop/a", "ConfigMap", "shop/a", "update", changed_keys=("data.k",))


def plan() -> HelmPlan:
    return HelmPlan(DIGEST, (("ConfigMap/shop/a", "one"), ("web/templates/b.yaml", "two")), (UPDATE,))


def test_it_is_of_the_render_to_the_byte() -> None:
    assert plan().is_of(RENDER)
    assert not plan().is_of(RENDER + b"\n")


@pytest.mark.parametrize(
    ("objects", "differing"),
    [
        ({"ConfigMap/shop/a": "one", "web/templates/b.yaml": "two"}, []),
        ({"ConfigMap/shop/a": "other", "web/templates/b.yaml": "two"}, ["ConfigMap/shop/a"]),
        ({"ConfigMap/shop/a": "one"}, ["web/templates/b.yaml"]),
        (
            {"ConfigMap/shop/a": "one", "web/templates/b.yaml": "two", "Z/shop/z": "new", "A/shop/a": "new"},
            ["A/shop/a", "Z/shop/z"],
        ),
        ({}, ["ConfigMap/shop/a", "web/templates/b.yaml"]),
    ],
)
def test_which_objects_of_another_render_are_not_those_of_the_preview(
    objects: dict[str, str], differing: list[str]
) -> None:
    assert plan().differing(objects) == differing


def test_a_digest_is_in_no_repr_and_leaving_the_plan_keeps_it_usable() -> None:
    with plan() as held:
        assert DIGEST not in repr(held)
        assert "two" not in repr(held)
    assert held.is_of(RENDER)
    assert held.changes == (UPDATE,)
