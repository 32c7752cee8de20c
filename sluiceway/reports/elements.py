"""Elements of HTML and XML. What comes from outside is their text or the value of an attribute, so nothing else.

The standard library's ElementTree escapes both on the way out. A template language would cost every install a package
and this report another 120 ms of imports, and escapes no better than a tree does.
"""

from xml.etree.ElementTree import Element

from sluiceway.reports.words import visible

_FLOWING = frozenset({"bdi", "button", "code", "span", "strong"})
"""What stands within a line; all else ends one, so that a page can be read and compared."""


def element(tag: str, *content: "str | Element | None", **attributes: str | None) -> Element:
    """Return an element of HTML. ``class_`` gives ``class``, ``aria_label`` ``aria-label``; None is left out.

    All text passes :func:`~sluiceway.reports.words.visible`.
    """
    given = {name.rstrip("_").replace("_", "-"): visible(text) for name, text in attributes.items() if text is not None}
    made = Element(tag, given)
    for part in content:
        _append(made, part)
    made.tail = None if tag in _FLOWING else "\n"
    return made


def whole(tag: str, text: str, **attributes: str) -> Element:
    """Return an element whose text is ours and stands as it is, over several lines: a script, a style sheet."""
    made = element(tag, **attributes)
    made.text = text
    return made


def _append(made: Element, part: "str | Element | None") -> None:
    if isinstance(part, Element):
        if part.tail and len(made) and not made[-1].tail:
            made[-1].tail = "\n"
        made.append(part)
    elif part and len(made):
        made[-1].tail = (made[-1].tail or "") + visible(part)
    elif part:
        made.text = (made.text or "") + visible(part)
