"""All that can be said is wrong has an example in the docs, and names what helps."""

import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def messages() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "messages.py"))


def test_what_the_code_can_say_is_found(messages: dict[str, Any]) -> None:
    problems = {message.words for message in messages["problem_messages"]()}
    refusals = {message.words for message in messages["refusals"]()}
    reasons = {message.words: message.next_step for message in messages["reasons"]()}

    assert "is absolute: write it relative to the root of the repo" in problems
    assert "the alias `*\0` \0: write the value out" in problems
    assert not {words for words in problems if "Glob" in words or "context that names" in words}
    assert "--hash takes the 16 characters 0-9 and a-f that `preview` or `drift` showed" in refusals
    assert reasons["\0 holds no object at all"].startswith("If that is meant, set allowEmpty: true")
    assert reasons["the cluster can't be reached"].startswith("Check the kubeconfig")
    assert len(reasons) > 80


def test_a_message_without_an_example_is_missed(messages: dict[str, Any]) -> None:
    known, new = messages["Message"]("holds `\0`: mend it", "a.py:1"), messages["Message"]("is new: use it", "a.py:2")

    assert messages["missing"]([known, new], "a: holds `x`: mend it") == ["a.py:2: is new: use it"]


@pytest.mark.parametrize(("step", "fine"), [("", False), (', ""', False), (', "Do it."', True)])
def test_a_reason_without_a_next_step_is_an_error(
    messages: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, *, fine: bool
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "reasons.py").write_text(f'x = Reason("tool-error", "it failed"{step})\n')
    for name in ("CODE", "ROOT"):
        monkeypatch.setitem(messages["reasons"].__globals__, name, tmp_path)

    if fine:
        assert [message.next_step for message in messages["reasons"]()] == ["Do it."]
    else:
        with pytest.raises(LookupError, match="names no next step"):
            messages["reasons"]()


def test_what_no_case_can_show_is_still_said(messages: dict[str, Any]) -> None:
    said = [message.words for message in messages["problem_messages"]()]

    assert [words for words in messages["cases"]()["unseen"] if not any(words in each for each in said)] == []
