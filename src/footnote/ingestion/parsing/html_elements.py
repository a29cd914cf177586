"""Tell which elements of an HTML page are not its text: menus, controls, what is hidden."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Set
from html.parser import HTMLParser

_PAGE_PARTS = frozenset("nav aside head".split())
_FURNITURE = frozenset(
    "script style noscript template svg iframe button select option optgroup "
    "datalist textarea dialog canvas object".split()
)
_FURNITURE_ROLES = frozenset(["navigation", "banner", "search", "complementary"])
BLOCK_TAGS = frozenset(
    "p div section article main header blockquote figure figcaption address center body html "
    "dl dt dd details summary form fieldset legend hr ul ol li "
    "table caption tr td th tbody thead tfoot".split()
)
VOID_TAGS = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
_NOTE_KINDS = re.compile(r"(?:doc-)?(?:foot|end|rear)notes?\b")
_COOKIE_NOTICE = re.compile(r"\bcookie", re.IGNORECASE)

Attributes = Mapping[str, str | None]


def is_furniture(tag: str, attributes: Attributes) -> bool:
    """Whether an element is left out with all that is in it."""
    kind = f"{attributes.get('epub:type') or ''} {attributes.get('role') or ''}"
    if tag == "aside" and _NOTE_KINDS.search(kind):
        return False
    return tag in _FURNITURE or is_page_part(tag, attributes) or is_hidden(attributes)


def is_page_part(tag: str, attributes: Attributes) -> bool:
    """Whether it is a part of the page beside its text, rather than a control or a script."""
    return tag in _PAGE_PARTS or (
        tag not in _FURNITURE and attributes.get("role") in _FURNITURE_ROLES
    )


def is_footer(tag: str, attributes: Attributes) -> bool:
    """Whether it is the footer of the page or of a part of it."""
    has_role = attributes.get("role") == "contentinfo" and tag not in VOID_TAGS
    return tag == "footer" or has_role


def is_cookie_notice(attributes: Attributes) -> bool:
    """Whether the element's id or class says that it is about cookies."""
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    return bool(_COOKIE_NOTICE.search(names))


def is_hidden(attributes: Attributes) -> bool:
    """Whether a browser does not show the element."""
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or "display:none" in (attributes.get("style") or "").replace(" ", "").lower()
    )


def unended_tags(text: str) -> Set[int]:
    """Return the start tags without an end tag, by their index among all start tags."""
    pairs = _Pairs()
    pairs.feed(text)
    pairs.close()
    return frozenset(number for numbers in pairs.opened.values() for number in numbers)


class _Pairs(HTMLParser):
    """Pairs the tags that begin elements with those of the same name that end them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.opened: defaultdict[str, list[int]] = defaultdict(list)
        self._tag_count = 0

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.opened[tag].append(self._tag_count)
        self._tag_count += 1

    def handle_endtag(self, tag: str) -> None:
        if self.opened[tag]:
            self.opened[tag].pop()


def whole_number(value: str | None) -> int:
    """Return an attribute's value as a number; 1 unless it is one."""
    number = (value or "").strip()
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 9 else 1
