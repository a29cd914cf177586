"""Where quotes stand on a page, as HTTP and `--json` show it: in points and as fractions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from footnote.domain.json_form import json_form
from footnote.domain.pages import MarkedQuote, PageRectangles, Rectangle


@json_form(flat="points")
@dataclass(frozen=True, slots=True, kw_only=True)
class RectangleOnPage:
    """A part of a page in points, from the top left corner of the displayed page."""

    points: Rectangle
    fractions: Rectangle
    """The same as fractions of the width and the height of the page, 0 to 1."""


@json_form(flat="marked")
@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteOnPage:
    """A quote, and where it stands on a page."""

    marked: MarkedQuote
    rectangles: tuple[RectangleOnPage, ...]
    """One for each line or cell."""


@json_form(flat="found")
@dataclass(frozen=True, slots=True, kw_only=True)
class PageWithQuotes:
    """Where quotes stand on one page."""

    found: PageRectangles
    quotes: tuple[QuoteOnPage, ...]
    """In the order in which they were given."""

    @classmethod
    def from_domain(cls, rectangles: PageRectangles) -> Self:
        """Add each rectangle as fractions of the page."""
        width, height = rectangles.width_points, rectangles.height_points

        def with_fractions(points: Rectangle) -> RectangleOnPage:
            fractions = Rectangle(
                left=round(points.left / width, 6),
                top=round(points.top / height, 6),
                right=round(points.right / width, 6),
                bottom=round(points.bottom / height, 6),
            )
            return RectangleOnPage(points=points, fractions=fractions)

        quotes = tuple(
            QuoteOnPage(marked=quote, rectangles=tuple(map(with_fractions, quote.rectangles)))
            for quote in rectangles.quotes
        )
        return cls(found=rectangles, quotes=quotes)
