import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.markdown import check_markdown, code, escaped, rows_markdown, stacks_markdown
from sluiceway.reports.words import visible
from tests.fakes import CREATE, DELETE, DRIFT, UPDATE
from tests.strategies import HOSTILE, names, rows

HASH = "0123456789abcdef"
OURS = {"heading", "paragraph", "bullet_list", "list_item", "inline", "text", "code_inline", "strong", "softbreak"}


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        found += [token, *(token.children or [])]
    return found


def kinds(text: str) -> set[str]:
    return {re.sub("_(open|close)$", "", token.type) for token in tokens(text)}


def test_report_of_a_drifted_stack_with_changes() -> None:
    row = Row("web", "kubectl", "pending", HASH, 1, (CREATE, DELETE, UPDATE), (DRIFT,), True, notes=("Mind *this*",))
    assert rows_markdown([row], ["--root", "a b"]) == (
        "### `web`: pending\n"
        "\n"
        "**1 delete**, 1 create, 1 update, 1 object changed outside the code\n"
        "\n"
        "- **delete** `ConfigMap/shop/old`\n"
        "- create `Service/shop/web`\n"
        "- update `ConfigMap/shop/settings`\n"
        "  - `data.greeting`\n"
        "\n"
        "Changed outside the code:\n"
        "\n"
        "- changed `Deployment.apps/shop/web`\n"
        "  - by `kubectl (Update, subresource scale, 2026-11-30T12:30:56Z)`: `spec.replicas`\n"
        "\n"
        "- Note: Mind \\*this\\*\n"
        "\n"
        "To deploy exactly this: `sluiceway deploy web --hash 0123456789abcdef --root 'a b' --repair-drift`\n"
    )


def test_report_of_a_failure_and_of_one_in_sync() -> None:
    failed = Row("a_b", "kubectl", "preview-failed", reason=Reason("timed-out", "web_1 is <slow>", "Try."))
    assert rows_markdown([failed, Row("db", "kubectl", "in-sync", HASH)]) == (
        "### `a_b`: preview failed\n\nWhy: web\\_1 is &lt;slow&gt;. Try.\n\n### `db`: in sync\n"
    )


def test_no_rows() -> None:
    assert rows_markdown([]) == "No stacks.\n"


def test_check_and_stacks() -> None:
    problem = Problem("sluiceway.yaml", 3, "stacks[0].path", "is odd")
    stack = Stack("web", "apps/web", "kubectl", {"prune": True})
    assert check_markdown([problem], []) == "- `sluiceway.yaml:3:stacks[0].path`: is odd\n"
    assert check_markdown([], [stack]) == "No problems in 1 stack.\n"
    assert stacks_markdown([stack]) == "- `web`: tool `kubectl`, path `apps/web`, `prune` `true`\n"
    assert stacks_markdown([]) == "No stacks.\n"


@given(names)
def test_a_code_span_holds_a_name_and_nothing_else(name: str) -> None:
    inline = [token for token in tokens(f"- {code(name)} x") if token.type in {"code_inline", "text"}]
    assert [token.type for token in inline] == ["code_inline", "text"]
    assert inline[0].content.strip(" ") == visible(name).strip(" ")


@given(names)
def test_a_sentence_is_text_and_nothing_else(name: str) -> None:
    found = tokens(f"Note: {escaped(name)}.")
    assert {token.type for token in found} <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
    read = "".join(token.content for token in found if token.type in {"text", "text_special"})
    assert read.replace("\u200b", "") == f"Note: {visible(name)}."


@pytest.mark.parametrize(
    "name", ["@octocat", "a@octocat", "#12", "o/r#12", "GH-12", "https://x.example", "www.x.example"]
)
def test_nothing_in_a_sentence_is_linked(name: str) -> None:
    read = "".join(token.content for token in tokens(f"x {escaped(name)}") if token.type in {"text", "text_special"})
    assert not re.search(r"@\w|#\d|GH-\d|://\w|www\.\w", read)


@given(st.lists(rows(), min_size=1, max_size=3))
def test_no_name_is_ever_more_than_a_name(given_rows: list[Row]) -> None:
    text = rows_markdown(given_rows)
    assert kinds(text) - {"text_special"} <= OURS
    assert sum(token.type == "heading_open" for token in tokens(text)) == len(given_rows)
    assert all(char.isprintable() or char in "\n\u200b" for char in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_in_each_place(name: str) -> None:
    row = Row(name, name, "preview-failed", reason=Reason("timed-out", name, name), notes=(name,))
    problem, stack = Problem(name, 1, name, name), Stack(name, name, name, {name: name})
    for text in (rows_markdown([row]), check_markdown([problem], []), stacks_markdown([stack])):
        assert kinds(text) - {"text_special"} <= OURS
        assert "- [x]" not in {line.strip()[:5] for line in text.splitlines()}
        assert "##[" not in text
