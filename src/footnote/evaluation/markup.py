"""Build HTML as a tree, so that text is always escaped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from xml.etree.ElementTree import Element, tostring

Content = Element | str


def element(name: str, /, *content: Content, **attributes: str | float) -> Element:
    """An element; a trailing `_` of an attribute's name is dropped, others become `-`."""
    built = Element(name, {_spelt(key): _text(value) for key, value in attributes.items()})
    extend(built, content)
    return built


def extend(parent: Element, content: Iterable[Content]) -> Element:
    """Append content to the parent, and return it."""
    for part in content:
        if isinstance(part, Element):
            parent.append(part)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + clean(part)
        else:
            parent.text = (parent.text or "") + clean(part)
    return parent


def document(page: Element) -> str:
    """The whole file."""
    return "<!doctype html>\n" + tostring(page, encoding="unicode", method="html") + "\n"


def clean(text: str) -> str:
    """Remove what HTML may not contain: control characters and lone surrogates."""
    return "".join(
        char for char in text if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cs"}
    )


def _spelt(name: str) -> str:
    return "viewBox" if name == "view_box" else name.removesuffix("_").replace("_", "-")


def _text(value: str | float) -> str:
    return clean(value) if isinstance(value, str) else f"{value:g}"
