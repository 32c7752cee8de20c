"""The site of the docs in a browser that reaches nothing but the server it lies on."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import Page
from tests.site import build

pytestmark = pytest.mark.browser

SECONDS = 30
PAGES = ("index.html", "tutorial.html", "comparison.html", "kubectl.html", "json.html", "how-to/index.html")
OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Handler(SimpleHTTPRequestHandler):
    """Serves files, and says nothing of it."""

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    directory = tmp_path_factory.mktemp("site")
    build(directory)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(directory))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def site(browser: Chrome, tmp_path: Path) -> Page:
    page = Page(browser, tmp_path / "unused.html")
    page.be()
    page.requests()
    browser.get_log("browser")
    return page


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_nobody_else_and_complains_of_nothing(site: Page, address: str, name: str) -> None:
    site.browser.get(f"{address}/{name}")
    site.drawn()

    asked = [url for url in site.requests() if not url.startswith("data:")]
    assert len(asked) > 1
    assert [url for url in asked if not url.startswith(f"{address}/")] == []
    assert site.browser.get_log("browser") == []


def test_the_search_finds_a_page_and_its_part(site: Page, address: str) -> None:
    site.browser.get(f"{address}/index.html")

    site.click(".md-search__input")
    site.type("finalizers")
    WebDriverWait(site.browser, SECONDS).until(lambda _driver: site.shown(".md-search-result__link"))

    links = site.run("return [...document.querySelectorAll('.md-search-result__link')].map((link) => link.href)")
    assert any(link.startswith(f"{address}/kubectl.html") for link in links)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_colours_are_those_that_the_reader_has_chosen(site: Page, address: str, dark: bool) -> None:
    site.be(dark=dark)
    site.browser.get(f"{address}/index.html")

    scheme = site.run("return document.body.getAttribute('data-md-color-scheme')")
    assert scheme == ("slate" if dark else "default")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_wide_as_a_phone(site: Page, address: str, name: str) -> None:
    site.be(width=390)
    site.browser.get(f"{address}/{name}")
    site.drawn()

    assert site.run(OVERFLOW) <= 0
