"""A body as GitHub renders it: cmark-gfm, which GitHub runs, then read as a browser reads HTML."""

import re
from dataclasses import dataclass
from functools import cached_property

import cmarkgfm
from cmarkgfm.cmark import Options
from selectolax.lexbor import LexborHTMLParser, LexborNode

OURS = {"html", "head", "body", "h2", "p", "strong", "ul", "li", "input", "code", "a", "details", "summary"}
"""The elements that a body of ours has."""
LINKING = re.compile(r"@\w|#\d|\bGH-\d|://\w|\bwww\.\w", re.IGNORECASE)
"""What GitHub makes a mention or a link of, wherever it stands outside of code."""

_AS_IN_ISSUES = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_HARDBREAKS | Options.CMARK_OPT_FOOTNOTES


@dataclass(frozen=True)
class Page:
    """A rendered body."""

    html: str

    @cached_property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.html)

    @cached_property
    def tags(self) -> set[str]:
        return {node.tag for node in self._nodes() if node.tag}

    @cached_property
    def links(self) -> list[str]:
        return [node.attributes["href"] or "" for node in self.tree.css("a")]

    @cached_property
    def boxes(self) -> list[bool]:
        """Whether each box is ticked."""
        return ["checked" in node.attributes for node in self.tree.css("input[type=checkbox]")]

    @cached_property
    def headings(self) -> list[str]:
        return [node.text() for node in self.tree.css("h1, h2, h3, h4, h5, h6")]

    @cached_property
    def prose(self) -> str:
        """All text that is neither code nor the words of a link."""
        texts = [
            node.text_content or "" for node in self._nodes(text=True) if node.tag == "-text" and self._is_prose(node)
        ]
        return "\n".join(texts)

    @cached_property
    def codes(self) -> list[str]:
        return [node.text() for node in self.tree.css("code")]

    def lists(self, heading: str) -> list[LexborNode]:
        """Return the lists between a heading and the next."""
        found, node = [], next(node for node in self.tree.css("h2") if node.text() == heading).next
        while node is not None and node.tag != "h2":
            found += [node] if node.tag == "ul" else []
            node = node.next
        return found

    def _nodes(self, *, text: bool = False) -> list[LexborNode]:
        assert self.tree.root is not None
        found = list(self.tree.root.traverse(include_text=text))
        return [node for node in found if text or not (node.tag or "-").startswith("-")]

    @staticmethod
    def _is_prose(node: LexborNode) -> bool:
        above = node.parent
        while above is not None:
            if above.tag in {"code", "a"}:
                return False
            above = above.parent
        return True


def rendered(body: str) -> Page:
    """Return ``body`` as a page."""
    return Page(cmarkgfm.github_flavored_markdown_to_html(body, options=_AS_IN_ISSUES))
