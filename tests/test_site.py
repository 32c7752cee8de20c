"""The site is built without a warning, needs nobody but itself, and shows what GitHub shows."""

import json
import re
from pathlib import Path

import pytest

from tests.site import ROOT, build

DOCS = ROOT / "docs"

_FROM_ELSEWHERE = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)="?(?:https?:)?//')
_TAGS = re.compile(r"<pre.*?</pre>|<code>.*?</code>|<[^>]+>", re.DOTALL)
_ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site")
    build(directory)
    return directory


def pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_every_page_of_the_docs_is_there_and_nothing_else_of_it(site: Path) -> None:
    made = {"README": "index"}
    wanted = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    names = {path.with_name(made.get(path.name, path.name)).as_posix() + ".html" for path in wanted}

    assert names <= set(pages(site))
    assert {"CHANGELOG.html", "CONTRIBUTING.html"} <= set(pages(site))
    assert not list(site.rglob("*.py"))
    assert not list(site.glob("*.yaml"))


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    assert [name for name, text in pages(site).items() if _FROM_ELSEWHERE.search(text)] == []
    assert [path.name for path in site.rglob("*.css") if "@import" in path.read_text(encoding="utf-8")] == []


def test_links_out_of_the_docs_lead_to_what_came_with_them(site: Path) -> None:
    assert 'href="schema/output.schema.json"' in pages(site)["json.html"]
    assert (site / "schema" / "output.schema.json").read_bytes() == (
        ROOT / "schema" / "output.schema.json"
    ).read_bytes()
    assert 'href="decisions/index.html"' in pages(site)["CONTRIBUTING.html"]


def test_markdown_is_read_as_github_reads_it(site: Path) -> None:
    """Tables, fences and lists that MkDocs reads otherwise are left as text with their marks."""
    for name, text in pages(site).items():
        for article in _ARTICLE.findall(text):
            shown = _TAGS.sub("", article)
            assert not re.search(r"^\s*(\| |- |\* |```|#+ )", shown, re.MULTILINE), name
            assert "| ---" not in shown, name


def test_the_search_finds_pages(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"].partition("#")[0] for entry in index["docs"]}

    assert {"tutorial.html", "kubectl.html", "decisions/0076-what-is-never-pruned.html"} <= places
