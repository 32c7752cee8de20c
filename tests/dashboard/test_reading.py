import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.dashboard import Board, Recent, Root, draw, is_dashboard, parse, same, ticks, with_recent
from tests.dashboard.boards import AT, HASH, PREVIEW, SETTINGS, board, body, drawn, in_sync, pending, ticked
from tests.fakes import CREATE, DELETE

LONG = pending("b", HASH, CREATE, DELETE)
BODY = body(
    with_recent(
        board(drawn("a"), draw(LONG, SETTINGS, preview_url=PREVIEW), draw(in_sync("c"), SETTINGS)),
        Recent("c", AT, "octocat", "11"),
    )
)
LINES = BODY.split("\n")
B_LINE = next(line for line in LINES if 'row stack="b"' in line)
B_END = '  <!-- sluiceway:end stack="b" -->'
B_TEXT = BODY[BODY.index(B_LINE) : BODY.index(B_END) + len(B_END)]
Hand = Callable[[str], str]


def test_the_body_of_these_tests_is_whole() -> None:
    assert sorted(parse(BODY).rows) == ["a", "b", "c"]
    assert parse(BODY).rows["b"].text() == B_TEXT
    assert B_TEXT.count("\n") > 5


@pytest.mark.parametrize("text", ["", "\n", "\r\n", "Hello.", "- [x] a", "<!-- sluiceway:row -->"])
def test_a_body_that_is_none_of_ours(text: str) -> None:
    assert parse(text) == Board(version=None)
    assert not is_dashboard(text)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r"), id="CR"),
        pytest.param(lambda text: text.replace("\n", " \n"), id="blanks at line ends"),
        pytest.param(lambda text: text.replace("## Pending", "## Waiting\n\nfor us"), id="text between rows"),
        pytest.param(lambda text: text + "\n- [x] one more\n\nBye.", id="text below"),
        pytest.param(lambda text: text.replace("stack=", 'later="1" stack='), id="a key of a later version"),
        pytest.param(
            lambda text: text.replace("## Pending", '<!-- sluiceway:later a="b" -->\n\n## Pending'), id="a kind"
        ),
        pytest.param(lambda text: text.replace("  - **Will be", "  text\n  - **Will be"), id="text in a row"),
        pytest.param(lambda text: text.replace("**1 delete**", "nothing"), id="words of a row"),
        pytest.param(lambda text: text + B_END, id="an end of nothing"),
    ],
)
def test_what_people_may_do_to_a_body(change: Hand) -> None:
    found = parse(change(BODY))
    assert sorted(found.rows) == ["a", "b", "c"]
    assert found.damaged == ()
    assert found.rows["b"].deployable
    assert found.root == parse(BODY).root
    assert found.recent == (Recent("c", AT, "octocat", "11"),)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text + B_TEXT, id="pasted twice"),
        pytest.param(lambda text: text + B_LINE, id="its line pasted"),
        pytest.param(lambda text: text.replace(B_END, ""), id="its end deleted"),
        pytest.param(lambda text: text.replace(B_END, B_END.lstrip()), id="its end moved"),
        pytest.param(lambda text: text.replace(B_END, B_END.replace('"b"', '"a"')), id="the end of another"),
        pytest.param(lambda text: text.replace(B_END, f"{B_END} text"), id="text behind its end"),
        pytest.param(lambda text: text.replace(B_LINE, f"{B_LINE} text"), id="text behind its marker"),
        pytest.param(lambda text: text.replace(B_LINE, f"> {B_LINE}"), id="quoted"),
        pytest.param(lambda text: text.replace(B_LINE, f"  {B_LINE}"), id="indented"),
        pytest.param(lambda text: text.replace(B_LINE, f"*{B_LINE[1:]}"), id="another bullet"),
        pytest.param(lambda text: text.replace("- [ ] **`b`**", "**`b`**"), id="no bullet"),
        pytest.param(lambda text: text.replace(B_LINE, B_LINE.replace(HASH, "0")), id="a short hash"),
        pytest.param(lambda text: text.replace(B_LINE, B_LINE.replace(HASH, "")), id="an empty hash"),
        pytest.param(lambda text: text.replace('"b" state="pending"', '"b"'), id="no state"),
        pytest.param(lambda text: text.replace('deletes="1"', 'deletes="many"'), id="a count"),
        pytest.param(lambda text: text.replace("  - **Will be", "text\n  - **Will be"), id="text that ends the row"),
        pytest.param(lambda text: text.replace("  - **Will be", "- [x] text\n  - **Will be"), id="a box in the row"),
        pytest.param(
            lambda text: text.replace("  - **Will be", f"{LINES[0]}\n  - **Will be"), id="the root marker in it"
        ),
        pytest.param(lambda text: text[: text.index(B_END)], id="cut"),
    ],
)
def test_a_damaged_row_is_left_out_and_named(change: Hand) -> None:
    found = parse(change(BODY))
    assert "b" not in found.rows
    assert found.damaged == ("b",)
    assert found.rows["a"].deployable
    ticked_by_hand = change(BODY).replace("- [ ] **`b`**", "- [x] **`b`**")
    assert "b" not in {tick.stack for tick in ticks(ticked_by_hand, [], complete=True).ticks}


def test_two_rows_on_one_line_are_both_damaged() -> None:
    a_line = next(line for line in LINES if 'row stack="a"' in line)
    found = parse(BODY.replace(B_LINE, f"{a_line.replace('[ ]', '[x]')}{B_LINE}"))
    assert found.damaged == ("a", "b")
    assert sorted(found.rows) == ["c"]


def test_the_rest_of_another_row_does_not_become_part_of_one() -> None:
    text = body(board(draw(LONG, SETTINGS), draw(pending("c", HASH, CREATE, DELETE), SETTINGS)))
    begins, ends = text.index(B_END), text.index("\n", text.index('row stack="c"'))
    assert parse(text[:begins] + text[ends + 1 :]).damaged == ("b",)


def test_a_marker_deleted_from_a_line_leaves_no_row() -> None:
    found = parse(BODY.replace(B_LINE, B_LINE.partition(" <!--")[0]))
    assert ("b" in found.rows, found.damaged) == (False, ())


@pytest.mark.parametrize(
    ("start", "box"),
    [("- [ ] ", False), ("- [x] ", True), ("- [X] ", True), ("- [y] ", None), ("- [x]", None), ("- ", None)],
)
def test_how_a_box_is_read(start: str, box: bool | None) -> None:
    assert parse(BODY.replace(B_LINE, B_LINE.replace("- [ ] ", start))).rows["b"].ticked is box


@pytest.mark.parametrize(("start", "box"), [("- [x] ", True), ("- [X] ", True), ("- [ ] ", False), ("* [x] ", False)])
def test_how_the_box_of_a_scan_is_read(start: str, box: bool) -> None:
    assert parse(BODY.replace("- [ ] Scan all", f"{start}Scan all")).rescan is box


def test_a_root_marker_of_another_version_or_out_of_place() -> None:
    later = BODY.replace('v="1"', 'v="2"')
    assert (parse(later).root, parse(later).version, is_dashboard(later)) == (None, "2", True)
    assert ticks(ticked(later, "a"), [], complete=True).ticks == ()
    moved = f"Hello.\n{BODY}"
    assert (parse(moved).root, parse(moved).version, is_dashboard(moved)) == (None, None, False)
    assert ticks(ticked(moved, "a"), [], complete=True).ticks == ()


def test_a_root_marker_with_less_than_all() -> None:
    assert parse('<!-- sluiceway:dashboard v="1" scan-at="soon" scan-run="7" -->').root == Root(scan_run="7")


def test_a_state_of_a_later_version_is_carried_and_never_acted_on() -> None:
    text = ticked(BODY.replace('"b" state="pending"', '"b" state="blessed"'), "b")
    row = parse(text).rows["b"]
    assert (row.state, row.ticked, row.deployable) == ("blessed", True, False)
    assert row.text() in body(parse(text)).replace("## In another state\n\n", "")
    assert ticks(text, [], complete=True).stray == ("b",)


def test_a_box_of_a_row_without_a_hash_approves_nothing() -> None:
    text = ticked(BODY.replace(B_LINE, B_LINE.replace(f' hash="{HASH}"', "")), "b")
    row = parse(text).rows["b"]
    assert (row.state, row.ticked, row.hash, row.deployable) == ("pending", True, None, False)
    assert (ticks(text, [], complete=True).ticks, ticks(text, [], complete=True).stray) == ((), ("b",))


def test_deploys_that_cannot_be_read_are_left_out() -> None:
    assert parse(BODY.replace('deployed stack="c" at=', 'deployed stack="c" on=')).recent == ()
    assert parse(BODY.replace('deployed stack="c"', 'deployed name="c"')).recent == ()


def test_the_same_body() -> None:
    assert same(BODY, BODY.replace("\n", "\r\n"))
    assert same(BODY, BODY.rstrip("\n"))
    assert not same(BODY, ticked(BODY, "a"))


@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_whatever_is_done_to_its_lines_no_row_is_another_than_it_was(chance: random.Random, times: int) -> None:
    lines = list(LINES)
    for _ in range(times):
        index = chance.randrange(len(lines))
        done = chance.choice(["delete", "double", "swap", "join", "indent", "cut", "tick"])
        if done == "delete" and len(lines) > 1:
            del lines[index]
        elif done == "double":
            lines.insert(chance.randrange(len(lines)), lines[index])
        elif done == "swap":
            lines.append(lines.pop(index))
        elif done == "join" and index:
            lines[index - 1 : index + 1] = [lines[index - 1] + lines[index]]
        elif done == "tick":
            lines[index] = lines[index].replace("- [ ]", "- [x]")
        else:
            lines[index] = f" {lines[index]}" if done == "indent" else lines[index][: chance.randrange(80)]
    found, whole = parse("\n".join(lines)), parse(BODY)
    for stack, row in found.rows.items():
        assert row.marker == whole.rows[stack].marker
        assert row.deployable <= whole.rows[stack].deployable
    assert not set(found.rows) & set(found.damaged)
    rebuilt = body(found)
    assert parse(rebuilt).damaged == ()
    assert parse(rebuilt).rows == found.rows


@given(st.text(st.sampled_from('<!-- sluiceway:rowend" =stack[]x\n\r\t1%'), max_size=200) | st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    assert parse(text).root is None
