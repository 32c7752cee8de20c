"""The page: what a browser reads in it, with names as hostile as the world can make them."""

import re
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sluiceway.model.changes import Change, ShownValue
from sluiceway.model.reasons import Reason
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.html import check_html, rows_html, stacks_html
from sluiceway.reports.words import visible
from tests.fakes import CREATE, DELETE, DRIFT, UPDATE
from tests.strategies import HOSTILE, rows

HASH = "0123456789abcdef"
PENDING = Row("web", "kubectl", "pending", HASH, 1, (CREATE, DELETE, UPDATE), (DRIFT,), True, notes=("Mind <this>",))
EMPTY = {"input", "meta"}
OURS = {
    *("a", "article", "bdi", "body", "button", "code", "details", "div", "footer", "h1", "h2", "head"),
    *(
        "header",
        "html",
        "input",
        "label",
        "li",
        "main",
        "meta",
        "option",
        "p",
        "script",
        "select",
        "span",
        "strong",
        "style",
    ),
    *("summary", "title", "ul"),
}


@dataclass
class Node:
    tag: str
    given: dict[str, str | None]
    inside: "Node | None" = None
    text: str = ""
    below: "list[Node]" = field(default_factory=list)

    @property
    def shown(self) -> str:
        return " ".join(self.text.split())


class Page(HTMLParser):
    """The elements of a page, each with all the text in it; an end that fits no start is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self._open: list[Node] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), tag
        node = Node(tag, dict(attrs), self._open[-1] if self._open else None)
        self.nodes.append(node)
        if tag not in EMPTY:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for node in self._open:
            node.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def all(self, tag: str, **given: str) -> list[Node]:
        return [
            node
            for node in self.nodes
            if node.tag == tag and all(node.given.get(name.rstrip("_")) == value for name, value in given.items())
        ]

    def texts(self, tag: str, **given: str) -> list[str]:
        return [node.shown for node in self.all(tag, **given)]


def test_what_is_taken_away_stands_first_in_the_page_and_in_its_row() -> None:
    page = Page(rows_html([Row("db", "kubectl", "in-sync", HASH), PENDING]))
    (callout,) = page.all("p", class_="callout")
    assert callout.shown == "1 delete in web"
    assert page.texts("article")[1].startswith(
        "Pending web 1 delete, 1 create, 1 update, 1 object changed outside the code, kubectl, 1.0 s "
        "delete ConfigMap/shop/old 1 create, 1 update create Service/shop/web update ConfigMap/shop/settings"
    )
    assert page.texts("strong", class_="loud") == ["1 delete"]


def test_a_row_says_all_that_the_other_reports_say() -> None:
    page = Page(rows_html([PENDING], ["--root", "a b"]))
    assert page.texts("h1") == ["Preview of 1 stack"]
    assert page.texts("h2") == ["Pending web"]
    assert page.texts("summary") == ["1 create, 1 update", "1 object changed outside the code"]
    assert page.texts("li", class_="item")[-1] == (
        "changed Deployment.apps/shop/web by kubectl (Update, subresource scale, 2026-11-30T12:30:56Z) spec.replicas"
    )
    assert "Note: Mind <this>" in page.texts("p")
    assert page.texts("code")[-1] == "sluiceway deploy web --hash 0123456789abcdef --root 'a b' --repair-drift"


def test_values_that_may_be_seen_and_paths_that_force_a_replace() -> None:
    replace = Change(
        "d", "disk", "d", "replace", ("size", "zone"), replace_keys=("zone",), values=(ShownValue("size", "1", "2"),)
    )
    page = Page(rows_html([Row("web", "kubectl", "pending", HASH, changes=(replace,))]))
    assert page.texts("li", class_="path") == ["size: 1 → 2", "zone forces the replace"]


def test_failures_and_outcomes() -> None:
    reason = Reason("timed-out", "It was slow", "Try again.")
    failed = Row("net", "kubectl", "preview-failed", reason=reason)
    gone = ("applied Service/a", "deleted Service/b")
    deployed = Row("web", "kubectl", "pending", HASH, 1, (DELETE,), outcome="deployed", done=gone)
    page = Page(rows_html([failed, deployed], (), "deploy"))
    assert page.texts("h1") == ["Deploy of 2 stacks"]
    assert page.texts("h2") == ["Preview failed net", "Deployed web"]
    assert page.texts("p", class_="callout") == ["1 delete in web", "1 failure in net"]
    assert "Why: It was slow. Try again." in page.texts("p")
    assert page.texts("summary") == ["1 object deleted", "1 object applied"]
    assert page.all("button", class_="copy") == []


def test_several_stacks_have_one_command_together_and_one_each() -> None:
    page = Page(rows_html([PENDING, Row("db", "kubectl", "pending", HASH, 1, (UPDATE,))]))
    assert [text for text in page.texts("code") if text.startswith("sluiceway")] == [
        f"sluiceway deploy web --hash {HASH} --repair-drift",
        f"sluiceway deploy db --hash {HASH}",
        f"sluiceway deploy web db --hash web={HASH} --hash db={HASH} --repair-drift",
    ]
    assert page.texts("button", class_="copy") == [
        "Copy the deploy of web",
        "Copy the deploy of db",
        "Copy the deploy of all",
    ]


def test_long_folds_are_closed_and_deletes_are_in_none() -> None:
    many = tuple(Change(f"c{index}", "c", f"{index}", "create") for index in range(26))
    deletes = tuple(Change(f"d{index}", "d", f"{index}", "delete") for index in range(26))
    page = Page(rows_html([Row("web", "kubectl", "pending", HASH, 1, (*many, *deletes))]))
    assert [("open" in fold.given, fold.shown[:10]) for fold in page.all("details")] == [(False, "26 creates")]
    assert len([text for text in page.texts("li", class_="item") if text.startswith("delete ")]) == 26


def test_no_rows() -> None:
    page = Page(rows_html([]))
    assert page.texts("header") == ["Preview of 0 stacks Dark No stacks."]
    assert page.all("input") == []


def test_check_and_stacks() -> None:
    problem, stack = Problem("sluiceway.yaml", 3, "stacks[0].path", "is odd"), Stack("web", "w", "kubectl", {"a": True})
    assert Page(check_html([problem], [])).texts("main") == ["sluiceway.yaml:3:stacks[0].path: is odd"]
    assert Page(check_html([], [stack])).texts("h1") == ["No problems in 1 stack"]
    assert Page(stacks_html([stack])).texts("article") == ["web tool: kubectl path: w a: true"]
    assert Page(stacks_html([])).texts("h1") == ["No stacks"]


def test_the_page_asks_for_nothing_and_takes_only_its_own_script_and_style() -> None:
    html = rows_html([PENDING])
    page = Page(html)
    (policy,) = [node.given["content"] for node in page.all("meta") if "http-equiv" in node.given]
    script, style = page.all("script"), page.all("style")

    def digest(nodes: list[Node]) -> str:
        (node,) = nodes
        return f"'sha256-{b64encode(sha256(node.text.encode()).digest()).decode()}'"

    assert policy == (
        f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not {name for node in page.nodes for name in node.given if name.startswith("on") or name == "style"}
    links = {node.given[name] for node in page.nodes for name in ("src", "href", "action") if name in node.given}
    assert links == {"#report", "#stack-1"}
    assert not re.search(r"url\(|@import|https?:|//[a-z]", style[0].text + script[0].text.replace("// which", ""))
    assert "</" not in style[0].text + script[0].text


def test_what_the_script_serves_is_hidden_without_it() -> None:
    page = Page(rows_html([PENDING]))
    (tools,) = page.all("div", id="tools")
    hidden = [node for node in page.nodes if "hidden" in node.given]

    def parents(node: Node) -> list[Node]:
        return [node, *(parents(node.inside) if node.inside else [])]

    assert "hidden" in tools.given
    for node in (*page.all("button"), *page.all("input"), *page.all("select")):
        assert [parent for parent in parents(node) if parent in hidden], node.given


def test_what_is_acted_on_has_a_name_and_what_is_named_is_there() -> None:
    page = Page(rows_html([PENDING]))
    ids = [node.given["id"] for node in page.nodes if "id" in node.given]
    assert len(ids) == len(set(ids))
    assert {node.given["for"] for node in page.all("label")} == {"query", "state"}
    assert {str(node.given["href"])[1:] for node in page.all("a")} <= set(ids)
    assert {node.given["aria-labelledby"] for node in page.all("article")} <= set(ids)
    assert all(node.shown for node in (*page.all("button"), *page.all("summary"), *page.all("a")))
    assert [node.tag for node in page.nodes if re.fullmatch("h[1-6]", node.tag)] == ["h1", "h2"]


@given(st.lists(rows(), min_size=1, max_size=3))
def test_no_name_is_ever_more_than_a_name(given_rows: list[Row]) -> None:
    html = rows_html(given_rows)
    page = Page(html)
    assert {node.tag for node in page.nodes} <= OURS
    assert len(page.all("article")) == len(given_rows)
    assert len(page.all("script")) == 1
    assert [node.text for node in page.all("bdi") if node.inside and node.inside.tag == "h2"] == [
        visible(row.stack) for row in given_rows
    ]
    assert all(char.isprintable() or char == "\n" for char in html)
    assert html == rows_html(given_rows)


@pytest.mark.parametrize(
    "name", [*HOSTILE, "</script><script>alert(1)</script>", "\"' onfocus=alert(1) x='", "&lt;b&gt;"]
)
def test_hostile_names_in_each_place(name: str) -> None:
    row = Row(name, name, "preview-failed", reason=Reason("timed-out", name, name), notes=(name,))
    problem, stack = Problem(name, 1, name, name), Stack(name, name, name, {name: name})
    for html in (rows_html([row], [name]), check_html([problem], []), stacks_html([stack])):
        page = Page(html)
        assert {node.tag for node in page.nodes} <= OURS
        assert len(page.all("script")) == 1
        assert visible(name) in page.all("body")[0].text
        assert "##[" not in html
