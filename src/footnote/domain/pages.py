"""A page of a document as it is shown, and where on it a quote stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """What to mark on a page: a text, or a span of the document's canonical text."""

    text: str | None = None
    char_start: int | None = None
    """With `char_end` in place of a text, as a `Citation` has them."""
    char_end: int | None = None


class QuoteMatch(StrEnum):
    """How a quote was found on a page."""

    EXACT = "exact"
    """All of its letters and digits, in their order."""
    PARTIAL = "partial"
    """Its beginning or its end, as of a quote that goes over the border of the page."""
    APPROXIMATE = "approximate"
    """Most of it, in pieces or with other letters between."""
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rectangle:
    """A part of a page in points, from the top left corner of the page as it is shown."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedQuote:
    """A highlight, and where it stands on a page."""

    quote: str
    match: QuoteMatch
    """`exact` for all its letters, `partial` for its beginning or end at the border of the page,
    `approximate` for most of it, else `none`."""
    text: str = ""
    """What stands in the rectangles, as the page has it."""
    rectangles: tuple[Rectangle, ...] = ()
    """In reading order, one for each line or cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRectangles:
    """Where quotes stand on one page."""

    page: int
    page_count: int
    width_points: float
    height_points: float
    quotes: tuple[MarkedQuote, ...]
    """In the order of the highlights."""
    unread: str = ""
    """Why the text of the page could not be looked through, if it could not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A page as a picture, its quotes marked."""

    content: bytes = field(repr=False)
    """A PNG."""
    width: int
    """In pixels."""
    height: int
    rectangles: PageRectangles


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesOfQuote:
    """On which pages a quote stands."""

    page_count: int
    pages: tuple[int, ...]
    """Best first; empty when it stands on none, or on pages without a text layer alone."""
