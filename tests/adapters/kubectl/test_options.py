from typing import Any

import pytest
from pydantic import ValidationError

from sluiceway.adapters.kubectl.options import KubectlOptions


def written(data: dict[str, Any]) -> dict[str, Any]:
    """Return the options as a stack holds them."""
    return KubectlOptions.model_validate(data).model_dump(by_alias=True, exclude_defaults=True)


def test_all_options_are_off_by_default() -> None:
    assert written({}) == {}
    options = KubectlOptions()
    assert [options.recursive, options.prune, options.force_conflicts, options.allow_empty] == [False] * 4
    assert [options.context, options.namespace, options.field_manager, options.concurrency] == [None] * 4


def test_options_keep_the_spelling_of_the_records() -> None:
    everything = {
        "context": "kind-a",
        "namespace": "shop",
        "recursive": True,
        "prune": True,
        "forceConflicts": True,
        "allowEmpty": True,
        "fieldManager": "sluiceway",
        "concurrency": 4,
    }
    assert written(everything) == everything


def test_an_option_set_to_its_default_is_as_if_it_was_not_there() -> None:
    assert written({"prune": False, "recursive": False, "forceConflicts": False, "allowEmpty": False}) == {}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("fieldManager", "k"),
        ("fieldManager", "0"),
        ("fieldManager", "a" * 128),
        ("fieldManager", "Team-A_1.x"),
        ("concurrency", 1),
        ("concurrency", 64),
        ("context", "-looks=like --a flag"),
        ("namespace", "a" * 63),
    ],
)
def test_what_an_option_takes(option: str, value: object) -> None:
    assert written({option: value}) == {option: value}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("fieldManager", ""),
        ("fieldManager", "-x"),
        ("fieldManager", ".x"),
        ("fieldManager", "_x"),
        ("fieldManager", "a" * 129),
        ("fieldManager", "a b"),
        ("fieldManager", "a\n"),
        ("fieldManager", "é"),
        ("concurrency", 0),
        ("concurrency", 65),
        ("concurrency", "4"),
        ("concurrency", True),
        ("context", ""),
        ("context", "a\nb"),
        ("context", 1),
        ("namespace", "Shop"),
        ("namespace", "shop.eu"),
        ("prune", "true"),
        ("prune", 1),
        ("prune", None),
        ("recursive", 0),
        ("showSecrets", True),
        ("force_conflicts", True),
    ],
)
def test_what_an_option_refuses(option: str, value: object) -> None:
    with pytest.raises(ValidationError):
        KubectlOptions.model_validate({option: value})
