"""The page in a browser: search, keyboard, colours, phone, paper, without JavaScript, and offline."""

import re
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from sluiceway.model.changes import Change, ShownValue
from sluiceway.model.rows import Row
from sluiceway.model.stacks import Problem, Stack
from sluiceway.reports.html import check_html, rows_html, stacks_html
from tests.browser.conftest import Page
from tests.fakes import CONFLICT, CREATE, DELETE, DRIFT, UPDATE
from tests.strategies import HOSTILE

pytestmark = pytest.mark.browser

HASH = "0123456789abcdef"
MANY = tuple(Change(f"ConfigMap/shop/c{n:02}", "ConfigMap", f"shop/c{n:02}", "create") for n in range(40))
DEPLOYMENT = Change(
    "Deployment.apps/shop/web",
    "Deployment",
    "shop/web",
    "update",
    ("spec.replicas", 'spec.template.metadata.annotations["example.com/a-name-that-goes-on-and-on-and-on-and-on"]'),
    values=(ShownValue("spec.replicas", "2", "3"),),
)
REPLACE = Change("Job.batch/shop/migrate", "Job", "shop/migrate", "replace", ("spec",), replace_keys=("spec",))
WEB = Row("web", "kubectl", "pending", HASH, 1, (CREATE, DELETE, UPDATE, DEPLOYMENT, REPLACE), notes=("Mind this.",))
ROWS = [
    WEB,
    Row("db", "kubectl", "in-sync", HASH),
    Row("many", "helm", "pending", HASH, 1, MANY),
    Row("net", "helm", "preview-failed", reason=CONFLICT.reason),
    Row("odd", "kubectl", "drift", HASH, drift=(DRIFT,), drift_checked=True),
]
LONG = [
    Row(f"{name}{'x' * 90}", "kubectl", "pending", HASH, changes=(Change(name + "y" * 90, name, name, "delete"),))
    for name in HOSTILE
]
COLOURS = """
const seen = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const solid = (colour) => !/, 0\\)$|\\/ 0\\)$/.test(colour) && colour !== "transparent";
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !node.checkVisibility({visibilityProperty: true})) continue;
  let ground = node;
  while (ground && !solid(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const behind = ground ? getComputedStyle(ground).backgroundColor : "rgb(255, 255, 255)";
  seen.push([walker.currentNode.textContent.trim(), getComputedStyle(node).color, behind]);
}
return seen;
"""


def stacks(page: Page) -> list[str]:
    return [text.rpartition(" ")[2] for text in page.shown("h2")]


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(
    ("words", "found", "count"),
    [
        ("web", ["web", "odd"], "2 of 5 stacks shown, with 6 entries."),
        ("net", ["net"], "1 of 5 stacks shown, with 0 entries."),
        ("ConfigMap/shop/c17", ["many"], "1 of 5 stacks shown, with 1 entry."),
        ("data.greeting", ["web"], "1 of 5 stacks shown, with 1 entry."),
        ("REPLICAS deploy", ["web", "odd"], "2 of 5 stacks shown, with 2 entries."),
        ("delete", ["web"], "1 of 5 stacks shown, with 1 entry."),
        ("in sync", ["db"], "1 of 5 stacks shown, with 0 entries."),
        ("helm", ["many", "net"], "2 of 5 stacks shown, with 40 entries."),
        ("mind", ["web"], "1 of 5 stacks shown, with 5 entries."),
        ("nothing of the kind", [], "0 of 5 stacks shown, with 0 entries."),
    ],
)
def test_search_by_stack_object_path_state_and_note(page: Page, words: str, found: list[str], count: str) -> None:
    page.open(ROWS)
    page.search(words)
    assert (stacks(page), page.shown("#count")) == (found, [count])


def test_search_shows_what_it_found_and_only_that(page: Page) -> None:
    page.open(ROWS)
    assert page.shown("details:not([open]) > summary") == ["40 creates"]
    page.search("c17")
    assert page.shown(".item") == ["create ConfigMap/shop/c17"]
    assert page.shown("footer") == []
    page.search("")
    assert page.shown("#count") == [""]
    assert page.shown("footer p") == ["To deploy exactly all this:"]
    assert (len(stacks(page)), page.shown("details:not([open]) > summary")) == (5, ["40 creates"])


def test_state_narrows_what_is_searched(page: Page) -> None:
    page.open(ROWS)
    options = page.run("return [...document.getElementById('state').options].map((option) => option.text)")
    assert options == [
        "All (5)",
        "Preview failed (1)",
        "Pending (2)",
        "Drifted (1)",
        "In sync (1)",
    ]
    page.browser.find_element("id", "state").send_keys("Pending")
    assert stacks(page) == ["web", "many"]
    page.search("greeting")
    assert stacks(page) == ["web"]


def test_folds_open_and_close_together(page: Page) -> None:
    page.open(ROWS)
    page.click("#close")
    assert page.shown("details[open] > summary") == []
    page.click("#open")
    assert page.shown("details:not([open]) > summary") == []


def test_every_control_is_reached_by_keyboard_in_order_and_is_seen(page: Page) -> None:
    page.open(ROWS)
    reached = []
    for _ in range(60):
        page.type(Keys.TAB)
        name, outline = page.run(
            "const node = document.activeElement; return [node.id || node.tagName + ' ' + node.textContent.trim(),"
            " getComputedStyle(node).outlineStyle + ' ' + getComputedStyle(node).outlineWidth]"
        )
        if name.startswith("BODY"):
            break
        reached.append(name)
        assert outline == "solid 3px", name
    assert reached[:8] == ["A Skip to the report", "theme", "A web", "A net", "query", "state", "open", "close"]
    assert reached[8:] == [
        "SUMMARY 1 create, 2 updates",
        "BUTTON Copy the deploy of web",
        "SUMMARY 40 creates",
        "BUTTON Copy the deploy of many",
        "SUMMARY 1 object changed outside the code",
        "BUTTON Copy the deploy of odd",
        "BUTTON Copy the deploy of all",
    ]


def test_keys_skip_to_the_report_fold_and_switch(page: Page) -> None:
    page.open(ROWS)
    page.type(Keys.TAB, Keys.ENTER)
    assert page.browser.current_url.endswith("#report")
    page.run("document.querySelectorAll('summary')[1].focus()")
    page.type(Keys.ENTER)
    assert page.shown("details:not([open])") == []
    page.run("document.getElementById('theme').focus()")
    page.type(Keys.SPACE)
    assert page.run("return document.documentElement.dataset.theme") == "dark"


def test_colours_follow_the_system_until_someone_chooses(page: Page) -> None:
    page.open(ROWS)

    def state() -> tuple[bool, str]:
        page.drawn()
        ground = page.run("return getComputedStyle(document.body).backgroundColor")
        return luminance(ground) < 0.2, page.run("return document.getElementById('theme').ariaPressed")

    assert state() == (False, "false")
    page.be(dark=True)
    assert state() == (True, "true")
    page.click("#theme")
    assert state() == (False, "false")
    page.be(dark=False)
    page.click("#theme")
    assert state() == (True, "true")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("act", ["preview", "deploy"])
def test_all_text_can_be_read(page: Page, act: str, dark: bool) -> None:
    deployed = Row("web", "kubectl", "pending", HASH, 1, (DELETE,), outcome="deployed", done=("deleted ConfigMap/x",))
    page.be(dark=dark)
    page.open([*ROWS, deployed], act=act)
    page.search("e")
    seen: list[tuple[str, str, str]] = page.run(COLOURS)
    assert len({colour for _, colour, _ in seen}) >= 5
    assert len(seen) > 100
    assert {(text, *pair): contrast(*pair) for text, *pair in seen if contrast(*pair) < 4.5} == {}


@pytest.mark.parametrize("width", [320, 360, 1200])
@pytest.mark.parametrize("rows", [ROWS, LONG], ids=["usual", "long"])
def test_nothing_is_wider_than_the_screen(page: Page, rows: list[Row], width: int) -> None:
    page.be(width=width)
    page.open(rows)
    page.click("#open")
    assert page.run("return document.documentElement.scrollWidth") <= width
    beyond = "(node) => !node.closest('.unseen') && node.getBoundingClientRect().right > innerWidth"
    assert page.run(f"return [...document.querySelectorAll('body *')].filter({beyond})") == []


def test_controls_are_large_enough_for_a_finger(page: Page) -> None:
    page.be(width=360)
    page.open(ROWS)
    sizes = page.run(
        "return [...document.querySelectorAll('button, input, select, summary')].filter((node) =>"
        " node.checkVisibility()).map((node) => Math.min(node.offsetWidth, node.offsetHeight))"
    )
    assert len(sizes) >= 10
    assert min(sizes) >= 24


def test_a_command_is_copied_and_said_to_be(page: Page) -> None:
    page.tell("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.open(ROWS)
    page.click("article .copy")
    said = "article .command [role=status]"
    page.browser.execute_async_script(
        "const done = arguments[1]; const look = () => document.querySelector(arguments[0]).textContent"
        " ? done() : setTimeout(look, 20); look();",
        said,
    )
    assert page.shown(said)[0] == "Copied."
    page.tell("Emulation.setFocusEmulationEnabled", enabled=True)
    copied = page.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")
    assert copied == f"sluiceway deploy web --hash {HASH}"


def test_a_command_that_can_not_be_copied_is_selected(page: Page) -> None:
    page.open(ROWS)
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click("article .copy")
    assert page.shown("article .command [role=status]")[0] == "Selected: copy it with the keyboard."
    assert page.run("return getSelection().toString()") == f"sluiceway deploy web --hash {HASH}"


def test_without_javascript_everything_is_there_but_what_needs_it(page: Page) -> None:
    page.tell("Emulation.setScriptExecutionDisabled", value=True)
    page.open(ROWS)
    nodes = [node["name"]["value"] for node in tree(page) if node["role"]["value"] == "heading"]
    assert nodes == [
        "Preview of 5 stacks",
        "Pending web",
        "In sync db",
        "Pending many",
        "Preview failed net",
        "Drifted odd",
    ]
    assert not {"button", "searchbox", "combobox"} & {node["role"]["value"] for node in tree(page)}
    items = {node["role"]["value"] for node in tree(page)}
    assert "listitem" in items
    page.browser.find_elements("css selector", "summary")[1].click()
    assert "ConfigMap/shop/c39" in page.browser.find_element("css selector", "main").text


def tree(page: Page) -> list[Any]:
    """Return what a screen reader is told."""
    return [node for node in page.tell("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]


def test_a_screen_reader_is_told_what_there_is(page: Page) -> None:
    page.open(ROWS)
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree(page)]
    for expected in (
        ("banner", ""),
        ("search", ""),
        ("main", ""),
        ("contentinfo", ""),
        ("searchbox", "Search stacks, objects and fields"),
        ("combobox", "State"),
        ("button", "Dark"),
        ("button", "Copy the deploy of web"),
        ("article", "Pending web"),
        ("heading", "Drifted odd"),
        ("link", "web"),
        ("status", ""),
    ):
        assert expected in told
    assert [name for role, name in told if role in {"button", "link", "heading", "article"} and not name] == []


def test_paper_shows_what_is_folded_in_light_colours_and_no_control(page: Page) -> None:
    page.open(ROWS)
    page.be(dark=True, media="print")
    assert len(page.shown(".item")) == 46
    assert page.shown("button, input, select") == []
    assert page.run("return document.querySelector('details:not([open]) .item').getBoundingClientRect().height") > 10
    raised = page.run("return getComputedStyle(document.querySelector('.command code')).backgroundColor")
    assert luminance(raised) > 0.8


@pytest.mark.parametrize(
    "html",
    [
        rows_html([]),
        check_html([Problem("sluiceway.yaml", 3, "stacks[0].path", "is odd")], []),
        stacks_html([Stack("web", "web", "kubectl", {"prune": True})]),
    ],
    ids=["no rows", "check", "stacks"],
)
def test_a_page_without_rows_has_its_colours_and_complains_of_nothing(page: Page, html: str) -> None:
    page.be(width=320)
    page.open_html(html)
    page.click("#theme")
    assert page.run("return document.documentElement.dataset.theme") == "dark"
    assert {(text, *pair): contrast(*pair) for text, *pair in page.run(COLOURS) if contrast(*pair) < 4.5} == {}
    assert page.run("return document.documentElement.scrollWidth") <= 320


def test_nothing_is_fetched(page: Page) -> None:
    page.open([*ROWS, *LONG])
    page.search("web")
    page.click("#theme")
    assert page.requests() == [page.file.as_uri()]


def test_no_script_or_style_but_its_own_is_taken(page: Page) -> None:
    page.open(ROWS)
    assert page.browser.get_log("browser") == []  # its own are taken without a word
    page.run(
        "for (const [tag, text] of [['script', 'window.taken = true'], ['style', 'h1 { color: rgb(1, 2, 3) }']]) {"
        " const node = document.createElement(tag); node.textContent = text; document.body.append(node); }"
        'const image = \'<img src="https://example.com/x" onerror="window.taken = true">\';'
        "document.body.insertAdjacentHTML('beforeend', image)"
    )
    assert page.run("return window.taken") is None
    assert page.run("return getComputedStyle(document.querySelector('h1')).color") != "rgb(1, 2, 3)"
    refused = [entry["message"] for entry in page.browser.get_log("browser")]
    assert len(refused) >= 3
    assert all("Content Security Policy" in message for message in refused)
