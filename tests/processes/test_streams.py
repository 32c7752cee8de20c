"""What a tool writes, cut into lines and kept within bounds."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.processes import Command
from sluiceway.processes.streams import MIB, Ends, Held, Lines, Relayable

COMMAND = Command(("tool",), Path("/"))


class TestLines:
    def split(self, *chunks: bytes, bound: int = 100) -> list[str]:
        found: list[str] = []
        lines = Lines(found.append, bound=bound)
        for chunk in chunks:
            lines.feed(chunk)
        lines.close()
        return found

    @given(st.lists(st.sampled_from([b"a", b"b", b"\r", b"\n", b"\xc3\xa9", b""])), st.data())
    def test_do_not_depend_on_how_they_are_cut_into_chunks(self, parts: list[bytes], data: st.DataObject) -> None:
        whole = b"".join(parts)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
        chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
        assert self.split(*chunks) == self.split(whole)

    def test_end_at_any_line_end(self) -> None:
        assert self.split(b"a\nb\r\nc\rd\n\ne") == ["a", "b", "c", "d", "", "e"]
        assert self.split(b"a\r", b"\n", b"\nb") == ["a", "", "b"]

    def test_that_are_too_long_are_not_passed_on_in_pieces(self) -> None:
        assert self.split(b"x" * 100, b"\n", bound=100) == ["x" * 100]
        assert self.split(b"x" * 60, b"x" * 60, b"x\nnext\n", bound=100) == ["(a line of 121 bytes left out)", "next"]

    def test_without_an_end_take_bounded_memory(self) -> None:
        lines = Lines(print, bound=MIB)
        for _ in range(8):
            lines.feed(bytes(MIB))
        assert len(lines._rest) <= MIB


@given(st.lists(st.binary(max_size=8)), st.integers(1, 6))
def test_ends_are_the_first_and_the_last_bytes(chunks: list[bytes], bound: int) -> None:
    ends = Ends(bound)
    for chunk in chunks:
        ends.feed(chunk)
    whole = b"".join(chunks)
    if len(whole) <= 2 * bound:
        expected = whole
    else:
        expected = b"%b\n(%d bytes left out)\n%b" % (whole[:bound], len(whole) - 2 * bound, whole[-bound:])
    assert ends.text() == expected.decode("utf-8", "replace")
    assert len(ends._last) <= 2 * bound + 8


class TestHeld:
    def test_keeps_lines_back_until_they_are_released_and_passes_on_what_comes_then(self) -> None:
        found: list[str] = []
        held = Held(found.append, COMMAND)
        held.take("before")
        assert found == []
        held.release()
        held.take("after")
        held.release()
        assert found == ["before", "after"]

    def test_drops_every_line_of_a_command_that_is_only_tried(self) -> None:
        found: list[str] = []
        held = Held(found.append, replace(COMMAND, tried=True))
        held.take("Error from server (Forbidden)")
        held.release()
        held.take("and more")
        assert found == []

    def test_drops_lines_that_are_answers(self) -> None:
        found: list[str] = []
        held = Held(found.append, replace(COMMAND, answers=frozenset({"not found"})))
        held.take("not found")
        held.release()
        held.take("not found")
        held.take("not found: really")
        assert found == ["not found: really"]

    @pytest.mark.parametrize(
        ("line", "relayed"),
        [
            ("a: value: {b", "a: value: { (the rest of the line is left out)"),
            ("a: bad value: {b", "a: bad (the rest of the line is left out)"),
            ("a: value: b", "a: value: b"),
        ],
    )
    def test_cuts_a_line_where_a_value_may_follow(self, line: str, relayed: str) -> None:
        assert Relayable(replace(COMMAND, cut=("value: {", "bad")))(line) == relayed

    def test_has_nothing_behind_a_line_that_a_whole_text_of_values_may_follow(self) -> None:
        relayable = Relayable(replace(COMMAND, cut_all=("Can't read ",)))
        lines = ["before", "Can't read a: secret", "b: secret", "Error"]
        assert [relayable(line) for line in lines] == [
            "before",
            "Can't read  (all that follows is left out)",
            None,
            None,
        ]

    def test_takes_bounded_memory_and_counts_what_it_left_out(self) -> None:
        found: list[str] = []
        held = Held(found.append, COMMAND, bound=10)
        for line in ("12345", "too long", "6", "more"):
            held.take(line)
        held.release()
        assert found == ["12345", "6", "(2 lines left out)"]
