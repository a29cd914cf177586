"""The shapes of pages and of what is marked on them."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from footnote.domain import pages as domain
from footnote.domain.pages import QuoteMatch
from footnote.interfaces.schemas.shape import Shape


class Fractions(Shape):
    """A rectangle in shares of the width and the height of its page, 0 to 1."""

    left: float
    top: float
    right: float
    bottom: float


class Rectangle(Shape):
    """A part of a page in points, from the top left corner of the page as it is shown."""

    left: float
    top: float
    right: float
    bottom: float
    fractions: Fractions = Field(description="The same in shares of the page.")

    @classmethod
    def from_domain(cls, rectangle: domain.Rectangle, page: domain.PageRectangles) -> Self:
        """The shape of a rectangle on a page."""
        width, height = page.width_points, page.height_points
        return cls(
            left=rectangle.left,
            top=rectangle.top,
            right=rectangle.right,
            bottom=rectangle.bottom,
            fractions=Fractions(
                left=round(rectangle.left / width, 6),
                top=round(rectangle.top / height, 6),
                right=round(rectangle.right / width, 6),
                bottom=round(rectangle.bottom / height, 6),
            ),
        )


class MarkedQuote(Shape):
    """A quote, and where it stands on a page."""

    quote: str
    match: QuoteMatch = Field(
        description="`exact` for all its letters, `partial` for its beginning or end at the border "
        "of the page, `approximate` for most of it, else `none`."
    )
    text: str = Field(description="What stands in the rectangles, as the page has it.")
    rectangles: tuple[Rectangle, ...] = Field(description="One for each line or cell.")


class PageRectangles(Shape):
    """Where quotes stand on one page."""

    page: int
    page_count: int
    width_points: float
    height_points: float
    quotes: tuple[MarkedQuote, ...] = Field(description="In the order in which they were given.")
    unread: str = Field(description="Why the page could not be looked through; empty if it was.")

    @classmethod
    def from_domain(cls, page: domain.PageRectangles) -> Self:
        """The shape of a page's rectangles."""
        return cls(
            page=page.page,
            page_count=page.page_count,
            width_points=page.width_points,
            height_points=page.height_points,
            unread=page.unread,
            quotes=tuple(
                MarkedQuote(
                    quote=each.quote,
                    match=each.match,
                    text=each.text,
                    rectangles=tuple(Rectangle.from_domain(box, page) for box in each.rectangles),
                )
                for each in page.quotes
            ),
        )


class PagesOfQuote(Shape):
    """On which pages a quote stands."""

    page_count: int
    pages: tuple[int, ...] = Field(
        description="Best first; empty when it stands on none that has a text layer."
    )

    @classmethod
    def from_domain(cls, found: domain.PagesOfQuote) -> Self:
        """The shape of the pages of a quote."""
        return cls.model_validate(found)
