import json
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sluiceway.adapters.kubernetes.goscalars import JSON, json_value, key_text, resolve
from sluiceway.model.trees import Float


@pytest.mark.parametrize("text", ["1", "-1", "0", "9007199254740993", "-9223372036854775808", "18446744073709551615"])
def test_a_whole_number_is_exact(text: str) -> None:
    assert resolve(text) == int(text)
    assert JSON.decode(text) == int(text)


@settings(max_examples=60)
@given(st.integers(-(2**63), 2**64 - 1))
def test_whole_numbers_of_64_bits_are_the_same_in_yaml_and_json(number: int) -> None:
    for read in (json_value(resolve(str(number))), JSON.decode(str(number))):
        assert type(read) is int
        assert read == number


@settings(max_examples=60)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_same_in_yaml_and_json_and_reads_back(number: float) -> None:
    in_yaml, in_json = json_value(resolve(repr(number))), JSON.decode(repr(number))
    assert (type(in_yaml), in_yaml) == (type(in_json), in_json)
    assert type(in_yaml) in {int, Float}
    assert float(in_yaml) == number  # type: ignore[arg-type]


@settings(max_examples=60)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_two_different_floats_never_become_equal(one: float, other: float) -> None:
    assert (json_value(one) == json_value(other)) is (one == other)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", '{"a": NaN}'])
def test_json_refuses_what_go_refuses(word: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it carries no words, since they would hold the value
        JSON.decode(word)


def test_a_number_of_any_length_is_read() -> None:
    digits = "9" * 5000
    assert JSON.decode(f"[{digits[:300]}]") == [Float("1e+300")]
    assert resolve(digits) == digits


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_json_holds_no_infinity(number: float) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it carries no words, since they would hold the value
        json_value(number)


@pytest.mark.parametrize("value", [None, 2**63, 2**64 - 1])
def test_what_is_no_key(value: int | None) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it carries no words, since they would hold the value
        key_text(value)


@settings(max_examples=60)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_key_is_the_shortest_text_of_its_32_bits(number: float) -> None:
    written = key_text(number)
    assert struct.pack("f", float(written)) == struct.pack("f", number)
    digits = len(written.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))
    assert digits <= 9
    shorter = {struct.pack("f", float(f"{number:.{places}e}")) for places in range(max(digits - 1, 0))}
    assert struct.pack("f", number) not in shorter


@settings(max_examples=60)
@given(st.text(max_size=8))
def test_any_text_resolves_to_something_and_quoted_json_to_itself(text: str) -> None:
    resolve(text)
    assert JSON.decode(json.dumps(text)) == text
