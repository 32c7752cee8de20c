import pytest

from sluiceway.model.reasons import Reason, internal_error, timed_out, too_large, unreadable

CANARY = "c4n4ry-v4lue"


def test_the_text_is_what_happened_and_what_to_do() -> None:
    assert Reason("tool-error", "it broke", "Mend it.").text == "it broke. Mend it."
    assert Reason("tool-error", "it broke").text == "it broke."


@pytest.mark.parametrize(("minutes", "shown"), [(10, "10"), (0.5, "0.5"), (90.0, "90")])
def test_a_time_limit_is_named_in_minutes(minutes: float, shown: str) -> None:
    reason = timed_out(minutes, "kubectl diff")
    assert reason.kind == "timed-out"
    assert reason.text.startswith(f"kubectl diff took longer than {shown} minutes and was ended.")
    assert reason.names == {"minutes": shown}


def test_output_that_cannot_be_read_names_the_place_and_what_was_expected() -> None:
    reason = unreadable("object 2 of the diff, line 7", "a line of the object")
    assert reason.kind == "unreadable-output"
    assert "object 2 of the diff, line 7: expected a line of the object" in reason.text


def test_output_that_is_too_large_names_the_limit() -> None:
    reason = too_large("kubectl diff", 128)
    assert reason.kind == "output-too-large"
    assert "more than 128 MiB" in reason.text


def test_an_internal_error_names_the_type_and_never_the_text() -> None:
    reason = internal_error(KeyError(CANARY))
    assert reason.kind == "internal-error"
    assert "KeyError" in reason.text
    assert CANARY not in f"{reason!r} {reason.text}"
