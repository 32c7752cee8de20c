"""A headless Chromium, and a page in it as it would lie on someone's disk."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

from sluiceway.model.rows import Row
from sluiceway.reports.html import rows_html

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # in a container there is none; the page is our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def program(*names: str) -> str:
    """Return where one of the programs is. A test that was asked for and has none fails."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.fail(f"browser tests were asked for, and there is none of {', '.join(names)} on PATH", pytrace=False)
    return found


@dataclass
class Page:
    """A page that a browser shows."""

    browser: Chrome
    file: Path

    def open(self, rows: list[Row], *, act: str = "preview") -> None:
        self.open_html(rows_html(rows, act=act))

    def open_html(self, html: str) -> None:
        self.file.write_text(html, encoding="utf-8")
        self.browser.get(self.file.as_uri())

    def run(self, script: str, *given: Any) -> Any:
        """Run a script in the page, and return what it returns."""
        return self.browser.execute_script(script, *given)

    def tell(self, command: str, **given: Any) -> Any:
        """Tell Chromium something in its DevTools protocol."""
        return self.browser.execute_cdp_cmd(command, given)

    def be(self, *, dark: bool = False, width: int = 1200, media: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.tell("Emulation.setEmulatedMedia", media=media, features=features)
        self.tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600
        )

    def drawn(self) -> None:
        """Wait until the page has drawn itself anew, and told its scripts why."""
        self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def type(self, *keys: str) -> None:
        self.browser.switch_to.active_element.send_keys(*keys)

    def search(self, text: str) -> None:
        box = self.browser.find_element("id", "query")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.BACKSPACE, text)

    def click(self, selector: str) -> None:
        self.browser.find_element("css selector", selector).click()

    def shown(self, selector: str) -> list[str]:
        """Return the text of each element that can be seen."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].filter((node) => node.checkVisibility())"
            ".map((node) => node.innerText.replace(/\\s+/g, ' ').trim())",
            selector,
        )

    def requests(self) -> list[str]:
        """Return what the page has asked for since this was last asked."""
        messages = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = Options()
    options.binary_location = program(*NAMES)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    browser = Chrome(options, Service(program("chromedriver")))
    browser.set_page_load_timeout(60)
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def page(browser: Chrome, tmp_path: Path) -> Iterator[Page]:
    """A page at the usual width in light colours. What it complained about in the console fails the test."""
    made = Page(browser, tmp_path / "preview.html")
    made.be()
    made.requests()
    yield made
    complaints = browser.get_log("browser")
    made.tell("Emulation.setScriptExecutionDisabled", value=False)
    browser.get("about:blank")
    assert complaints == []
