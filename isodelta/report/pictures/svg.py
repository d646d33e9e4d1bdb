"""SVG as a tree of elements, so that every text in a picture is escaped by construction."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

Element = ElementTree.Element

CHARACTER_WIDTH = 6.7
"""Rough width of one character of a label, in user units; rather too wide than too narrow."""

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def printable(text: object) -> str:
    """The text without the control characters that XML cannot hold (each becomes U+FFFD)."""
    return _UNPRINTABLE.sub("\ufffd", str(text))


def shortened(text: str, length: int = 16) -> str:
    """The text, cut if it would not fit into its place in a picture."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def picture(width: float, height: float, ident: str, title: str, description: str) -> Element:
    """An empty picture with its accessible name; ``ident`` must be unique in the page."""
    root = ElementTree.Element(
        "svg",
        {
            "viewBox": f"0 0 {width:g} {height:g}",
            "width": f"{width:g}",
            "height": f"{height:g}",
            "role": "img",
            "aria-labelledby": f"{ident}-title {ident}-desc",
        },
    )
    add(root, "title", text=title, id=f"{ident}-title")
    add(root, "desc", text=description, id=f"{ident}-desc")
    return root


def add(parent: Element, tag: str, *, text: object = None, **attributes: object) -> Element:
    """Append one element; ``class_`` becomes class, and underscores in names become hyphens."""
    rendered = {
        key.rstrip("_").replace("_", "-"): f"{value:g}"
        if isinstance(value, float)
        else printable(value)
        for key, value in attributes.items()
    }
    child = ElementTree.SubElement(parent, tag, rendered)
    if text is not None:
        child.text = printable(text)
    return child


def markup(root: Element) -> Markup:
    """The finished picture, safe to put into a page: ElementTree has escaped its texts."""
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704
