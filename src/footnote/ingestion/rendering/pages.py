"""Search a page for quotes, and draw it with them marked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from footnote.domain.pages import (
    MarkedQuote,
    PageImage,
    PageRectangles,
    PagesOfQuote,
    QuoteMatch,
)
from footnote.errors import DocumentUnreadable
from footnote.ingestion import media
from footnote.ingestion.parsing.geometry import Box
from footnote.ingestion.parsing.ocr import Ocr
from footnote.ingestion.rendering.glyphs import Glyphs
from footnote.ingestion.rendering.marking import marked, png
from footnote.ingestion.rendering.quotes import NOT_FOUND, LocatedQuote, Quote, find_quote
from footnote.ingestion.rendering.rectangles import rectangles_of, text_of
from footnote.ingestion.rendering.rows import find_rows
from footnote.ingestion.rendering.sheets import Sheet, layers, opened_page

_KEPT_READINGS = 12
_ENOUGH_PAGES = 50
"""Most pages returned for one quote."""


@dataclass(slots=True)
class Pages:
    """Draws pages and finds quotes on them; caches what OCR last read."""

    ocr: Callable[[], Ocr]
    """Returns the engine; raises DocumentUnreadable when there is none."""
    _readings: OrderedDict[tuple[str, int], Glyphs] = field(default_factory=OrderedDict)

    def rectangles(
        self, content: bytes, media_type: str, key: str, page: int, quotes: Sequence[Quote]
    ) -> PageRectangles:
        """Return where the quotes are on a page of a PDF or a picture.

        `key` identifies the content. Raises NoSuchPage and DocumentUnreadable.
        """
        with opened_page(content, media_type, page) as (sheet, page_count):
            return self._search(sheet, (key, page), page_count, quotes)

    def image(
        self,
        content: bytes,
        media_type: str,
        key: str,
        page: int,
        quotes: Sequence[Quote],
        *,
        dpi: int,
    ) -> PageImage:
        """Return the page as an image with the quotes marked. Raises as `rectangles` does."""
        with opened_page(content, media_type, page) as (sheet, page_count):
            rectangles = self._search(sheet, (key, page), page_count, quotes)
            image, scale = sheet.drawn(dpi)
        if highlights := [
            rectangle for quote in rectangles.quotes for rectangle in quote.rectangles
        ]:
            image = marked(image, highlights, scale)
        return PageImage(
            content=png(image), width=image.width, height=image.height, rectangles=rectangles
        )

    def _search(
        self, sheet: Sheet, key: tuple[str, int], page_count: int, quotes: Sequence[Quote]
    ) -> PageRectangles:
        results: list[MarkedQuote] = []
        unread = ""
        if quotes:
            layer = sheet.layer()
            results = [_marked(quote, layer, sheet) for quote in quotes]
            if any(result.match is QuoteMatch.NONE for result in results):
                try:
                    glyphs = self._read(sheet, key)
                    results = [
                        _marked(quote, [glyphs], sheet)
                        if result.match is QuoteMatch.NONE
                        else result
                        for quote, result in zip(quotes, results, strict=True)
                    ]
                except DocumentUnreadable as error:
                    unread = f"{error.cause}; {error.advice}" if sheet.is_picture() else ""
        return PageRectangles(
            page=key[1],
            page_count=page_count,
            width_points=round(sheet.width, 2),
            height_points=round(sheet.height, 2),
            quotes=tuple(results),
            unread=unread,
        )

    def _read(self, sheet: Sheet, key: tuple[str, int]) -> Glyphs:
        if key not in self._readings:
            self._readings[key] = sheet.read(self.ocr)
            if len(self._readings) > _KEPT_READINGS:
                self._readings.popitem(last=False)
        return self._readings[key]


def _marked(quote: Quote, orders: Sequence[Glyphs], sheet: Sheet) -> MarkedQuote:
    located, glyphs = _best(quote, orders)
    if glyphs is not None:
        page_box = Box(0, 0, sheet.width, sheet.height)
        if rectangles := rectangles_of(glyphs, located.stretches, page_box):
            return MarkedQuote(
                quote=quote.text,
                match=located.match,
                text=text_of(glyphs, located.stretches),
                rectangles=rectangles,
            )
    return MarkedQuote(quote=quote.text, match=QuoteMatch.NONE)


def _best(quote: Quote, orders: Sequence[Glyphs]) -> tuple[LocatedQuote, Glyphs | None]:
    """Return the best match of a quote in the given character orders of a page, and that order."""
    for glyphs in orders:
        # A column of equal cells reads like a row, so rows are searched by position first.
        row = find_rows(quote, glyphs)
        if row.match is QuoteMatch.EXACT:
            return row, glyphs
    best, best_glyphs = NOT_FOUND, None
    for glyphs in orders:
        candidate = find_quote(quote, glyphs.text, glyphs.folded)
        if candidate.share > best.share:
            best, best_glyphs = candidate, glyphs
        if best.in_one_piece:
            break
    return best, best_glyphs


_RANKS = (QuoteMatch.EXACT, QuoteMatch.PARTIAL, QuoteMatch.APPROXIMATE)


def pages_of_quote(content: bytes, media_type: str, quote: Quote) -> PagesOfQuote:
    """Return the pages whose text layer has a quote, best matches first.

    If some have all of it, only those. Raises DocumentUnreadable. Pages of pictures have no text
    layer, and are not found.
    """
    if media.is_image(media_type):
        with opened_page(content, media_type, 1) as (_, page_count):
            return PagesOfQuote(page_count=page_count, pages=())
    results: list[tuple[int, LocatedQuote]] = []
    count = 0
    for count, orders in enumerate(layers(content), start=1):
        results.append((count, _best(quote, orders)[0]))
    matching = [(page, result) for page, result in results if result.match in _RANKS]
    matching.sort(key=lambda item: (_RANKS.index(item[1].match), -item[1].share, item[0]))
    best = {result.match for _, result in matching}
    if QuoteMatch.EXACT in best:
        matching = [item for item in matching if item[1].match is QuoteMatch.EXACT]
    return PagesOfQuote(page_count=count, pages=tuple(page for page, _ in matching[:_ENOUGH_PAGES]))
