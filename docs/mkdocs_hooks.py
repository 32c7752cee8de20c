"""What MkDocs needs to know of this repo: pages that lie outside of ``docs/``, and folders in the navigation.

A page may link to any file of the repo, as it may on GitHub. What lies outside of ``docs/`` comes to the site with it:
a Markdown file as a page, any other file as it is.
"""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
HOME = {"README.md": "index.md"}
"""What the repo shows first is not what the site shows first."""

_LINK = re.compile(r"(?<=\]\()(?!https://|#)([^)\s#]+)")
_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of a folder where the navigation names the folder."""
    config.nav = [_listed(entry) for entry in config.nav or []]
    return config


def _listed(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_listed(each) for each in entry]
    if isinstance(entry, dict):
        return {title: _listed(value) for title, value in entry.items()}
    if entry.endswith("/"):
        # An index comes first, and is the page of the section itself.
        pages = sorted((DOCS / entry).glob("*.md"), key=lambda path: (path.stem not in {"README", "index"}, path.name))
        return [path.relative_to(DOCS).as_posix() for path in pages]
    return _place((DOCS / entry).resolve())


def _place(path: Path) -> str:
    """Return where a file of the repo lies in the site."""
    name = path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).as_posix()
    return HOME.get(name, name)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what pages link to, and what the navigation names, outside of ``docs/``."""
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    waiting += [ROOT / entry for entry in _names(config.nav) if not (DOCS / entry).exists()]
    while waiting:
        path = waiting.pop()
        if path.is_file() and _place(path) not in files.src_uris:
            files.append(File.generated(config, _place(path), abs_src_path=str(path)))
        if path.suffix == ".md":
            linked = {(path.parent / link).resolve() for link in _LINK.findall(_prose(path))}
            waiting += [each for each in linked if each.is_file() and _place(each) not in files.src_uris]
    return files


def _names(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [name for entry in (nav.values() if isinstance(nav, dict) else nav) for name in _names(entry)]


def _prose(path: Path) -> str:
    return _FENCED.sub("", path.read_text(encoding="utf-8"))


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let each link lead to where its file lies in the site."""
    del config, files
    here, place = Path(page.file.abs_src_path or "").parent, Path(page.file.src_uri).parent

    def moved(link: re.Match[str]) -> str:
        target = (here / link[1]).resolve()
        return Path(os.path.relpath(_place(target), place)).as_posix() if target.is_file() else link[1]

    return _LINK.sub(moved, markdown)
