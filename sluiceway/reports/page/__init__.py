"""The page around a report in HTML: one file that asks for nothing else and lets nothing in."""

import pkgutil
from base64 import b64encode
from hashlib import sha256
from xml.etree.ElementTree import Element, tostring

from sluiceway.reports.elements import element, whole


def page(title: str, *content: Element | None) -> str:
    """Return a page of HTML that holds ``content``: a header, what has the id ``report``, and what else there is.

    The page's own script and style are the only ones that a browser takes, by their hashes, and nothing is fetched.
    The same content always gives the same bytes.
    """
    style, script = _asset("page.css"), _asset("page.js")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", f"{title} · Sluiceway"),
        whole("style", style),
    )
    skip = element("a", "Skip to the report", class_="skip", href="#report")
    made = element("html", head, element("body", skip, *content, whole("script", script)), lang="en")
    return "<!DOCTYPE html>\n" + tostring(made, encoding="unicode", method="html")


def header(title: str, *content: Element | None) -> Element:
    """Return the header of a page: its heading, the switch of its colours, and ``content``."""
    theme = element("button", "Dark", type="button", id="theme", aria_pressed="false", hidden="")
    return element("header", element("div", element("h1", title), theme, class_="top"), *content)


def _policy(style: str, script: str) -> str:
    own = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def _asset(name: str) -> str:
    """Return a file that lies beside this one. A browser reads CR LF as LF, and so the hash has to."""
    found = pkgutil.get_data(__name__, name)
    if found is None:
        raise FileNotFoundError(name)
    return found.decode("utf-8").replace("\r\n", "\n")
