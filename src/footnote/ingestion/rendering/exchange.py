"""What `PageRenderer` and its children say to each other, checked while it is decoded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.domain.pages import (
    MarkedQuote,
    PageImage,
    PageRectangles,
    PagesOfQuote,
    QuoteMatch,
    Rectangle,
)
from footnote.ingestion.parsing.wire import Bytes, Json, MalformedFrame, encode_frame
from footnote.ingestion.rendering.missing import NoSuchPage
from footnote.ingestion.rendering.quotes import Quote

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A page that is asked for."""

    media_type: str
    key: str
    """Tells contents apart."""
    quotes: tuple[Quote, ...] = ()
    page: int | None = None
    """From 1; None asks on which pages the first quote stands."""
    dpi: int | None = None
    """None asks for the rectangles alone."""


def encode_request(request: PageRequest) -> Json:
    """The header of a request; the body is the content."""
    return {
        "media_type": request.media_type,
        "key": request.key,
        "page": request.page,
        "dpi": request.dpi,
        "quotes": [[quote.text, quote.before, quote.after] for quote in request.quotes],
    }


def decode_request(header: Json) -> PageRequest:
    """A request as `encode_request` made it."""
    quotes = [[str(part) for part in _list(quote)] for quote in _list(header["quotes"])]
    page, dpi = header["page"], header["dpi"]
    return PageRequest(
        media_type=str(header["media_type"]),
        key=str(header["key"]),
        quotes=tuple(
            Quote(text=text, before=before, after=after) for text, before, after in quotes
        ),
        page=None if page is None else _integer(page),
        dpi=None if dpi is None else _integer(dpi),
    )


def encode_no_such_page(page_count: int) -> bytes:
    """The answer for a page that is not there."""
    return encode_frame({"pages": page_count})


def encode_pages(found: PagesOfQuote) -> bytes:
    """The answer to a request without a page."""
    return encode_frame({"page_count": found.page_count, "found": list(found.pages)})


def encode_rectangles(found: PageRectangles) -> bytes:
    """The answer to a request without a resolution."""
    return encode_frame(_rectangles_json(found))


def encode_image(image: PageImage) -> bytes:
    """The answer to a request with a resolution."""
    header = {**_rectangles_json(image.rectangles), "size": [image.width, image.height]}
    return encode_frame(header, image.content)


def _rectangles_json(found: PageRectangles) -> dict[str, object]:
    return {
        "page": found.page,
        "page_count": found.page_count,
        "points": [found.width_points, found.height_points],
        "unread": found.unread,
        "quotes": [
            {
                "quote": each.quote,
                "match": each.match.value,
                "text": each.text,
                "rectangles": [
                    [box.left, box.top, box.right, box.bottom] for box in each.rectangles
                ],
            }
            for each in found.quotes
        ],
    }


def decode_pages(header: Json, _: Bytes) -> PagesOfQuote:
    """Raises MalformedFrame."""
    try:
        return PagesOfQuote(
            page_count=_integer(header["page_count"]),
            pages=tuple(_integer(page) for page in _list(header["found"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedFrame(f"{type(error).__name__}: {error}") from error


def decode_rectangles(header: Json, _: Bytes) -> PageRectangles | NoSuchPage:
    """Raises MalformedFrame."""
    try:
        if "pages" in header:
            return NoSuchPage(_integer(header["pages"]))
        width, height = map(_number, _list(header["points"]))
        return PageRectangles(
            page=_integer(header["page"]),
            page_count=_integer(header["page_count"]),
            width_points=width,
            height_points=height,
            quotes=tuple(map(_quote, _list(header["quotes"]))),
            unread=str(header["unread"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedFrame(f"{type(error).__name__}: {error}") from error


def decode_image(header: Json, body: Bytes) -> PageImage | NoSuchPage:
    """Raises MalformedFrame."""
    rectangles = decode_rectangles(header, b"")
    if isinstance(rectangles, NoSuchPage):
        return rectangles
    try:
        width, height = map(_integer, _list(header["size"]))
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedFrame(f"{type(error).__name__}: {error}") from error
    if body[: len(_PNG)] != _PNG:
        raise MalformedFrame("the picture of a page is no PNG")
    return PageImage(content=bytes(body), width=width, height=height, rectangles=rectangles)


def decode_pdf(_: Json, body: Bytes) -> bytes:
    """What LibreOffice made. Raises MalformedFrame."""
    if body[:5] != b"%PDF-":
        raise MalformedFrame("what LibreOffice made is no PDF")
    return bytes(body)


def _quote(row: object) -> MarkedQuote:
    if not isinstance(row, dict):
        raise TypeError("an object was expected")
    return MarkedQuote(
        quote=str(row["quote"]),
        match=QuoteMatch(row["match"]),
        text=str(row["text"]),
        rectangles=tuple(
            Rectangle(left=left, top=top, right=right, bottom=bottom)
            for left, top, right, bottom in (
                map(_number, _list(box)) for box in _list(row["rectangles"])
            )
        ),
    )


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("an integer was expected")
    return value


def _number(value: object) -> float:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError("a number was expected")
    return float(value)
