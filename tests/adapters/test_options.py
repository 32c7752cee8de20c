from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field, ValidationError

from sluiceway.adapters.options import Line, Maybe, Misfits, Namespace, Options, Text, Whole, found, text_of


def doubled(value: str) -> str:
    if len(value) % 2:
        raise ValueError("is odd")
    return value.upper()


class Some(Options):
    """Options of every kind."""

    release_name: Maybe[Annotated[str, text_of("[ab]|[c-e]", "one of a to e")]] = None
    even: Maybe[Annotated[str, Text(doubled, "(?:..)*")]] = None
    count: Annotated[int, Whole(1, 3)] = 2
    line: Maybe[Line] = None
    namespace: Maybe[Namespace] = None
    loud: Maybe[bool] = Field(default=None, description="Whether it is loud.")


def problems(data: dict[str, Any]) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as raised:
        Some.model_validate(data)
    return [(str(error["loc"][0]), error["msg"]) for error in raised.value.errors()]


def test_keys_are_spelled_as_in_the_file() -> None:
    assert Some.model_validate({"releaseName": "a"}).release_name == "a"
    assert problems({"release_name": "a"}) == [("release_name", "Extra inputs are not permitted")]


def test_a_rule_makes_text_plain_or_says_what_is_wrong() -> None:
    assert Some.model_validate({"even": "ab"}).even == "AB"
    assert problems({"even": "a"}) == [("even", "Value error, is odd")]


@pytest.mark.parametrize("value", ["f", "", "ab", "a\n", "xa"])
def test_a_pattern_is_for_the_whole_text(value: str) -> None:
    assert problems({"releaseName": value}) == [("releaseName", "Value error, expected one of a to e")]
    validator = Draft202012Validator(Some.model_json_schema())
    assert value == "a\n" or not validator.is_valid({"releaseName": value})


@pytest.mark.parametrize("value", [0, 4, 2.0, "2", True, None, [2]])
def test_a_whole_number_is_one(value: object) -> None:
    assert [key for key, _ in problems({"count": value})] == ["count"]


@pytest.mark.parametrize("key", ["releaseName", "even", "count", "line", "namespace", "loud"])
def test_a_key_without_a_value_is_a_problem(key: str) -> None:
    assert [where for where, _ in problems({key: None})] == [key]


def test_a_problem_never_holds_the_value() -> None:
    with pytest.raises(ValidationError) as raised:
        Some.model_validate({"count": "c4n4ry", "namespace": "C4N4RY", "line": "c4n4ry\n", "loud": "c4n4ry"})
    assert "c4n4ry" not in str(raised.value).lower()


@pytest.mark.parametrize("line", ["kind", "arn:aws:eks:eu:1:cluster/x", "a b", "é", "-x", "\U0001f680"])
def test_a_line(line: str) -> None:
    assert Some.model_validate({"line": line}).line == line


@pytest.mark.parametrize("line", ["", " ", "a\nb", "a\rb", "a\tb", "a\x00", "\x7f", "\x85", "\u2028"])
def test_no_line(line: str) -> None:
    assert problems({"line": line})


@pytest.mark.parametrize("namespace", ["a", "0", "a-b", "a" * 63])
def test_a_namespace(namespace: str) -> None:
    assert Some.model_validate({"namespace": namespace}).namespace == namespace


@pytest.mark.parametrize("namespace", ["", "-a", "a-", "A", "a.b", "a_b", "a" * 64, "é", "a\n", "--all-namespaces"])
def test_no_namespace(namespace: str) -> None:
    assert problems({"namespace": namespace})


def test_the_schema_says_what_the_check_does() -> None:
    schema = Some.model_json_schema()
    assert schema["additionalProperties"] is False
    assert schema["properties"]["count"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 3,
        "default": 2,
        "title": "Count",
    }
    assert schema["properties"]["releaseName"]["title"] == "Release name"
    assert schema["properties"]["releaseName"]["pattern"] == "^(?:[ab]|[c-e])$"
    assert schema["properties"]["loud"]["description"] == "Whether it is loud."


def odd_ones(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((key, "is odd here") for key in given if key.startswith("odd"))


class Fitted(Some):
    """Options that have to fit together."""

    fits: ClassVar[Misfits | None] = odd_ones

    odd: bool = False


def test_what_does_not_fit_together_is_told_beside_what_is_wrong_alone() -> None:
    assert Fitted.model_validate({"count": 1}).count == 1
    assert Fitted().count == 2
    with pytest.raises(ValidationError) as raised:
        Fitted.model_validate({"odd": 1, "count": 4, "namespace": "C4N4RY", "odd too": 1})
    told = [(error["loc"][0], error["type"], error["input"]) for error in raised.value.errors()]
    assert told == [
        ("count", "value_error", 4),
        ("namespace", "value_error", "C4N4RY"),
        ("odd", "bool_type", 1),
        ("odd too", "extra_forbidden", 1),
        ("odd", "value_error", None),
        ("odd too", "value_error", None),
    ]
    assert raised.value.errors()[-1].get("ctx") == {"error": "is odd here"}
    assert "C4N4RY" not in str(raised.value)


@pytest.mark.parametrize("data", [None, [], "odd"])
def test_what_is_no_mapping_is_asked_for_no_fit(data: object) -> None:
    with pytest.raises(ValidationError) as raised:
        Fitted.model_validate(data)
    assert [error["type"] for error in raised.value.errors()] == ["model_type"]


def test_what_was_found_is_named_by_kind() -> None:
    values: list[object] = [None, True, False, 1, 1.5, "x", [], {}]
    assert [found(value) for value in values] == [
        "no value",
        "true",
        "false",
        "a number",
        "a number",
        "text",
        "a list",
        "a mapping",
    ]
